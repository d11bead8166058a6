#!/bin/bash
# thresh tag: learning from sentences, tagging them, and what may be wrong with them.
. "$(dirname "$0")/lib.bash"

# sentences N SEED: words with parts of speech and chunks in BIO. A chunk is a determiner, perhaps an
# adjective, and a noun; a noun may also be alone. One word in twenty has another tag than it should.
sentences() {
    awk -v n="$1" -v seed="$2" '
        function put(word, pos, tag) { print word, pos, rand() < .05 ? "O" : tag }
        BEGIN {
            srand(seed)
            for (s = 0; s < n; s++) {
                for (parts = 1 + int(3 * rand()); parts > 0; parts--) {
                    if (rand() < .6) {
                        print "the", "DT", "B-NP"
                        if (rand() < .5) print "a" int(20 * rand()), "JJ", "I-NP"
                        print "N" int(30 * rand()), "NN", "I-NP"
                    } else
                        put("N" int(30 * rand()), "NN", "B-NP")
                    print "v" int(20 * rand()), "VB", "O"
                }
                print ""
            }
        }'
}
sentences 300 1 >some
sentences 100 2 >more
cut -d' ' -f1,2 more >bare
rules='perceptron averaged averaged:margin=5 pa:C=0.01 arow adagrad logistic:averaged=on,rate=0.1 balanced:margin=2 winnow'

tag() {
    run "$plain" tag "$@"
    [ "$status" -eq 0 ] || fail "tag $*: status $status, $(head -n 2 err)"
}

# number KEY FILE: the first number of that key in a line of JSON.
number() { grep -o "\"$1\": [0-9.e-]*" "$2" | head -n 1 | sed 's/.* //'; }

learns() {
    local rule
    for rule in $rules; do
        tag train -q --json -l "$rule" -p 5 ../some -t ../more
        awk -v f="$(number test_f1 out)" -v rule="$rule" 'BEGIN { exit !(f > 0.9) }' ||
            fail "$rule: F is $(number test_f1 out)"
    done
}

same_for_any_number_of_threads() {
    local rule threads
    for rule in $rules; do
        for threads in 1 2 4; do
            tag train -q -l "$rule" -p 2 --threads $threads -m model.$threads ../some
        done
        cmp model.1 model.2 && cmp model.1 model.4 || fail "$rule: other bytes"
        for threads in 1 4; do
            run "$plain" tag predict --threads $threads -m model.1 ../bare
            mv out tagged.$threads
        done
        cmp tagged.1 tagged.4 || fail "$rule: other tags"
    done
}

resumes() {
    local rule
    for rule in $rules; do
        tag train -q -l "$rule" -p 5 --shuffle 3 -m whole ../some
        tag train -q -l "$rule" -p 2 --shuffle 3 -m part ../some
        tag train -q --init part -p 3 --shuffle 3 -m rest ../some
        cmp whole rest || fail "$rule: 2 and 3 passes are not 5"
        tag train -q -l "$rule" -p 1 --in-order -m whole ../some ../more
        tag train -q -l "$rule" -p 1 --in-order -m part ../some
        tag train -q --init part -p 1 --in-order -m rest ../more
        cmp whole rest || fail "$rule: two files are not one after the other"
    done
}

# In order, several passes read the data again; from a pipe it is kept.
reads_again() {
    tag train -q -p 3 --in-order -m file ../some
    "$plain" tag train -q -p 3 --in-order -m pipe - <../some || fail "from a pipe"
    cmp file pipe || fail 'a pipe gives another model'
}

repeats_the_columns() {
    tag train -q -m model ../some
    run "$plain" tag predict -m model ../more
    awk 'NF { sub(/ [^ ]*$/, "") } { print }' out | cmp - ../more || fail 'columns are not repeated'
    awk '{ print $1, $2, $NF }' out >tagged
    run "$plain" tag predict -m model ../bare
    awk '{ print $1, $2, $NF }' out | cmp - tagged || fail 'other tags where they are not given'
    tag predict -m model - <../bare
}

prints_what_tests_count() {
    tag train -q -m model ../some
    tag test --json -m model ../more
    local right all
    all=$(grep -c . ../more)
    run "$plain" tag predict -m model ../more
    right=$(awk 'NF { n += $NF == $(NF - 1) } END { print n }' out)
    run "$plain" tag test --json -m model ../more
    [ "$(number test_examples out)" = "$all" ] || fail "tokens: $(cat out)"
    awk -v a="$(number test_accuracy out)" -v r="$right" -v n="$all" \
        'BEGIN { d = a - r / n; exit d < -1e-6 || d > 1e-6 }' || fail "accuracy: $(cat out), $right of $all"
}

