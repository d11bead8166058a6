#!/bin/bash
# Models that change while they are used: cut short, overwritten in place, replaced. A small model is read
# into memory, and so is one that is learned; a large one (64 MiB) that only predicts is mapped.
. "$(dirname "$0")/lib.bash"

"$plain" gen disjunction:n=50 -n 300 >"$work/d" 2>/dev/null
"$plain" train -q -l perceptron -m "$work/small" "$work/d"
head -n 200 "$work/d" >"$work/half"
"$plain" train -q -l perceptron -m "$work/other" "$work/half"
"$plain" predict -m "$work/small" "$work/d" >"$work/small.answers"

# 1000 labels and 20000 features make 80 MB of weights, by a rule that has no lists.
awk 'BEGIN { for (i = 0; i < 1000; i++) { line = "l" i "\t"; for (k = 0; k < 20; k++)
    line = line " f" i "_" k; print line } }' >"$work/wide"
"$plain" train -q -f text -l pegasos -m "$work/large" "$work/wide" 2>/dev/null
[ "$(stat -c %s "$work/large")" -gt 67108864 ] || echo 'not ok changed: the large model is too small'
"$plain" predict -q -f text -m "$work/large" "$work/wide" >"$work/large.answers"
# The same with other weights: valid, of the same size.
awk -F '\t' '{ n = split($2, f, " "); line = "l" (999 - NR + 1) "\t"; for (i = 1; i <= n; i++)
    line = line " " f[i]; print line }' "$work/wide" >"$work/wide2"
"$plain" train -q -f text -l pegasos -m "$work/large2" "$work/wide2" 2>/dev/null

# waiting COMMAND...: starts a command that reads standard input, gives it the first line of the data, and
# waits for its answer; it has the model m open then. `go_on DATA` gives it the data and waits for its end.
waiting() {
    mkfifo in
    "$@" <in >out 2>err &
    pid=$!
    exec 3>in
}
go_on() {
    cat "$1" >&3
    exec 3>&-
    wait "$pid"
    status=$?
}
has_open() {
    for _ in $(seq 100); do
        grep -q "$PWD/$1" "/proc/$pid/maps" 2>/dev/null && return
        sleep 0.05
    done
    fail 'the model is not mapped'
}
answered() {
    for _ in $(seq 200); do
        [ -s out ] && return
        sleep 0.05
    done
    fail 'no answer'
}
# Time for a command that leaves no trace of having opened its model.
opened() {
    for _ in $(seq 100); do
        [ -e "/proc/$pid/fd/0" ] && grep -q pipe_read "/proc/$pid/wchan" 2>/dev/null && return
        sleep 0.01
    done
    sleep 0.3
}

# ---- small ----

# how MODEL: what may happen to a file that somebody writes to in place
truncated() { : >"$1"; }
cut() { truncate -s 1000 "$1"; }
overwritten() { cat "$work/other" >"$1"; }
zeroed() { dd if=/dev/zero of="$1" bs=1000 count=5 conv=notrunc status=none; }
replaced() { cp "$work/other" new && mv new "$1"; }

small_predict() {
    cp "$work/small" m
    waiting "$thresh" predict -q -f svmlight -m m
    opened
    "$1" m
    go_on "$work/d"
    [ "$status" -eq 0 ] || fail "status $status: $(cat err)"
    same out "$work/small.answers"
}
# online answers from the model that it opened, learns, and does not overwrite what others wrote.
small_online() {
    cp "$work/small" m
    cp m n
    waiting "$thresh" online -q -m m
    head -n 1 "$work/d" >&3
    answered
    "$1" m
    cp m theirs
    tail -n +2 "$work/d" >rest
    go_on rest
    [ "$status" -eq 1 ] || fail "status $status: $(cat err)"
    grep -q 'm was changed by another process and is not overwritten' err || fail "$(cat err)"
    same m theirs
    "$plain" online -q -m n <"$work/d" >answers
    same out answers
    same n m.learned-*
    no_litter
}
for how in truncated cut overwritten zeroed replaced; do
    check "changed-small-predict-$how" small_predict $how
    check "changed-small-online-$how" small_online $how
done

# Its own saves are no change, nor is a model that was removed.
undisturbed() {
    cp "$work/small" m
    cp m n
    works bash -c '"$1" online -q -m m --save-every 7 <"$2" >answers' - "$thresh" "$work/d"
    works bash -c '"$1" online -q -m n <"$2" >answers' - "$thresh" "$work/d"
    same m n
    waiting "$thresh" online -q -m m
    head -n 1 "$work/d" >&3
    answered
    rm m
    go_on /dev/null
    [ "$status" -eq 0 ] && [ -s m ] || fail "removed: status $status $(cat err)"
}
check changed-own-saves undisturbed

# ---- large ----

