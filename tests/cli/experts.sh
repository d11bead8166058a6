#!/bin/bash
# thresh experts: the same rounds however they come, the figures of the text in the JSON, columns
# and options, and what bad tables get.
. "$(dirname "$0")/lib.bash"
cp "$data/market.csv" "$work/"
cut -d, -f2- "$data/rain.csv" >"$work/rain-only.csv"

# ---- the same however it comes ----

same_input() {
    works "$thresh" experts --json "$work/market.csv"
    mv out want
    "$thresh" experts --json - <"$work/market.csv" >out || fail 'from standard input'
    same want out
    tail -n +2 "$work/market.csv" | "$thresh" experts --json - | sed 's/"1"/"radio"/g; s/"2"/"paper"/g; s/"3"/"tv"/g' >out
    same want out 'without names'
    tr ',' ';' <"$work/market.csv" >d
    works "$thresh" experts --json d
    same want out 'semicolons'
    awk -F, 'BEGIN { OFS = "," } { print $4, $1, $2, $3 }' "$work/market.csv" >d
    works "$thresh" experts --json --truth market d
    same want out 'truth first, by name'
    works "$thresh" experts --json --truth=1 --experts radio,3,4 d
    same want out 'by number'
    head -n 20 "$work/market.csv" >a
    { head -n 1 "$work/market.csv"; tail -n +21 "$work/market.csv"; } >b
    works "$thresh" experts --json a b
    same want out 'two files'
}
check experts-same-input same_input
# Bytes that drip in: what is a name must not depend on how much is there.
drips() {
    printf 'x,y\ny,x\nx,x\n' >d
    works "$thresh" experts --json d
    mv out want
    { printf 'x,'; sleep 0.2; printf 'y\n'; sleep 0.2; printf 'y,x\n'; sleep 0.2; printf 'x,x\n'; } |
        "$thresh" experts --json - >out || fail failed
    same want out
    grep -q '"rounds": 3' out || fail "$(cat out)"
}
check experts-slow-pipe drips
packed() {
    works "$thresh" experts --json "$work/market.csv"
    mv out want
    "$1" -c "$work/market.csv" >d
    works "$thresh" experts --json d
    same want out
}
for pair in gzip:zlib zstd:zstd xz:lzma; do
    tool=${pair%:*}
    if has "${pair#*:}" && command -v "$tool" >/dev/null; then
        check "experts-$tool" packed "$tool"
    else
        skip "experts-$tool" "no $tool here"
    fi
done

# ---- options ----

seeds() {
    works "$thresh" experts --json --seed 4 "$work/market.csv"
    mv out a
    works "$thresh" experts --json --seed 4 "$work/market.csv"
    same a out
    local s
    for s in 5 6 7 8; do
        "$thresh" experts --json --seed $s "$work/market.csv" | sed "s/\"seed\": $s/\"seed\": 4/" >out
        cmp -s a out || return 0
    done
    fail 'the seed makes no difference'
}
check experts-seed seeds
rates() {
    works "$thresh" experts --json --beta 0.25 "$work/market.csv"
    mv out a
    works "$thresh" experts --json --eta 1.3862943611198906 "$work/market.csv"
    same a out
    works "$thresh" experts --json "$work/market.csv"
    mv out a
    works "$thresh" experts --json --beta 0.5 "$work/market.csv"
    same a out 'one half is the default'
    works "$thresh" experts --eta auto "$work/market.csv"
    grep -q 'majority eta 0.6931, random sqrt(8 ln(experts)/round), hedge sqrt' out || fail "$(cat out)"
}
check experts-rates rates
chosen() {
    works "$thresh" experts -a share,majority "$work/market.csv"
    grep -q '^majority' out && grep -q '^share' out || fail "$(cat out)"
    ! grep -q '^random\|^hedge' out || fail "$(cat out)"
    works "$thresh" experts -a majority -k 0 "$work/market.csv"
    ! grep -q ', then ' out || fail "$(cat out)"
}
check experts-algorithms chosen
many() {
    awk 'BEGIN { for (t = 0; t < 50; t++) { s = ""; for (i = 0; i < 300; i++) s = s (i * t) % 7 ","; print s t % 7 } }' >d
    works "$thresh" experts d
    grep -q '(and 290 more)' out || fail "$(cat out)"
}
check experts-many many
figures() {
    works "$thresh" experts --json "$1" "$2" --switches 4
    mv out j
    works "$thresh" experts "$1" "$2" --switches 4
    python3 - j out <<'END' || fail 'see above'
import json, sys
j, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
best = min(e['loss'] for e in j['experts'])
assert j['sequences'][0]['loss'] == best
rows = [line.split() for line in text.splitlines()]
for r in j['results']:
    row = next(x for x in rows if x[:2] == [r['algorithm'], r['answer']])
    assert abs(float(row[2]) - r['loss']) < 0.006, (row, r)
    assert abs(float(row[3]) - r['regret']) < 0.006 and abs(r['loss'] - best - r['regret']) < 1e-6
    if r['answer'] == 'drawn':
        assert row[4] == '-' and r['bound'] is None and r['holds'] is None
        continue
    assert abs(float(row[4]) - r['bound']) < 0.006 and row[5] == 'holds' and r['holds'] is True
    assert r['loss'] <= r['bound'] == min(b for b in r['bounds'] if b is not None)
    assert len(r['bounds']) == 5 and (r['share'] > 0 or None in r['bounds'])
for k, s in enumerate(j['sequences']):
    assert s['switches'] == k and 1 <= len(s['parts']) <= k + 1
    assert s['parts'][0]['from'] == 1 and s['parts'][-1]['to'] == j['rounds']
    assert k == 0 or s['loss'] <= j['sequences'][k - 1]['loss']
END
}
if command -v python3 >/dev/null; then
    check experts-figures-labels figures --loss=label "$work/market.csv"
    check experts-figures-numbers figures --loss=absolute "$work/rain-only.csv"
