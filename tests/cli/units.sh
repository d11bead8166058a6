#!/bin/bash
# Units, order and one decision: what the default learner promises of tables and streams.
. "$(dirname "$0")/lib.bash"

# A table with numbers of very different sizes, one of them often 0 or missing, a category and text.
awk 'BEGIN { srand(11); print "label,height,income,rare,colour,text"
    for (i = 0; i < 900; i++) {
        y = rand() < 0.4; h = 1.6 + 0.1 * y + 0.1 * rand(); w = 30000 + 20000 * rand() - 8000 * y
        r = rand() < 0.7 ? 0 : 5 * y + rand(); c = rand() < 0.5 ? "red" : y ? "blue" : "green"
        printf "%s,%.4f,%.2f,%s,%s,word%d word%d\n", y ? "yes" : "no", h, w, rand() < 0.1 ? "?" : r,
            rand() < 0.05 ? "" : c, rand() * 40 + 9 * y, rand() * 40 } }' >"$work/table.csv"
# The same as sparse values, with negative ones.
awk 'BEGIN { srand(12); for (i = 0; i < 900; i++) { y = rand() < 0.5 ? 1 : -1; s = y
    for (k = 1; k <= 12; k++) if (rand() < 0.5) s = s sprintf(" %d:%.4g", k, (rand() - 0.5 + (k < 4) * y * 0.3) * 7 ^ (k % 4 - 1))
    print s } }' >"$work/sparse.svm"
awk '{ $1 = 0; for (i = 2; i <= NF; i++) { split($i, f, ":"); $1 += f[2] * (f[1] % 3 - 1) } print }' "$work/sparse.svm" >"$work/numbers.svm"
awk '{ for (i = 2; i <= NF; i++) sub(/:.*/, ":1", $i); print }' "$work/sparse.svm" >"$work/ones.svm"

times() { # times FACTOR FILE: feature 2, or the column income, in another unit
    case $2 in
    *.csv) awk -F, -v OFS=, -v by="$1" 'NR > 1 { $3 = sprintf("%.10g", $3 * by) } { print }' "$2" ;;
    *) awk -v by="$1" '{ for (i = 2; i <= NF; i++) { split($i, f, ":"); if (f[1] == 2) $i = "2:" sprintf("%.10g", f[2] * by) } print }' "$2" ;;
    esac
}
in_units() { # in_units FACTOR FILE [OPTION...]: what is predicted when one feature is in another unit
    local by=$1 file=$2
    shift 2
    times "$by" "$file" >"data.${file##*.}"
    "$thresh" train -q -m m "$@" "data.${file##*.}" || fail 'train'
    "$thresh" predict --json ${scores---scores} -m m "data.${file##*.}" || fail 'predict'
}
powers_of_two() {
    local by
    in_units 1 "$@" >as_it_is
    for by in 0.0625 2 1048576; do
        in_units "$by" "$@" >other
        same as_it_is other "times $by"
    done
}
thousand() { # labels change only at near ties
    in_units 1 "$@" | grep -o '"label": "[^"]*", "score": [^,]*' >a
    in_units 1000 "$@" | grep -o '"label": "[^"]*", "score": [^,]*' >b
    [ -s a ] || fail 'no predictions'
    paste a b | awk -F'[:,"\t ]+' '$3 != $7 && ($5 > 1e-3 || $9 > 1e-3) { bad++ } END { exit bad > 0 }' || fail 'labels differ'
}
for learner in panel adagrad arow logistic; do
    check "units-two-table-$learner" powers_of_two "$work/table.csv" -l $learner
    check "units-two-sparse-$learner" powers_of_two "$work/sparse.svm" -l $learner
    check "units-thousand-table-$learner" thousand "$work/table.csv" -l $learner
    check "units-thousand-sparse-$learner" thousand "$work/sparse.svm" -l $learner
done
for learner in lms eg; do
    scores='' check "units-two-numbers-$learner" powers_of_two "$work/numbers.svm" -l $learner