large_cut() {
    cp "$work/large" m
    waiting "$thresh" predict -q -f text -m m
    has_open m
    truncate -s "$1" m
    go_on "$work/wide"
    [ "$status" -eq 1 ] || fail "status $status: $(head -c 300 err)"
    [ "$(grep -c '^thresh: ' err)" -eq 1 ] || fail "$(head -c 300 err)"
}
# The weights are others, with the time of change or without; untouched parts are found by their
# checksums.
large_overwritten() {
    cp "$work/large" m
    waiting "$thresh" predict -q -f text -m m
    has_open m
    "$@"
    go_on "$work/wide"
    [ "$status" -eq 1 ] || fail "status $status: $(head -c 300 err)"
    grep -q 'model.*changed while it was in use\|model is damaged' err || fail "$(head -c 300 err)"
}
# Without cutting the file short first, which a bus error would tell.
other_weights() { dd if="$work/large2" of=m conv=notrunc status=none; }
other_weights_in_secret() {
    other_weights
    touch -r "$work/large" m
}
other_weights_after_answers() {
    cat "$work/wide" >&3
    answered
    other_weights
}
large_replaced() {
    cp -p "$work/large" m
    waiting "$thresh" predict -q -f text -m m
    has_open m
    cp "$work/large2" new
    mv new m
    go_on "$work/wide"
    [ "$status" -eq 0 ] || fail "status $status: $(head -c 300 err)"
    same out "$work/large.answers"
}
# A large model that is learned is in memory.
large_online() {
    cp "$work/large" m
    waiting "$plain" online -q -f text -m m
    head -n 1 "$work/wide" >&3
    answered
    truncate -s 100 m
    head -n 3 "$work/wide" >rest
    go_on rest
    [ "$status" -eq 1 ] && grep -q 'not overwritten' err || fail "status $status: $(cat err)"
    "$plain" predict -q -f text -m m.learned-* "$work/wide" >answers || fail 'the model does not open'
}
check changed-large-cut large_cut 1000
check changed-large-cut-in-the-middle large_cut 40000000
check changed-large-overwritten large_overwritten other_weights
check changed-large-overwritten-in-secret large_overwritten other_weights_in_secret
check changed-large-overwritten-later large_overwritten other_weights_after_answers
check changed-large-replaced large_replaced
check changed-large-online large_online

# interrupted COMMAND...: stops the process $pid, runs the command, and lets the process go on to its end,
# which must be status 1.
interrupted() {
    kill -STOP "$pid" || fail 'it was over too soon'
    "$@"
    kill -CONT "$pid"
    wait "$pid"
    status=$?
    [ "$status" -eq 1 ] || fail "status $status: $(head -c 300 err)"
}

# A model that changes while it is merged with another.
large_merge() {
    cp "$work/large" m
    "$thresh" merge -q -o n m "$work/large2" >out 2>err &
    pid=$!
    has_open m
    interrupted "$@"
    [ "$(grep -c '^thresh: .*changed' err)" -eq 1 ] || fail "$(head -c 300 err)"
    [ ! -e n ] || fail 'a model was written'
    no_litter
}
check changed-merge-cut large_merge truncate -s 40000000 m
check changed-merge-overwritten large_merge other_weights
undisturbed_merge() {
    works "$thresh" merge -q -o n "$work/large" "$work/large2"
    "$plain" predict -q -f text -m n "$work/wide" >/dev/null || fail 'the merged model does not open'
}
check changed-merge-undisturbed undisturbed_merge

# ---- data ----

# Data that changes while a cache is made from it: such a cache would fit neither version. The process is
# stopped when it has begun the cache, whose stamp of the data it has taken then.
data_for_cache() {
    for _ in 1 2 3 4 5 6 7 8; do cat "$work/d" "$work/d" "$work/d" "$work/d"; done >d
    "$thresh" train -q -p 2 -l pa --cache c -m m d >out 2>err &
    pid=$!
    for _ in $(seq 2000); do
        [ -n "$(echo c.thresh-*)" ] && [ "$(echo c.thresh-*)" != 'c.thresh-*' ] && break
        kill -0 "$pid" || break
    done
    interrupted "$@"
    grep -q '^thresh: .*the data was changed while it was read: no cache is written to c' err ||
        fail "$(head -c 300 err)"
    [ ! -e c ] && [ ! -e m ] || fail "$(ls)"
    no_litter
}
appended() { head -n 5 "$work/d" >>d; }
# A value in the middle: the size and both ends stay as they are, and the lines are good before and after.
altered() {
    local at
    at=$(grep -abo ':1 ' d | sed -n '20000 { s/:.*//; p; q; }')
    printf 2 | dd of=d bs=1 seek=$((at + 1)) conv=notrunc status=none
}
replaced_data() { tac "$work/d" >new && mv new d; }
check changed-data-appended data_for_cache appended
check changed-data-altered data_for_cache altered
check changed-data-replaced data_for_cache replaced_data
finish
