#!/bin/bash
# Every format to every other that can hold it and back trains the same model; one that cannot
# hold it refuses and leaves nothing.
. "$(dirname "$0")/lib.bash"

# Five kinds of examples, each in the format that says it best, and the formats that can hold it.
"$plain" gen margin:n=40,active=8 -n 300 --seed 4 >"$work/numbers.svm"
awk '{ $1 = ($1 > 0 ? "yes" : "no"); printf "%s", $1
    for (i = 2; i <= NF; i++) { split($i, p, ":"); printf ", f%s(%s)", p[1], p[2] } print ":" }' \
    "$work/numbers.svm" >"$work/names.snow"
awk '{ l = $1; $1 = ""; print l, (NR % 3 + 1) / 2, "\047id" NR " |first" $0 " |second a" NR % 9 " b:0.25" }' \
    "$work/numbers.svm" >"$work/spaces.vw"
awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) { c = int(rand() * 3); s = "class" c "\t"
    for (k = 0; k < 9; k++) s = s "Word" int(rand() * 40) + 15 * c (k < 8 ? " " : ""); print s } }' >"$work/plain.txt"
printf 'fr\tC\303\251line, "quoted"; a|b c:1 # not a comment\nen\tback\\slash {x} 1:2 (y)\n' >"$work/odd.txt"

train() {
    timeout 60 "$plain" train -q -p 2 -m "$@" || fail "train $* failed"
}

# round SOURCE FORMAT OTHER: the model of SOURCE, of its conversion, and of the way back. They are
# trained without -f, which is a setting that the model keeps. A model also keeps the format of its
# first example, so that of the conversion is compared by its weights.
round() {
    local source=$1 format=$2 other=$3
    train direct "$source"
    run "$thresh" convert -q -f "$format" --to "$other" -o there "$source"
    [ "$status" -eq 0 ] || fail "to $other: $(cat err)"
    [ ! -s out ] && [ ! -s err ] || fail "said $(cat out err)"
    train between there
    "$plain" show --weights -m direct >direct.weights
    "$plain" show --weights -m between >between.weights
    same direct.weights between.weights "read as $other"
    [ "$other" != cache ] || same direct between 'read as cache'
    [ "$other" != cache ] || return 0
    run "$thresh" convert -q -f "$other" --to "$format" -o back there
    [ "$status" -eq 0 ] || fail "back: $(cat err)"
    train again back
    same direct again 'after the way back'
    no_litter
}

# refuses SOURCE FORMAT OTHER
refuses() {
    echo old >kept
    cp kept before
    run "$thresh" convert -q -f "$2" --to "$3" -o kept "$1"
    [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || fail "status $status"
    [ "$(grep -c '' err)" -eq 1 ] && grep -q '^thresh: .* .* ' err || fail "said: $(cat err)"
    [ ! -s out ] || fail "printed $(head -c 100 out)"
    same kept before
    run "$thresh" convert -q -f "$2" --to "$3" -o fresh "$1"
    [ ! -e fresh ] || fail 'left an output file'
    no_litter
}

# holders NAME FILE FORMAT HOLDER...: HOLDERs go round, the other formats refuse.
holders() {
    local name=$1 file=$2 format=$3 f
    shift 3
    for f in $(formats); do
        case " $* " in
        *" $f "*) check "convert-$name-$f" round "$work/$file" "$format" "$f" ;;
        *) check "convert-$name-$f-refused" refuses "$work/$file" "$format" "$f" ;;
        esac
    done
}
holders integers numbers.svm svmlight svmlight vw snow jsonl cache
holders names names.snow snow vw snow jsonl cache
holders namespaces spaces.vw vw vw jsonl cache

# Text stays text where the target can hold it; elsewhere it becomes features.
for f in text fasttext csv jsonl; do
    check "convert-text-$f" round "$work/plain.txt" text "$f"
    check "convert-odd-text-$f" round "$work/odd.txt" text "$f"
