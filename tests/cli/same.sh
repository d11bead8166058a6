#!/bin/bash
# Same input, same model, byte for byte: whatever the threads, the files it comes in, the packing
# and the stops in between.
. "$(dirname "$0")/lib.bash"

# Two classes; a and b of many classes, where b brings labels and features that a lacks; text.
"$plain" gen disjunction:n=3000,active=50,noise=0.05 -n 9000 --seed 1 >"$work/two.svm"
awk '{ $1 = (NR * 7919) % 5 + 1; print }' "$work/two.svm" >"$work/five.svm"
awk 'BEGIN { srand(3); for (i = 0; i < 24000; i++) { c = int(rand() * 3); s = "class" c "\t"
    for (k = 0; k < 20; k++) s = s "word" int(rand() * 400) + 150 * c " "; print s } }' >"$work/text"
head -n 1500 "$work/two.svm" >"$work/a2"
awk 'NR > 1500 && NR <= 3000 { $0 = $0 " 70001:1 " 80000 + NR ":0.5"; print }' "$work/two.svm" >"$work/b2"
head -n 1500 "$work/two.svm" | awk '{ $1 = NR % 2 + 1; print }' >"$work/a5"
awk 'NR > 1500 && NR <= 3000 { $1 = NR % 5 + 1; $0 = $0 " " 80000 + NR ":0.5"; print }' "$work/two.svm" >"$work/b5"
head -n 1500 "$work/text" | grep -v '^class2' >"$work/at"
tail -n 1500 "$work/text" >"$work/bt"
# The same with numbers as labels, for regressors.
for file in text at bt; do
    sed 's/^class//' "$work/$file" >"$work/$file.numbers"
done
# A solver looks at all examples at once, and labels at random are the worst for it.
for file in two.svm five.svm text a2 b2 a5 b5 at bt; do
    head -n 60 "$work/$file" >"$work/$file.few"
done
labelled() { # FILE LEARNER: the file as the learner can take it
    if is_regressor "$2"; then echo "$1.numbers"; else suited "$1" "$2"; fi
}
suited() { # FILE LEARNER: not too much for it
    if solved | grep -qx "${2%%:*}"; then echo "$1.few"; else echo "$1"; fi
}

# train MODEL ARGUMENT...
train() {
    local model=$1
    shift
    timeout 60 "$plain" train -q -m "$model" "$@" || fail "train $* failed"
}

threads() {
    local learner=$1 file=$2 n
    for n in 1 2 4; do
        train "m$n" -l "$learner" --threads "$n" "$file"
    done
    same m1 m2
    same m1 m4
}
resume() {
    local learner=$1 a=$2 b=$3
    cat "$a" "$b" >ab
    train whole -l "$learner" ab
    train first -l "$learner" "$a"
    train second --init first "$b"
    same whole second
    ! cmp -s first second || fail 'the second part taught nothing'
}
for file in two.svm five.svm text; do
    [ "$(stat -c %s "$work/$file")" -gt 2500000 ] || skip "same-threads-$file" 'less than three blocks'
done
for learner in $(learners) $(regressors); do
    check "same-threads-$learner-two" threads "$learner" "$(suited "$work/two.svm" "$learner")"
    check "same-threads-$learner-many" threads "$learner" "$(suited "$work/five.svm" "$learner")"
    check "same-threads-$learner-text" threads "$learner" "$(labelled "$work/text" "$learner")"
    check "same-resume-$learner-two" resume "$learner" "$(suited "$work/a2" "$learner")" \
        "$(suited "$work/b2" "$learner")"
    check "same-resume-$learner-many" resume "$learner" "$(suited "$work/a5" "$learner")" \
        "$(suited "$work/b5" "$learner")"
    check "same-resume-$learner-text" resume "$learner" "$(labelled "$work/at" "$learner")" \
        "$(labelled "$work/bt" "$learner")"
done
# Members of a panel learn in several threads, over stretches of examples. Values grow, some become
# negative late, and labels arrive now and then, to the end; features too, so that rows move.
awk 'BEGIN { srand(5); for (i = 1; i <= 3000; i++) { s = int(rand() * (1 + i / 400)); id = 0
    for (k = 0; k < 15; k++) { id += 1 + int(rand() * (20 + i)); x = rand() * (1 + i / 500)
        if (i > 1000 && i % 7 == 0) x -= 0.5
        s = s sprintf(" %d:%.4f", id, x) }
    print s } }' >"$work/growing"