done
check units-two-passes powers_of_two "$work/table.csv" -p 3 --shuffle 1
check units-two-hashed powers_of_two "$work/table.csv" --hash-bits 12
check units-two-text powers_of_two "$work/table.csv" --values count --ngrams 2

# Where all values are 1, scaling makes no difference, to the byte.
ones() {
    "$plain" train -q -l "$1" --scale off -m off "$work/ones.svm" && "$plain" train -q -l "$1" --scale on -m on "$work/ones.svm" || fail 'train'
    "$plain" predict --json --scores -m off "$work/ones.svm" >a
    "$plain" predict --json --scores -m on "$work/ones.svm" >b
    same a b
}
for learner in adagrad arow logistic bayes panel; do
    check "units-ones-$learner" ones $learner
done
# A feature that training met with the value 1 alone has the unit 1, so other values are not cut to 1.
other_values_after_ones() {
    printf '2 1:1\n1 2:1\n3 1:1 2:1\n' >ones
    printf '0 1:1\n0 1:2\n0 1:4\n' >asked
    works "$plain" train -q -l lms -m m ones
    works "$plain" train -q -l lms --lean -m lean ones
    for m in m lean; do
        "$plain" predict -q -m $m asked | awk '{ s[NR] = $1 } END { step = s[2] - s[1]; off = s[3] - s[2] - 2 * step
            exit !(step > 0.1 && off < 1e-6 && off > -1e-6) }' || fail "$m is not linear: $("$plain" predict -q -m $m asked | tr '\n' ' ')"
    done
}
check units-other-values-after-ones other_values_after_ones
off_by_default() { # plain rules see values as they are
    "$plain" train -q -l "$@" -m m "$work/sparse.svm" && "$plain" train -q -l "$@" --scale off -m off "$work/sparse.svm" || fail 'train'
    "$plain" predict --json --scores -m m "$work/sparse.svm" >a
    "$plain" predict --json --scores -m off "$work/sparse.svm" >b
    same a b
}
for learner in perceptron pa averaged; do
    check "units-off-$learner" off_by_default $learner
done
check units-off-textbook off_by_default arow --textbook on

# Saved and resumed at any point, with any number of threads, from a cache: the same bytes.
resumed_is_the_same() {
    local at file=$1 head=0
    [[ $file != *.csv ]] || head=1
    works "$plain" train -q -m once "$file"
    for at in 1 2 3 17 450; do
        head -n $((at + head)) "$file" >first
        { head -n $head "$file"; tail -n +$((at + head + 1)) "$file"; } >rest
        works "$thresh" train -q -m half first
        works "$thresh" train -q --init half -m twice rest
        same once twice "resumed after $at"
    done
    works "$thresh" train -q --threads 4 -m threads "$file"
    same once threads 'threads'
    works "$thresh" train -q --cache c -m written "$file"
    works "$thresh" train -q --cache c -m cached "$file"
    same once written 'while a cache is written'
    same once cached 'from the cache'
}
check units-resumed-table resumed_is_the_same "$work/table.csv"
check units-resumed-sparse resumed_is_the_same "$work/sparse.svm"

# Models that met values of different sizes predict the mean of their predictions when they are mixed.
mixed_in_one_unit() {
    head -450 "$work/numbers.svm" >a.svm
    tail -450 "$work/numbers.svm" | times 1.6 /dev/stdin >b.svm
    head -100 a.svm | times 0.2 /dev/stdin >probe.svm
    for part in a b; do
        works "$thresh" train -q -l lms -m $part $part.svm
        "$thresh" predict -q -m $part probe.svm >$part.said || fail 'predict'
    done
    works "$thresh" merge -q -o both a b
    "$thresh" predict -q -m both probe.svm >both.said || fail 'predict'
    paste a.said b.said both.said |
        awk '{ d = ($1 + $2) / 2 - $3; if (d < 0) d = -d; if (d > 1e-4) { print; bad = 1 } } END { exit bad || NR != 100 }' >off ||
        fail "$(head -3 off)"
}
check units-mixed mixed_in_one_unit

