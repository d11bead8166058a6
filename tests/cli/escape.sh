#!/bin/bash
# Names, labels, tags and file names that contain line ends, tabs and escape sequences: in plain output each
# is one field of one line, and no control character is ever printed.
. "$(dirname "$0")/lib.bash"

# ESC, newline, tab, backslash, DEL, C1 (CSI), bytes that are not UTF-8, a mark of direction, and letters.
esc=$'\e[31m' csi=$'\xc2\x9b31m' rlo=$'\xe2\x80\xae'
cat >"$work/d.jsonl" <<'END'
{"label": "a\nb", "tag": "t\t1", "features": {"x\u001b[31m": 1, "y\nz": 2}}
{"label": "\u001b[2J", "tag": "t\n2", "features": {"y\nz": 1, "back\\slash": 1, "del\u007f": 1}}
{"label": "a\nb", "tag": "t\u009b3", "features": {"x\u001b[31m": 1, "tab\there": 1}}
{"label": "gr\u00fcn", "tag": "\u202e4", "features": {"y\nz": 1, "gr\u00fcn": 1}}
END
cp "$work/d.jsonl" "$work/named"$'\n\e[31m'.jsonl
hostile="$work/named"$'\n\e[31m'.jsonl

# clean FILE...: no control characters except newline and tab, no C1, and valid UTF-8 unless JSON says so.
clean() {
    local f
    for f in "$@"; do
        LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' "$f" &&
            fail "control characters in $f: $(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' "$f" | head -n 2 | cat -v)"
    done
    return 0
}
lines() { [ "$(grep -c '' out)" -eq "$1" ] || fail "$(grep -c '' out) lines, not $1: $(cat -v out)"; }

for learner in perceptron panel knn rules bayes; do
    "$plain" train -q -p 10 -l $learner -m "$work/$learner" "$work/d.jsonl" 2>/dev/null
done

predict() {
    local l
    for l in perceptron panel knn; do
        works "$thresh" predict -q --tags --scores -m "$work/$l" "$work/d.jsonl"
        clean out
        lines 4
        [ "$(awk -F '\t' '{ print NF }' out | sort -u)" = 6 ] || fail "fields: $(cat -v out)"
    done
    works "$thresh" predict -q --tags -m "$work/perceptron" "$work/d.jsonl"
    cut -f 1,2 out >two
    printf '%s\t%s\n' 't\t1' 'a\nb' 't\n2' '\x1b[2J' 't\xc2\x9b3' 'a\nb' '\xe2\x80\xae4' 'grün' >want
    same two want "$(cat two)"
    works "$thresh" predict -q --ranked 2 --probabilities -m "$work/perceptron" "$work/d.jsonl"
    clean out
    lines 4
}
check escape-predict predict

online() {
    "$thresh" online -q --explain -l perceptron <"$work/d.jsonl" >out 2>err || fail "$(cat err)"
    clean out err
    "$thresh" online -q -l perceptron -m m <"$work/d.jsonl" >out 2>err || fail "$(cat err)"
    clean out err
    lines 4
    printf '{"features": {"x\\u001b[31m": 1\n= a\e[31m\n! \e]0;x\a\n' |
        "$thresh" online -q -m m >out 2>err
    clean out err
}
check escape-online online

# Several labels, an answer for each line.
sets() {
    printf '%s\n' '{"labels": ["a\nb", "\u001b[1m"], "features": {"x": 1}}' \
        '{"labels": ["c"], "features": {"y": 1}}' >s.jsonl
    run "$thresh" train -q --multilabel on -m m s.jsonl
    run "$thresh" predict -q --probabilities -m m s.jsonl
    clean out err
    lines 2
    run "$thresh" test -q -m m s.jsonl
    clean out err
}
check escape-sets sets

# every command, on data with hostile names and a hostile file name
walk() {
    local line
    while read -r line; do
        eval "run \"\$thresh\" $line"
        [ "$status" -le 2 ] || fail "$line: status $status: $(head -c 300 err | cat -v)"
        clean out err
        [ -s out ] || [ -s err ] || fail "$line printed nothing"
    done <<'END'
train -m m -t "$hostile" "$hostile"
train --json -m m "$hostile"
train --class-weights $'a\e=2' -m m "$hostile"
test -m "$work/perceptron" "$hostile"
test --json -m "$work/perceptron" "$hostile"
explain -m "$work/perceptron" "$hostile"
explain -m "$work/panel" "$hostile"
explain -m "$work/knn" "$hostile"
explain -m "$work/rules" "$hostile"
explain --json -m "$work/perceptron" "$hostile"
show -m "$work/perceptron"
show --weights -m "$work/perceptron"
show --json -m "$work/perceptron"
show -m "$work/rules"
show -m "$work/knn"
diff "$work/perceptron" "$work/bayes" "$hostile"
diff "$work/panel" "$work/perceptron" "$hostile"
diff --json "$work/panel" "$work/perceptron" "$hostile"
cv -k 2 "$hostile"
race -l perceptron -l pa "$hostile"
tune -l pa "$hostile"
trace -l perceptron "$hostile"
trace -l pa "$hostile"
trace --json -l perceptron "$hostile"
lint "$hostile"
predict --json -m "$work/perceptron" "$hostile"
predict -m "$hostile" "$hostile"
predict -m "$work/perceptron" "$hostile.$esc"
train -l $'x\e[31m' "$hostile"
train --strange$'\e' "$hostile"
$'command\e'
convert --to $'\e' "$hostile"
certify "$hostile"
merge -o "merged$csi" "$work/perceptron" "$work/perceptron"
END
}
check escape-every-command walk

