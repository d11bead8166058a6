#!/bin/bash
# Provenance: what train --log writes, and what why makes of it.
. "$(dirname "$0")/lib.bash"

cp "$data"/mail.txt "$data"/two.svm "$data"/three.svm "$work/"
"$plain" gen disjunction:n=3000,active=50,noise=0.05 -n 9000 --seed 1 >"$work/big.svm"
head -n 6 "$work/mail.txt" >"$work/a"
tail -n +7 "$work/mail.txt" >"$work/b" # brings a third label
"$plain" train -q -l perceptron -m "$work/m" --log "$work/log" "$work/mail.txt" || exit 1

# ---- the log ----

# Every line is an object with the promised keys, about the line of data that it names.
log_lines() {
    works "$thresh" train -q -l "$1" -p 2 ${3:+--shuffle 5} -m m --log log "$2"
    works "$thresh" show --json -m m
    python3 - out log "$2" "$1" <<'END' || fail "$(head -c 300 log)"
import json, sys
shown = json.load(open(sys.argv[1]))
data = open(sys.argv[3]).read().splitlines()
updates = last = 0
for line in open(sys.argv[2], encoding='utf-8'):
    u = json.loads(line)
    for key in 'example file line tag rule truth prediction moves'.split():
        assert key in u, key
    assert u['file'] == sys.argv[3] and last <= u['example'] <= shown['examples']
    last = u['example']
    truth = data[u['line'] - 1].split('\t')[0].split(' ')[0]
    truth = truth.removeprefix('+')
    assert str(u['truth']) == truth or float(u['truth']) == float(truth), (u['truth'], truth)
    updates += len(u['moves']) > 0
    if sys.argv[4] != 'panel':
        assert u['rule'] == sys.argv[4]
    for m in u['moves']:
        for key in 'label against shared margin step features'.split():
            assert key in m, key
        for name, by in m['features']:
            assert type(name) is str and (by is None) == ('kept' in u), (name, by)
assert updates == shown['updates'] > 0, updates
END
}
same_model() {
    local l
    for l in panel logistic:l1=0.01 knn; do
        works "$thresh" train -q -l "$l" -p 2 -m with --log log "$work/mail.txt"
        works "$thresh" train -q -l "$l" -p 2 -m without "$work/mail.txt"
        same with without "$l"
    done
}
threads() {
    local n
    for n in 1 2 4; do
        timeout 60 "$plain" train -q -l "$1" --threads "$n" --log "log$n" "$work/big.svm" || fail "status $?"
    done
    same log1 log2
    same log1 log4
    [ "$(grep -c '' log1)" -gt 1000 ] || fail 'hardly any updates'
}
# Two logs of two parts are the log of the whole.
resumed() {
    ln -s "$work/a" "$work/b" .
    works "$thresh" train -q -l "$1" --log whole a b
    works "$thresh" train -q -l "$1" -m m --log log1 a
    works "$thresh" train -q --init m --log log2 b
    cat log1 log2 >parts
    same whole parts
}
# Passes over what cannot be read again have the same places.
piped() {
    works "$thresh" train -q -p 2 --log file "$work/two.svm"
    cat "$work/two.svm" | "$thresh" train -q -p 2 --log pipe - || fail "status $?"
    sed "s|\"file\": \"$work/two.svm\"|\"file\": \"standard input\"|" file >expected
    same expected pipe
}
online() {
    "$thresh" online -q -l pa -m m --log online <"$work/mail.txt" >out || fail "status $?"
    works "$thresh" train -q -l pa --log trained "$work/mail.txt"
    sed "s|\"file\": \"$work/mail.txt\"|\"file\": \"standard input\"|" trained >expected
    same expected online
    # the label may come later: the place is that of the example
    printf 'ham\tsee you at lunch\nfree prizes now\n= spam\n' |
        "$thresh" online -q -f text -l perceptron --log later >out || fail "status $?"
    grep -q '"line": 2, .*"truth": "spam"' later || fail "$(cat later)"
}
# What is said of an example later has the place of the example, and a sign.
pushed() {
    printf '%s\n' 'a | x y' 'b | y z' '| x z' '+ b' '- a' '= b' '+ c' >d
    works bash -c '"$1" online -q -l perceptron -f vw -m m --log log <d' - "$thresh"
    sed 's/, "tag".*"truth"/, "truth"/; s/"prediction".*"pushed"/"pushed"/; s/, "prediction.*//; s/, "rescaled.*//; s/, "moves.*//' log >said
    printf '{"example": %s, "file": "standard input", "line": %s, "truth": "%s"%s\n' \
        1 1 a '' 2 2 b '' 3 3 b ', "pushed": 1' 4 3 a ', "pushed": -1' 6 3 c ', "pushed": 1' >expected
    same said expected "$(cat said)"
}
# Lists in the place of one label, as they stand in the line.
several() {
    works "$thresh" train -q --multilabel on -l "$1" -p 2 -m m --log log "$work/several.txt"
    python3 - log "$work/several.txt" <<'END' || fail "$(head -c 300 log)"
import json, sys
data = open(sys.argv[2]).read().splitlines()
sizes = set()
for line in open(sys.argv[1], encoding='utf-8'):
    u = json.loads(line)
    assert 'truth' not in u and 'prediction' not in u
    labels = [w[9:] for w in data[u['line'] - 1].split() if w.startswith('__label__')]
    assert u['truths'] == labels, (u['truths'], labels)
    assert set(u['predictions']) <= set('abc')
    sizes.add(len(u['predictions']))
assert len(sizes) > 1, sizes
END
}
printf '__label__%s\n' 'a __label__b x y' 'b y z' 'c __label__a x z' 'a x' 'b __label__c z y w' >"$work/several.txt"
if command -v python3 >/dev/null; then
    for learner in perceptron arow; do
        check "log-several-$learner" several "$learner"
    done
    for learner in $(learners); do
        check "log-$learner" log_lines "$learner" "$work/mail.txt"
    done
    for learner in $(regressors); do
        check "log-$learner" log_lines "$learner" "$work/three.svm"
    done
    check log-shuffled log_lines pa "$work/mail.txt" shuffled
    check log-signs log_lines averaged "$work/two.svm"
