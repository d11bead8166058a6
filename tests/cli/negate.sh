#!/bin/bash
# Negated literals: positive Winnow learns what it cannot learn without them, within its bound, and
# every way to the same examples makes the same model.
. "$(dirname "$0")/lib.bash"

# learnable TARGET: examples over the variables 1 to 20, labelled by an awk expression of x[1]...
learnable() {
    awk -v seed="$2" 'BEGIN { srand(seed); for (e = 0; e < 2000; e++) {
        line = ""; for (i = 1; i <= 20; i++) { x[i] = rand() < 0.5; if (x[i]) line = line " " i ":1" }
        print (('"$1"') ? 1 : -1) line } }'
}
mistakes() {
    "$thresh" train -q --json "$@" | sed 's/.*"mistakes": \([0-9]*\).*/\1/'
}

# A disjunction of 3 literals over n = 20 variables: at most 3 k log2(4 n) + 2 = 58.9 mistakes.
disjunction() {
    local seed n
    for seed in 1 2 3 4 5; do
        learnable 'x[3] || !x[7] || !x[12]' $seed >d
        n=$(mistakes -l winnow:theta=40,start=1 --negate 1-20 d)
        [ "$n" -le 58 ] || fail "$n mistakes with seed $seed"
    done
    learnable '!x[7]' 1 >d
    n=$(mistakes -l winnow:theta=20,start=1 d)
    [ "$n" -gt 500 ] || fail "$n mistakes without literals: the test shows nothing"
}
check negate-disjunction disjunction

decision_list() {
    learnable 'x[2] ? 0 : !x[5] ? 1 : x[9] ? 0 : !x[11]' 1 >d
    works "$thresh" train -q -l winnow:theta=40,promote=1.2,demote=0.8 --negate 1-20 -p 30 -m m d
    works "$thresh" test --json -m m d
    grep -q '"test_accuracy": 1,' out || fail "$(cat out)"
    works "$thresh" train -q -l winnow:theta=20,promote=1.2,demote=0.8 -p 30 -m m d
    works "$thresh" test --json -m m d
    ! grep -q '"test_accuracy": 1,' out || fail 'it is learned without literals: the test shows nothing'
}
check negate-decision-list decision_list

xor() {
    learnable 'x[1] != x[2]' 1 >d
    works "$thresh" train -q -l winnow:theta=400,start=1 --negate 1-20 --conjoin 2 -p 20 -m m d
    works "$thresh" test --json -m m d
    grep -q '"test_accuracy": 1,' out || fail "$(cat out)"
}
check negate-xor xor

# Threads, a cache, resuming, shuffled passes and names in another format.
learnable 'x[3] || !x[7]' 1 >"$work/few"
sameness() {
    local learner
    for learner in winnow panel; do
        works "$plain" train -q -l $learner --negate 1-20 --threads 1 -m one "$work/few"
        works "$thresh" train -q -l $learner --negate 1-10 --negate 11-20 --threads 3 -m three "$work/few"
        head -n 700 "$work/few" >a
        tail -n +701 "$work/few" >b
        works "$thresh" train -q -l $learner --negate 1-20 -m a.model a
        works "$thresh" train -q --init a.model -m resumed b
        same resumed one resuming
        works "$thresh" train -q -l $learner --negate 1-20 --cache c -m cached "$work/few"
        same cached one 'making a cache'
        works "$thresh" train -q -l $learner --negate 1-20 --cache c -m cached "$work/few"
        same cached one 'a cache'
        works "$plain" predict -m one "$work/few" && cp out by-one
        works "$thresh" predict -m three "$work/few"
        same out by-one 'a list in two options'
        run "$thresh" train -q -l $learner --negate 1-19 -m other c
        [ "$status" -eq 1 ] && grep -q negate err || fail "a cache with other literals: $(cat err)"
        rm c
    done
}
check negate-sameness sameness

# What convert writes has the literals as features.
converted() {
    works "$thresh" convert -q --negate 1-3 --to vw "$work/few"
    cp out few.vw
    works "$thresh" train -q -l perceptron -m from-vw few.vw
    works "$thresh" train -q -l perceptron --negate 1-3 -m m "$work/few"
    works "$thresh" show --weights -m m
    sort out >weights
    works "$thresh" show --weights -m from-vw
    sort out | cmp - weights || fail 'other weights'
    grep -q '^!|1' weights || fail "$(head weights)"
    works "$thresh" explain -m m "$work/few"
    ! grep -q 'never seen' out || fail 'predicting makes other features'
}
check negate-convert converted

text() {
    printf 'yes\tgood day\nno\tnot good\nyes\tfine\nno\tnot fine\n' >t
    works "$thresh" train -q -l winnow:theta=2,start=1 --negate not -p 10 -m m t
    works "$thresh" test --json -m m t
    grep -q '"test_accuracy": 1,' out || fail "$(cat out)"
    echo 'fine day' >u
    works "$thresh" explain --no-label -m m u
    grep -q '!|not' out || fail "$(cat out)"
}
check negate-text text

certified() {
    works "$thresh" certify -q --negate 1-20 --write-certificate proof "$work/few"
    works "$thresh" certify --check-certificate proof "$work/few"
    grep -q '^set negate 1-20$' proof || fail "$(head proof)"
}
"$thresh" certify --help >/dev/null 2>&1 && check negate-certified certified

mistyped() {
    run "$thresh" train --negate 100-200 "$work/few"
    grep -qx 'thresh: warning: no example has a feature that --negate names' err || fail "$(cat err)"
    run "$thresh" train --json -q --negate 100-200 "$work/few"
    grep -q '"never_negated": true' out || fail "$(cat out)"
    local list
    for list in 5-3 'a,,b' 1-99999; do
        run "$thresh" train -m kept --negate "$list" "$work/few"
        [ "$status" -eq 2 ] && grep -q '^thresh: negate: ' err || fail "$list: $status $(cat err)"
    done
    [ ! -e kept ] || fail 'a model was written'
}
check negate-mistyped mistyped
finish
