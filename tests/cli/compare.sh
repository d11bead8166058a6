#!/bin/bash
# race, cv and tune say what separate runs of train and test say, whatever the threads.
. "$(dirname "$0")/lib.bash"

"$plain" gen disjunction:n=300,active=20,noise=0.05 -n 1500 --seed 1 >"$work/two.svm"
awk '{ split("", n); best = 0; for (i = 2; i <= NF; i++) { c = int($i) % 5; if (++n[c] > n[best]) best = c }
    $1 = best + 1; print }' "$work/two.svm" >"$work/five.svm"
awk 'BEGIN { srand(3); for (i = 0; i < 900; i++) { c = int(rand() * 3); s = "class" c "\t"
    for (k = 0; k < 9; k++) s = s "word" int(rand() * 200) + 40 * c " "; print s } }' >"$work/text"
# Namespaces that begin in another order in every fold, and names that collide with few slots.
awk 'BEGIN { srand(5); for (i = 0; i < 700; i++) { c = rand() < 0.5 ? 1 : -1; s = c " 1 part" i % 4 "/" i "|"
    split("abc dog eel fox", n, " "); m = int(rand() * 4) + 1; s = s n[m] " x" int(rand() * 60) + 20 * c
    s = s " " int(rand() * 40) ":" rand() " |" n[5 - m] " y" int(rand() * 50) + 15 * c; print s } }' >"$work/spaces.vw"
printf '1 1:1 2:1\n-1 1:-1 3:2\n1 2:1\n-1 3:-1\n1 1:1\n' >"$work/negative.svm"

awk 'BEGIN { srand(7); for (i = 0; i < 600; i++) { a = rand(); b = rand(); c = int(rand() * 9)
    print 2 * a - b + (c == 3) + (rand() - 0.5) / 5, "1:" a, "2:" b, 10 + c ":1" } }' >"$work/numbers.svm"

field() { # field KEY FILE: its first value
    grep -o "\"$1\": [^,}\]*" "$2" | head -n 1 | cut -d' ' -f2
}
untimed() { sed -E 's/"seconds": [0-9.e+-]+/"seconds": TIME/' "$1"; }

# The classifiers that can take part: all but panels, which are told so.
head -n 20 "$work/two.svm" >"$work/few.svm"
for learner in $(learners); do
    if "$plain" race -q -l "$learner" "$work/few.svm" 2>"$work/said"; then
        solved | grep -qx "$learner" && echo "$learner" >>"$work/solvers" || echo "$learner" >>"$work/racers"
    elif ! grep -q 'name its members' "$work/said"; then
        echo "not ok race of $learner: $(cat "$work/said")"
        failures=1
    fi
done
racers() { cat "$work/${racers:-racers}"; }
# A solver looks at all examples at once: it races over few.
head -n 60 "$work/five.svm" >"$work/sixty.svm"

# ---- race ----

of_racer() { # of_racer LEARNER KEY FILE
    grep -o "{\"learner\": \"$1\"[^{]*\"$2\": [0-9]*" "$3" | grep -o '[0-9]*$'
}
alone() { # alone FILE [OPTION...]: every contestant has the mistakes and updates it has by itself
    local file=$1 learner n=0
    shift
    # shellcheck disable=SC2046 # words on purpose
    works "$thresh" race --json $(racers | sed 's/^/-l /') "$@" "$file"
    mv out raced
    for learner in $(racers); do
        "$plain" train --json -l "$learner" "$@" "$file" >trained || fail "train $learner"
        [ "$(of_racer "$learner" mistakes raced)" = "$(field mistakes trained)" ] ||
            fail "$learner: $(of_racer "$learner" mistakes raced), alone $(field mistakes trained)"
        [ "$(of_racer "$learner" updates raced)" = "$(field updates trained)" ] || fail "$learner: updates"
        n=$((n + 1))
    done
    [ "$n" -ge "${least:-8}" ] || fail "only $n contestants"
    [ "$(field examples raced)" = "$(field examples trained)" ] || fail 'examples'
}
check race-equals-train-two alone "$work/two.svm"
check race-equals-train-many alone "$work/five.svm"
check race-equals-train-text alone "$work/text"
check race-equals-train-settings alone "$work/text" --ngrams 2 --unit off
check race-equals-train-hashed alone "$work/spaces.vw" --hash-bits 5
racers=solvers least=2 check race-equals-train-solvers alone "$work/sixty.svm"