else
    skip log 'no python3 here'
fi
check log-same-model same_model
check log-threads-perceptron threads perceptron
check log-threads-panel threads panel
check log-resumed-pa resumed pa
check log-resumed-panel resumed panel
check log-piped piped
check log-online online
check log-pushed pushed

# ---- where it is written ----

writing() {
    cp "$work/mail.txt" d
    echo 'precious' >notes
    refused 2 'notes exists and is not a log' "$thresh" train -q --log notes d
    refused 2 'd is read as data' "$thresh" train -q --log d d
    refused 2 'a log is written to a file' "$thresh" train -q --log - d
    refused 2 'cannot both be m' "$thresh" train -q -m m --log m d
    refused 1 'cannot write nowhere/log' "$thresh" train -q -m m --log nowhere/log d
    [ ! -e m ] || fail 'trained all the same'
    [ "$(cat notes)" = precious ] || fail 'overwritten'
    works "$thresh" train -q --log log d
    works "$thresh" train -q --log log d # a log replaces a log
    cp log before
    printf 'no label here\n' >>d
    refused 1 'd:13' "$thresh" train -q -m m --log log d
    same before log 'a failure left another log'
    refused 2 'notes exists' "$thresh" online -q --log notes
    no_litter
}
full() {
    run "$thresh" train -q -m m --log /dev/full "$work/mail.txt"
    [ "$status" -eq 1 ] && grep -q 'cannot write' err || fail "$status: $(cat err)"
}
check log-writing writing
[ ! -c /dev/full ] || check log-full full

# ---- why ----

if ! has jansson; then
    skip why 'this build cannot read JSON'
    finish
fi

