#!/bin/bash
# Features dropped: at the end (--prune, --top, --top-mass), while they are rare (--min-count), and
# to stay within a ceiling (--max-features). Exact whatever the threads and the stops in between.
. "$(dirname "$0")/lib.bash"

# Three classes of words in namespaces, integers among them, and a name of its own on each line.
awk 'BEGIN { srand(3); for (i = 0; i < 9000; i++) { c = int(rand() * 3); s = "class" c " |a"
    for (k = 0; k < 12; k++) s = s " w" int(rand() * 400) + 150 * c
    s = s " |b"; for (k = 0; k < 5; k++) s = s " " int(rand() * 900) + 300 * c ":" int(rand() * 4) / 2 + 0.5
    print s " a-name-that-is-too-long-for-a-slot-" i } }' >"$work/text.vw"
head -n 1000 "$work/text.vw" >"$work/a"
sed -n 1001,2000p "$work/text.vw" >"$work/b"
tail -n 1000 "$work/text.vw" >"$work/t"
cat "$work/a" "$work/b" >"$work/ab"
# A solver looks at all examples at once: it gets few.
for part in a b; do
    head -n 60 "$work/$part" >"$work/$part.few"
done
cat "$work/a.few" "$work/b.few" >"$work/ab.few"
part() { if solved | grep -qx "$learner"; then echo "$work/$1.few"; else echo "$work/$1"; fi; }

train() {
    local model=$1
    shift
    timeout 60 "$plain" train -q -m "$model" "$@" || fail "train $* failed"
}
field() { sed -n "s/.*\"$1\": *\([0-9.e+-]*\).*/\1/p" "$2" | head -n 1; }

# Whether a learner can lose features: it says so before it reads anything.
droppable() { "$plain" train -q -l "$1" --top 5 "$work/a.few" >/dev/null 2>&1; }

resume() {
    train whole "$@" "$(part ab)"
    train first "$@" "$(part a)"
    train second --init first "$(part b)"
    same whole second
    ! cmp -s first second || fail 'the second part taught nothing'
}
threads() {
    train m1 --threads 1 "$@" "$work/text.vw"
    train m4 --threads 4 "$@" "$work/text.vw"
    same m1 m4
    cat "$work/text.vw" | train piped "$@" -
    same m1 piped
}
passes() {
    train three -p 3 "$@" "$work/a"
    train one "$@" "$work/a"
    train then --init one -p 2 "$@" "$work/a"
    same three then
}
# Line by line as in one stream: no batch but the example itself.
online() {
    "$plain" online -q -m lines "$@" <"$work/a" >/dev/null || fail 'online failed'
    train stream "$@" "$work/a"
    same lines stream
}
learner=
for learner in $(learners); do
    check "prune-resume-min-count-$learner" resume -l "$learner" --min-count 3
    if droppable "$learner"; then
        check "prune-resume-max-features-$learner" resume -l "$learner" --max-features 300
    else
        check "prune-refused-$learner" refused 2 'dropped' "$thresh" train -l "$learner" \
            --max-features 300 "$work/a"
    fi
done
numbers() {
    local f
    for f in a b ab; do
        sed 's/^class//' "$work/$f" >"$f.numbers"
    done
    train whole "$@" ab.numbers
    train first "$@" a.numbers
    train second --init first b.numbers
    same whole second
}
for learner in $(regressors); do
    check "prune-resume-min-count-$learner" numbers -l "$learner" --min-count 3
    check "prune-resume-max-features-$learner" numbers -l "$learner" --max-features 300
done
for option in min-count=1 min-count=3 max-features=300; do
    check "prune-threads-$option" threads "--$option"
    check "prune-passes-$option" passes "--$option"
done
for learner in bayes:kind=bernoulli balanced:normalized=on; do
    check "prune-resume-$learner" resume -l "$learner" --max-features 300 --min-count 2
done
check prune-resume-both resume --max-features 300 --min-count 2
check prune-passes-shuffled-min-count passes --min-count 3 --shuffle 7
check prune-online-min-count online --min-count 3
check prune-online-max-features online --max-features 300