race_threads() {
    local n
    for n in 1 2 5; do
        works "$plain" race --json --threads "$n" "$work/five.svm"
        untimed out >"threads$n"
    done
    same threads1 threads2
    same threads1 threads5
}
# Mistakes at 1, 2, 4, ... are those of training on so many lines.
race_course() {
    local at wanted
    works "$thresh" race --json -l pa -l 'winnow:promote=2' "$work/five.svm"
    for at in 1 2 4 8 64 1024 1500; do
        head -n "$at" "$work/five.svm" >d
        wanted=$(for l in pa winnow:promote=2; do
            "$plain" train --json -q -l "$l" d >t 2>/dev/null
            field mistakes t
        done | sort -n | paste -sd' ' | sed 's/ /, /')
        grep -o "{\"examples\": $at, \"mistakes\": \[[^]]*\]" out | grep -o '\[.*' | tr -d '[]' |
            tr -d ' ' | tr ',' '\n' | sort -n | paste -sd' ' | sed 's/ /, /' >got
        [ "$(cat got)" = "$wanted" ] || fail "at $at: $(cat got), not $wanted"
    done
    [ "$(grep -o '{"examples"' out | wc -l)" -eq 12 ] || fail 'not 12 checkpoints'
}
# Who alone was right, by the answers of online.
race_duel() {
    local l
    for l in perceptron pa; do
        "$plain" online -q -l "$l" -f svmlight <"$work/five.svm" | cut -f1 >"said-$l"
    done
    cut -d' ' -f1 "$work/five.svm" | paste said-perceptron said-pa - |
        awk '{ if ($1 == $3 && $2 != $3) a++; if ($1 != $3 && $2 == $3) b++ } END { print a + 0, b + 0 }' >want
    works "$thresh" race --json -l perceptron -l pa "$work/five.svm"
    grep -q '"ranking": \[{"learner": "pa"' out || fail "pa should be ahead: $(cat out)"
    echo "$(field only_this_right out) $(field only_best_right out)" >got
    same want got "$(cat want) $(cat got)"
    field p out >p
    grep -q '^[0-9.e-]*$' p || fail "p is $(cat p)"
}
# Exactly where few disagree, by chi-square where many do; a rule against itself never disagrees.
race_tests() {
    head -n 30 "$work/two.svm" >d
    works "$thresh" race --json -l perceptron -l pa d
    grep -q '"test": "exact"' out || fail "$(cat out)"
    works "$thresh" race --json -l perceptron -l averaged "$work/five.svm"
    grep -q '"test": "chi-square"' out || fail "$(cat out)"
    works "$thresh" race --json -l pa -l pa:C=1 d
    grep -q '"only_this_right": 0, "only_best_right": 0, "p": 1, ' out || fail "$(cat out)"
}
# Without -l it is every linear classifier in the table.
race_defaults() {
    local learner n
    works "$thresh" race --json "$work/few.svm"
    n=$(grep -o '{"learner"' out | wc -l)
    [ "$n" -ge 8 ] || fail "$n contestants"
    for learner in $(grep -o '{"learner": "[a-z]*"' out | cut -d'"' -f4); do
        grep -qx "$learner" "$work/racers" || fail "$learner is none"
        "$plain" train -q -l "$learner" -m m "$work/few.svm" && "$plain" explain -m m "$work/few.svm" >/dev/null ||
            fail "$learner cannot be explained"
    done
    # In textbook form winnow wants theta to be given, and eliminate the number of variables; the
    # others race.
    works "$thresh" race --json --textbook on "$work/few.svm"
    [ "$(grep -o '{"learner"' out | wc -l)" -eq $((n - 2)) ] || fail "$(cat out)"
    if grep -q '"winnow\|"eliminate' out; then fail "$(cat out)"; fi
}
race_one() { works "$thresh" race -l pa "$work/two.svm"; grep -q '^  1  pa ' out || fail "$(cat out)"; }
race_alternatives() {
    works "$thresh" race --json -l 'pa:C=0.1|1|10' "$work/two.svm"
    [ "$(grep -o '"learner"' out | wc -l)" -eq 3 ] || fail "$(cat out)"
}
race_negative() {
    run "$thresh" race --json -l bayes -l pa "$work/negative.svm"
    [ "$status" -eq 0 ] || fail "status $status"
    grep -q 'warning: bayes cannot take negative values: 2 examples' err || fail "$(cat err)"
    [ "$(of_racer bayes sat_out out)" = 2 ] && [ "$(of_racer pa sat_out out)" = 0 ] || fail "$(cat out)"
}
race_stdin() {
    works "$plain" race --json "$work/text"
    untimed out >file
    "$plain" race --json - <"$work/text" >out
    untimed out >stdin
    same file stdin
}
race_cache() {
    "$plain" convert -q --to cache -o c "$work/spaces.vw"
    works "$plain" race --json c
    sed 's/"format": "[a-z]*"//' out | untimed - >a
    works "$plain" race --json "$work/spaces.vw"
    sed 's/"format": "[a-z]*"//' out | untimed - >b
    same a b
}
check race-threads race_threads
check race-checkpoints race_course
check race-duel race_duel
check race-which-test race_tests
check race-defaults race_defaults
check race-alone race_one
check race-alternatives race_alternatives
check race-negative-values race_negative
check race-stdin race_stdin
check race-cache race_cache