done
features_of_text() {
    train direct -l perceptron --unit off "$work/plain.txt"
    run "$thresh" convert -q --to "$1" -o there "$work/plain.txt"
    [ "$status" -eq 0 ] || fail "$(cat err)"
    train between -l perceptron --unit off there
    "$plain" predict --scores -m direct "$work/plain.txt" >x
    "$plain" predict --scores -m between there >y
    same x y
}
for f in vw snow cache; do
    check "convert-text-to-features-$f" features_of_text "$f"
done
check convert-text-svmlight-refused refuses "$work/plain.txt" text svmlight

bad_source() {
    printf '+1 1:1\n-1 2:x\n' >d
    refused 1 '^thresh: d:2:6: ' "$thresh" convert -q --to vw -o o d
    [ ! -e o ] || fail 'left an output file'
    no_litter
}
to_stdout() {
    works "$thresh" convert -q --to vw "$work/numbers.svm"
    mv out stdout
    works "$thresh" convert -q --to vw -o file "$work/numbers.svm"
    same stdout file
}
several() {
    cat "$work/numbers.svm" "$work/numbers.svm" >twice
    works "$thresh" convert -q --to vw -o a twice
    works "$thresh" convert -q --to vw -o b "$work/numbers.svm" "$work/numbers.svm"
    same a b
}
unlabelled() {
    cut -d' ' -f2- "$work/numbers.svm" >bare
    works "$thresh" convert -q --no-label -f svmlight --to vw -o o bare
    "$plain" train -q -m m "$work/numbers.svm"
    "$plain" predict -m m "$work/numbers.svm" >x
    "$plain" predict -m m o >y
    same x y
}
check convert-bad-source bad_source
check convert-to-stdout to_stdout
check convert-several-files several
check convert-unlabelled unlabelled

nothing() {
    : >d
    run "$thresh" convert --to vw d
    [ "$status" -eq 0 ] && grep -q '^thresh: 0 examples from nothing to vw$' err || fail "$(cat err)"
}
check convert-nothing nothing

# ---- settings of features ----

# features FORMAT [OPTION...]: a model of the features written has the weights of one that makes the
# features itself. Values are not scaled in the file, so --unit is given to all.
features() {
    local format=$1
    shift
    run "$thresh" convert -q "$@" --to "$format" -o there "$work/plain.txt"
    [ "$status" -eq 0 ] || fail "$(cat err)"
    train direct --unit on "$@" "$work/plain.txt"
    train between --unit on there
    "$plain" show --weights -m direct >direct.weights
    "$plain" show --weights -m between >between.weights
    [ "$format" != vw ] || sed -i 's/%20/ /g' between.weights
    same direct.weights between.weights "$*"
}
asked_of_text() {
    run "$thresh" convert --ngrams 2 --to "$1" -o there "$work/plain.txt"
    [ "$status" -eq 2 ] && grep -q "$1 holds text and not features.*ngrams" err || fail "$(cat err)"
    [ ! -e there ] || fail 'it was written all the same'
}
bigrams() {
    printf 'a\tnew york city\n' >d
    run "$thresh" convert -q --ngrams 2 --to vw d
    [ "$(cat out)" = 'a | new york city new%20york york%20city' ] || fail "$(cat out err)"
    run "$thresh" convert -q --ngrams 2 --to jsonl d
    [ "$(cat out)" = '{"label": "a", "features": {"new": 1, "york": 1, "city": 1, "new york": 1, "york city": 1}}' ] ||
        fail "$(cat out err)"
    run "$thresh" convert -q --to jsonl d
    [ "$(cat out)" = '{"label": "a", "text": "new york city"}' ] || fail "$(cat out err)"
}
check convert-bigrams bigrams
for f in vw jsonl; do
    check "convert-ngrams-to-$f" features "$f" --ngrams 2 --skip 1
done
check convert-characters-to-jsonl features jsonl --tokens spaces --char-ngrams 2-3
for f in text fasttext csv; do
    check "convert-ngrams-to-$f" asked_of_text "$f"
done

finish