sanitized() {
    works "$thresh" train -q -m m "$@" "$work/a"
    works "$thresh" train -q --init m -m n "$work/b"
    works "$thresh" predict -m n "$work/t"
    works "$thresh" explain -m n "$work/t"
    works "$thresh" train -q --lean -m l "$@" "$work/a"
}
check prune-sanitized-ceiling sanitized --max-features 200
check prune-sanitized-min-count sanitized --min-count 3
check prune-sanitized-both sanitized --max-features 200 --min-count 2
check prune-sanitized-top sanitized --top 50
check prune-sanitized-bernoulli sanitized -l bayes:kind=bernoulli --max-features 200 --top 50

# A feature that came too seldom is as if it were not in the line: files without it teach the same.
seldom() {
    awk '{ s = ""; ns = ""; split("", here); for (i = 1; i <= NF; i++) {
            if ($i ~ /^\|/) { ns = $i; s = s " " $i; continue }
            split($i, p, ":"); key = ns SUBSEP p[1]
            if (i > 1 && !(key in here)) { here[key]; seen[key]++ }
            if (i == 1 || seen[key] >= 3) s = s " " $i }
        print substr(s, 2) }' "$work/a" >without
    "$plain" train --json -l "$1" --min-count 3 "$work/a" >c
    "$plain" train --json -l "$1" without >w
    [ "$(field mistakes c)" = "$(field mistakes w)" ] || fail "$(field mistakes c) mistakes, not $(field mistakes w)"
    [ "$(field updates c)" = "$(field updates w)" ] || fail "$(field updates c) updates, not $(field updates w)"
}
for learner in perceptron pa arow; do
    check "prune-min-count-is-leaving-out-$learner" seldom "$learner"
done

# What remains predicts as before where only features without weight went.
weightless() {
    train m -l perceptron "$work/a"
    train p -l perceptron --prune 1e-9 "$work/a"
    "$plain" predict --scores -m m "$work/t" >x
    "$plain" predict --scores -m p "$work/t" >y
    same x y
    [ "$(stat -c %s p)" -lt "$(stat -c %s m)" ] || fail 'nothing was dropped'
}
check prune-weightless weightless

says() {
    "$plain" train --json -m m --top 40 "$work/a" >x
    [ "$(field features x)" = 40 ] || fail "$(field features x) features"
    "$plain" train --json "$work/a" >y
    [ $(($(field pruned x) + 40)) = "$(field features y)" ] || fail "pruned $(field pruned x)"
    "$plain" train -m n --max-features 200 "$work/a" >z
    grep -q '^evicted    [1-9][0-9]* features, to stay within 200' z || fail "$(cat z)"
    "$plain" train --min-count 3 "$work/a" >z
    grep -q '^waiting    [1-9][0-9]* features that came less than 3 times' z || fail "$(cat z)"
    "$plain" train --top 40 "$work/a" >z
    grep -q '^pruned     [1-9][0-9]* features' z || fail "$(cat z)"
    works "$thresh" train -q --init m -m again "$work/b"
}
check prune-says says

# Of words that come 8, 4, 2, 1 and 1 times, three quarters of the occurrences are the first two.
mass() {
    for pair in w:8 x:4 y:2 z:1 v:1; do
        for _ in $(seq "${pair#*:}"); do echo "1 | ${pair%:*}"; done
    done >d
    echo "-1 | u" >>d
    "$plain" train --json --top-mass 70 d >x
    [ "$(field features x)" = 2 ] || fail "$(field features x) features, not 2"
    "$plain" train --json --top-mass 100 d >x
    [ "$(field pruned x)" = 0 ] || fail 'all of the mass is less than all features'
}
check prune-top-mass mass

refusals() {
    refused 2 'hash-bits' "$thresh" train --hash-bits 8 --max-features 100 "$work/a"
    refused 2 'shuffled' "$thresh" train --shuffle 1 --max-features 100 "$work/a"
    refused 1 'd:1: this example has 18 features' "$thresh" train --max-features 10 d
    refused 2 'top-mass' "$thresh" train --init m --top-mass 50 "$work/b"
    refused 2 'needed' "$thresh" train --top 0 "$work/b"
    refused 2 'needed' "$thresh" train --prune -1 "$work/b"
    refused 2 'cache' "$thresh" train --max-features 100 c
    refused 2 'max-features=0' "$thresh" train --init m --max-features 100 "$work/b"
}
head -n 1 "$work/a" >"$work/one"
refusals_with() {
    cp "$work/one" d
    train m "$work/a"
    "$plain" convert -q --to cache -o c "$work/a"
    refusals
}
check prune-refusals refusals_with