# ---- the page ----

page() {
    cp "$work/two.svm" 'a<b>&"c".svm'
    works "$thresh" race -q --html page.html -l pa -l bayes 'a<b>&"c".svm'
    [ ! -s out ] || fail "printed $(head -n 1 out)"
    head -n 1 page.html | grep -q '^<!DOCTYPE html>$' || fail 'no doctype'
    [ "$(grep -c '<polyline ' page.html)" -eq 4 ] || fail "$(grep -c '<polyline ' page.html) curves"
    [ "$(grep -c '<tr>' page.html)" -eq 3 ] || fail 'rows'
    grep -q '<h1>Race on a&lt;b&gt;&amp;&quot;c&quot;.svm</h1>' page.html || fail "$(grep h1 page.html)"
    grep -q "^thresh train -l bayes 'a&lt;b&gt;&amp;&quot;c&quot;.svm'\$" page.html || fail "$(grep train page.html)"
    grep -q 'prefers-color-scheme: dark' page.html || fail 'no dark colours'
    ! grep -qi 'http\|src=\|@import\|<script\|<link' page.html || fail 'it asks for something else'
    ! grep -q 'nan\|inf"' page.html || fail 'a place that is no number'
    no_litter
    works "$thresh" race -q --html page.html -l pa -l bayes "$work/two.svm"
    grep -q '<h1>Race on .*two.svm' page.html || fail 'an old page is not replaced'
}
page_well_formed() {
    works "$thresh" race -q --html page.html "$work/two.svm"
    python3 - page.html <<'END' || fail 'tags do not match'
import html.parser, sys
class P(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag != 'meta': self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
p = P()
p.feed(open(sys.argv[1]).read())
assert not p.open, p.open
END
}
page_of_little() { # one example; no mistake at all
    printf '1 1:1\n' >d
    works "$thresh" race -q --html page.html -l pa d
    printf '1 1:1\n1 1:1\n1 1:1\n' >d
    works "$thresh" race -q --html page2.html -l pa -l arow d
    ! grep -q 'nan\|inf[",]' page.html page2.html || fail "$(grep -n 'nan\|inf[",]' page*.html | head -n 3)"
}
page_kept() {
    echo '<!DOCTYPE html>old' >page.html
    cp page.html old
    printf '1 1:1\n-1 2:x\n' >bad.svm
    refused 1 '^thresh: bad.svm:2:' "$thresh" race --html page.html -l pa -f svmlight bad.svm
    same page.html old
    cp "$work/two.svm" d
    refused 2 'd is read as data' "$thresh" race --html d d
    same d "$work/two.svm"
    echo 'a letter' >letter
    refused 2 'letter exists and is not a page' "$thresh" race --html letter d
    refused 2 'written to a file' "$thresh" race --html - d
    refused 1 'cannot write' "$thresh" race -q --html no/such/page d
    no_litter
}
check page-written page
check page-of-little page_of_little
check page-keeps-what-is-there page_kept
if command -v python3 >/dev/null; then
    check page-well-formed page_well_formed