awk '{ $1 = NR % 3 (NR % 5 ? "" : "," 3 + NR % 11); print }' "$work/growing" >"$work/sets"
stretches() {
    train one --threads 1 "$@"
    train three --threads 3 "$@"
    same one three
}
check same-stretch-mixture stretches "$work/growing"
check same-stretch-vote stretches -l panel:decide=vote "$work/growing"
check same-stretch-random stretches -l panel:decide=vote,vote=random "$work/growing"
check same-stretch-unscaled stretches --scale off "$work/growing"
check same-stretch-textbook stretches -l winnow -l perceptron -l balanced "$work/growing"
check same-stretch-many stretches -l pa -l arow -l bayes -l averaged -l logistic "$work/growing"
check same-stretch-balanced stretches --class-weights balanced "$work/growing"
check same-stretch-weights stretches --class-weights 1=3,2=0 "$work/growing"
check same-stretch-min-count stretches --min-count 3 "$work/growing"
check same-stretch-ceiling stretches --max-features 500 "$work/growing"
check same-stretch-hashed stretches --hash-bits 8 "$work/growing"
check same-stretch-passes stretches -p 3 "$work/growing"
check same-stretch-sets stretches --multilabel on "$work/sets"
check same-stretch-sets-of stretches --multilabel on -l pa -l arow "$work/sets"

# A single rule for two labels takes a short way (src/step/alone.c), and with a log the full one.
# In the growing data it begins when the second label has come, and ends with the third.
ways() {
    train short --threads 1 -p 2 "$@"
    train full --threads 1 -p 2 --log log "$@"
    same short full
}
for learner in perceptron perceptron:margin=1 averaged averaged:bias=off pa \
    pa:averaged=off,C=0.1 winnow balanced alma pegasos arow adagrad logistic \
    logistic:l1=0.0001,l2=0.0001; do
    check "same-way-$learner" ways -l "$learner" "$work/growing"
    check "same-way-$learner-scaled" ways -l "$learner" --scale on "$work/growing"
    check "same-way-$learner-ones" ways -l "$learner" "$work/two.svm"
done
check same-way-weights ways -l pa --class-weights balanced "$work/growing"
check same-way-unit ways -l pa --unit on "$work/growing"
check same-way-hashed ways -l pa --hash-bits 8 "$work/growing"

# Rules that are fitted to all examples, stopped after any of them.
anywhere() {
    local learner=$1 n
    "$plain" gen disjunction:k=2,n=12,active=4 -n 24 --seed 3 >d
    train whole -l "$learner" d
    for n in $(seq 23); do
        head -n "$n" d >a
        tail -n +$((n + 1)) d >b
        train first -l "$learner" a
        train second --init first b
        cmp -s whole second || fail "other bytes when stopped after $n examples"
    done
}
for learner in lp maxmargin rules; do
    check "same-resume-anywhere-$learner" anywhere "$learner"
done
for learner in perceptron:margin=1 averaged:margin=1 winnow:demote=0 balanced:normalized=on \
    pa:averaged=off bayes:kind=bernoulli kernel:kind=rbf,gamma=0.05,vote=off \
    kernel:vote=off,budget=50 logistic:l1=0.0001,l2=0.0001 logistic:averaged=on \
    logistic:steps=sgd,decay=0.5,l1=0.001 lms:averaged=off eg:signed=off; do
    check "same-resume-$learner" resume "$learner" "$work/a5" "$work/b5"
done

sanitized_threads() {
    local n
    head -n 4000 "$work/text" >d
    for n in 1 4; do
        works "$thresh" train -q -m "m$n" --threads "$n" --ngrams 2 d
    done
    same m1 m4
}
sanitized_resume() {
    cat "$work/a5" "$work/b5" >ab
    works "$thresh" train -q -m whole ab
    works "$thresh" train -q -m first "$work/a5"
    works "$thresh" train -q --init first -m second "$work/b5"
    same whole second
}
# A pipe that brings a few bytes at a time, even within a header, a line or a quoted field.
slow_pipe() {
    printf 'label,text,age\nham,"we meet\nat noon",3\nspam,win a prize,4\nham,lunch,5\n' >d.csv
    printf '1 3:1 7:0.5\n-1 4:1\n1 3:2\n' >d.svm
    local file
    for file in d.csv d.svm; do
        works "$thresh" train -q -m whole "$file"
        (
            size=$(stat -c %s "$file") at=0
            while [ "$at" -lt "$size" ]; do
                tail -c +$((at + 1)) "$file" | head -c 5
                at=$((at + 5))
                sleep 0.02
            done
        ) | "$thresh" train -q -m piped - || fail "status $?"
        same whole piped "$file"
    done
}
check same-slow-pipe slow_pipe

