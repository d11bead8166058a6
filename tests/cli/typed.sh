#!/usr/bin/env bash
# The first things people type: columns by name, data without labels, options in the wrong place,
# names with a letter missing.
source "$(dirname "$0")/lib.bash"

printf 'v1,v2,note\nham,see you at lunch,a\nspam,win a free prize,b\nham,the meeting is at noon,a\nspam,free cash now,b\n' >sms.csv
printf 'label,text,note\nham,see you at lunch,a\nspam,win a free prize,b\nham,the meeting is at noon,a\nspam,free cash now,b\n' >usual.csv
sed 's/,/\t/g' sms.csv >sms.tsv
printf 'ham\tsee you at lunch\nspam\twin a free prize\nham\tthe meeting is at noon\nspam\tfree cash now\n' >mail.txt
awk -F'\t' '{ printf "{\"kind\": \"%s\", \"mail\": {\"body\": \"%s\"}, \"text\": \"noise\"}\n", $1, $2 }' mail.txt >mail.jsonl

# ---- columns by name ----

# same_answers MODEL DATA MODEL DATA
same_answers() {
    works "$thresh" predict -m "$1" "$2"
    mv out first
    works "$thresh" predict -m "$3" "$4"
    same first out "$2 and $4"
}

names_of_csv() {
    works "$thresh" train -q -m usual ../usual.csv
    works "$thresh" train -q -m named --columns label=v1,text=v2 ../sms.csv
    works "$thresh" train -q -m numbered --columns label=1,text=2 ../sms.csv
    same_answers usual ../usual.csv named ../sms.csv
    same_answers usual ../usual.csv numbered ../sms.csv
    works "$thresh" train -q -m tabs --columns label=v1,text=v2 ../sms.tsv
    same_answers usual ../usual.csv tabs ../sms.tsv
    works "$thresh" train -q -m tsv -f tsv --columns label=v1,text=v2 ../sms.tsv
    same_answers usual ../usual.csv tsv ../sms.tsv
    works "$thresh" test -m named ../sms.csv
    works "$thresh" lint --columns label=v1,text=v2 ../sms.csv
    grep -q '^0 problems; 4 good examples as csv, 2 labels' out || fail "$(cat out)"
    works "$thresh" convert -q --to vw --columns label=v1,text=v2,skip=note ../sms.csv
    [ "$(head -n 1 out)" = 'ham | see you at lunch' ] || fail "$(head -n 1 out)"
}
skips_and_joins() {
    works "$thresh" convert -q --to vw --columns label=v1,text=v2+note ../sms.csv
    [ "$(head -n 1 out)" = 'ham | see you at lunch a' ] || fail "$(head -n 1 out)"
    printf 'a,"b, c",2019,w\n1,x,yes,2\n' >d
    works "$thresh" convert -q --to vw --columns 'label="2019",text="b, c",importance=w,id=a' d
    [ "$(cat out)" = "yes 2 '1 | x" ] || fail "$(cat out)"
    printf 'ham\tm1\tone\ttwo\t3\n' >t
    works "$thresh" convert -q --to vw --columns label=1,id=2,text=3+4,importance=5 t
    grep -q "ham 3 .*m1.*one two" out || fail "$(cat out)"
}
resumes() {
    head -n 3 ../sms.csv >a.csv
    { head -n 1 ../sms.csv; tail -n 2 ../sms.csv; } >b.csv
    works "$thresh" train -q -m whole --columns label=v1,text=v2 ../sms.csv
    works "$thresh" train -q -m a --columns label=v1,text=v2 a.csv
    works "$thresh" train -q --init a -m ab b.csv
    same whole ab
}
keys_of_json() {
    works "$thresh" train -q -m text ../mail.txt
    works "$thresh" train -q -m keys --columns label=kind,text=mail.body ../mail.jsonl
    same_answers text ../mail.txt keys ../mail.jsonl
    printf '{"kind": "spam", "mail": {"body": "free cash"}}\n' >line
    "$thresh" online -q -m keys <line >answer 2>err || fail "$(cat err)"
    grep -q '^spam' answer || fail "online: $(cat answer)"
    refused 1 'no key "mail.bdoy".*there are kind, mail, text' \
        "$thresh" train -q --columns label=kind,text=mail.bdoy ../mail.jsonl
    refused 1 'no key "knd"; did you mean kind?' "$thresh" train -q --columns label=knd ../mail.jsonl
    refused 1 'keys are kind, mail, text.*--columns label=KEY' "$thresh" train -q ../mail.jsonl
}
wrong_names() {
    refused 1 'names no label column: its names are v1, v2, note.*--columns label=NAME' \
        "$thresh" train ../sms.csv
    refused 1 'no column "v3"; did you mean v1? There are v1, v2, note' \
        "$thresh" train --columns label=v3,text=v2 ../sms.csv
    refused 1 'no column 7.*v1, v2, note' "$thresh" train --columns label=7 ../sms.csv
    refused 2 'label is given twice' "$thresh" train --columns label=v1,label=v2 ../sms.csv
    refused 2 'given twice; join' "$thresh" train --columns label=v1,text=v2,text=note ../sms.csv
    refused 2 'id is given twice\|tag is given twice' "$thresh" train --columns label=1,id=2,tag=3 ../sms.csv
    refused 2 "no 'txet'; did you mean text" "$thresh" train --columns label=v1,txet=v2 ../sms.csv
    refused 2 'label needs' "$thresh" train --columns label ../sms.csv
    refused 2 'label needs' "$thresh" train --columns label=,text=v2 ../sms.csv
    refused 2 'from 1' "$thresh" train --columns label=0 ../sms.csv
    refused 2 'not closed' "$thresh" train --columns 'label="v1' ../sms.csv
    refused 2 'columns is for csv, text, jsonl and conll, not for vw' "$thresh" train -f vw --columns label=1 ../sms.csv
    printf 'a,a,b\n1,2,3\n' >d
    refused 1 '2 columns are called "a"' "$thresh" train --columns label=a d
}
check columns-by-name-in-csv names_of_csv
check columns-skipped-and-joined skips_and_joins
check columns-kept-on-resuming resumes
if has jansson; then
    check columns-as-json-keys keys_of_json
