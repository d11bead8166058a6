#!/bin/bash
# Comparing two models at the command line.
. "$(dirname "$0")/lib.bash"

cp "$data/mail.txt" "$data/two.svm" "$data/three.svm" "$work/"
head -n 30 "$data/three.svm" >"$work/first" && tail -n 30 "$data/three.svm" >"$work/second"
for l in $(learners) $(regressors); do
    "$plain" train -q -l "$l" -m "$work/a-$l" "$work/first" || exit 1
    "$plain" train -q -l "$l" -m "$work/b-$l" "$work/second" || exit 1
done

# One line for the same; else 0 all the same, and weights or why there are none. JSON has as much.
each_learner() {
    local a=$work/a-$1 b=$work/b-$1
    cp "$a" copy
    works "$thresh" diff "$a" copy
    [ "$(cat out)" = "$a and copy are the same model" ] || fail "$(cat out)"
    works "$thresh" diff "$a" copy "$work/three.svm"
    [ "$(grep -c '' out)" -eq 1 ] || fail "$(cat out)"
    works "$thresh" diff "$a" "$b" "$work/three.svm"
    grep -q '^weights of ' out || fail 'nothing of weights'
    grep -q '^predictions: [0-9]* of 60 differ$' out || fail 'nothing of predictions'
    works "$thresh" diff --json "$a" "$b" "$work/three.svm"
    [ "$(grep -c '' out)" -eq 1 ] || fail 'not one line'
    grep -q '"same": false.*"predictions": {"examples": 60, ' out || fail "$(head -c 300 out)"
}
for l in $(learners) $(regressors); do
    check "diff-$l" each_learner "$l"
done

# What test says of each of the two.
agrees_with_test() {
    works "$thresh" test --json -m "$work/a-$1" "$work/three.svm"
    mv out a
    works "$thresh" test --json -m "$work/b-$1" "$work/three.svm"
    mv out b
    works "$thresh" diff --json --top 1000 "$work/a-$1" "$work/b-$1" "$work/three.svm"
    python3 - a b out <<'END' || fail "$(head -c 300 out)"
import json, sys
a, b, d = (json.load(open(f)) for f in sys.argv[1:])
p = d['predictions']
assert p['both_right'] + p['only_a_right'] == a['test_examples'] - a['test_mistakes']
assert p['both_right'] + p['only_b_right'] == b['test_examples'] - b['test_mistakes']
assert p['neither_right'] + p['only_a_right'] == b['test_mistakes']
assert len(p['first']) == p['changed']
assert all(e['a'] != e['b'] and e['file'] and e['line'] > 0 for e in p['first'])
assert sum(e['a'] == e['truth'] for e in p['first']) == p['only_a_right']
for r in d['rules']:
    assert len(r['weights']) == min(r['moved'], 1000)
    moves = [abs(w['b'] - w['a']) for w in r['weights']]
    assert moves == sorted(moves, reverse=True)
END
}
if command -v python3 >/dev/null; then
    for l in pa bayes panel; do
        check "diff-test-$l" agrees_with_test "$l"
    done
else
    skip diff-test 'no python3'
fi

# Weights are those that show prints, where two labels share them.
weights() {
    head -n 30 "$work/two.svm" >1 && tail -n 30 "$work/two.svm" >2
    works "$plain" train -q -l perceptron -m a 1
    works "$plain" train -q -l perceptron -m b 2
    works "$thresh" diff --json --top 1 a b
    f=$(sed 's/.*"weights": \[{"feature": "\([^"]*\)".*/\1/' out)
    va=$(sed 's/.*"weights": \[{[^}]*"a": \([-0-9.e+]*\),.*/\1/' out)
    works "$thresh" show --weights -m a
    awk -F'\t' -v f="$f" -v v="$va" '$1 == f { for (i = 2; i <= NF; i++) if ($i == v) found = 1 }
        END { exit !found }' out || fail "$f has not the weight $va"
}
check diff-weights weights

unlabelled() {
    cut -d' ' -f2- "$work/three.svm" >bare
    works "$thresh" diff --json "$work/a-pa" "$work/b-pa" bare
    grep -q '"labelled": 0, .*"p": null, "test": null' out || fail "$(tail -c 500 out)"
    works "$thresh" diff --no-label -f text "$work/a-pa" "$work/b-pa" "$work/mail.txt"
    grep -q 'predictions: ' out || fail "$(cat out)"
}
check diff-unlabelled unlabelled

# Each model makes its own features of the same text.
other_features() {
    works "$plain" train -q -l pa -p 3 -m a "$work/mail.txt"
    works "$plain" train -q -l pa -p 3 --ngrams 2 --fold off -m b "$work/mail.txt"
    works "$thresh" diff a b "$work/mail.txt"
    grep -q '^  ngrams  *1 -> 2$' out || fail 'no ngrams'
    grep -q '^  fold  *on -> off$' out || fail 'no fold'
    grep -q '(only in B)$' out || fail 'no feature of B alone'
}
check diff-other-features other_features

# Lines that one model cannot take are left out with --on-error skip, and the others stay in step.
skipped() {
    printf '1 1:1\n-1 2:-1\n1 1:2\n-1 3:1\n' >mixed.svm
    works "$plain" train -q -l bayes -m a "$work/two.svm"
    works "$plain" train -q -l pa -m b "$work/two.svm"
    refused 1 'mixed.svm:2:' "$thresh" diff -q a b mixed.svm
    run "$thresh" diff --on-error skip a b mixed.svm
    [ "$status" -eq 0 ] || fail "status $status: $(cat err)"
    grep -q '^predictions: [0-9] of 3 differ$' out || fail "$(cat out)"
}
check diff-skipped skipped

refusals() {
    local a=$work/a-pa b=$work/b-pa
    refused 2 'needs two models' "$thresh" diff "$a"
    refused 2 'not -' "$thresh" diff "$a" "$b" -
    mkfifo pipe
    refused 2 'not pipe' "$thresh" diff "$a" "$b" pipe
    refused 2 'whole number' "$thresh" diff "$a" "$b" --top x
    refused 1 'cannot open' "$thresh" diff "$a" nowhere
    refused 1 'not a thresh model' "$thresh" diff "$a" "$work/two.svm"
    refused 1 'cannot open' "$thresh" diff "$a" "$b" nowhere
    refused 2 'one model predicts labels and the other numbers' \
        "$thresh" diff "$a" "$work/b-lms" "$work/two.svm"
    : >empty.svm
    refused 1 'no example' "$thresh" diff -f svmlight "$a" "$b" empty.svm
    works "$thresh" diff "$a" "$work/b-lms"
    grep -q 'one predicts labels and the other numbers' out || fail "$(cat out)"
    works "$plain" train -q -l pa --hash-bits 8 -m hashed "$work/first"
    works "$thresh" diff "$a" hashed
    grep -q 'names are hashed' out || fail "$(cat out)"
}
check diff-refusals refusals

finish