# One slow block, and many quick ones behind it that come round to its place.
slow_block() {
    awk 'BEGIN { printf "1"; for (i = 1; i <= 600; i++) printf " %d:1", i; print ""
                 for (i = 0; i < 120000; i++) print (i % 2 ? "-1" : "1"), i % 7 + 1 ":1" }' >d
    local n
    for n in 1 4 8; do
        works "$thresh" train -q -m "m$n" --conjoin 2 --threads "$n" d
    done
    same m1 m4
    same m1 m8
}
check same-threads-sanitized sanitized_threads
check same-threads-slow-block slow_block
check same-resume-sanitized sanitized_resume

several_files() {
    cat "$work/a5" "$work/b5" >ab
    train one ab
    train two "$work/a5" "$work/b5"
    same one two
    train three --threads 4 - "$work/b5" <"$work/a5"
    same one three
}
check same-several-files several_files

packed() {
    local tool=$1
    command -v "$tool" >/dev/null || return 0
    train whole "$work/two.svm"
    "$tool" -c "$work/two.svm" >packed
    train file packed
    train pipe - <packed
    same whole file
    same whole pipe
    { "$tool" -c "$work/a2"; "$tool" -c "$work/b2"; } >members
    cat "$work/a2" "$work/b2" | train plain -
    train joined members
    same plain joined
}
for pair in gzip:zlib zstd:zstd xz:lzma; do
    if has "${pair#*:}"; then
        check "same-${pair%:*}" packed "${pair%:*}"
    else
        skip "same-${pair%:*}" "this build has no ${pair#*:}"
    fi
done
from_stdin() {
    train whole "$work/two.svm"
    train stdin - <"$work/two.svm"
    cat "$work/two.svm" | train pipe -
    same whole stdin
    same whole pipe
}
check same-stdin from_stdin

passes() {
    local file
    file=$(suited "$work/a5" "$1")
    train five -l "$1" -p 5 "${@:2}" "$file"
    train two -l "$1" -p 2 "${@:2}" "$file"
    train then --init two -p 3 "${@:2}" "$file"
    same five then
}
for learner in $(learners) $(regressors); do
    check "same-passes-$learner" passes "$learner"
    check "same-passes-shuffled-$learner" passes "$learner" --shuffle 7
done
shuffle_seeds() {
    train a --shuffle 1 "$work/a5"
    train b --shuffle 1 "$work/a5"
    train c --shuffle 2 "$work/a5"
    same a b
    ! cmp -s a c || fail 'the seed makes no difference'
}
check same-shuffle-seed shuffle_seeds

# Scores of the same examples with their features turned round.
feature_order() {
    local file
    file=$(suited "$work/a5" "$1")
    awk '{ s = $1; for (i = NF; i > 1; i--) s = s " " $i; print s }' "$file" >turned
    train m -l "$1" "$file"
    shown "$1" m "$file" >x
    shown "$1" m turned >y
    paste x y | awk -v least="$(wc -l <"$file")" '{ d = $1 - $2; if (d < 0) d = -d; m = $1 < 0 ? -$1 : $1; if (m < 1) m = 1
        if (d > 1e-6 * m) { bad++ } n++ } END { exit bad > 0 || n < least }' || fail 'scores differ'
}
for learner in $(learners) $(regressors); do
    check "same-feature-order-$learner" feature_order "$learner"
done
repeated() {
    printf '+1 1:3 2:1\n-1 2:2.5 3:1\n+1 1:2 3:4\n' >once
    printf '+1 1:1 2:1 1:2\n-1 3:1 2:2 2:0.5\n+1 3:1 1:2 3:3\n' >often
    # The same order of first appearance, so the same ids.
    printf '+1 1:3 2:1\n-1 3:1 2:2.5\n+1 3:4 1:2\n' >once
    train a -l "$1" -p 3 once
    train b -l "$1" -p 3 often
    shown "$1" a once >x
    shown "$1" b often >y
    same x y
}
for learner in $(learners) $(regressors); do
    check "same-repeated-feature-$learner" repeated "$learner"
done

