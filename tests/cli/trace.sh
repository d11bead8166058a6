#!/bin/bash
# trace: the numbers of a step are those that a person finds with paper, whatever the rule.
. "$(dirname "$0")/lib.bash"

cp "$data"/mail.txt "$data"/two.svm "$data"/three.svm "$data"/hand.vw "$work/"
printf '%s\n' 'x | a b' 'y | b' 'z | a' 'y | b c' 'z | c:2' >"$work/hand3.vw"

# w += y x at 1, 2 and 4: at 1 by a tie, which is right and moves; at 2 and 4 by mistakes.
by_hand() {
    works "$thresh" trace --textbook on "$work/hand.vw"
    sed -n '/^#/,/^$/p' out >table
    cat >expected <<'END'
#  example  label  score  said           step  (bias)  a   b   c
                                                    0  0   0   0
1  a b      1          0  1              +1         1  1   1   0
2  b        -1         2  1     mistake  -1         0  1   0   0
3  a        1          1  1                         0  1   0   0
4  b c      -1         0  1     mistake  -1        -1  1  -1  -1
5  c        -1        -2  -1                       -1  1  -1  -1

END
    same table expected "$(cat out)"
    grep -qx 'mistakes   2; in the last pass 2' out || fail "$(cat out)"
    grep -qx 'updates    3' out || fail "$(cat out)"
    grep -qx 'weights    (bias) -1, a 1, b -1, c -1' out || fail "$(cat out)"
}
# Weights from 1, theta 3: 2 reaches 1 and is missed, so a and b double; b and c, 2 + 1, are a false
# positive and are halved.
winnow() {
    works "$thresh" trace --textbook on -l winnow:theta=3 "$work/hand.vw"
    sed -n '/^#/,/^$/p' out >table
    cat >expected <<'END'
#  example  label  score  rest  said           step  a  b    c
                                                     1  1    1
1  a b      1         -1    -3  -1    mistake  +1    2  2    1
2  b        -1        -1    -3  -1                   2  2    1
3  a        1         -1    -3  -1    mistake  +1    4  2    1
4  b c      -1         0    -3  1     mistake  -1    4  1  0.5
5  c        -1      -2.5    -3  -1                   4  1  0.5

END
    same table expected "$(cat out)"
}
# A label more, and its weights; each mistake moves the right label and the one that was said.
many() {
    works "$thresh" trace --textbook on "$work/hand3.vw"
    for line in '   4  label y  said z  mistake  step y +1, z -1' '      scores x -1, y 0, z 1' \
        '      c            2  0   1 -> -1  -1 -> 1' 'weights    of z: (bias) 1, a 1, b -1, c 1'; do
        grep -qxF -- "$line" out || fail "no line '$line': $(cat out)"
    done
}
# What it says of every rule: scores come from the weights before, each step begins where the last
# one ended, and what remains is the model that train makes.
consistent() {
    local positive=()
    [ "$3" = - ] || positive=(--positive "$3")
    works "$thresh" trace -l "$1" -p 2 --all-weights --json "$2"
    mv out steps
    works "$thresh" train -q -l "$1" -p 2 "${positive[@]}" --json -m m "$2"
    mv out trained
    run "$thresh" show --weights -m m
    python3 - steps trained out "$1" <<'END' || fail "$(head -c 600 steps)"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
steps, end = lines[:-1], lines[-1]
trained = json.load(open(sys.argv[2]))
near = lambda a, b: abs(a - b) <= 1e-6 * (1 + abs(a) + abs(b))
assert end['examples'] == len(steps) == trained['examples']
assert end['updates'] == sum(s['updated'] for s in steps) == trained['updates'], (end, trained)
if trained['mistakes'] is None:
    assert near(end['mse'], trained['mse'])
else:
    assert end['mistakes'] == sum(s['mistake'] for s in steps) == trained['mistakes'], end
linear = 'before' in steps[0]['features'][0]
last = {}
for s in steps:
    for f in s['features']:
        name, value = f['feature'], f['value']
        if not linear:
            continue
        if name in last and len(last[name]) == len(f['before']) and s['step'] > 1:
            assert all(near(a, b) for a, b in zip(last[name], f['before'])), (s['step'], f)
        last[name] = f['after']
    for c, score in enumerate(s['scores']):
        if linear and not (sys.argv[4].startswith('winnow') and s['step'] == 1):
            total = s['rest'][c] + sum(f['value'] * f['before'][c] for f in s['features'])
            assert near(total, score), (s['step'], c, total, score)
    if s['prediction'] is not None and type(s['prediction']) is str:
        if len(s['columns']) == 1 and trained['labels'] == 2 and len(s['scores']) == 1 and s['step'] > 2:
            assert (s['score'] >= 0) == (s['prediction'] == s['columns'][0]) or s['score'] == 0
        assert s['mistake'] == (s['prediction'] != s['truth']), s
if linear:
    shown = {}
    rows = [line.rstrip('\n').split('\t') for line in open(sys.argv[3])]
    for name, *w in rows[1:]:
        shown[name] = [float(v) for v in w]
    for f in end['weights']:
        if f['feature'] in shown:
            assert any(near(a, b) for a in f['weights'] for b in shown[f['feature']]), f
    assert len(end['weights']) >= 3
END
}
whole_numbers() {
    works "$thresh" trace --textbook on --json --until-clean "$work/mail.txt"
    grep -q '"clean": true' out || fail 'no clean pass'
    if grep -E '"(before|after|scores)": \[[^]]*[.e]' out; then fail 'not whole numbers'; fi
}
limits() {
    seq -f '+1 %.0f:1' 1001 >d
    refused 2 'more than 1000 examples.*--limit N' "$thresh" trace d
    refused 2 'more than 5 examples' "$thresh" trace --limit 5 "$work/two.svm"
    works "$thresh" trace -q --limit 2000 d
    head -n 1000 d >e
    works "$thresh" trace -q e
    refused 2 'many rules at once' "$thresh" trace -l panel "$work/two.svm"
    refused 2 'one label an example' "$thresh" trace --multilabel on "$work/two.svm"
    refused 2 'every feature' "$thresh" trace --min-count 2 "$work/two.svm"
    refused 2 'trace needs data' "$thresh" trace
    refused 1 'cannot open' "$thresh" trace nowhere
    cat "$work/hand.vw" | "$thresh" trace -p 2 - >piped || fail "status $?"
    works "$thresh" trace -p 2 "$work/hand.vw"
    same piped out
}
# Nothing is wider than a line, however the data is.
narrow() {
    for d in mail.txt two.svm three.svm hand.vw; do
        for l in perceptron averaged bayes lms knn; do
            [ "$l" != lms ] || [ "$d" != mail.txt ] || continue
            works "$thresh" trace -q -l "$l" "$work/$d"
            awk 'length > 100 { exit 1 }' out || fail "$l on $d: $(awk 'length > 100' out | head -n 2)"
        done
    done
}
# Rules that move many functions at once move them one by one where somebody wants to know why: the
# model is the same, rows that features share (--hash-bits) and long lines included.
many_at_once() {
    awk 'BEGIN { srand(3); for (i = 0; i < 300; i++) { s = "c" int(rand() * 7) "\t"
        n = i % 50 ? 20 : 300
        for (k = 0; k < n; k++) s = s "w" int(400 * rand() * rand()) " "; print s } }' >d
    for l in adagrad arow balanced panel; do
        for how in '' '--hash-bits 6'; do
            # shellcheck disable=SC2086
            works "$thresh" train -q -l "$l" $how -m plain d
            # shellcheck disable=SC2086
            works "$thresh" train -q -l "$l" $how --log log -m told d
            cmp plain told || fail "$l $how"
        done
    done
}
check trace-by-hand by_hand
check trace-many-at-once many_at_once
check trace-winnow winnow
check trace-many-labels many
check trace-whole-numbers whole_numbers
check trace-limits limits
check trace-narrow narrow
if command -v python3 >/dev/null; then
    for learner in $(learners); do
        [ "$learner" != panel ] || continue
        check "trace-$learner" consistent "$learner" "$work/two.svm" 1
        check "trace-$learner-many" consistent "$learner" "$work/three.svm" -
    done
    check trace-bernoulli consistent bayes:kind=bernoulli "$work/hand.vw" 1
    check trace-pairs consistent perceptron "$work/mail.txt" -
    for learner in $(regressors); do
        check "trace-$learner" consistent "$learner" "$work/three.svm" -
    done
else
    skip trace 'no python3 here'
fi
finish
