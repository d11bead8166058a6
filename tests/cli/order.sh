#!/bin/bash
# What train says of the order of the examples: labels that come in bursts are noticed, and the
# accuracy before learning is not shown then.
. "$(dirname "$0")/lib.bash"

# A hundred and fifty of each of two labels, sorted and dealt out in turn.
for i in {1..150}; do echo "a	x$i y$((i % 7))"; done >"$work/sorted"
for i in {1..150}; do echo "b	z$i y$((i % 5))"; done >>"$work/sorted"
paste -d '\n' <(head -n 150 "$work/sorted") <(tail -n 150 "$work/sorted") >"$work/in_turn"

sorted_is_noticed() {
    run "$thresh" train "$work/sorted"
    [ "$status" -eq 0 ] || fail "$(cat err)"
    grep -q 'warning: the labels come in bursts: 2 runs .* a random order has 151' err || fail "$(cat err)"
    grep -q -- '--shuffle' err || fail 'no remedy is named'
    ! grep -q 'accuracy' out || fail "$(cat out)"
    run "$thresh" train -q --json "$work/sorted"
    grep -q '"label_runs": 2, "expected_label_runs": 151,' out || fail "$(cat out)"
}

others_are_not() { # DATA, OPTION...
    run "$thresh" train "$@"
    [ "$status" -eq 0 ] && ! grep -q 'bursts' err || fail "$* $(cat err)"
    grep -q 'accuracy' out || fail "$(cat out)"
    run "$thresh" train -q --json "$@"
    ! grep -q 'label_runs' out || fail "$(cat out)"
}

check order-sorted sorted_is_noticed
check order-in-turn others_are_not "$work/in_turn"
check order-shuffled others_are_not --shuffle 1 "$work/sorted"

# cv and tune visit examples in random order, so a sorted file is judged like a shuffled one.
judged_fairly() {
    run "$thresh" cv -q --json -k 5 "$work/learnable"
    grep -o '"test_accuracy": 0.9[0-9]*\|"test_accuracy": 1[,}]' out >found || fail "$(cat out)"
    run "$thresh" cv -q --json -k 5 --in-order "$work/learnable"
    ! grep -q '"test_accuracy": 0.9\|"test_accuracy": 1[,}]' out || fail 'in order it is judged fairly too'
    run "$thresh" tune -q --json -l 'pa:C=0.1|1' "$work/learnable"
    [ "$status" -eq 0 ] || fail "$(cat err)"
    grep -q 'train -l pa:C=[0-9.]* --shuffle 0' out || fail "$(cat out)"
    refused 2 'exclude each other' "$thresh" cv --shuffle 1 --in-order "$work/learnable"
}
# The mixture is not taken in by members that repeat the last label.
burst_is_survived() {
    run "$thresh" train -q --json -t "$work/held" "$work/burst"
    grep -o '"test_accuracy": [0-9.]*' out | awk '{ exit !($2 > 0.9) }' || fail "$(grep -o '"test_accuracy": [0-9.]*' out)"
}
awk 'BEGIN { srand(2); for (i = 0; i < 3000; i++) { y = rand() < 0.25; s = (y ? "b" : "a") "\t"
    for (k = 0; k < 12; k++) s = s "w" int(rand() * 200) + (rand() < 0.6) * 60 * y " "; print s } }' >"$work/mixed"
sort "$work/mixed" >"$work/learnable"
awk 'NR % 5 == 0' "$work/mixed" >"$work/held"
awk 'NR % 5' "$work/mixed" >"$work/rest"
{ grep '^a' "$work/rest" | head -n 700; grep '^b' "$work/rest"; grep '^a' "$work/rest" | tail -n +701; } >"$work/burst"
check order-cv judged_fairly
check order-burst burst_is_survived

# The number of examples met for the first time is that of the lines, however many passes there are. In
# later passes it is an estimate.
for i in {1..4460}; do echo "$((i * 7 % 2))	w$i v$((i % 13))"; done >"$work/distinct"
head -n 10 "$work/distinct" >"$work/ten"
met() { # LINES, DATA, OPTION...
    local lines=$1 data=$2
    shift 2
    run "$thresh" train -m model "$@" "$data"
    grep -q " on $lines examples met for the first time" out || fail "$* $(grep 'first time' out)"
    run "$thresh" train -q --json "$@" "$data"
    local json=${lines#about }
    grep -q "\"examples\": $json, \"examples_estimated\": " out || fail "$* $(cat out)"
}
met_again() { # shown, and resumed
    met 'about 44[56][0-9]' "$work/distinct" -p 2
    run "$thresh" show -m model
    local shown
    shown=$(sed -n 's/.* on about \([0-9]*\) examples met for the first time.*/\1/p' out)
    [ "${shown:-0}" -ge 4440 ] && [ "$shown" -le 4480 ] || fail "show: $(grep 'first time' out)"
    head -n 3000 "$work/distinct" >most
    "$plain" train -q -m first.model most
    run "$thresh" train --init first.model most
    grep -q ' on about 3000 examples met for the first time' out || fail "$(grep 'first time' out)"
}
check order-met-once met 4460 "$work/distinct"
check order-met-twice met_again
check order-met-in-three-shuffled-passes met 'about 44[56][0-9]' "$work/distinct" -p 3 --shuffle 1
check order-met-ten-twice met 'about 10' "$work/ten" -p 2
check order-met-ten-thrice met 'about 10' "$work/ten" -p 3
check order-met-by-a-vote met 'about 44[56][0-9]' "$work/distinct" -p 2 -l panel:decide=vote