else
    skip page-well-formed 'no python3 here'
fi

# ---- cv ----

# separate K FILE [OPTION...]: by position, each fold has the mistakes of train and test on its files.
separate() {
    local k=$1 file=$2 i
    shift 2
    local order='--shuffle 0'
    [[ " $* " != *' --shuffle '* ]] || order=
    works "$thresh" cv --json -k "$k" --by-position "$@" "$file"
    grep -o '"trained": [0-9]*, "examples": [0-9]*, "mistakes": [0-9]*' out | tr -dc '0-9 \n' | tr -s ' ' >got
    for i in $(seq 0 $((k - 1))); do
        awk -v i="$i" -v k="$k" '(NR - 1) % k != i' "$file" >learn
        awk -v i="$i" -v k="$k" '(NR - 1) % k == i' "$file" >test
        # shellcheck disable=SC2086 # two words, or none
        "$plain" train -q -m m $order "$@" learn || fail "fold $i"
        "$plain" test --json -m m test >t 2>/dev/null || fail "fold $i"
        echo " $(grep -c '' learn) $(field test_examples t) $(field test_mistakes t)"
    done >want
    same want got "$(paste want got | head -n 3)"
    [ "$(awk '{ s += $3 } END { print s }' want)" = "$(field test_mistakes out)" ] || fail 'the sum'
}
check cv-equals-separate-panel separate 4 "$work/two.svm"
for learner in $(racers); do
    check "cv-equals-separate-$learner" separate 3 "$work/five.svm" -l "$learner"
done
for learner in $(racers=solvers racers); do
    check "cv-equals-separate-$learner" separate 3 "$work/sixty.svm" -l "$learner"
done
check cv-equals-separate-passes separate 3 "$work/five.svm" -l pa -p 3
check cv-equals-separate-shuffled separate 3 "$work/five.svm" -l averaged -p 2 --shuffle 9
check cv-equals-separate-clean separate 3 "$work/two.svm" -l perceptron --until-clean -p 6
check cv-equals-separate-text separate 5 "$work/text" -l arow --ngrams 2
check cv-equals-separate-namespaces separate 4 "$work/spaces.vw" -l pa
check cv-equals-separate-hashed separate 4 "$work/spaces.vw" -l pa --hash-bits 5
check cv-equals-separate-several separate 3 "$work/two.svm" -l pa -l bayes