# nearly A B: the same text, with numbers that differ by less than 1e-5 of their size.
nearly() {
    perl -e '@x = map { local ($/, @ARGV) = (undef, $_); [split /(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/, <>] } @ARGV;
        exit 1 if @{$x[0]} != @{$x[1]};
        for (0 .. $#{$x[0]}) { my ($a, $b) = ($x[0][$_], $x[1][$_]);
            exit 1 if $_ % 2 ? abs($a - $b) > 1e-5 * (1 + abs $a) : $a ne $b }' "$1" "$2" || fail "$1 and $2 differ"
}
lean() {
    train full -l "$1" "$2"
    train lean --lean -l "$1" "$2"
    shown "$1" full "$2" >x
    shown "$1" lean "$2" >y
    [ -s x ] || fail 'nothing was shown'
    # A lean panel is one function, whose weights are rounded to a float.
    if [ "$1" = panel ]; then nearly x y; else same x y; fi
    [ "$(stat -c %s lean)" -le "$(stat -c %s full)" ] || fail 'the lean model is larger'
}
for learner in $(learners) $(regressors) logistic:l1=0.001; do
    check "same-lean-$learner" lean "$learner" "$(suited "$work/b5" "$learner")"
    check "same-lean-text-$learner" lean "$learner" "$(labelled "$work/bt" "$learner")"
done

# A model that was loaded and saved again: as online does after learning the same example.
loaded() {
    train whole "$work/a5"
    { cat "$work/a5"; head -n 1 "$work/b5"; } | train more -
    head -n 1 "$work/b5" | "$plain" online -q -m whole >said || fail 'online failed'
    "$plain" predict --scores -m more "$work/b5" >x
    "$plain" predict --scores -m whole "$work/b5" >y
    same x y
}
check same-loaded-and-saved loaded
tested_in_memory() {
    # -t tests before saving, test after loading.
    "$plain" train -m m -t "$work/b5" "$work/a5" | sed -n '/^tested/,$p' >before
    "$plain" test -m m "$work/b5" >after
    same before after
}
check same-test-before-and-after-saving tested_in_memory

cached() {
    local file=$1
    shift
    "$plain" convert -q "$@" --to cache -o c "$file" || fail 'convert failed'
    train direct "$@" "$file"
    train cached "$@" c
    same direct cached
    train direct3 -p 3 --shuffle 5 "$@" "$file"
    train cached3 -p 3 --shuffle 5 --threads 1 "$@" c
    same direct3 cached3
}
awk '{ l = $1; $1 = ""; print (l > 2 ? 1 : -1), (NR % 3 + 1), "\047t" NR " |first" $0 " |second:2 a" NR % 9 " b:0.5" }' \
    "$work/a5" >"$work/spaces.vw"
check same-cache-svmlight cached "$work/five.svm"
check same-cache-vw-namespaces cached "$work/spaces.vw"
# Integers of every size; the second namespace says the label, to a model that is opened, too.
awk 'BEGIN { srand(5); for (i = 0; i < 400; i++) { y = rand() < 0.5; printf "%d |", y ? 1 : -1
    printf " %.0f %.0f", 3e9 + int(rand() * 50), 4294967290 + int(rand() * 12)
    printf " %d %d", 12000000 + int(rand() * 20), 16777000 + int(rand() * 400)
    printf " |a %d %.0f\n", y ? 12 : 13, 3e9 + int(rand() * 50) } }' >"$work/integers.vw"
integers() {
    local n
    train m -f vw -l pa "$work/integers.vw"
    for n in 1 2; do
        "$thresh" test --threads $n -f vw -m m "$work/integers.vw" >said || fail 'test failed'
        grep -q '400 examples, 0 wrong' said || fail "$(head -1 said)"
    done
}
check same-integers-when-opened integers
check same-cache-integers cached "$work/integers.vw"
head -n 2000 "$work/text" >"$work/short"
check same-cache-text cached "$work/short"
check same-cache-text-ngrams cached "$work/short" --ngrams 2 --char-ngrams 3 --values count
awk -F'\t' '{ split($2, w, " "); print $1 "\t" w[1], w[2], w[3], w[4] }' "$work/short" >"$work/few"
check same-cache-text-conjunctions cached "$work/few" --conjoin 2
cache_mismatch() {
    "$plain" convert -q --ngrams 2 --to cache -o c "$work/short"
    refused 1 '^thresh: c' "$thresh" train -q -m m --ngrams 3 c
    [ ! -e m ] || fail 'a model was written'
}
check same-cache-other-settings-refused cache_mismatch

finish
