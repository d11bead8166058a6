#!/bin/bash
# Members of a panel that are paused (docs/THEORY.md): what train, show and --json print of them, and
# that a model with paused members is still a function of settings and examples.
. "$(dirname "$0")/lib.bash"

# One of 60 numbers decides, two of 60 words say nothing, and one label in three is drawn. The
# perceptron follows each wrong label. LINES CLASSES
noisy() {
    awk -v lines="$1" -v classes="$2" '
        function draw(below) { # exact in doubles (Park and Miller 1988)
            seed = seed * 16807 % 2147483647
            return int(seed / 2147483647 * below)
        }
        BEGIN {
            seed = 3
            for (i = 0; i < lines; i++) {
                number = draw(60); a = draw(60); b = draw(60)
                label = draw(3) ? number % classes : draw(classes)
                print label " | " number " a" a " b" b
            }
        }'
}
noisy 33000 2 >"$work/two.vw"
noisy 17000 7 >"$work/seven.vw"
members='--members perceptron+arow+adagrad'

# Trains the plain command: the streams are long. MODEL OPTIONS...
train() {
    local model=$1
    shift
    # shellcheck disable=SC2086 # members are words
    works "$plain" train -q $members -m "$model" "$@"
}

# The line of a paused member in out, and that of the others.
pauses() {
    grep -q '^           perceptron  *[0-9]* mistakes  paused since example 16384$' out &&
        ! grep -q 'perceptron.* weight' out && grep -q '^panel      arow .* weight 0\.' out
}

printed() {
    # shellcheck disable=SC2086
    works "$thresh" train $members -m m "$work/two.vw"
    pauses || fail "train: $(cat out)"
    works "$thresh" show -m m
    pauses || fail "show: $(head -n 12 out)"
    works "$thresh" show --json -m m
    grep -q '"paused": \[{"name": "perceptron", "mistakes": [1-9][0-9]*, "since": 16384}\]' out ||
        fail "json: $(head -c 1500 out)"
    ! grep -q '{"name": "perceptron", "mistakes": [0-9]*, "weight"' out || fail 'it has a weight'
    # shellcheck disable=SC2086
    works "$plain" train --json $members "$work/two.vw"
    grep -q '"paused": \[{"name": "perceptron"' out || fail "train --json: $(head -c 1500 out)"
}
check pauses-printed printed

# Before the second review nobody is paused, nor with pause=off, nor in a vote.
not_paused() {
    head -n 16383 "$work/two.vw" >short
    # shellcheck disable=SC2086
    works "$plain" train $members short
    ! grep -q paused out || fail "before the review: $(cat out)"
    for learner in panel:pause=off panel:decide=vote; do
        # shellcheck disable=SC2086
        works "$plain" train -l $learner $members "$work/two.vw" -m m
        ! grep -q paused out || fail "$learner: $(cat out)"
        works "$plain" show --json -m m
        grep -q '"paused": \[\]' out || fail "$learner: $(head -c 1500 out)"
    done
    refused 2 'pause is an option of decide=mix' "$thresh" train -l panel:decide=vote,pause=off short
}
check pauses-not not_paused

# Whether training stops before a review, at it or after it.
resumed() {
    train once "$work/two.vw"
    for at in 8192 16383 16384 20000; do
        head -n $at "$work/two.vw" >first
        tail -n +$((at + 1)) "$work/two.vw" >second
        train m first
        works "$plain" train -q --init m -m m second
        same once m
    done
}
check pauses-resumed resumed

# Two labels, whose members have one lane, and many labels; one label an example, and sets.
threads() {
    for file in two seven; do
        for more in '' '--multilabel on'; do
            # shellcheck disable=SC2086
            train one --threads 1 $more "$work/$file.vw"
            works "$plain" show -m one
            pauses || fail "$file $more: $(head -n 12 out)"
            for n in 2 4; do
                # shellcheck disable=SC2086
                train several --threads $n $more "$work/$file.vw"
                same one several
            done
        done
    done
}
check pauses-threads threads

# What is left can be saved lean, or alone, and merged with a model that still has the member.
left() {
    train m "$work/two.vw"
    train lean --lean "$work/two.vw"
    head -n 300 "$work/two.vw" >few
    works "$plain" predict -m m few
    cut -f1 out >wanted
    works "$plain" predict -m lean few
    cut -f1 out >got
    same wanted got
    train alone --keep winner "$work/two.vw"
    works "$plain" show alone
    ! grep -q 'perceptron\|paused' out || fail "$(head -n 12 out)"
    train early few
    works "$plain" merge -q early m -o both
    works "$plain" show both
    grep -q 'perceptron .* paused since example 16684$' out || fail "$(head -n 12 out)"
}
check pauses-left left

finish