# What features add is the lead; the tags are those of predict.
explains() {
    tag train -q -m model ../some
    run "$plain" tag explain --json --top 0 -m model ../more
    grep -o '"lead": [0-9.e+-]*\|"contribution": [0-9.e+-]*' out |
        awk '/lead/ { if (n) d = lead - sum; if (d > 1e-9 || d < -1e-9) bad++; lead = $2; sum = 0; n++ }
            /contribution/ { sum += $2 } END { exit bad || n < 100 }' || fail 'contributions are not the lead'
    grep -o '"tag": "[^"]*"' out | cut -d'"' -f4 >explained
    run "$plain" tag predict -m model ../more
    awk 'NF { print $NF }' out | cmp - explained || fail 'other tags than predict prints'
    run "$plain" tag explain --top 2 -m model ../more
    [ "$(grep -c '^    ' out)" -le "$((2 * $(grep -c . ../more)))" ] || fail 'more than two features of a token'
}

has_probabilities() {
    tag train -q -l logistic:averaged=on -p 3 -m model ../some
    tag predict --probabilities -m model ../bare
    awk 'NF && !($NF > 0 && $NF <= 1) { bad++ } END { exit bad > 0 }' out || fail 'a probability is out of range'
    tag predict --best 5 --probabilities --json -m model ../bare
    awk -F'"probability": ' '{ sum = 0; last = 2; for (i = 2; i <= NF; i++) {
            p = $i + 0; if (p > last) bad++; last = p; sum += p } if (sum > 1 + 1e-9) bad++ }
        END { exit bad > 0 }' out || fail 'the best taggings are out of order, or more than certain'
    tag train -q -m model ../some
    refused 2 'adagrad has no probabilities of tags' "$plain" tag predict --probabilities -m model ../bare
}

goes_from_left_to_right() {
    local rule
    for rule in panel adagrad bayes pa; do
        tag train -q --json --decode greedy -l $rule -p 3 -m model.1 --threads 1 ../some -t ../more
        awk -v f="$(number test_f1 out)" 'BEGIN { exit !(f > 0.85) }' || fail "$rule: F is $(number test_f1 out)"
        tag train -q --decode greedy -l $rule -p 3 -m model.4 --threads 4 ../some
        cmp model.1 model.4 || fail "$rule: other bytes with four threads"
    done
    tag predict --probabilities -m model.1 ../bare
    refused 2 'there is one tagging only' "$plain" tag predict --best 2 -m model.1 ../bare
}

follows_a_beam() {
    tag train -q --beam 2 -m model ../some
    tag train -q -m whole ../some
    tag test --json -m model ../more
    awk -v f="$(number test_f1 out)" 'BEGIN { exit !(f > 0.85) }' || fail "F is $(number test_f1 out)"
    ! cmp -s model whole || fail 'the beam changes nothing'
}

lean_models_tag_alike() {
    local rule
    for rule in $rules; do
        tag train -q -l "$rule" -m model ../some
        tag train -q -l "$rule" --lean -m lean ../some
        for model in model lean; do
            run "$plain" tag predict -m $model ../bare
            mv out tagged.$model
        done
        cmp tagged.model tagged.lean || fail "$rule: lean tags differ"
    done
}

knows_schemes() {
    local scheme
    sed 's/ I-NP$/ X-NP/; s/ B-NP$/ I-NP/; s/ X-NP$/ I-NP/' ../some >loose # no two chunks in a row
    tag train -q -m model loose
    run "$plain" show -m model
    grep -q 'tags *iob1' out || fail "not iob1: $(grep tags out)"
    run "$plain" tag predict -m model ../bare
    ! awk 'NF { print $NF }' out | grep -q '^B' || fail 'tags with B- where chunks do not touch'
    tag train -q -m model ../some
    run "$plain" tag show -m model
    grep -q 'tags *bio' out || fail "not bio: $(grep tags out)"
    awk 'NF { print $1, $2 } !NF' ../some >plain
    tag train -q -m model plain
    run "$plain" show -m model
    grep -q 'tags *plain' out || fail "not plain: $(grep tags out)"
}

