#!/bin/bash
# Merging models at the command line: every learner, threads, what is refused, and what is left alone.
. "$(dirname "$0")/lib.bash"

cp "$data/mail.txt" "$data/two.svm" "$data/three.svm" "$work/"
head -n 30 "$data/three.svm" >"$work/first" && tail -n 30 "$data/three.svm" >"$work/second"
for l in $(learners) $(regressors); do
    "$plain" train -q -l "$l" -m "$work/a-$l" "$work/first" || exit 1
    "$plain" train -q -l "$l" -m "$work/b-$l" "$work/second" || exit 1
done

# A learner that cannot be mixed says why, in a sentence; all others can be tested, shown, explained
# and trained further, and give the same file every time.
each_learner() {
    local l=$1
    run "$thresh" merge "$work/a-$l" "$work/b-$l" -o m
    if [ "$status" -ne 0 ]; then
        refused 2 'two such histories are not one' "$thresh" merge "$work/a-$l" "$work/b-$l" -o m
        [ ! -e m ] || fail 'wrote a model all the same'
        return
    fi
    grep -q '^m: 2 models of .* as one: 60 examples, ' out || fail "$(cat out)"
    works "$thresh" merge -q "$work/a-$l" "$work/b-$l" -o again
    [ ! -s out ] || fail "said $(cat out)"
    same m again
    works "$thresh" test -m m "$work/three.svm"
    works "$thresh" show -m m
    run "$thresh" explain -m m "$work/three.svm"
    [ "$status" -eq 0 ] || grep -q 'nothing explains\|no weights\|not linear' err || fail "$(cat err)"
    cp m before
    works "$thresh" train -q --init m -m m --threads 2 "$work/three.svm"
    works "$thresh" train -q --init again -m again --threads 1 "$work/three.svm"
    same m again 'threads'
    ! cmp -s m before || fail 'it learned nothing more'
    works "$thresh" show --json -m m
    grep -q '"examples": 120' out || fail "$(head -c 200 out)"
}
for l in $(learners) $(regressors); do
    check "merge-$l" each_learner "$l"
done

# Counts add up: what one model of both parts would say, to the last digit.
as_one() {
    works "$plain" train -q -l "$1" -m one "$work/first" "$work/second"
    works "$thresh" merge -q "$work/a-$1" "$work/b-$1" -o both
    works "$thresh" predict --scores -m one "$work/three.svm"
    mv out wanted
    works "$thresh" predict --scores -m both "$work/three.svm"
    same out wanted
}
for l in bayes knn rules; do
    check "merge-as-one-$l" as_one "$l"
done

# Weights: 1,1 is not 1,1000, which is nearly the second model alone.
weighted() {
    works "$thresh" merge -q "$work/a-perceptron" "$work/b-perceptron" -o m --weights 1,1e9
    works "$thresh" diff m "$work/b-perceptron" "$work/three.svm"
    grep -q '^predictions: 0 of 60 differ' out || fail "$(grep predictions out)"
    works "$thresh" merge -q "$work/a-perceptron" "$work/b-perceptron" -o equal --weights 1,1
    works "$thresh" merge -q "$work/a-perceptron" "$work/b-perceptron" -o by-examples
    same equal by-examples 'both have learned from 30'
    works "$thresh" merge --json "$work/a-pa" "$work/b-pa" "$work/a-pa" -o m
    grep -q '^{"learner": "pa", "models": 3, "examples": 90, ' out || fail "$(cat out)"
}
check merge-weights weighted

refusals() {
    local a=$work/a-pa b=$work/b-pa
    refused 2 'needs two models' "$thresh" merge "$a" -o m
    refused 2 'needs two models' "$thresh" merge "$a" "$b"
    refused 2 'differ in learner' "$thresh" merge "$a" "$work/b-arow" -o m
    refused 2 'differ in learner' "$thresh" merge "$a" "$work/b-lms" -o m
    refused 2 '2 numbers above 0' "$thresh" merge "$a" "$b" -o m --weights 1
    refused 2 '2 numbers above 0' "$thresh" merge "$a" "$b" -o m --weights 1,2,3
    refused 2 '2 numbers above 0' "$thresh" merge "$a" "$b" -o m --weights 1,0
    refused 2 '2 numbers above 0' "$thresh" merge "$a" "$b" -o m --weights 1,x
    refused 2 '2 numbers above 0' "$thresh" merge "$a" "$b" -o m --weights nan,1
    refused 2 'to a file' "$thresh" merge "$a" "$b" -o -
    refused 1 'cannot open' "$thresh" merge "$a" nowhere -o m
    refused 1 'not a thresh model' "$thresh" merge "$a" "$work/two.svm" -o m
    head -c 700 "$b" >half
    run "$thresh" merge "$a" half -o m
    [ "$status" -eq 1 ] || fail "half a model: status $status"
    [ ! -e m ] || fail 'something was written'
    works "$plain" train -q -l pa --ngrams 2 -m n "$work/mail.txt"
    works "$plain" train -q -l pa -m o "$work/mail.txt"
    refused 2 "differ in ngrams cannot be mixed: it is '2' in the first and '1' in number 2" \
        "$thresh" merge n o -o m
    works "$plain" train -q --lean -l pa -m lean "$work/mail.txt"
    refused 2 'model 2 is lean' "$thresh" merge o lean -o m
    no_litter
}
check merge-refusals refusals

