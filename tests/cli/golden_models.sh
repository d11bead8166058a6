#!/bin/bash
# The promise of docs/model-format.md: a model file of every earlier version opens, predicts what it
# predicted, and resumes under the rules it was written with. The files are in tests/golden/models.
. "$(dirname "$0")/lib.bash"
models=$golden/models
. "$models/lib.bash"

# golden_model FOLDER NAME
golden_model() {
    local from=$models/$1/$2 first
    read -r first _ <<<"$(case_of "$2")"
    [ -n "$first" ] || fail "tests/golden/models/cases has no line $2" || return
    first=data/$first
    bring_data "$first"
    cp "$from.thresh" model.thresh
    predicted "$thresh" model.thresh "$(beside "$first" probe)" >predicted || fail 'predict failed'
    diff "$from.predicted" predicted >wrong || fail "it predicts otherwise: $(head -c 300 wrong)"
    golden_resume "$from" "$first"
    same model.thresh "$from.thresh" 'the golden file itself was changed'
}
golden_resume() {
    local from=$1 more probe
    more=$(beside "$2" more) probe=$(beside "$2" probe)
    if grep -q '^refused ' "$from.resumed"; then
        refused 2 "$(sed 's/^refused //' "$from.resumed")" "$thresh" train -q --init model.thresh \
            -m resumed.thresh "$more"
        return
    fi
    resumed "$thresh" model.thresh "$more" "$probe" >resumed || fail 'resuming failed'
    diff <(tail -n +2 "$from.resumed") <(tail -n +2 resumed) >wrong ||
        fail "resumed, it predicts otherwise: $(head -c 300 wrong)"
    [ "$(rules_of resumed.thresh)" = "$(rules_of model.thresh)" ] || fail 'resuming changed the rules'
    # A later version of the file may store the same model in other bytes.
    [ "$(head -c 12 resumed.thresh | od -An -tx1)" != "$(head -c 12 model.thresh | od -An -tx1)" ] ||
        [ "$(head -n 1 resumed)" = "$(head -n 1 "$from.resumed")" ] || fail 'resumed, it has other bytes'
}

# needs NAME: a library that this build lacks and the case cannot do without, or nothing.
needs() {
    local line
    line=$(case_of "$1")
    case $line in
    *'-l lp') "$plain" train -q -l lp -m /dev/null "$data/two.svm" 2>/dev/null || echo CLP ;;
    mail.txt* | people.csv*) has utf8proc || echo utf8proc ;; # both have text
    topics.jsonl*) has jansson || echo jansson ;;
    esac
}

for file in "$models"/v*/*.thresh; do
    name=$(basename "$file" .thresh) folder=$(basename "$(dirname "$file")")
    lacks=$(needs "$name")
    if [ -n "$lacks" ]; then
        skip "golden-$folder-$name" "there is no $lacks here"
    else
        check "golden-$folder-$name" golden_model "$folder" "$name"
    fi
done

every_learner() {
    local learner
    for learner in $(learners) $(regressors); do
        grep -q -- "-l $learner\$" "$models/cases" || fail "no golden model of $learner"
    done
}
every_case() {
    local name
    for name in $(awk '!/^#/ && NF { print $1 }' "$models/cases"); do
        ls "$models"/v*/"$name.thresh" >/dev/null 2>&1 || fail "$name was never made"
    done
}
never_remade() {
    mkdir copy && cp -r "$models"/{cases,data,lib.bash,make} copy
    works copy/make "$plain" lms
    cp -r copy/v* first
    refused 1 'lms exists and is never made again' copy/make "$plain" lms
    diff -r first copy/v* || fail 'it was made again'
}
check golden-every-learner-has-a-model every_learner
check golden-every-case-has-a-model every_case
check golden-models-are-never-remade never_remade
finish
