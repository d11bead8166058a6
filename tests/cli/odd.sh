#!/usr/bin/env bash
# Odd files: empty, of one line, of one column, without a header, sorted, of numbers, of several
# formats at once. Every command gives a correct answer, or an error that says what to do; it is
# never silent and never crashes.
source "$(dirname "$0")/lib.bash"

: >empty
printf '\n \n' >blank
printf 'a\twin prize\n' >one.text
printf 'label,text\na,win prize\n' >one.csv
printf '{"label": "a", "text": "win prize"}\n' >one.jsonl
printf '1 1:1\n' >one.svmlight
printf '1 | w\n' >one.vw
printf '__label__a win\n' >one.fasttext
printf 'a, w:\n' >one.snow
printf 'win prize\nsee you\n' >column.text
printf 'label\na\nb\n' >column.csv
printf '{"label": "a"}\n{"label": "b"}\n' >column.jsonl
printf '1\n-1\n' >column.svmlight
printf '__label__a\n__label__b\n' >column.fasttext
printf 'a:\nb:\n' >column.snow
printf 'a,win prize,3\nb,see you,4\na,win,5\n' >headless.csv
printf 'label,text\n' >header.csv
printf 'age,town\n3,Bonn\n4,Kiel\n' >nolabel.csv
for i in {1..100}; do printf 'a\twin prize\n'; done >sorted.text
sed 's/a\twin prize/b\tsee you/' sorted.text >rest && cat rest >>sorted.text && rm rest
{ echo label,text; tr '\t' , <sorted.text; } >sorted.csv
printf '3.5\twin prize\n2\tsee you\n1\tfree\n' >numbers.text
printf 'label,x\n3.5,1\n2,4\n1,5\n' >numbers.csv
printf '3.5 1:1\n2 2:1\n1 1:2\n' >numbers.svmlight
printf '1 1:1\na\twin prize\n__label__b see\n{"label": "a"}\n' >mixed.lines
printf 'label,text\na,win\nb\tsee you\n' >mixed.csv
has jansson || rm ./*.jsonl
files=(empty blank one.* column.* headless.csv header.csv nolabel.csv sorted.* numbers.* mixed.*)
for i in 1 2 3 4 5; do printf 'a\twin prize\nb\tsee you\n'; done >good
"$plain" train -q -m good.model good || exit 1

# ---- every command with every file ----

# says_something COMMAND...: it ends with 0, 1 or 2, and says something. An error is one line; one
# in the data names the file.
says_something() {
    run "$@"
    [ "$status" -le 2 ] || fail "status $status of: $*"
    [ -s out ] || [ -s err ] || fail "silent: $*"
    [ "$status" -eq 0 ] || [ -s out ] || [ "$(grep -c '^thresh: ' err)" -ge 1 ] ||
        fail "status $status without a reason: $* ($(head -c 200 err))"
}
sweep() {
    local file
    for file in "${files[@]}"; do
        says_something "$thresh" "$@" "../$file"
    done
}
data_commands=('train -m m' 'train -l perceptron' 'test -m ../good.model' 'predict -m ../good.model'
    'explain -m ../good.model' 'predict --no-label -m ../good.model' 'convert --to jsonl' lint
    'cv -k 2 -l pa' 'race -l pa -l arow' 'tune -l pa:C=1|2' trace 'train -l lms -m m'
    'diff ../good.model ../good.model' show 'why -m ../good.model --log' 'merge -o m ../good.model')
"$plain" --help | grep -q certify && data_commands+=('certify' 'experts' 'lab concept --class conjunctions')
for command in "${data_commands[@]}"; do
    # shellcheck disable=SC2086
    check "odd-files-${command// /_}" sweep $command
done

# online reads standard input only: one answer for each example.
online() {
    local file
    for file in "${files[@]}"; do
        timeout 60 "$thresh" online <"../$file" >out 2>err || fail "status $? on $file: $(head -c 200 err)"
        grep -q 'prediction.*learned' err || fail "silent on $file"
    done
}
check odd-files-online online

# ---- what is said ----

# status | pattern, on standard output or error | command
while IFS='|' read -r want pattern line; do
    # shellcheck disable=SC2086
    is_said() {
        cd ..
        run "$thresh" $1
        [ "$status" -eq "$2" ] || fail "status $status, not $2: $1 ($(head -c 300 err))"
        grep -q -- "$3" out || grep -q -- "$3" err || fail "no '$3' in: $(head -c 300 err) $(head -c 200 out)"
    }
    [ "${line#*jsonl}" = "$line" ] || has jansson || continue
    check "odd-${line// /_}" is_said "$line" "$want" "$pattern"
done <<'TABLE'
1|empty: there is no example|train empty
1|blank:1:1: there are only blank lines|train blank
1|header.csv: there is no example|train header.csv
0|only one label: a|train one.csv
0|only one label: 1|train one.svmlight
0|no example has any features|train column.svmlight
0|no example has any features|train column.fasttext
1|cannot tell what format.*-f.*label, tab, text|train column.text
1|its names are a, win prize, 3. .*--columns|train headless.csv
1|its names are age, town.*--columns label=NAME|train nolabel.csv
1|mixed.csv:3:10: 1 field|train mixed.csv
1|mixed.lines:1:1: no label: __label__name was expected|train mixed.lines
0|labels come in bursts.*--shuffle|train sorted.text
0|labels come in bursts.*--shuffle|train sorted.csv
1|label "a" is not a number|train -l lms sorted.csv
0|mean squared error|train -l lms numbers.text
0|mean squared error|train -l lms numbers.csv
0|warning: the input has no examples|predict -m good.model empty
0|warning: the input has no examples|predict -m good.model header.csv
0|warning: the input has no examples|explain -m good.model empty
0|the input has no labels (read as text)|predict -m good.model column.text
1|must name the columns, but "win prize" is no name|predict -f csv -m good.model column.text
1|must name the columns, but "3" is no name|predict -f csv -m good.model headless.csv
0|label that training never saw|test -m good.model numbers.svmlight
1|there is no example|test -m good.model empty
1|folds need.*-k|cv one.text
0|0 examples from nothing|convert --to vw empty
0|0 problems; 0 good examples|lint empty
0|2 examples have no features|lint column.svmlight
1|not a thresh model|show one.text
1|not a thresh model|merge -o m good.model one.csv
1|mixed.csv:3:10: 1 field.*|lint mixed.csv
0|accuracy|cv -k 2 sorted.csv
TABLE

finish