by_tag() { # the folds of spaces.vw are its tags' first part
    works "$thresh" cv --json --by-tag 6 -l pa "$work/spaces.vw"
    cp out tags
    works "$thresh" cv --json --by-position -k 4 -l pa "$work/spaces.vw"
    untimed tags >a
    untimed out >b
    same a b
}
cv_threads() {
    local n
    for n in 1 2 5; do
        works "$plain" cv --json -k 7 --repeat 2 --threads "$n" "$work/text"
        untimed out >"threads$n"
    done
    same threads1 threads2
    same threads1 threads5
    works "$thresh" cv --json -k 7 --repeat 2 --threads 3 "$work/text"
    untimed out >sanitized
    same threads1 sanitized
}
cv_seed() {
    local s
    for s in 1 1 2; do
        works "$plain" cv --json -k 5 --seed "$s" -l pa "$work/text"
        untimed out >>seeds
    done
    [ "$(sort -u seeds | grep -c '')" -eq 2 ] || fail 'the seed makes no difference, or too much'
    works "$plain" cv --json -k 5 --repeat 2 --seed 3 -l pa "$work/text"
    [ "$(grep -o '"fold": 1, [^}]*' out | sort -u | grep -c '')" -eq 2 ] || fail 'repeated, not redrawn'
    [ "$(field test_examples out)" -eq 1800 ] || fail 'not every example twice'
}
# 6 of 60 examples are rare: each fold gets one; were they drawn without looking, some would not.
cv_strata() {
    awk 'BEGIN { for (i = 1; i <= 60; i++) print (i <= 6 ? "rare" : "often") "\t" (i <= 6 ? "blue" : "red") }' >d
    works "$thresh" cv --json -k 6 -l bayes d
    [ "$(grep -o '"examples": 10,' out | wc -l)" -eq 6 ] || fail "sizes: $(cat out)"
    [ "$(field test_unknown_labels out)" -eq 0 ] || fail "unknown: $(cat out)"
    works "$thresh" cv --json -k 6 -l pa:C=inf -p 3 d
    [ "$(field test_mistakes out)" -eq 0 ] || fail "a fold had no rare one to learn from: $(cat out)"
}
cv_pooled() { # the pooled table is the sum of the folds
    works "$thresh" cv --json -k 5 "$work/two.svm"
    [ "$(grep -o '"mistakes": [0-9]*' out | awk '{ s += $2 } END { print s }')" = "$(field test_mistakes out)" ] ||
        fail "$(cat out)"
    [ "$(field test_examples out)" -eq 1500 ] || fail "$(cat out)"
    field test_auc out | grep -q '^0\.[0-9]*$' || fail "AUC $(field test_auc out)"
}
cv_stdin() {
    works "$plain" cv --json -l pa "$work/text"
    untimed out >file
    "$plain" cv --json -l pa - <"$work/text" >out
    untimed out >stdin
    same file stdin
}
check cv-by-tag by_tag
check cv-threads cv_threads
check cv-seed cv_seed
check cv-strata cv_strata
check cv-pooled cv_pooled
check cv-stdin cv_stdin

# ---- tune ----

