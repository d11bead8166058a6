#!/bin/bash
# Another compiler: clang builds thresh without a warning, and both commands write the same bytes.
. "$(dirname "$0")/../cli/lib.bash"
root=$(cd "$here/../.." && pwd)
build=$work/build

builds() {
    CC=clang meson setup "$build" "$root" -Dtheory=false -Dwerror=true >log 2>&1 &&
        ninja -C "$build" >>log 2>&1 || fail "$(grep -m 3 'error:' log || tail -n 3 log)"
}

# same NAME ARGUMENT...: models and predictions after training on a thousand lines of words.
same() {
    local name=$1 program made
    shift
    for program in plain clang; do
        made=$plain
        [ $program = plain ] || made=$build/thresh
        "$made" train "$@" -m "$name.$program" lines >/dev/null 2>&1 &&
            "$made" predict -m "$name.$program" lines >"$name.$program.out" || fail "$program $*"
    done
    cmp "$name.plain" "$name.clang" && cmp "$name.plain.out" "$name.clang.out" || fail "$*: they differ"
}

writes_the_same() {
    awk 'BEGIN { srand(3); for (i = 0; i < 1000; i++) { line = "l" int(9 * rand()) "\t"
        for (j = 0; j < 20; j++) line = line "w" int(3000 * rand() * rand()) " "; print line } }' >lines
    same default
    same bigrams --ngrams 2 --threads 2
    for learner in pa averaged arow adagrad balanced logistic bayes; do
        same "$learner" -l "$learner"
    done
}

if ! command -v clang >/dev/null; then
    skip clang 'there is no clang here (Debian: clang)'
    finish
fi
check clang-builds builds
check clang-writes-the-same writes_the_same
finish
