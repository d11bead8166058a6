#!/bin/bash
# Probabilities at the command line: predict --probabilities, --reject, and what test says of them.
. "$(dirname "$0")/lib.bash"

cp "$data/mail.txt" "$data/three.svm" "$data/two.svm" "$work/"
"$plain" gen threshold:n=40,k=8,m=3,noise=0.1 -n 4000 --seed 3 >"$work/train"
"$plain" gen threshold:n=40,k=8,m=3,noise=0.1 -n 6000 --seed 3 | tail -n 2000 >"$work/held-out"
"$plain" train -q -m "$work/m" "$work/train" || exit 1
"$plain" train -q -l averaged -p 2 -m "$work/three" "$work/three.svm" || exit 1

# ---- predict ----

# label TAB p; p of every label with --scores, and they sum to 1; the same in JSON.
printed() {
    works "$thresh" predict --probabilities --scores -m "$work/three" "$work/three.svm"
    awk -F'\t' '{ sum = 0
        for (i = 3; i <= NF; i++) { split($i, a, ":"); p[a[1]] = a[2]; sum += a[2] }
        if (NF != 5 || sum < 0.999999 || sum > 1.000001 || p[$1] != $2) { print; exit 1 } }' out ||
        fail "not probabilities: $(head -n 2 out)"
    cut -f1 out >labels
    works "$thresh" predict -m "$work/three" "$work/three.svm"
    cut -f1 out >plain
    same labels plain 'other labels than without --probabilities'
    works "$thresh" predict --probabilities -m "$work/three" "$work/three.svm"
    ! grep -qvP '^[123]\t[01]?\.?[0-9]+(e-[0-9]+)?$' out || fail "$(head -n 3 out)"
}
json() {
    works "$thresh" predict --json --probabilities --reject 0.3 -m "$work/three" "$work/three.svm"
    python3 - out <<'END' || fail "$(head -n 1 out)"
import json, sys
for r in map(json.loads, open(sys.argv[1])):
    p = r['probabilities']
    assert abs(sum(p.values()) - 1) < 1e-9 and p[r['label']] == r['probability']
    others = max(v for l, v in p.items() if l != r['label'])
    assert r['rejected'] == (r['probability'] - others < 0.3), r
END
    works "$thresh" predict --json -m "$work/three" "$work/three.svm"
    ! grep -qv '"probability": [01]' out || fail 'no probability'
    ! grep -q '"rejected"\|"probabilities"' out || fail 'not asked for'
}
each_learner() {
    works "$thresh" train -q -l "$1" -m m "$work/two.svm"
    works "$thresh" test --json -m m "$work/two.svm"
    python3 - out <<'END' || fail "$(head -c 300 out)"
import json, math, sys
r = json.load(open(sys.argv[1]))
bins = r["test_reliability"]
assert r['test_log_loss'] >= 0 and 0 <= r['test_brier'] <= 2 and 0 <= r['test_ece'] <= 1
n = sum(b['examples'] for b in bins)
assert n == r['test_examples'], n
assert abs(sum(b['examples'] * b['accuracy'] for b in bins) / n - r['test_accuracy']) < 1e-9
ece = sum(b['examples'] * abs(b['accuracy'] - b['confidence']) for b in bins) / n
assert abs(ece - r['test_ece']) < 1e-6, ece
for b in bins:
    assert b['from'] - 1e-9 <= b['confidence'] <= b['to'] + 1e-9, b
END
}
check probabilities-printed printed
if command -v python3 >/dev/null; then
    check probabilities-json json
    for learner in $(learners); do
        check "probabilities-$learner" each_learner "$learner"
    done
else
    skip probabilities-json 'no python3 here'
fi

# Of noisy data the default's probabilities must be worth something.
worth_something() {
    works "$thresh" test --json -m "$work/m" "$work/held-out"
    awk '{ match($0, /"test_log_loss": [0-9.]+/); loss = substr($0, RSTART + 17, RLENGTH - 17)
           match($0, /"test_ece": [0-9.]+/); ece = substr($0, RSTART + 12, RLENGTH - 12)
           exit !(loss > 0 && loss < 0.45 && ece < 0.1) }' out || fail "$(head -c 300 out)"
}
check probabilities-worth-something worth_something

# A label that training never saw costs what the least probability costs: -ln 1e-15 = 34.5388.
unknown_label() {
    printf '9 1:1\n' >d
    "$thresh" test -q --json -m "$work/three" d >out || fail "status $?"
    grep -q '"test_log_loss": 34.5387763' out || fail "$(head -c 300 out)"
}
check probabilities-unknown-label unknown_label

# ---- reject ----

# The more is rejected, the fewer answers there are, and what predict rejects test does not count.
rejecting() {
    local t last=999999 n
    for t in 0 0.2 0.5 0.8 0.95 1; do
        works "$thresh" predict --reject "$t" -m "$work/m" "$work/held-out"
        n=$(grep -vc '^?	' out)
        [ "$(grep -c '' out)" -eq 2000 ] || fail 'not one line each'
        [ "$n" -le "$last" ] || fail "$n answers at $t, $last before"
        last=$n
        works "$thresh" test --json --reject "$t" -m "$work/m" "$work/held-out"
        grep -q "\"test_reject\": $t, \"test_answered\": $n, " out || fail "$t: $n, and $(tail -c 200 out)"
    done
    works "$thresh" test --reject 0.8 -m "$work/m" "$work/held-out"
    awk '/^tested/ { sub("%", "", $NF); all = $NF } /^answered/ { sub("%", "", $NF); answered = $NF }
         END { exit !(answered > all + 3) }' out || fail "no better: $(grep '^tested\|^answered' out)"
}
numbers_stay() {
    works "$thresh" predict --probabilities --scores -m "$work/m" "$work/held-out"
    cut -f2- out >all
    works "$thresh" predict --probabilities --scores --reject 0.5 --reject-word none -m "$work/m" "$work/held-out"
    grep -q '^none	' out || fail 'nothing is rejected'
    cut -f2- out >some
    same all some 'rejecting changed a number'
}
check reject-fewer-and-better rejecting
check reject-numbers-stay numbers_stay

refusing() { refused 2 "$1" "$thresh" predict -m "$work/m" "${@:2}" "$work/held-out"; }
check reject-word-for-number refusing '--reject most: a number from 0 to 1' --reject most
check reject-too-large refusing '--reject 1.5' --reject 1.5
check reject-negative refusing '--reject -1' --reject=-1
check reject-not-a-number refusing '--reject nan' --reject nan
test_refusing() { refused 2 '--reject 7' "$thresh" test -m "$work/m" --reject 7 "$work/held-out"; }
check reject-test-too-large test_refusing

numbers() {
    seq 20 | awk '{ print $1 / 10, "1:" $1 }' >d
    works "$thresh" train -q -l lms -m n d
    refused 2 '--reject is for labels' "$thresh" predict --reject 0.5 -m n d
    refused 2 '--probabilities is for labels' "$thresh" predict --probabilities -m n d
    refused 2 '--reject is for labels' "$thresh" test --reject 0.5 -m n d
}
check probabilities-of-numbers-refused numbers

finish