bad_data() {
    printf 'label x%sy\n1 a%sb:%s\n' "$esc" "$csi" "$rlo" >"bad$esc"
    for f in svmlight vw csv jsonl snow; do
        run "$thresh" train -f $f "bad$esc"
        clean out err
        run "$thresh" lint -f $f "bad$esc"
        clean out err
    done
    printf '1 5:x\e[31my\n' >d
    refused 1 'd:1:5.*\\x1b\[31m' "$thresh" train -f svmlight d
}
check escape-bad-data bad_data

why() {
    run "$thresh" train -q -l perceptron -m m --log l "$hostile"
    clean l
    run "$thresh" why m --log l $'y\nz' $'x\e[31m'
    [ "$status" -eq 0 ] || fail "status $status $(cat err)"
    clean out err
    grep -q '^y\\nz, by perceptron' out || fail "$(cat -v out)"
    run "$thresh" why m --log l $'none\e[31m'
    clean out err
    run "$thresh" why --json m --log l $'y\nz'
    clean out err
}
check escape-why why

formula() {
    run "$thresh" train -q -l eliminate -m m "$hostile"
    run "$thresh" show -m m
    clean out err
    run "$thresh" show --json -m m
    clean out
}
check escape-formula formula

pages() {
    run "$thresh" race -q -l perceptron -l pa --html p "$hostile"
    clean p out err
    [ "$status" -eq 0 ] && grep -q 'named\\n\\x1b\[31m.jsonl' p || fail "$(grep title p)"
}
check escape-pages pages

experts() {
    printf 'outcome,a\e[31m,"b\nc"\n1,1,0\n0,0,1\n1,1,1\n' >t
    run "$thresh" experts -k 1 t
    clean out err
}
"$plain" experts --help >/dev/null 2>&1 && check escape-experts experts

# The command that tune prints can be pasted into a shell.
pasted() {
    run "$thresh" tune -l pa "$hostile"
    grep '^thresh train' out >command
    clean command
    eval "set -- $(cat command)"
    [ "${!#}" = "$hostile" ] || fail "$(cat command)"
}
check escape-command-line pasted

# Weights can be read back: undoing the escapes gives the names.
read_back() {
    works "$thresh" show --weights -m "$work/perceptron"
    clean out
    [ "$(awk -F '\t' '{ print NF }' out | sort -u)" = 4 ] || fail "fields: $(cat -v out)"
    python3 - out <<'END' || fail 'other names'
import re, sys
def undo(s):
    special = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"\\": b"\\"}
    return re.sub(rb"\\(x..|.)", lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) == 3 else special[m[1]], s)
rows = [l.split(b"\t") for l in open(sys.argv[1], "rb").read().split(b"\n")[:-1]]
names = {undo(r[0]).decode() for r in rows[1:]}
want = {"x\x1b[31m", "y\nz", "back\\slash", "del\x7f", "tab\there", "gr\u00fcn"}
sys.exit(not want <= names or {undo(c).decode() for c in rows[0][1:]} != {"a\nb", "\x1b[2J", "gr\u00fcn"})
END
}
if command -v python3 >/dev/null; then
    check escape-read-back read_back
else
    skip escape-read-back 'no python3'
fi

# Data is written as it is, or refused where the format cannot hold it: reading it back gives the same.
converted() {
    local f
    for f in $(formats); do
        [ "$f" != cache ] || continue
        run "$thresh" convert -q --to "$f" -o c "$work/d.jsonl"
        clean err
        [ "$status" -eq 0 ] || continue
        "$plain" train -q -p 10 -l perceptron -f "$f" -m m c 2>err || fail "$f does not read back: $(cat err)"
        "$plain" predict -q --scores -m m -f "$f" c >a
        "$plain" predict -q --scores -m "$work/perceptron" "$work/d.jsonl" >b
        same a b "$f"
        rm -f c m
    done
}
check escape-converted converted

# Bytes that are not UTF-8.
bytes() {
    printf 'a\xff\tgood caf\xe9\nb\xc3\tother \xed\xa0\x80\n' >t
    run "$thresh" train -q -f text -l perceptron -m m t
    run "$thresh" predict -q -f text -m m t
    lines 2
    [ "$(cut -f 1 out | tr '\n' ' ')" = 'a\xff b\xc3 ' ] || fail "$(cat -v out)"
    run "$thresh" show --weights -m m
    iconv -f utf-8 -t utf-8 <out >/dev/null 2>&1 || fail 'not UTF-8'
    run "$thresh" show --json -m m
    iconv -f utf-8 -t utf-8 <out >/dev/null 2>&1 || fail 'not UTF-8'
}
check escape-bytes bytes
finish
