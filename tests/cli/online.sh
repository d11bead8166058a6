#!/bin/bash
# thresh online as a long session: one format for the whole stream, nothing learned is lost, and what
# answers look like.
. "$(dirname "$0")/lib.bash"

printf 'ham\tlunch at noon\nspam\tfree prize now\nham\tsee you at lunch\nspam\twin a prize\n' >"$work/mail"
"$plain" train -q -m "$work/mail.model" "$work/mail"
"$plain" gen disjunction:n=50,k=3 -n 400 --seed 2 >"$work/many" 2>/dev/null

# ---- one format ----

# What looks like another format is text to a model of text, and teaches no label.
poison() {
    cp "$work/mail.model" m
    printf '__label__x hello\n1 2:3\n{"label": "y", "text": "z"}\n1 |f win\n' >d
    "$thresh" online -q -m m <d >out 2>err || fail "status $?"
    [ "$(wc -l <out)" -eq 4 ] && ! grep -q '!' out || fail "answered $(cat out)"
    cmp -s m "$work/mail.model" || fail 'the model has changed'
}
check online-text-stays-text poison

# A new model takes the format of its first line for all others.
first_line_decides() {
    printf 'ham\tlunch\n1 2:3\nspam\tprize\n' | "$thresh" online -m m >out 2>err || fail "status $?"
    [ "$(wc -l <out)" -eq 3 ] || fail "answered $(cat out)"
    grep -q '2 examples learned' err || fail "$(cat err)"
    works "$thresh" show --json -m m
    grep -q '"labels": 2' out || fail "$(cat out)"
}
check online-first-line-decides first_line_decides

# A line that cannot be read is never an example without a label.
unreadable() {
    printf '1 1:1\n-1 2:1\n1 2:x\n= 1\n{"label": 1\n' | "$thresh" online -l perceptron -m m >out 2>err ||
        fail "status $?"
    [ "$(sed -n '3p;4p' out | tr '\n' ' ')" = '! ! ' ] || fail "answered $(cat out)"
    grep -q 'standard input:4: no example is waiting' err || fail "$(cat err)"
    grep -q '2 examples learned.*3 bad lines' err || fail "$(cat err)"
}
check online-unreadable-is-an-error unreadable

# The label may be absent: how, depends on the format alone.
unlabelled() {
    cp "$work/mail.model" m
    printf 'win a prize\n\tprize\twith a tab\n\n= ham\n' | "$thresh" online -m m >out 2>err || fail "status $?"
    [ "$(wc -l <out)" -eq 3 ] || fail "answered $(cat out)"
    grep -q '3 predictions, 1 example learned' err || fail "$(cat err)"
    printf '{"label": "a", "text": "x"}\n{"text": "x"}\n= b\n' | "$thresh" online -m n >out 2>err ||
        fail "status $?"
    grep -q '2 predictions, 2 examples learned' err || fail "$(cat err)"
    printf '__label__a x\nx y\n= b\n' | "$thresh" online -m o >out 2>err || fail "status $?"
    grep -q '2 predictions, 2 examples learned' err || fail "$(cat err)"
}
check online-without-label unlabelled

# ---- csv ----