else
    skip experts-figures 'no python3 here'
fi
curve() {
    works "$thresh" experts --curve c "$work/market.csv"
    [ "$(cut -d, -f1 c | tr '\n' ' ')" = 'round 1 2 4 8 16 32 40 ' ] || fail "$(cat c)"
    head -n 32 "$work/market.csv" >d # 31 rounds
    works "$thresh" experts --json d
    cp c before
    refused 1 'd:2:' "$thresh" experts --truth radio --loss absolute --curve c d
    same c before 'a failed run changed the curve'
    no_litter
    refused 2 'read as data' "$thresh" experts --curve d d
    refused 2 'to a file' "$thresh" experts --curve - d
    refused 1 'cannot write nowhere/c' "$thresh" experts --curve nowhere/c d
}
check experts-curve curve

# ---- bad tables and bad options ----

printf 'a,b,t\nx,y,x\n' >"$work/good.csv"
bad() { # bad PLACE-AND-WORDS TABLE [OPTION...]
    printf "$2" >d.csv
    refused 1 "^thresh: d.csv$1" "$thresh" experts "${@:3}" d.csv
}
wrong() { refused 2 "$1" "$thresh" experts "${@:2}" "$work/good.csv"; }
check bad-experts-empty bad ': there is no round' ''
check bad-experts-only-names bad ': there is no round' 'a,b,t\n'
check bad-experts-few-fields bad ':3:4: 2 fields, but the first line has 3' 'a,b,t\nx,y,x\nx,y\n'
check bad-experts-many-fields bad ':2:7: too many fields' 'a,b,t\nx,y,x,z\n'
check bad-experts-no-truth bad ':3:5: the truth is empty' 'a,b,t\nx,y,x\nx,y,\n'
check bad-experts-word bad ':3:5: "x" is not a number' 'a,b,t\n0.5,1,0\n0.5,x,1\n' --loss square
check bad-experts-range bad ':2:1: "1.5" does not lie between 0 and 1' 'a,t\n1.5,1\n' --loss absolute
check bad-experts-quote bad ':2:3: this quote is not closed' 'a,b,t\nx,"y,x\n'
check bad-experts-nul bad ':2:3: NUL' 'a,b,t\nx,\0,x\n'
check bad-experts-column bad ':1: there is no column "z"' 'a,b,t\nx,y,x\n' --truth z
check bad-experts-one-column bad ':1: .*none for an expert' 't\nx\n'
check bad-experts-long bad ':2:1: a line is longer than 20' 'a,t\nxxxxxxxxxxxxxxxxxxxxxxx,y\n' --max-line 20
check bad-experts-missing refused 1 '^thresh: nowhere' "$thresh" experts nowhere
check bad-experts-no-table refused 2 'needs a table' "$thresh" experts
check bad-experts-beta wrong 'beta 1: ' --beta 1
check bad-experts-beta-word wrong 'beta half' --beta half
check bad-experts-eta wrong 'eta -1: ' --eta -1
check bad-experts-both wrong 'give one of them' --eta 1 --beta 0.5
check bad-experts-share wrong 'share 1: ' --share 1
check bad-experts-switches wrong 'switches 101: ' --switches 101
check bad-experts-algorithm wrong "no algorithm 'best'" -a hedge,best
check bad-experts-loss wrong "no loss 'log'" --loss log
check bad-experts-vote wrong 'majority is a vote among labels' --loss given -a majority
check bad-experts-header wrong 'header is auto' --header maybe

finish