else
    skip columns-as-json-keys 'built without jansson'
fi
check columns-that-are-not-there wrong_names

# ---- data without labels ----

# bare MODEL DATA ARGUMENT...: predicts DATA, says that it has no labels, and answers as with
# --no-label, of which no more is said.
bare() {
    local model=$1 text=$2
    shift 2
    printf "$text" >d
    run "$thresh" predict -m "$model" "$@" d
    [ "$status" -eq 0 ] || fail "status $status on $text: $(cat err)"
    grep -q '^thresh: the input has no labels (read as [a-z]*)$' err || fail "said: $(cat err)"
    mv out found
    run "$thresh" predict -q -m "$model" "$@" d
    [ ! -s err ] || fail "with -q: $(cat err)"
    works "$thresh" predict --no-label -m "$model" "$@" d
    same found out "of $text"
}
refuses() { # PATTERN MODEL DATA
    printf "$3" >d
    run "$thresh" predict -m "$2" d
    [ "$status" -eq 1 ] || fail "status $status on $3"
    grep -q "$1" err || fail "$(cat err)"
}
no_labels() {
    works "$thresh" train -q -m csv ../usual.csv
    works "$thresh" train -q -m named --columns label=v1,text=v2,skip=note ../sms.csv
    works "$thresh" train -q -m text ../mail.txt
    sed 's/^/__label__/; s/\t/ /' ../mail.txt >fast.txt
    works "$thresh" train -q -m fast fast.txt
    bare csv 'text\nwin a prize\n' -f csv
    bare csv 'text\nwin a prize\n'
    [ "$(grep -c '' out)" -eq 1 ] || fail "the header is answered too: $(cat out)"
    bare csv 'note,text\na,win a prize\n'
    bare csv 'win a prize\nsee you\n'
    bare named 'v2\nwin a prize\n'
    bare text 'win a prize\nsee you\n'
    bare text 'win a prize | now\nsee you\n'
    bare text 'lunch, at noon:\nsee you\n'
    bare text 'see you\n\nsee you\n' -f text
    bare fast 'win a prize\nsee you\n'
    refuses 'd:2:4: a tab, but the first line' text 'win a prize\nsee\tyou\n'
    refuses 'd:2:8: no tab' text 'ham\twin a prize\nsee you\n'
    refuses 'd:2:1: a label, but the first line' fast 'win\n__label__ham you\n'
    refuses 'd:1: the first line must name.*"3" is no name' csv '3,Bonn\n4,Kiel\n'
    printf 'win a prize\n' >d
    refused 1 'no label\|no tab\|cannot tell' "$thresh" test -m text d
    run "$thresh" explain -m text d
    grep -q '^thresh: the input has no labels' err || fail "explain: $(cat err)"
    run "$thresh" predict -m text d d
    grep -q '^thresh: 2 inputs have no labels' err || fail "two: $(cat err)"
}
no_labels_json() {
    works "$thresh" train -q -m keys --columns label=kind,text=mail.body ../mail.jsonl
    bare keys '{"mail": {"body": "win a prize"}}\n{"mail": {"body": "see you"}}\n'
}
check no-labels-found no_labels
! has jansson || check no-labels-found-in-json no_labels_json

# ---- options ----

# A word after --shuffle is its seed only if it is a number.
shuffles() {
    for n in 1 2 3 4 5 6; do cat ../mail.txt; done >d
    works "$thresh" train -q -m one --shuffle 1 d
    works "$thresh" train -q -m before --shuffle d
    works "$thresh" train -q -m behind d --shuffle
    works "$thresh" train -q -m joined --shuffle=1 d
    same one before
    same one behind
    same one joined
    works "$thresh" train -q -m seven --shuffle 7 d
    works "$thresh" train -q -m other --shuffle=7 d
    same seven other
    ! cmp -s one seven || fail 'the seed has no effect'
    refused 2 'shuffle x: a whole number' "$thresh" train --shuffle=x d
    refused 2 'exclude each other' "$thresh" cv --in-order --shuffle d
}
check shuffle-leaves-files-alone shuffles

