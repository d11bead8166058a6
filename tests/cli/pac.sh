#!/bin/bash
# train --pac: when it stops, what it promises, and of which rules.
. "$(dirname "$0")/lib.bash"

"$plain" gen disjunction:n=3000,active=300 -n 12000 --seed 3 >"$work/d.svm"
# new names in every line that is not used, in the block of the last that is
{
    "$plain" gen disjunction:n=60,active=6 -n 12000 --seed 3
    seq -f '+1 %.0f:1' 1001 2000
} >"$work/e.svm"
# ... and the last one used is not in the first block
{
    seq -f '+1 1:1 %.0f:1' 3001 5000
    cat "$work/d.svm"
} >"$work/late.svm"

field() { sed "s/.*\"$1\": \([^,}]*\).*/\1/" out; }

# eps = delta = 1/2: the second hypothesis needs 5 (2 ln 12 = 4.97). The first example is a tie, which
# moves the perceptron without a mistake.
by_hand() {
    printf '+1 1:1\n%.0s' 1 2 3 4 5 6 7 8 9 >d
    printf -- '-1 7:1\n' >>d
    works "$thresh" train -q -l perceptron --pac 0.5,0.5 --json -m m d
    [ "$(field examples) $(field mistakes) $(field updates)" = '6 0 1' ] || fail "$(cat out)"
    [ "$(field pac_accepted) $(field pac_hypothesis) $(field pac_needed) $(field pac_survived)" = \
        'true 2 5 5' ] || fail "$(cat out)"
    head -n 6 d >first
    works "$thresh" train -q -l perceptron -m n first
    same m n 'not the model of the examples used'
    warned 'only one label' "$thresh" train -l perceptron --pac 0.5,0.5 d
    grep -q 'hypothesis 2 was right on 5 examples in a row; 5 are needed' out || fail "$(cat out)"
    grep -q 'with probability at least 0.5 over the draw of the examples, at most 0.5 of' out || fail "$(cat out)"
}
# With a margin of 10 five updates without a mistake make the score 10; the sixth hypothesis needs 9
# (2 ln 84 = 8.86).
moves_only() {
    printf '+1 1:1\n%.0s' $(seq 20) >d
    works "$thresh" train -q -l perceptron:margin=10 --pac 0.5,0.5 --json d
    [ "$(field examples) $(field mistakes) $(field updates)" = '14 0 5' ] || fail "$(cat out)"
    [ "$(field pac_hypothesis) $(field pac_needed)" = '6 9' ] || fail "$(cat out)"
}
ended() {
    printf '+1 1:1\n%.0s' 1 2 3 4 >d
    warned 'only one label' "$thresh" train -l perceptron --pac 0.5,0.5 -m m d
    grep -q 'nothing is promised: the data ended, and at least 2 more examples would be needed' out ||
        fail "$(cat out)"
    works "$thresh" train -q -l perceptron --pac 0.5,0.5 --json d
    [ "$(field pac_accepted) $(field pac_needed) $(field pac_survived)" = 'false 5 3' ] || fail "$(cat out)"
    works "$thresh" train -q -l perceptron -m n d
    same m n
}
# Whatever the threads; and as the same examples alone would, names and all.
exactly() {
    local n used
    for n in 1 2 4; do
        timeout 120 "$plain" train -q -l "$1" --pac "$2" --threads "$n" --json -m "m$n" "$work/$3" >out ||
            fail "status $?"
        sed 's/"seconds": [^,]*/"seconds": 0/' out >"out$n"
    done
    same m1 m2
    same m1 m4
    same out1 out4
    [ "$(field pac_accepted)" = true ] || fail "$(cat out)"
    used=$(field examples)
    [ "$used" -gt "$4" ] && [ "$used" -lt 12000 ] || fail "used $used"
    head -n "$used" "$work/$3" >first
    works "$plain" train -q -l "$1" -m whole first
    same m1 whole "$used examples"
    cat "$work/$3" | "$plain" train -q -l "$1" --pac "$2" -m piped - || fail "status $?"
    same m1 piped
}
shuffled() {
    works "$thresh" train -q -l winnow:theta=1500,start=1 --pac 0.05,0.05 --shuffle 4 --json "$work/d.svm"
    [ "$(field pac_accepted)" = true ] && [ "$(field passes)" = 1 ] || fail "$(cat out)"
}
# The table says who can, and the sentence names them.
refusals() {
    local l
    for l in averaged bayes pegasos logistic voted knn rules panel; do
        refused 2 "what $l says may change with every example.*: perceptron, winnow, balanced" \
            "$thresh" train -q -l "$l" --pac 0.1,0.1 -m m "$work/d.svm"
    done
    for l in lms eg; do
        refused 2 "what $l says may change" "$thresh" train -q -l "$l" --pac 0.1,0.1 "$work/d.svm"
    done
    refused 2 'give theta and start' "$thresh" train -q -l winnow --pac 0.1,0.1 "$work/d.svm"
    refused 2 'give theta and start' "$thresh" train -q -l winnow:theta=9 --pac 0.1,0.1 "$work/d.svm"
    refused 2 'averaged=off' "$thresh" train -q -l pa --pac 0.1,0.1 "$work/d.svm"
    refused 2 'vote=off' "$thresh" train -q -l kernel --pac 0.1,0.1 "$work/d.svm"
    refused 2 'leave it off' "$thresh" train -q -l balanced:normalized=on --pac 0.1,0.1 "$work/d.svm"
    refused 2 'as features come and go' "$thresh" train -q -l perceptron --min-count 2 --pac 0.1,0.1 "$work/d.svm"
    refused 2 'as features come and go' "$thresh" train -q -l perceptron --max-features 9000 --pac 0.1,0.1 "$work/d.svm"
    refused 2 'one pass' "$thresh" train -q -l perceptron -p 2 --pac 0.1,0.1 "$work/d.svm"
    refused 2 'one pass' "$thresh" train -q -l perceptron --until-clean --pac 0.1,0.1 "$work/d.svm"
    refused 2 'one pass' "$thresh" train -q -l perceptron -p 2 --shuffle 1 --pac 0.1,0.1 "$work/d.svm"
    # labels at random, learned by heart
    for l in $(seq 64); do echo "$((l * l / 7 % 2)) $l:1"; done >heart
    works "$thresh" train -q -l perceptron -p 9 -m learned heart
    refused 2 'this one has learned 576 examples' \
        "$thresh" train -q --init learned --pac 0.5,0.5 -m m heart
    refused 2 'prune changes the model after' "$thresh" train -q -l perceptron --prune 1 --pac 0.1,0.1 "$work/d.svm"
    for l in '' 0.1 0.1, ,0.1 0,0.1 0.1,0 1,0.1 0.1,1 0.1,0.1x 0.1,nan -0.1,0.1 '0.1 0.1'; do
        refused 2 'two numbers between 0 and 1' "$thresh" train -q -l perceptron "--pac=$l" "$work/d.svm"
    done
    [ ! -e m ] || fail 'a model was written'
}
check pac-by-hand by_hand
check pac-updates-without-mistakes moves_only
check pac-data-ends ended
check pac-exactly-perceptron exactly perceptron 0.02,0.1 e.svm 900
check pac-exactly-winnow exactly winnow:theta=1500,start=1 0.02,0.05 d.svm 900
check pac-exactly-late exactly winnow:theta=1500,start=1 0.002,0.05 late.svm 4000
check pac-exactly-pa exactly pa:averaged=off 0.2,0.1 e.svm 100
check pac-shuffled shuffled
check pac-refused refusals
finish