table() {
    printf 'label,colour,size\nyes,red,1\nno,blue,2\nyes,red,3\nno,blue,1\n' >d
    "$thresh" online -m m <d >out 2>err || fail "status $?: $(cat err)"
    [ "$(wc -l <out)" -eq 4 ] || fail "answered $(cat out)"
    works "$thresh" train -q -m n d
    "$plain" show --json -m m >x
    "$plain" show --json -m n >y
    [ "$(grep -o '"mistakes": [0-9]*, "updates": [0-9]*' x)" = "$(grep -o '"mistakes": [0-9]*, "updates": [0-9]*' y)" ] ||
        fail "$(cat x y)"
    printf 'colour,label,size\nred,,1\n' | "$thresh" online -q -m m >out 2>err || fail "status $?"
    grep -q '^yes	' out || fail "answered $(cat out)"
}
check online-csv-header-once table
no_header() {
    printf 'label,colour,size\nyes,red,1\nno,blue,2\n' >d
    works "$thresh" train -q -m m d
    printf 'red,1\nblue,2\n' | "$thresh" online -m m >out 2>err && fail 'status 0'
    [ "$(cat out)" = "$(printf '!\n!')" ] || fail "answered $(cat out)"
    grep -q 'standard input:1: the first line must be the header' err || fail "$(cat err)"
}
check online-csv-without-header no_header
no_cache() {
    works "$thresh" convert -q --to cache -o c "$work/many"
    printf 'x\n' | "$thresh" online -f cache >out 2>err && fail 'it went on'
    grep -q 'does not work line by line' err || fail "$(cat err)"
}
check online-no-cache no_cache

# ---- long and broken lines ----

too_long() {
    { printf '1 1:1\n1 '; head -c 100000 /dev/zero | tr '\0' ' '; printf '1:1\n-1 2:1\n'; } |
        "$thresh" online -l perceptron --max-line 1000 -m m >out 2>err || fail "status $?"
    [ "$(wc -l <out)" -eq 3 ] && [ "$(sed -n 2p out)" = '!' ] || fail "answered $(cat out)"
    grep -q 'standard input:2: a line is longer than 1000 bytes' err || fail "$(cat err)"
    grep -q '2 examples learned, .* 1 bad line' err || fail "$(cat err)"
}
check online-line-too-long too_long
unreadable_input() {
    "$thresh" online -l perceptron -m m <. >out 2>err && fail 'a directory was read'
    grep -q 'standard input: line 1 cannot be read: Is a directory' err || fail "$(cat err)"
}
check online-input-fails unreadable_input
no_line_end() {
    printf '1 1:1\r\n-1 2:1' | "$thresh" online -l perceptron -m m >out 2>err || fail "status $?"
    grep -q '2 examples learned' err || fail "$(cat err)"
}
check online-last-line-without-end no_line_end

# ---- keeping what was learned ----

# session [OPTION...]: starts one that has learned 400 examples and waits for more.
session() {
    mkfifo in
    "$thresh" online -q -l perceptron -m m "$@" <in >answers 2>err &
    pid=$!
    exec 3>in
    cat "$work/many" >&3
    wait_for answers 400
    "$plain" train -q -l perceptron -m wanted "$work/many"
}
wait_for() { # FILE LINES
    for _ in $(seq 200); do
        [ "$(wc -l <"$1")" -ge "$2" ] && return
        sleep 0.1
    done
    fail "only $(wc -l <"$1") lines of $1: $(cat err)"
}
on_signal() { # NAME NUMBER
    session
    kill -"$1" $pid
    wait $pid
    status=$?
    [ $status -eq $((128 + $2)) ] || fail "status $status: $(cat err)"
    same m wanted
    [ ! -e m.lock ] || fail 'the lock is still there'
}
check online-saves-on-SIGTERM on_signal TERM 15
check online-saves-on-SIGINT on_signal INT 2
check online-saves-on-SIGHUP on_signal HUP 1

# A signal is heeded although lines keep coming.
on_signal_when_busy() {
    yes '1 1:1' | "$thresh" online -q -l perceptron -m m >/dev/null 2>err &
    sleep 0.5
    kill -TERM $!
    wait $!
    [ $? -eq 143 ] || fail "$(cat err)"
    [ -s m ] || fail 'no model'
}
check online-saves-when-busy on_signal_when_busy

# Nobody reads the answers: what was answered is learned and saved, and no more than that.
closed_pipe() {
    { cat "$work/many"; sleep 1; cat "$work/many"; } | {
        "$thresh" online -q -l perceptron -m m 2>err
        echo $? >status
    } | head -n 100 >answers
    [ "$(cat status)" -eq 141 ] || fail "status $(cat status): $(cat err)"
    "$plain" show --json -m m >x || fail 'no model'
    n=$(grep -o '"examples": [0-9]*' x | grep -o '[0-9]*')
    [ "$n" -ge 100 ] && [ "$n" -le 800 ] || fail "$n examples"
}
check online-saves-when-nobody-reads closed_pipe

