#!/bin/bash
# What a feature costs: instructions by callgrind, which are the same on a busy machine, against a
# stated ceiling. Between a short and a long run, so that the start does not count. A change that
# costs more has to say so here.
#
# alone: a measurement should not depend on the tests beside it
. "$(dirname "$0")/lib.bash"

if ! command -v valgrind >/dev/null; then
    skip cost 'valgrind is not there'
    finish
fi
if ! grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    skip cost 'the ceilings are those of a processor with AVX2'
    finish
fi
if ! [ -f "$(dirname "$plain")/profiled" ]; then
    skip cost 'the ceilings are those of a build by a profile'
    finish
fi

# Lines of 40 features with values, out of 4000, and with large ids; lines of 30 words out of 3000, in
# five classes.
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) { s = rand() < .5 ? "1" : "-1"; id = 0
    for (k = 0; k < 40; k++) { id += 1 + int(rand() * 199); s = s sprintf(" %d:%.6f", id, rand() * 2 - 1) }
    print s } }' >"$work/numbers"
awk '{ for (i = 2; i <= NF; i++) { split($i, f, ":"); $i = sprintf("%.0f:%s", 4e9 + f[1], f[2]) } print }' \
    "$work/numbers" >"$work/large"
awk 'BEGIN { srand(2); for (i = 0; i < 3000; i++) { s = "class" int(rand() * 5) "\t"
    for (k = 0; k < 30; k++) s = s "word" int(3000 * rand() * rand()) " "; print s } }' >"$work/words"

instructions() { # COMMAND...
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $4 }'
}

# within MOST FEATURES FEW MANY: instructions with 1000 lines less and with all.
within() {
    awk -v most="$1" -v few="$3" -v many="$4" -v n=$(($2 * 1000)) 'BEGIN {
        each = (many - few) / n
        printf "%.0f instructions a feature, at most %d\n", each, most
        exit !(few > 0 && each > 0 && each <= most) }' >said || fail "$(cat said)"
    cat said >>"$work/figures"
}

# costs MOST FEATURES FILE COMMAND...: at most so many instructions for a feature of the last 1000
# lines; the command ends with the file.
costs() {
    local most=$1 features=$2 file=$3 few many
    shift 3
    head -n 2000 "$file" >few
    few=$(instructions "$@" few) many=$(instructions "$@" "$file")
    within "$most" "$features" "$few" "$many"
}

# The same of a cache, which cannot be cut.
from_cache() {
    local few many
    "$plain" convert -q --to cache -o few.cache <(head -n 2000 "$work/numbers")
    "$plain" convert -q --to cache -o many.cache "$work/numbers"
    few=$(instructions "$plain" train -q --threads 1 -l pa few.cache)
    many=$(instructions "$plain" train -q --threads 1 -l pa many.cache)
    within 156 40 "$few" "$many"
}

"$plain" train -q -l pa -m "$work/numbers.model" "$work/numbers"
"$plain" train -q -l pa -m "$work/words.model" "$work/words"
# The panel and logistic scale these values (model/units.h), whose signs and sizes are as bad for it as
# can be: a scale grows in most examples. Without scaling they need 420 and 260. In the panel naive Bayes
# learns from them as well; before, it sat out. `test` draws probabilities towards even ones by the number of
# examples (measure/calibration.h): 60 instructions an example. Every example asks which of its forms a rule sees: 1
# or 2 instructions a feature from a cache. Since panels learn in stretches, with members on several threads
# (step/stretch.h), every example passes through more functions; a single rule for two labels takes a short way
# (step/alone.c), which saves as much.
# Words are found in two steps, the cell and then the name, so that a name takes a quarter of the memory
# (lexicon/lexicon.h): 30 instructions a word, in the same time. The fits of probabilities are vector code for
# many labels: with five, as here, they take 500 instructions an example more, with twenty 1500 fewer; each of
# the first 16384 examples is fitted.
# Three builds by a fresh profile differed by up to 1 %, most of it in words; the ceilings allow for that.
check 'numbers: train pa' costs 243 40 "$work/numbers" "$plain" train -q --threads 1 -l pa
check 'numbers: train the panel' costs 566 40 "$work/numbers" "$plain" train -q --threads 1
check 'numbers: train logistic' costs 330 40 "$work/numbers" "$plain" train -q --threads 1 -l logistic
check 'numbers: test' costs 235 40 "$work/numbers" "$plain" test -q --threads 1 -m "$work/numbers.model"
check 'numbers from 2^24 on: train pa' costs 345 40 "$work/large" "$plain" train -q --threads 1 -l pa
check 'numbers from a cache: train pa' from_cache
check 'words: train pa' costs 614 30 "$work/words" "$plain" train -q --threads 1 -l pa
check 'words: test' costs 472 30 "$work/words" "$plain" test -q --threads 1 -m "$work/words.model"
check 'words: predict' costs 450 30 "$work/words" "$plain" predict -q --threads 1 -m "$work/words.model"
[ -z "${FIGURES:-}" ] || cat "$work/figures"
finish