reads_conll_u() {
    awk 'BEGIN { OFS = "\t" } !NF { n = 0; print; next }
        { if (!n) print "#newdoc\tid = x\n# text = x"; if (n == 1) print "2-3", "ab", "_", "_", "_", "_", "_", "_", "_", "_"
          print ++n, $1, "_", $2, "_", "_", "_", "_", "_", "_" }' ../some |
        awk '!NF { print "# the end" } { print }' >some.conllu
    tag train -q -p 5 -m model some.conllu -t some.conllu
    run "$plain" tag test --json -m model some.conllu
    awk -v a="$(number test_accuracy out)" 'BEGIN { exit !(a > 0.99) }' || fail "accuracy: $(cat out)"
    run "$plain" tag predict -m model some.conllu
    cut -f1-10 out | cmp - some.conllu || fail 'not every line is repeated'
}

# Running text, with tags and without.
reads_text() {
    awk 'NF { printf "%s%s/%s", n++ ? " " : "", $1, $2 } !NF { print ""; n = 0 }' ../some >tagged
    sed 's,/[^ ]*,,g' tagged >words
    tag train -q -f slash -m model tagged
    run "$plain" tag predict -f words -m model words
    cmp out tagged || fail 'words are not tagged as in training'
    run "$plain" tag predict -m model tagged
    cmp out tagged || fail 'the tags that are there are not replaced'
    awk '{ print $1, $2 }' ../some | sed 's/^ $//' >columns
    tag train -q -m other columns
    run "$plain" tag predict -f words -m other words
    cmp out tagged || fail 'a model of columns tags words otherwise'
    refused 1 'the first line has a token without a tag' "$plain" tag train -f slash words
    refused 1 'words have no tags' "$plain" tag train -f words words
    printf 'a/B c/D\nx/Y z\n' >some_tags
    refused 1 "some_tags:2:5: the token 'z' has no tag" "$plain" tag train -f slash some_tags
    tag train -q -m chunks ../some
    refused 1 'the template uses column 1' "$plain" tag predict -f words -m chunks words
}

bad_input() {
    printf 'U:%%x[0,0]\nT\n' >two
    refused 1 'a pattern T is for tags found from left to right' "$plain" tag train --template two ../some
    tag train -q --decode greedy --template two ../some
    printf 'a A X\nb B\n\n' >short
    refused 1 'short:2:4: 2 columns, but the first line of the file has 3' "$plain" tag train short
    printf 'a A B-x\nb B I-y\n\n' >wrong
    refused 1 "wrong:2:5: the tag 'I-y' continues a chunk that has not begun" "$plain" tag train wrong
    printf 'U:%%x[0,0]\nV\n' >template
    refused 1 'template:2:1: a pattern begins with U' "$plain" tag train --template template ../some
    printf 'U:%%x[0,9]\n' >template
    refused 1 'the template uses column 9, counted from 0, and there are 3' "$plain" tag train --template template ../some
    refused 2 'bayes cannot tag sentences; these can: ' "$plain" tag train -l bayes ../some
    refused 2 'tag needs to know what to do' "$plain" tag
    refused 2 'tag train needs data' "$plain" tag train
    tag train -q -m model ../some
    refused 2 'this model tags sentences: use thresh tag' "$plain" predict -m model ../some
    refused 2 'tags sentences: use thresh tag' "$plain" online -m model
    tag train -q -m model ../some
    refused 1 'bare:1: there are 2 columns, and the tag should be in column 3' "$plain" tag test -m model ../bare
}

sanitized() {
    local rule
    for rule in $rules; do
        run "$thresh" tag train -q -l "$rule" -p 2 -m model ../more
        [ "$status" -eq 0 ] || fail "$rule: $(head -n 3 err)"
        run "$thresh" tag predict -m model ../bare
        [ "$status" -eq 0 ] || fail "$rule: $(head -n 3 err)"
    done
}

check learns learns
check same-for-any-number-of-threads same_for_any_number_of_threads
check resumes resumes
check reads-again reads_again
check repeats-the-columns repeats_the_columns
check prints-what-tests-count prints_what_tests_count
check explains explains
check has-probabilities has_probabilities
check goes-from-left-to-right goes_from_left_to_right
check follows-a-beam follows_a_beam
check lean-models-tag-alike lean_models_tag_alike
check knows-schemes knows_schemes
check reads-conll-u reads_conll_u
check reads-text reads_text
check bad-input bad_input
check sanitized sanitized
finish