# After few examples nothing is certain, and class weights change answers but not probabilities.
few_examples_are_no_proof() {
    printf '%s\n' 'spam	win cash now' 'ham	see you at lunch' 'spam	cheap pills win' 'ham	meeting at noon' \
        'spam	free cash prize' 'ham	lunch tomorrow?' >six
    for learner in panel pa bayes adagrad averaged; do
        works "$thresh" train -q -l $learner -m m six
        printf 'x	win free cash now\nx	lunch at noon\n' | "$thresh" predict -q --probabilities -m m - >said || fail 'predict'
        awk -F'\t' '$2 < 0.5 || $2 > 0.9 || $1 != (NR == 1 ? "spam" : "ham") { exit 1 }' said || fail "$learner: $(cat said)"
    done
}
check probability-after-few-examples few_examples_are_no_proof
balanced_stays_calibrated() {
    awk 'BEGIN { srand(3); for (i = 0; i < 12000; i++) { y = rand() < 0.1; s = y ? "yes\t" : "no\t"
        for (k = 0; k < 6; k++) s = s " w" int(80 * rand() ^ (1 + 0.5 * y)); print s } }' >all
    head -6000 all >learned && tail -6000 all >held
    works "$thresh" train -q --class-weights balanced -m m learned
    works "$thresh" test -q --json -m m held
    python3 -c 'import json; r = json.load(open("out")); assert r["test_ece"] < 0.03, r["test_ece"]' || fail 'ece'
}
if command -v python3 >/dev/null; then
    check probability-with-class-weights balanced_stays_calibrated
else
    skip probability-with-class-weights 'no python3 here'
fi

# A lean model is small, and answers as the full one does.
lean() {
    works "$plain" train -q -m full "$@"
    works "$plain" train -q --lean -m lean "$@"
    [ $(($(stat -c %s lean) * 3)) -le "$(stat -c %s full)" ] || fail "$(stat -c %s full lean)"
    "$thresh" predict --json --probabilities -m full "${@: -1}" >a
    "$thresh" predict --json --probabilities -m lean "${@: -1}" >b
    python3 - a b <<'END' || fail 'it answers otherwise'
import json, sys
n = 0
for a, b in zip(map(json.loads, open(sys.argv[1])), map(json.loads, open(sys.argv[2]))):
    assert a['label'] == b['label'], (a, b)
    assert all(abs(p - b['probabilities'][l]) < 1e-5 for l, p in a['probabilities'].items()), (a, b)
    assert a['probability'] == max(a['probabilities'].values()), a
    n += 1
assert n >= 900
END
    refused 2 'lean' "$thresh" train -q --init lean -m more "${@: -1}"
}
awk '{ $1 = 1 + (NR * 7 + length($0)) % 3; print }' "$work/sparse.svm" >"$work/many.svm"
if command -v python3 >/dev/null; then
    check lean-table lean "$work/table.csv"
    check lean-sparse lean "$work/sparse.svm"
    check lean-many lean "$work/many.svm"
    check lean-passes lean -p 3 "$work/table.csv"
else
    skip lean 'no python3 here'
fi

winner_goes_on() { # the best member by itself is a model like any other
    works "$thresh" train -q --keep winner -m best --members bayes+pa "$work/sparse.svm"
    works "$thresh" predict -m best "$work/sparse.svm"
    works "$thresh" train -q --init best -m on "$work/sparse.svm"
}
check winner-of-a-mixture winner_goes_on

missing_is_no_category() {
    works "$thresh" train -q -m m "$work/table.csv"
    works "$thresh" show --weights -m m
    ! grep -qF '?' out || fail "$(grep -F '?' out)"
    grep -q '^number|income' out || fail 'no number'
}
check table-missing missing_is_no_category
old_rules() { refused 2 'eta is an option of decide=vote' "$thresh" train -q -l panel:eta=0.2 "$work/sparse.svm"; }
check panel-options-of-the-vote old_rules
