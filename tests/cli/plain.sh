#!/bin/bash
# Without code for particular processors, and compiled in another way: the same models and
# predictions, byte for byte. On a processor without AVX2 the two are nearly the same program.
. "$(dirname "$0")/lib.bash"
root=$(cd "$here/../.." && pwd)

built() {
    meson setup "$work/build" "$root" -Dplain=true -Doptimization=1 >log 2>&1 || fail "$(tail -n 5 log)"
    ninja -C "$work/build" thresh >log 2>&1 || fail "$(tail -n 20 log)"
}
if ! command -v meson >/dev/null || ! command -v ninja >/dev/null; then
    skip plain 'meson and ninja are not there'
    finish
fi
check plain-built built
other=$work/build/thresh

# Values of many lengths, counts and words, two labels and five; so long that probabilities are
# fitted from some examples only.
awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) { s = rand() < .5 ? "1" : "-1"; id = 0
    for (k = 0; k < 30; k++) { id += 1 + int(rand() * 199); v = rand() * 2 - 1
        s = s sprintf(k % 3 ? " %d:%.6f" : k % 2 ? " %d:1" : " %d:%.13g", id, v) }
    print s } }' >"$work/two"
awk '{ $1 = (NR * 7919) % 5 + 1; print }' "$work/two" | head -n 2000 >"$work/five"
awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) { c = int(rand() * 5); s = "class" c "\t"
    for (k = 0; k < 20; k++) s = s "word" int(rand() * 400) + 150 * c " "; print s } }' >"$work/text"

same_models() { # FILE ARGUMENT...
    local file=$1
    shift
    "$plain" train -q -m a "$@" "$file" || fail "train $* failed"
    "$other" train -q -m b "$@" "$file" || fail "train $* failed"
    same a b
    "$plain" predict -q --scores --probabilities -m a "$file" >a.said
    "$other" predict -q --scores --probabilities -m b "$file" >b.said
    same a.said b.said
}
check plain-panel-two same_models "$work/two"
check plain-panel-five same_models "$work/five"
check plain-panel-text same_models "$work/text"
for format in vw jsonl; do
    "$plain" convert -q --to $format -o "$work/two.$format" "$work/two"
    check "plain-pa-$format" same_models "$work/two.$format" -l pa
done
awk 'BEGIN { print "label,a,b,c,word"; srand(4); for (i = 0; i < 5000; i++)
    printf "%d,%.6f,%.17g,%d,w%d\n", rand() * 3, rand() - .5, rand() * 1000, rand() * 9, rand() * 50 }' \
    >"$work/table.csv"
check plain-pa-csv same_models "$work/table.csv" -l pa
check plain-panel-hashed same_models "$work/text" --hash-bits 8
for learner in pa averaged pegasos adagrad arow balanced winnow logistic bayes; do
    check "plain-$learner-text" same_models "$work/text" -l "$learner"
done
check plain-pa-two same_models "$work/two" -l pa
check plain-pa-five same_models "$work/five" -l pa
check plain-unaveraged-two same_models "$work/two" -l pa:averaged=off
check plain-unaveraged-hashed same_models "$work/text" -l pa:averaged=off --hash-bits 8
finish
