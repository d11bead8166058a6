#!/bin/bash
# thresh lab: experiments, their JSON, and the page.
. "$(dirname "$0")/lib.bash"

names() { "$plain" lab list --json | sed 's/.*"experiment": "\([^"]*\)".*/\1/'; }

# Every experiment holds, one object a line, with the keys that are promised.
all_hold() {
    "$plain" lab run all --json -q >all || fail "status $?"
    [ "$(wc -l <all)" -eq "$(names | wc -l)" ] || fail 'one object a line'
    local key
    for key in experiment claim bound worst holds claims charts; do
        [ "$(grep -c "^{.*\"$key\": " all)" -eq "$(wc -l <all)" ] || fail "no $key"
    done
    ! grep -q '"holds": false' all || fail "$(grep '"holds": false' all | head -c 400)"
    ! grep -q '"charts": \[\]' all || fail 'an experiment without a figure'
    cp all "$work/all"
}
check lab-all-hold all_hold

# Same seed, same figures, whatever the threads; alone or among others.
repeatable() {
    "$plain" lab run all --json -q --threads 1 | cmp - "$work/all" || fail 'one thread'
    local name
    name=$(names | tail -n 1)
    "$plain" lab run "$name" --json -q | cmp - <(tail -n 1 "$work/all") || fail "$name alone"
}
check lab-repeatable repeatable

page() {
    works "$plain" lab report -q -o page.html
    head -n 1 page.html | grep -q '^<!DOCTYPE html>$' || fail 'no doctype'
    [ "$(grep -c '<section id=' page.html)" -eq "$(names | wc -l)" ] || fail 'a section for each'
    ! grep -qi 'http\|src=\|@import\|<script\|<link' page.html || fail 'it asks for something else'
    ! grep -q '[",]-\?\(nan\|inf\)' page.html || fail 'a place that is no number'
    cp page.html "$work/page.html"
}
check lab-page page

usage() {
    refused 2 'lab run needs an experiment' "$thresh" lab run
    refused 2 "no experiment 'margn'; did you mean margin" "$thresh" lab run margn
    refused 2 "lab has no 'rum'; did you mean lab run" "$thresh" lab rum
    refused 2 'lab report needs a file' "$thresh" lab report
    run "$thresh" lab
    [ "$status" -eq 2 ] && grep -q 'thresh lab report' err || fail 'what there is'
    echo mine >notes.txt
    refused 2 'notes.txt' "$thresh" lab report -o notes.txt
    [ "$(cat notes.txt)" = mine ] || fail 'overwritten'
}
check lab-usage usage
finish