# Ever new names: with a ceiling the memory stays where it is.
flat() {
    command -v /usr/bin/time >/dev/null || return 0
    local n
    for n in 100000 800000; do
        awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++) print (i % 2 ? "1" : "-1") " | sign" i % 2 \
            " name-of-some-length-" i " other-" i }' |
            /usr/bin/time -o "peak$n" -f %M "$plain" train -q -l pa --max-features 20000 -m m - ||
            fail 'train failed'
    done
    [ "$(cat peak800000)" -lt $(($(cat peak100000) * 13 / 10)) ] ||
        fail "peak of $(cat peak100000) KiB became $(cat peak800000)"
    echo "peak KiB: $(cat peak100000) $(cat peak800000)"
}
if [ -x /usr/bin/time ]; then
    check prune-memory-flat flat
else
    skip prune-memory-flat 'there is no /usr/bin/time'
fi

# Accuracy against size. The heaviest features do most of the work: a tenth of them is nearly as
# good as all.
accuracy() { # TRAIN TEST OPTION...: accuracy in the test, in hundredths of a percent
    "$plain" train --json -q -t "$2" "${@:3}" "$1" >json || fail 'train failed'
    awk -v a="$(field test_accuracy json)" 'BEGIN { printf "%d", a * 10000 }'
}
against_size() {
    local train=$1 test=$2 loss=$3 share n all full at
    "$plain" train --json -q "$train" >json
    all=$(field features json)
    full=$(accuracy "$train" "$test")
    for share in 1 10 50 100; do
        n=$((all * share / 100))
        at=$(accuracy "$train" "$test" --top "$n")
        echo "$(basename "$train"): $share % of the features, $n: accuracy $at of $full"
        [ "$share" -lt 100 ] || [ "$at" -eq "$full" ] || fail 'all features are not all'
        [ "$share" -ne 10 ] || [ "$at" -ge $((full - loss)) ] || fail "a tenth of $all: $at, all: $full"
    done
}
"$plain" gen disjunction:n=5000,active=50,noise=0.02 -n 6000 --seed 4 >"$work/gen.svm"
head -n 5000 "$work/gen.svm" >"$work/gen.train"
tail -n 1000 "$work/gen.svm" >"$work/gen.test"
check prune-accuracy-against-size-generated against_size "$work/gen.train" "$work/gen.test" 500
sets=${DATA:-$here/../../../shared/data}
if [ -r "$sets/sms-spam.tsv.xz" ] && command -v xz >/dev/null; then
    xz -dc "$sets/sms-spam.tsv.xz" | awk 'NR % 5' >"$work/sms.train"
    xz -dc "$sets/sms-spam.tsv.xz" | awk 'NR % 5 == 0' >"$work/sms.test"
    check prune-accuracy-against-size-sms against_size "$work/sms.train" "$work/sms.test" 300
else
    skip prune-accuracy-against-size-sms 'there is no ../shared/data'
fi

# Names without end and no bound: it says what to do.
out_of_memory() {
    awk 'BEGIN { for (i = 0; i < 60000; i++) { s = i % 2 ? "1 |" : "-1 |"
        for (k = 0; k < 20; k++) s = s " name" i "x" k; print s } }' >many
    (ulimit -v 90000 && timeout 60 "$plain" train -q --threads 1 -m m many) 2>err && fail 'it worked'
    grep -q 'out of memory at [0-9]* different features: hash-bits or max-features' err ||
        fail "said $(cat err)"
    [ ! -e m ] || fail 'a model'
    (ulimit -v 90000 && timeout 60 "$plain" train -q --threads 1 --hash-bits 16 -m m many) 2>err ||
        fail "hashed: $(cat err)"
    (ulimit -v 90000 && timeout 60 "$plain" train -q -l pa --threads 1 --max-features 20000 -m m2 many) 2>err ||
        fail "with a ceiling: $(cat err)"
}
check many-names-out-of-memory out_of_memory

finish