# The moves of rules that only add add up to the weights, whatever the policy, over two logs.
adds_up() {
    local learner=$1 policy=$2 a=$3 b=$4
    works "$thresh" train -q -l "$learner" --multiclass "$policy" -m first --log log1 "$a"
    works "$thresh" train -q --init first -m m --log log2 "$b"
    works "$thresh" show --weights -m m
    mapfile -t names < <(cut -f1 out | tail -n +2)
    works "$thresh" why m --log log1 --log log2 --json --top 100000 -- "${names[@]}"
    [ "$(grep -c '' out)" -eq "${#names[@]}" ] || fail 'not one line a feature'
    python3 - out log1 log2 <<'END' || fail "$(head -c 300 out)"
import json, sys
moved = 0
rescaled = any('"rescaled": ' in line for f in sys.argv[2:] for line in open(f))
for line in open(sys.argv[1], encoding='utf-8'):
    r = json.loads(line)
    assert r['moved'] == len(r['moves']) and r['more_moves'] == 0
    assert r['examples'] == len({m['example'] for m in r['moves']})
    for l in r['labels']:
        assert abs(l['sum'] - l['weight']) <= 1e-9 * (1 + abs(l['weight'])), (r['feature'], l)
        last = [m['sum'] for m in r['moves'] if m['label'] == l['label']]
        alone = not rescaled and not any(m['against'] for m in r['moves'])
        assert not alone or not last or abs(last[-1] - l['sum']) < 1e-12
    moved += r['moved']
assert moved > 0
END
}
# By size: the same moves, the greatest first. One label: from its side.
ordered() {
    works "$thresh" train -q -l pa -m m --log log "$work/three.svm"
    works "$thresh" why m --log log --json --top 100000 1
    mv out order
    works "$thresh" why m --log log --json --top 100000 --by size 1
    mv out size
    works "$thresh" why m --log log --json --top 3 --by size 1
    mv out top
    works "$thresh" why m --log log --json --top 100000 --label 2 1
    python3 - order size top out <<'END' || fail 'see above'
import json, sys
order, size, top, label = [json.load(open(f)) for f in sys.argv[1:]]
key = lambda m: (m['example'], m['label'], m['by'])
sizes = [abs(m['by']) for m in size['moves']]
assert sorted(map(key, order['moves'])) == sorted(map(key, size['moves']))
assert sizes == sorted(sizes, reverse=True) and sizes != [abs(m['by']) for m in order['moves']]
assert [m['example'] for m in order['moves']] == sorted(m['example'] for m in order['moves'])
assert top['moves'] == size['moves'][:3] and top['more_moves'] == len(sizes) - 3
assert [l['label'] for l in label['labels']] == ['2']
own = label['moves']
assert own and all(m['label'] == '2' for m in own)
both = [m for m in order['moves'] if '2' in (m['label'], m['against'])]
assert [m['example'] for m in both] == [m['example'] for m in own]
END
}
# Two labels share one function: told from the positive side, or from the one asked for.
sides() {
    works "$thresh" train -q -l perceptron -m m --log log "$work/two.svm"
    works "$thresh" why m --log log --json --top 1000 '(bias)'
    mv out positive
    works "$thresh" why m --log log --json --top 1000 --label=-1 '(bias)'
    python3 - positive out <<'END' || fail 'see above'
import json, sys
a, b = [json.load(open(f)) for f in sys.argv[1:]]
assert {m['label'] for m in a['moves']} == {'1'} and {m['label'] for m in b['moves']} == {'-1'}
assert [m['by'] for m in a['moves']] == [-m['by'] for m in b['moves']]
assert a['labels'][0]['weight'] == -b['labels'][0]['weight'] == a['moves'][-1]['sum']
END
}
panel() {
    works "$thresh" train -q --members adagrad+balanced+arow+bayes+pa -m m --log log "$work/mail.txt"
    works "$thresh" train -q --members adagrad+balanced+arow+bayes+pa --keep winner -m winner "$work/mail.txt"
    works "$thresh" why m --log log --json the
    [ "$(grep -c '"feature": "the", "rule": ' out)" -eq 5 ] || fail "$(cat out)"
    works "$thresh" why -m m --log log --rule arow --json the
    [ "$(grep -c '' out)" -eq 1 ] && grep -q '"rule": "arow", "moved": [1-9]' out || fail "$(cat out)"
    works "$thresh" why winner --log log --json the
    [ "$(grep -c '' out)" -eq 1 ] && grep -q '"moved": [1-9]' out || fail "$(cat out)"
    refused 2 "no rule 'winnow'; it has adagrad, balanced, " "$thresh" why m --log log --rule winnow the
}
# Members are told apart by their names.
twice() {
    refused 2 'cannot have pa twice' "$thresh" train -q -l pa -l arow -l pa -m m "$work/mail.txt"
    refused 2 'cannot have pa twice' "$thresh" train -q --members pa+pa -m m "$work/mail.txt"
    [ ! -e m ] || fail 'trained all the same'
    works "$thresh" train -q -l pa -l pa:C=2 -m m --log log "$work/mail.txt"
    works "$thresh" why m --log log --rule pa:C=2 the
}
# As online was told, and every label of each line.
told() {
    printf '%s\n' 'a | x y' 'b | y z' '| x z' '+ b' '| x' '- b' >d
    works bash -c '"$1" online -q -l perceptron -f vw -m m --log log <d' - "$thresh"
    works "$thresh" why m --log log --label b x
    grep -q '  3  standard input:3  + b    .* +1  *+0  b over a$' out || fail "$(cat out)"
    grep -q '  4  standard input:5  - b    .* -1  *-1  b over a$' out || fail "$(cat out)"
    grep -q 'add up to -1 for b, and the weight is -1$' out || fail "$(cat out)"
    works "$thresh" why m --log log --json x
    [ "$(grep -o '"pushed": -*1' out | tr '\n' ' ')" = '"pushed": 1 "pushed": -1 ' ] || fail "$(cat out)"
    works "$thresh" train -q --multilabel on -l perceptron -m s --log several "$work/several.txt"
    works "$thresh" why s --log several x
    grep -q ' 1  .*several.txt:1  a,b    -  ' out || fail "$(cat out)"
    grep -q ' 3  .*several.txt:3  c,a    b  ' out || fail "$(cat out)"
    works "$thresh" why s --log several --json x
    grep -q '"truths": \["a", "b"\], "predictions": \[\], "label"' out || fail "$(cat out)"
    grep -q '"truths": \["c", "a"\], "predictions": \["b"\], "label"' out || fail "$(cat out)"
}
keeping() {
    works "$thresh" train -q -l knn -m m --log log "$work/mail.txt"
    works "$thresh" why m --log log the
    grep -q 'moved 3 times by 3 examples; it keeps examples' out || fail "$(cat out)"
    [ "$(grep -c ' kept ' out)" -eq 3 ] || fail "$(cat out)"
    works "$thresh" train -q -l rules -m m --log log "$work/mail.txt"
    works "$thresh" why m --log log the
    grep -q 'its rules are made of all examples together' out || fail "$(cat out)"
}
unmoved() {
    : >empty
    works "$thresh" why "$work/m" --log empty lunch
    grep -q 'moved 0 times by 0 examples' out || fail "$(cat out)"
    "$thresh" why "$work/m" --log - lunch <"$work/log" >out || fail "status $?"
    grep -q 'moved 1 time by 1 example$' out || fail "$(cat out)"
}
if command -v python3 >/dev/null; then
    for learner in perceptron pa:averaged=off; do
        for policy in one-vs-all direct all-pairs; do
            check "why-adds-up-$learner-$policy-mail" adds_up "$learner" "$policy" "$work/a" "$work/b"
            check "why-adds-up-$learner-$policy-two" adds_up "$learner" "$policy" "$work/two.svm" "$work/two.svm"
            check "why-adds-up-$learner-$policy-four" adds_up "$learner" "$policy" "$work/two.svm" "$work/three.svm"
        done
    done
    check why-adds-up-balanced adds_up balanced one-vs-all "$work/a" "$work/b"
    check why-adds-up-arow adds_up arow one-vs-all "$work/a" "$work/b"
    check why-ordered ordered
    check why-sides sides