# What is read is not overwritten, nor what is no model.
overwriting() {
    cp "$work/a-pa" a && cp "$work/b-pa" b && cp a kept
    refused 2 'is read as data' "$thresh" merge a b -o a
    same a kept
    echo precious >text
    refused 2 'is not a model' "$thresh" merge a b -o text
    [ "$(cat text)" = precious ] || fail 'overwritten'
    mkdir closed && chmod 500 closed
    if [ "$(id -u)" -ne 0 ]; then
        run "$thresh" merge a b -o closed/m
        [ "$status" -eq 1 ] || fail "status $status"
    fi
    works "$thresh" merge -q a b -o c
    works "$thresh" merge -q c a -o b # an old model is replaced
    no_litter
}
check merge-overwriting overwriting

# Labels and features that only one of them has; labels that came in another order.
names() {
    printf 'x | u\ny | v\n' >1
    printf 'y | v\nz | w\nx | u\n' >2
    works "$plain" train -q -l bayes -m a 1
    works "$plain" train -q -l bayes -m b 2
    works "$thresh" merge -q a b -o m
    works "$thresh" show --json -m m
    grep -q '"features": 3, "labels": 3' out || fail "$(head -c 300 out)"
    works "$thresh" predict -m m 2
    [ "$(cut -f1 out | tr '\n' ' ')" = 'y z x ' ] || fail "$(cat out)"
}
check merge-names names

# ---- with a base ----

# Lines with counts that are whole numbers: four shards of 500.
counted() {
    awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 2000; i++) {
        y = int(rand() * 3); printf "c%d |", y
        for (k = 0; k < 6; k++) printf " w%d", int(rand() * rand() * 300) + 7 * y
        print "" } }'
}
counted 5 >"$work/counted"
split -l 500 -d "$work/counted" "$work/shard."

# Rounds of training four shards from one model and mixing them: the examples of as many passes, and
# for counts the weights, by name and to the last digit.
rounds() {
    local learner=$1 n=$2 s
    works "$plain" train -q -l "$learner" -m one --passes "$n" "$work/counted"
    for ((r = 1; r <= n; r++)); do
        for s in 00 01 02 03; do
            if [ "$r" -eq 1 ]; then
                works "$plain" train -q -l "$learner" -m "s$s" "$work/shard.$s"
            else
                works "$plain" train -q --init mixed -m "s$s" "$work/shard.$s"
            fi
        done
        if [ "$r" -eq 1 ]; then
            works "$thresh" merge -q s00 s01 s02 s03 -o next
        else
            works "$thresh" merge -q --base mixed s00 s01 s02 s03 -o next
        fi
        mv next mixed
    done
    works "$thresh" show --json -m mixed
    grep -q "\"examples\": $((n * 2000))," out || fail "$(head -c 300 out)"
}
exact_rounds() {
    rounds "$1" 10
    works "$thresh" diff one mixed "$work/counted"
    grep -q '^weights of .*: 0 differ, distance 0$' out || fail "$(grep '^weights' out)"
    grep -q '^predictions: 0 of 2000 differ' out || fail "$(grep predictions out)"
    works "$thresh" predict --scores -m one "$work/counted"
    mv out wanted
    works "$thresh" predict --scores -m mixed "$work/counted"
    same out wanted
}
check merge-base-rounds-bayes exact_rounds bayes
check merge-base-rounds-bernoulli exact_rounds bayes:kind=bernoulli
for l in averaged arow panel; do
    check "merge-base-rounds-$l" rounds "$l" 3
done

# What is printed; one model is enough, and is the result.
base_reports() {
    works "$plain" train -q -l pa -m base "$work/first"
    works "$plain" train -q --init base -m a "$work/second"
    works "$plain" train -q --init base -m b "$work/first"
    works "$thresh" merge --base base a b -o m
    grep -q '^m: 2 models of pa trained from base as one: 90 examples, ' out || fail "$(cat out)"
    works "$thresh" merge --json --base base a b -o m
    grep -q '^{"learner": "pa", "models": 2, "base": "base", "examples": 90, ' out ||
        fail "$(cat out)"
    works "$thresh" merge --base base a -o m
    grep -q '^m: 1 model of pa trained from base as one: 60 examples, ' out || fail "$(cat out)"
    same a m
    works "$thresh" merge -q --base base a b -o m --weights 1,1
    works "$thresh" merge -q --base base a b -o n
    same m n 'both have learned from 30 more'
}
check merge-base-reports base_reports

base_refusals() {
    works "$plain" train -q -l pa -m base "$work/first"
    works "$plain" train -q --init base -m a "$work/second"
    works "$plain" train -q --init base -m b "$work/first"
    works "$plain" train -q -l pa -m alone "$work/second"
    cp base kept
    refused 2 'needs two models' "$thresh" merge --base base -o m
    refused 2 'needs two models' "$thresh" merge --base base a b
    refused 1 'cannot open' "$thresh" merge --base nowhere a b -o m
    refused 1 'not a thresh model' "$thresh" merge --base "$work/two.svm" a b -o m
    refused 2 'base is read as data' "$thresh" merge --base base a b -o base
    same base kept
    refused 2 'model 2 was not trained from the base: it has 30 examples, and the base has 60' \
        "$thresh" merge --base a a base -o m
    refused 2 'model 2 was not trained from the base: it has not met all examples' \
        "$thresh" merge --base base a alone -o m
    refused 2 "it is 'pa' in the base and 'arow' in number 1" \
        "$thresh" merge --base base "$work/a-arow" "$work/b-arow" -o m
    works "$plain" train -q -l voted -m v "$work/first"
    works "$plain" train -q --init v -m w "$work/second"
    refused 2 'two such histories are not one' "$thresh" merge --base v w w -o m
    [ ! -e m ] || fail 'something was written'
    no_litter
}
check merge-base-refusals base_refusals

finish
