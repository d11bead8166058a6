#!/bin/bash
# Commands with several threads, built with ThreadSanitizer: no data race, and the results of the
# plain build with one thread. The files are long enough for several blocks.
. "$(dirname "$0")/../cli/lib.bash"

"$plain" gen disjunction:n=3000,active=50,noise=0.05 -n 5000 --seed 1 >"$work/two.svm"
awk '{ $1 = (NR * 7919) % 5 + 1; print }' "$work/two.svm" >"$work/five.svm"
awk 'BEGIN { srand(3); for (i = 0; i < 8000; i++) { c = int(rand() * 3); s = "class" c "\t"
    for (k = 0; k < 20; k++) s = s "word" int(rand() * 4000) + 1500 * c " "; print s } }' >"$work/text"
"$plain" train -q -m "$work/two.model" "$work/two.svm"
"$plain" train -q -m "$work/text.model" "$work/text"

# untimed FILE: without what depends on the time.
untimed() { sed -E 's/"seconds": [0-9.e+-]+//' "$1"; }

# both COMMAND ARGUMENT...: what the command prints with four threads is what the plain one prints
# with one.
both() {
    local command=$1
    shift
    works "$plain" "$command" -q --threads 1 "$@"
    untimed out >one
    works "$thresh" "$command" -q --threads 4 "$@"
    untimed out >four
    same one four "$command $*"
}

train() { # FILE ARGUMENT...
    works "$plain" train -q --threads 1 -m one "$@"
    works "$thresh" train -q --threads 4 -m four "$@"
    same one four "$*"
}
check tsan-train-pa train -l pa "$work/two.svm"
check tsan-train-panel train "$work/five.svm"
check tsan-train-text train -l averaged "$work/text"
check tsan-train-hashed train -l pa --hash-bits 10 "$work/text"
check tsan-train-passes train -l logistic -p 3 --shuffle 1 "$work/two.svm"
check tsan-train-ceiling train -l pa --max-features 500 "$work/text"
check tsan-train-resumed train --init "$work/text.model" "$work/two.svm"

# Sentences: another thread gives ids to names while this one looks up features of tags before.
awk 'BEGIN { srand(4); for (i = 0; i < 12000; i++) { for (k = 1 + int(rand() * 9); k; k--) {
    w = int(rand() * 20000); print "word" w, "T" w % 7 }; print "" } }' >"$work/sentences"
printf 'U:%%x[0,0]\nU1:%%x[-1,0]\nB\nB1:%%e[0,0,1]\n' >"$work/template"
tag() { # ARGUMENT...
    works "$plain" tag train -q --threads 1 -p 1 --template "$work/template" -m one "$@" "$work/sentences"
    works "$thresh" tag train -q --threads 4 -p 1 --template "$work/template" -m four "$@" "$work/sentences"
    same one four "$*"
    works "$plain" tag predict --threads 1 -m one "$work/sentences"
    mv out tagged
    works "$thresh" tag predict --threads 4 -m four "$work/sentences"
    same out tagged "$*"
}
check tsan-tag tag -l adagrad
check tsan-tag-greedy tag -l arow --decode greedy

cached() {
    works "$plain" train -q --threads 1 -l pa -m one "$work/text"
    works "$thresh" train -q --threads 4 -l pa --cache c -m making "$work/text"
    works "$thresh" train -q --threads 4 -l pa --cache c -m using "$work/text"
    same one making
    same one using
}
check tsan-train-cache cached

# Leaving early, while other threads still read and parse.
bad_line() {
    { cat "$work/two.svm" && echo '1 2:x' && cat "$work/two.svm" "$work/two.svm"; } >d
    refused 1 'd:5001:' "$thresh" train -q --threads 4 -f svmlight -m m d
}
check tsan-train-bad-line bad_line

check tsan-predict both predict --probabilities -m "$work/two.model" "$work/two.svm"
check tsan-predict-text both predict --scores -m "$work/text.model" "$work/text"
check tsan-test both test --json -m "$work/text.model" "$work/text"
check tsan-explain both explain -m "$work/text.model" "$work/text"
check tsan-race both race --json -l pa -l averaged -l bayes -l knn "$work/five.svm"
head -n 1500 "$work/five.svm" >"$work/few.svm"
check tsan-cv both cv --json -l pa "$work/few.svm"
check tsan-tune both tune --json -l 'pa:C=0.1|1' -l bayes "$work/few.svm"
check tsan-convert both convert --to vw "$work/two.svm"
finish