else
    skip why-adds-up 'no python3 here'
fi
check why-panel panel
check why-twice twice
check why-told told
check why-keeping keeping
check why-unmoved unmoved

# ---- what is wrong ----

usage() {
    refused 2 'why needs a model, its log and features' "$thresh" why
    refused 2 'why needs a model' "$thresh" why "$work/m" --log "$work/log"
    refused 2 'why needs a model' "$thresh" why "$work/m" lunch
    refused 2 'why needs a model' "$thresh" why -m "$work/m" --log "$work/log"
    refused 2 '--by is order or size' "$thresh" why "$work/m" --log "$work/log" --by name lunch
    refused 2 '--top 0' "$thresh" why "$work/m" --log "$work/log" --top 0 lunch
    refused 2 "no label 'eggs'" "$thresh" why "$work/m" --log "$work/log" --label eggs lunch
    refused 2 "'lunhc'; did you mean lunch?" "$thresh" why "$work/m" --log "$work/log" lunhc
    refused 2 "knows a feature 'xylophone'\$" "$thresh" why "$work/m" --log "$work/log" lunch xylophone
    refused 1 'nowhere: cannot open' "$thresh" why "$work/m" --log nowhere lunch
    refused 1 'cannot be read' "$thresh" why "$work/m" --log . lunch
    refused 1 'nowhere' "$thresh" why nowhere --log "$work/log" lunch
    "$plain" train -q -l pa --hash-bits 6 -m h --log hl "$work/mail.txt"
    refused 2 'names are hashed' "$thresh" why h --log hl lunch
    works "$thresh" why h --log hl "$("$plain" show --weights -m h | tail -n 1 | cut -f1)"
    grep -q 'moved [1-9]' out || fail "$(cat out)"
}
# bad_line LINE PATTERN: the line, after a good one.
bad_line() {
    {
        head -n 1 "$work/log"
        printf '%s\n' "$1"
        tail -n 1 "$work/log"
    } >l
    refused 1 "^thresh: l:2.*$2" "$thresh" why "$work/m" --log l lunch
}
bad_lines() {
    bad_line 'hello' 'not a line of a log'
    bad_line '' 'not a line of a log'
    bad_line "$(head -c 200 "$work/log")" 'not a line of a log'
    bad_line '[1, 2]' 'no object'
    bad_line '{}' '"example" must be'
    bad_line '{"example": 0, "rule": "perceptron", "moves": []}' '"example" must be'
    bad_line '{"example": -3, "rule": "perceptron", "moves": []}' '"example" must be'
    bad_line '{"example": 1.5, "rule": "perceptron", "moves": []}' '"example" must be'
    bad_line '{"example": "2", "rule": "perceptron", "moves": []}' '"example" must be'
    bad_line '{"example": 99999999999999999999, "rule": "p", "moves": []}' 'not a line of a log'
    bad_line '{"example": 2, "rule": 7, "moves": []}' '"rule" must be'
    bad_line '{"example": 2, "line": "x", "rule": "p", "moves": []}' '"line" must be'
    bad_line '{"example": 2, "file": 1, "rule": "p", "moves": []}' '"file" and "tag"'
    bad_line '{"example": 2, "truth": [], "rule": "p", "moves": []}' '"truth" and "prediction"'
    bad_line '{"example": 2, "truths": "a", "rule": "p", "moves": []}' '"truths" and "predictions"'
    bad_line '{"example": 2, "truths": ["a", 1], "rule": "p", "moves": []}' '"truths" and "predictions"'
    bad_line '{"example": 2, "predictions": {}, "rule": "p", "moves": []}' '"truths" and "predictions"'
    bad_line '{"example": 2, "pushed": 0, "rule": "p", "moves": []}' '"pushed" must be'
    bad_line '{"example": 2, "pushed": "up", "rule": "p", "moves": []}' '"pushed" must be'
    bad_line '{"example": 2, "rule": "p"}' '"moves" must be'
    bad_line '{"example": 2, "rule": "p", "moves": [1]}' 'has no "label"'
    bad_line '{"example": 2, "rule": "p", "moves": [{"label": 1}]}' 'has no "label"'
    bad_line '{"example": 2, "rule": "p", "moves": [{"label": "x"}]}' 'has no "features"'
    bad_line '{"example": 2, "rule": "p", "moves": [{"features": [1]}]}' 'not a pair'
    bad_line '{"example": 2, "rule": "p", "moves": [{"features": [["a"]]}]}' 'not a pair'
    bad_line '{"example": 2, "rule": "p", "moves": [{"features": [["a", "b"]]}]}' 'not a pair'
    bad_line '{"example": 2, "rule": "p", "moves": [{"features": [["a", 1e999]]}]}' 'not a line of a log'
    bad_line '{"example": 99, "rule": "perceptron", "moves": []}' 'example 99, and the model has seen 12'
    bad_line '{"example": 2, "rule": "perceptron", "moves": [{"label": "eggs", "features": [["lunch", 1]]}]}' \
        "does not know the label 'eggs'"
    printf '{"example": 3, "rule": "perceptron", "mo\0ves": []}\n' >l
    refused 1 '^thresh: l:1' "$thresh" why "$work/m" --log l lunch
}
# Logs in the wrong order, twice, or of another model.
mismatched() {
    "$plain" train -q -l pa -m first --log log1 "$work/a"
    "$plain" train -q --init first -m m --log log2 "$work/b"
    refused 1 'log1:1: example 1 comes after' "$thresh" why m --log log2 --log log1 lunch
    refused 1 'log1:1: example 1 comes after' "$thresh" why m --log log1 --log log1 lunch
    refused 1 'log2:.*and the model has seen 6' "$thresh" why first --log log1 --log log2 lunch
    refused 1 'no line of the log is about pa' "$thresh" why m --log "$work/log" lunch
}
# Random bytes of a log changed, put in or taken out, or a text or number that became another value:
# it is read or refused, with its place.
mutate='srand shift;
local $/;
$t = <STDIN>;
@byte = (map(chr, 0 .. 255), qw([ ] { } " : , - 9));
@value = qw(null true [] {} "" "x" ["a"] [[]] -1 0 2 1e308 9999999999999999999 "\u0000");
for (0 .. rand 3) {
    if (rand() < .5) {
        substr($t, rand(length $t), rand 3, rand() < .3 ? "" : $byte[rand @byte]);
    } else {
        @part = split /("[^"]*"|-?\d[\d.e+-]*)/, $t;
        $part[1 + 2 * int rand int(@part / 2)] = $value[rand @value];
        $t = join "", @part;
    }
}
print $t'
mutated() {
    local seed ok=0 not=0
    for seed in $(seq "$1" "$2"); do
        perl -e "$mutate" "$seed" <"$3" >l
        run "$thresh" why "$4" --log l --json "$5"
        case $status in
            0) ok=$((ok + 1)) ;;
            1) not=$((not + 1)) && grep -q '^thresh: ' err || fail "$seed: $(head -c 300 err)" ;;
            *) fail "seed $seed: status $status, $(head -c 500 err)" ;;
        esac
    done
    echo "$ok read, $not refused"
    [ "$ok" -gt 0 ] && [ "$not" -gt 9 ] || fail "$ok read, $not refused"
}
mutations() {
    printf '%s\n' 'a | x y' 'b | y z' '| x z' '+ b' '- a' '= b' '+ c' >d
    "$plain" online -q -l perceptron -f vw -m m --log log <d >/dev/null
    "$plain" train -q --multilabel on -l perceptron -m s --log several "$work/several.txt"
    mutated 1 150 log m x
    mutated 151 300 several s x
}
check why-usage usage
if command -v perl >/dev/null; then
    check why-mutations mutations
else
    skip why-mutations 'no perl here'
fi
check why-bad-lines bad_lines
check why-mismatched mismatched

finish