save_every() {
    session --save-every 200
    same m wanted
    kill -KILL $pid
    wait $pid
    [ -e m.lock ] || fail 'a killed session cannot have removed its lock'
    "$thresh" online -q -m m <"$work/many" >/dev/null 2>err || fail "after the kill: $(cat err)"
}
check online-save-every save_every
save_every_seconds() {
    session --save-every 1s
    for _ in $(seq 100); do
        cmp -s m wanted && break
        sleep 0.1
    done
    same m wanted
    kill -KILL $pid
    wait $pid
    true
}
check online-save-every-second save_every_seconds
save_every_what() {
    for bad in 0 x 5m -3 1.5 ''; do
        refused 2 'save-every takes a number' "$thresh" online -m m --save-every "$bad"
    done
    refused 2 'save-every needs a model' "$thresh" online --save-every 5
}
check online-save-every-refuses save_every_what

second_is_refused() {
    session
    refused 1 "^thresh: m is being learned by another process, number $pid" "$thresh" online -m m
    refused 1 'm is being learned by another process' "$thresh" train -q -m m "$work/many"
    exec 3>&-
    wait $pid || fail "status $?: $(cat err)"
    same m wanted
    works "$thresh" train -q -m m "$work/many"
}
check online-second-is-refused second_is_refused

# ---- answers ----

json() {
    cp "$work/mail.model" m
    printf 'win a prize\nham\tlunch\n\0\n' >d
    "$thresh" online -q --json -m m <d >out 2>err || fail "status $?"
    python3 - <<'PY' >>"$work/why" 2>&1 || true
import json
a, b = [json.loads(line) for line in open('out')][:2]
assert a['line'] == 1 and a['label'] == 'spam' and 0.5 < a['probability'] < 1, a
assert 'truth' not in a and b['truth'] == 'ham' and b['label'] == 'ham', b
PY
    [ -s "$work/why" ] || rm -f "$work/why"
    printf '1 1:x\n1 1:1\n' | "$thresh" online -q --json -l pa -f svmlight >out 2>err || fail "status $?"
    python3 - <<'PY' >>"$work/why" 2>&1 || true
import json
a, b = [json.loads(line) for line in open('out')]
assert a['line'] == 1 and a['column'] == 5 and 'x' in a['error'], a
assert b['label'] is None, b
PY
    [ -s "$work/why" ] || rm -f "$work/why"
}
check online-json json
probabilities() {
    cp "$work/mail.model" m
    echo 'win a prize' | "$thresh" online -q --probabilities -m m >out || fail "status $?"
    echo 'win a prize' | "$plain" predict -q --no-label --probabilities -m m >wanted
    same out wanted
    refused 2 'is for labels' "$thresh" online -l lms --probabilities
    works "$plain" train -q -l panel:decide=vote -m v "$work/mail"
    echo 'win a prize' | "$thresh" online -q -m v >out || fail "status $?"
    echo 'win a prize' | "$plain" predict -q --no-label -m v >wanted
    same out wanted
}
check online-probabilities probabilities
explained() {
    cp "$work/mail.model" m
    echo 'win a prize' >d
    "$thresh" online -q --explain --top 2 -m m <d >out || fail "status $?"
    "$plain" explain --no-label --top 2 -m m d | tail -n +2 >wanted
    tail -n +2 out >parts
    same parts wanted
    "$thresh" online -q --explain --json -m m <d >out || fail "status $?"
    grep -q '"features": \[{"feature": "' out || fail "$(cat out)"
    echo 'x' | "$thresh" online -q --explain >out || fail "status $?"
    [ "$(cat out)" = - ] || fail "answered $(cat out)"
}
check online-explains explained
finish