unsaved() {
    run "$thresh" train ../mail.txt
    [ "$status" -eq 0 ] || fail "status $status"
    [ "$(cat err)" = 'thresh: the model is not saved: -m FILE saves it' ] || fail "said: $(cat err)"
    for option in -q --json '-m m'; do
        # shellcheck disable=SC2086
        run "$thresh" train $option ../mail.txt
        [ ! -s err ] || fail "$option: $(cat err)"
    done
}
check training-that-is-not-saved unsaved

shows() {
    works "$thresh" train -q -m m ../mail.txt
    works "$thresh" show -m m
    mv out named
    works "$thresh" show m
    same named out
    works "$thresh" show --top 3 m
    refused 2 'needs a model' "$thresh" show
    refused 2 'one model' "$thresh" show m m
    refused 2 'one model' "$thresh" show -m m m
    refused 1 'not a thresh model' "$thresh" show ../mail.txt
}
check show-takes-the-model-as-argument shows

version() {
    works "$thresh" --version
    mv out long
    works "$thresh" -V
    same long out
}
check version-by-letter version

meant() {
    refused 2 "no learner 'perceptrn'; did you mean perceptron?" "$thresh" train -l perceptrn ../mail.txt
    refused 2 "pa has no option 'c'; did you mean C?" "$thresh" train -l pa:c=1 ../mail.txt
    refused 2 "no option 'margn'; did you mean margin?" "$thresh" train -l perceptron:margn=1 ../mail.txt
    refused 2 'no option --ngram; did you mean --ngrams?' "$thresh" train --ngram 2 ../mail.txt
    refused 2 "no learner 'arw'; did you mean arow?" "$thresh" race -l pa -l arw ../mail.txt
    refused 2 "no format 'cvs'; did you mean csv?" "$thresh" train -f cvs ../mail.txt
    refused 2 "no learner 'xyzzyx'; there are" "$thresh" train -l xyzzyx ../mail.txt
}
check nearest-names meant

# The share of the vote is 1 if all members agree, however unsure they are.
votes() {
    for n in 1 2 3 4 5 6; do cat ../mail.txt; done >d
    works "$thresh" train -q -l panel:decide=vote -m m d
    works "$thresh" predict --probabilities -m m ../mail.txt
    mv out probable
    works "$thresh" predict -m m ../mail.txt
    same probable out
    awk -F'\t' '!($2 > 0.5 && $2 < 1)' out >odd
    [ ! -s odd ] || fail "no probability: $(cat odd)"
    works "$thresh" predict --scores -m m ../mail.txt
    grep -q 'ham:1\|spam:1' out || fail "no shares of the vote: $(cat out)"
    "$thresh" help predict | grep -q 'default for a panel that votes' || fail 'help does not say it'
}
check voting-panels-print-probabilities votes

# on_terminal WIDTH COMMAND...: its output on a terminal with so many columns.
on_terminal() {
    python3 -c '
import fcntl, os, pty, struct, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
if os.fork() == 0:
    os.dup2(theirs, 1)
    os.execv(sys.argv[2], sys.argv[2:])
os.close(theirs)
try:
    while text := os.read(ours, 65536):
        sys.stdout.buffer.write(text)
except OSError:
    pass
' "$@" | tr -d '\r'
}
confusions() {
    awk 'BEGIN { for (i = 0; i < 2000; i++) print "label" i * 7 % 20 "\tw" i * 7 % 20 % 13 }' >d
    works "$thresh" train -q -m m d
    works "$thresh" test -m m d
    awk 'length > 80' out >wide
    [ ! -s wide ] || fail "wide: $(head -n 2 wide)"
    grep -q '^confusion: .* pairs of labels' out || fail 'no pairs'
    grep -A 2 '^confusion' out | grep -Eq '^ +[0-9]+  label[0-9]+ +label[0-9]+$' || fail "$(grep -A 3 ^conf out)"
    COLUMNS='' on_terminal 200 "$plain" test -m m d >shown
    grep -q '^confusion: rows' shown || fail "a wide terminal: $(head -n 30 shown)"
    COLUMNS=70 on_terminal 200 "$plain" test -m m d | grep -q 'pairs of labels' || fail 'COLUMNS=70'
    works "$thresh" test --json -m m d
    grep -q predicted_as out || fail 'not in --json'
    works "$thresh" train -q -m two ../mail.txt
    works "$thresh" test -m two ../mail.txt
    grep -q '^confusion: rows' out || fail 'a small table is missing'
}
check confusion-fits-the-terminal confusions

finish
