#!/bin/bash
# Names, numbers and labels that are made to collide (flood.c) may cost at most 3 times as much as
# others of the same size: instructions by callgrind, which are the same on a busy machine. What is
# learned must not depend on how the tables are searched.
. "$(dirname "$0")/lib.bash"

flood=$(dirname "$thresh")/tests/flood
if ! command -v valgrind >/dev/null || ! [ -x "$flood" ]; then
    skip flood 'valgrind or the program that makes names is not there'
    finish
fi

instructions() { # COMMAND...
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $4 }'
}

# bounded ORDINARY FLOOD COMMAND...: the command ends with a file.
bounded() {
    local ordinary=$1 flooded=$2 few many
    shift 2
    few=$(instructions "$@" "$ordinary") many=$(instructions "$@" "$flooded")
    [ "${few:-0}" -gt 0 ] && [ "${many:-0}" -gt 0 ] || fail 'no instructions were counted'
    [ "$many" -le $((3 * few)) ] || fail "$flooded: $many instructions, $ordinary: $few, by ${*:2:1}"
}

# one_line and lines: the same features in one example, or ten in each.
one_line() { awk -v before="$1" -v after="$2" '{ s = s " " $0 after } END { print "1" before s; print "-1" before " 7" after }'; }
lines() {
    awk -v before="$1" -v after="$2" '{ s = s " " $0 after } NR % 10 == 0 { print (NR % 20 ? 1 : -1) before s; s = "" }'
}

# costs_at_most KIND N BEFORE AFTER: trains on a flood and on ordinary features, and predicts with
# the models; with names that the model knows, and with others.
costs_at_most() {
    local shape
    "$flood" "$1" $(($2 * 2)) | shuffled >made
    shuffled <"$work/ordinary.$1" | head -n $(($2 * 2)) >usual
    for shape in one_line lines; do
        head -n "$2" made | "$shape" "$3" "$4" >"made.$shape"
        head -n "$2" usual | "$shape" "$3" "$4" >"usual.$shape"
        tail -n "$2" made | "$shape" "$3" "$4" >"made.other"
        tail -n "$2" usual | "$shape" "$3" "$4" >"usual.other"
        bounded "usual.$shape" "made.$shape" "$plain" train -q --threads 1 -l pa
        "$plain" train -q -l pa -m made.model "made.$shape"
        bounded "usual.$shape" "made.$shape" "$plain" predict --threads 1 -m made.model
        bounded "usual.other" "made.other" "$plain" train -q --threads 1 --init made.model
    done
}

shuffled() { awk 'BEGIN { srand(1) } { print rand() "\t" $0 }' | sort -n | cut -f2-; }

awk 'BEGIN { srand(7); for (i = 0; i < 9000; i++) { s = ""
    for (k = 0; k < 8; k++) s = s sprintf("%c", 97 + int(rand() * 26)); print s } }' >"$work/ordinary.names"
cp "$work/ordinary.names" "$work/ordinary.merged"
awk 'BEGIN { srand(8); for (i = 0; i < 13000; i++) printf "%.0f\n", 2e8 + 4e9 * rand() }' >"$work/ordinary.numbers"
cp "$work/ordinary.numbers" "$work/ordinary.digits"
awk 'BEGIN { srand(9); for (i = 0; i < 9000; i++) print 1 + int(1e7 * rand()) }' >"$work/ordinary.small"

check 'names' costs_at_most names 1500 ' |' ''
check 'names in one example' costs_at_most merged 1500 ' |' ''
check 'large numbers' costs_at_most numbers 4000 '' ':1'
check 'large numbers of a model file' costs_at_most digits 1500 '' ':1'
check 'small numbers in one example' costs_at_most small 1000 '' ':1'

# Labels, which lint counts.
many_labels() {
    "$flood" labels 2000 >made
    awk 'BEGIN { srand(5) } { printf "%c%06d\n", 97 + int(26 * rand()), int(1e6 * rand()) }' made | sort -u |
        shuffled >usual
    for file in made usual; do awk 'BEGIN { OFS = "\t" } { print $0, "word" NR % 7 }' $file >$file.text; done
    head -n "$(wc -l <usual.text)" made.text >few.text && mv few.text made.text
    for i in 1 2 3 4; do cat made.text; done >made.more
    for i in 1 2 3 4; do cat usual.text; done >usual.more
    bounded usual.more made.more "$plain" lint --threads 1
}
check 'labels' many_labels

# The variables of a formula, in a class of concepts that is read from a file.
variables() {
    printf '+1 2:1\n-1 3:1\n' >data
    "$flood" merged 1200 | grep -v '[]!&|(),"#[]' | head -n 800 | paste -sd '&' >made
    head -n 800 "$work/ordinary.names" | paste -sd '&' >usual
    bounded file=usual file=made "$plain" lab concept data --class
}
if "$plain" --help | grep -q 'thresh lab'; then
    check 'variables of formulas' variables
else
    skip 'variables of formulas' 'there is no theory in this build'
fi

# The model of a flood is the model of its names, however many threads find them, and whether
# it is made at once, or saved and resumed.
same_model() {
    "$flood" names 1500 | lines ' |' '' >all
    "$flood" numbers 1500 | lines '' ':1' >large
    for file in all large; do
        head -n 70 $file >first
        tail -n +71 $file >rest
        works "$thresh" train -q -m once.model $file
        works "$thresh" train -q --threads 3 -p 2 -m threads.model $file
        works "$thresh" train -q -p 2 --threads 1 -m thread.model $file
        works "$thresh" train -q -m first.model first
        works "$thresh" train -q --init first.model -m resumed.model rest
        same once.model resumed.model
        same thread.model threads.model
        works "$thresh" predict --threads 3 -m once.model $file
        mv out threads
        works "$thresh" predict --threads 1 -m once.model $file
        same out threads
    done
}
check 'the same model by any search' same_model
finish