tune_is_race() {
    works "$thresh" tune --json --in-order -l 'pa:C=0.01|0.1|1,averaged=on|off' -l 'winnow:promote=1.1|2' "$work/five.svm"
    grep -o '"ranking": .*\]' out >a
    works "$thresh" race --json -l 'pa:C=0.01|0.1|1,averaged=on|off' -l 'winnow:promote=1.1|2' "$work/five.svm"
    grep -o '"ranking": .*}\], "check' out | sed 's/, "check//' >b
    same a b
    [ "$(grep -o '"learner": "[pw]' a | wc -l)" -eq 8 ] || fail "$(cat a)"
}
tune_is_cv() {
    works "$thresh" tune --json -k 4 --seed 3 -p 2 -l 'pa:C=0.1|1' -l panel "$work/two.svm"
    cp out tuned
    for l in pa:C=0.1 pa:C=1 panel; do
        "$plain" cv --json -k 4 --seed 3 -p 2 -l "$l" "$work/two.svm" >c
        [ "$(of_racer "$l" mistakes tuned)" = "$(field test_mistakes c)" ] || fail "$l"
    done
}
tune_panel() { # a panel has a heat of its own
    works "$thresh" tune --json --in-order -l 'pa:C=0.1|1' -l 'panel:decide=vote,eta=0.1|1' -l arow "$work/two.svm"
    for l in pa:C=0.1 panel:decide=vote,eta=0.1 panel:decide=vote,eta=1 arow; do
        "$plain" train --json -l "$l" "$work/two.svm" >t
        [ "$(of_racer "$l" mistakes out)" = "$(field mistakes t)" ] || fail "$l: $(of_racer "$l" mistakes out)"
    done
}
tune_threads() {
    local n how
    for how in '' '-k 3'; do
        for n in 1 2 5; do
            # shellcheck disable=SC2086 # words on purpose
            works "$plain" tune --json $how --threads "$n" --random 70 -l 'pa:C=0.001..10' -l 'averaged:rate=0.1..2' "$work/text"
            untimed out >"threads$n"
        done
        same threads1 threads2 "$how"
        same threads1 threads5 "$how"
        [ "$(grep -o '"standard_error"' threads1 | wc -l)" -eq 70 ] || fail 'not 70 candidates'
    done
    works "$thresh" tune --json -k 3 --threads 3 --random 4 -l 'pa:C=0.001..10' "$work/text"
}
tune_model() {
    works "$thresh" tune --json -m m -p 3 --shuffle 2 --ngrams 2 -l 'pa:C=0.01|0.1|1' "$work/text"
    grep -o '"command": "[^"]*"' out | cut -d'"' -f4 >line
    grep -q "^thresh train -l pa:C=[0-9.]* --model m --passes 3 --shuffle 2 --ngrams 2 .*text\$" line || fail "$(cat line)"
    mv m tuned
    sed "s|^thresh|$plain|" line >again
    sh again >/dev/null || fail 'the command does not run'
    same tuned m 'the command gives another model'
    "$plain" tune -q -m piped -l 'pa:C=0.01|0.1|1' --ngrams 2 -p 3 --shuffle 2 - <"$work/text" || fail 'from a pipe'
    same tuned piped
}
tune_draws() {
    local s
    for s in 4 4 5; do
        works "$plain" tune --json --top 3 --random 40 --seed "$s" -l 'pa:C=0.01..10,averaged=on|off' "$work/two.svm"
        grep -o '"learner": "[^"]*"' out | sort -u >"drawn$s"
        cat "drawn$s" >>all
    done
    same <(sort all | uniq -c | awk '$1 > 1' | wc -l) <(wc -l <drawn4) 'the seed'
    cut -d'"' -f4 drawn4 | sed 's/pa:C=//; s/,averaged.*//' | awk '{ low += $1 < 0.1; bad += $1 < 0.01 || $1 > 10 }
        END { exit bad || NR != 40 || low < 5 || low > 25 }' || fail 'not drawn by the logarithm'
    works "$plain" tune --json --random 30 -l 'perceptron:repeat=on|off' "$work/two.svm"
    [ "$(grep -o '"standard_error"' out | wc -l)" -eq 2 ] || fail 'a candidate twice'
}
check tune-equals-race tune_is_race
check tune-equals-cv tune_is_cv
check tune-panel tune_panel
check tune-threads tune_threads
check tune-model-and-command tune_model
check tune-random tune_draws

# ---- rules that predict numbers ----

numbers_race() {
    local learner
    # shellcheck disable=SC2046 # words on purpose
    works "$thresh" race --json $(regressors | sed 's/^/-l /') --html page.html "$work/numbers.svm"
    for learner in $(regressors); do
        "$plain" train --json -l "$learner" "$work/numbers.svm" >t
        grep -q "{\"learner\": \"$learner\", \"mistakes\": null, \"mse\": $(field mse t)," out ||
            fail "$learner: not $(field mse t) in $(cat out)"
    done
    [ "$(grep -o '"mse": \[' out | wc -l)" -eq 11 ] || fail 'checkpoints'
    ! grep -q 'nan\|inf[",]' page.html || fail 'a place that is no number'
    # By the answers of online, who was nearer.
    for learner in lms eg; do
        "$plain" online -q -l "$learner" -f svmlight <"$work/numbers.svm" | cut -f1 >"said-$learner"
    done
    cut -d' ' -f1 "$work/numbers.svm" | paste said-eg said-lms - | sed 's/^-\t/0\t/; s/\t-\t/\t0\t/' |
        awk '{ x = ($1 - $3) ^ 2; y = ($2 - $3) ^ 2; a += x < y; b += x > y } END { print a, b }' >want
    works "$thresh" race --json -l lms -l eg "$work/numbers.svm"
    grep -q '"ranking": \[{"learner": "lms"' out || fail "$(cat out)"
    echo "$(field this_nearer out) $(field best_nearer out)" >got
    same want got "$(cat want) $(cat got)"
}
numbers_cv() {
    local i
    works "$thresh" cv --json --in-order -k 3 --by-position -l "$1" -p 2 "$work/numbers.svm"
    grep -o '"accuracy": null, "mse": [0-9.e-]*' out | grep -o '[^ ]*$' >got
    for i in 0 1 2; do
        awk -v i=$i '(NR - 1) % 3 != i' "$work/numbers.svm" >learn
        awk -v i=$i '(NR - 1) % 3 == i' "$work/numbers.svm" >test
        "$plain" train -q -m m -l "$1" -p 2 learn
        "$plain" test --json -m m test >t
        field test_mse t
    done >want
    same want got "$(paste want got)"
    field test_r2 out | grep -q '^0\.[0-9]*$' || fail "R^2 is $(field test_r2 out)"
}
numbers_tune() {
    local l n
    works "$thresh" tune --json -k 4 -l 'lms:rate=0.1|0.5' -l eg "$work/numbers.svm"
    cp out tuned
    for l in lms:rate=0.1 eg; do
        "$plain" cv --json -k 4 -l "$l" "$work/numbers.svm" >c
        grep -q "{\"learner\": \"$l\", \"mistakes\": null, \"mse\": $(field test_mse c)," tuned || fail "$l: $(cat tuned)"
    done
    works "$thresh" tune --json --in-order -l 'lms:rate=0.1|0.5' -l eg "$work/numbers.svm"
    grep -o '"ranking": .*\]' out >a
    works "$thresh" race --json -l 'lms:rate=0.1|0.5' -l eg "$work/numbers.svm"
    grep -o '"ranking": .*}\], "check' out | sed 's/, "check//' >b
    same a b
    for n in 1 3; do
        works "$plain" tune --json -k 3 --threads "$n" --random 9 -l 'lms:rate=0.01..1' "$work/numbers.svm"
        untimed out >"threads$n"
    done
    same threads1 threads3
}
check numbers-race numbers_race
for learner in $(regressors); do
    check "numbers-cv-$learner" numbers_cv "$learner"
done
check numbers-tune numbers_tune

# ---- bad data and wrong usage ----

bad_data() {
    printf '1 1:1\n-1 2:x\n1 3:1\n' >d.svm
    local c
    for c in 'race -l pa' 'cv -k 2 -l pa' 'tune -l pa'; do
        # shellcheck disable=SC2086 # words on purpose
        refused 1 '^thresh: d.svm:2:' "$thresh" $c -f svmlight d.svm
        # shellcheck disable=SC2086
        warned '1 bad line was skipped' "$thresh" $c -f svmlight --on-error skip d.svm
        # shellcheck disable=SC2086
        refused 1 'none.svm' "$thresh" $c none.svm
        : >empty
        # shellcheck disable=SC2086
        refused 1 'empty' "$thresh" $c empty
    done
    for c in 'race -l lms' 'cv -k 2 -l lms' 'tune -l lms'; do
        # shellcheck disable=SC2086 # words on purpose
        refused 1 '^thresh: .*text:1:1: .*not a number' "$thresh" $c "$work/text"
    done
    refused 1 '^thresh: .*negative.svm:2:.*negative values' "$thresh" cv -k 2 -l bayes "$work/negative.svm"
}
kept_model() {
    "$plain" train -q -m m "$work/two.svm"
    cp m old
    printf '1 1:1\n-1 2:x\n' >d.svm
    refused 1 '^thresh: d.svm:2:' "$thresh" tune -m m -l pa -f svmlight d.svm
    same m old
    cp "$work/two.svm" d
    refused 2 'd is read as data' "$thresh" tune -m d -l pa d
    no_litter
}
few() {
    head -n 4 "$work/two.svm" >d
    refused 1 '10 folds need at least as many examples; there are 4' "$thresh" cv d
    run "$thresh" cv -q -k 4 -l pa d
    [ "$status" -eq 0 ] || fail "status $status: $(cat err)"
    refused 1 'one fold' "$thresh" cv --by-tag 3 d
}
check bad-data bad_data
check bad-data-keeps-the-model kept_model
check bad-few-examples few
usage() { refused 2 "$@"; }
check usage-race-data usage 'race needs data' "$thresh" race -l pa
check usage-cv-data usage 'cv needs data' "$thresh" cv
check usage-tune-data usage 'tune needs data' "$thresh" tune -l pa
check usage-tune-learner usage 'tune needs a learner' "$thresh" tune "$work/two.svm"
check usage-race-learner usage "'winow'" "$thresh" race -l winow "$work/two.svm"
check usage-race-panel usage 'name its members' "$thresh" race -l panel -l pa "$work/two.svm"
check usage-race-members usage 'by -l' "$thresh" race --members pa+arow "$work/two.svm"
check usage-race-numbers usage 'cannot be compared' "$thresh" race -l lms -l pa "$work/numbers.svm"
check usage-cv-numbers-clean usage 'until-clean' "$thresh" cv -l lms --until-clean "$work/numbers.svm"
check usage-race-many usage 'room for 64' "$thresh" race -l \
    "pa:C=$(seq 100 | paste -sd'|')" "$work/two.svm"
check usage-tune-option usage "'D'; it has C" "$thresh" tune -l 'pa:D=1|2' "$work/two.svm"
check usage-tune-value usage 'C=x is not a number' "$thresh" tune -l 'pa:C=1|x' "$work/two.svm"
check usage-tune-empty-value usage 'is not a number' "$thresh" tune -l 'pa:C=1|' "$work/two.svm"
check usage-tune-range usage 'random N' "$thresh" tune -l 'pa:C=1..2' "$work/two.svm"
check usage-tune-range-order usage 'not a range' "$thresh" tune --random 3 -l 'pa:C=2..1' "$work/two.svm"
check usage-tune-range-words usage 'not a range' "$thresh" tune --random 3 -l 'bayes:kind=multinomial..bernoulli' "$work/two.svm"
check usage-tune-range-outside usage 'out of range' "$thresh" tune --random 3 -l 'pa:C=-1..1' "$work/two.svm"
check usage-tune-many usage 'more than 4096' "$thresh" tune -l "pa:C=$(seq 3000 | paste -sd'|'),averaged=on|off" "$work/two.svm"
check usage-tune-passes usage 'one pass' "$thresh" tune -p 2 -l pa "$work/two.svm"
check usage-tune-position usage 'how many' "$thresh" tune --by-position -l pa "$work/two.svm"
check usage-cv-folds usage 'folds' "$thresh" cv -k 1 "$work/two.svm"
check usage-cv-tag-and-folds usage 'tags say' "$thresh" cv -k 3 --by-tag 2 "$work/two.svm"
check usage-cv-tag-and-position usage 'exclude' "$thresh" cv --by-position --by-tag 2 "$work/two.svm"
check usage-cv-repeat usage 'not drawn' "$thresh" cv --repeat 2 --by-position "$work/two.svm"

finish
