#!/bin/bash
# A cache made in passing: the model is that of the data itself, to the bit; it is used only for the
# same data read in the same way, replaces nothing but a cache, and is there whole or not at all.
. "$(dirname "$0")/lib.bash"

"$plain" gen margin:n=60,active=9 -n 900 --seed 4 >"$work/a.svm"
"$plain" gen margin:n=80,active=9 -n 700 --seed 5 >"$work/b.svm"
awk '{ l = $1; $1 = ""; print l, (NR % 3 + 1) / 2, "\047id" NR " |first" $0 " |second a" NR % 9 " b:0.25" }' \
    "$work/a.svm" >"$work/spaces.vw"
awk 'BEGIN { srand(5); for (i = 0; i < 900; i++) { c = int(rand() * 3); s = "class" c "\t"
    for (k = 0; k < 9; k++) s = s "Word" int(rand() * 40) + 15 * c (k < 8 ? " " : ""); print s } }' >"$work/plain.txt"

train() {
    local model=$1
    shift
    run "$thresh" train --json -m "$model" "$@"
    [ "$status" -eq 0 ] || fail "train $*: $(cat err)"
    [ ! -s err ] || fail "said $(cat err)"
    sed 's/.*"format":"\([^"]*\)".*/\1/; s/.*"format": "\([^"]*\)".*/\1/' out | grep -m1 -o '^[a-z,]*$' >format || true
}
read_as() { [ "$(cat format)" = "$1" ] || fail "read as $(cat format), not $1"; }

# made OPTION... FILE: without, making, using; with other threads, passes and orders
made() {
    local passes
    for passes in '-p 1' '-p 3' '-p 3 --shuffle 5'; do
        rm -f c
        # shellcheck disable=SC2086
        train direct $passes --cache-limit 0 --threads 1 "$@"
        # shellcheck disable=SC2086
        train making $passes --cache c --threads 1 "$@"
        same direct making "made, $passes"
        [ "$(head -c 8 c)" = thrcache ] || fail 'no cache'
        cp c before
        # shellcheck disable=SC2086
        train using $passes --cache c --threads 4 "$@"
        read_as cache
        same direct using "used, $passes"
        same c before 'a cache in use was changed'
        # shellcheck disable=SC2086
        train passing $passes --threads 4 "$@"
        same direct passing "without a name, $passes"
        # shellcheck disable=SC2086
        train little $passes --cache-limit 1000 "$@"
        same direct little "beyond the limit, $passes"
    done
    no_litter
}
check cache-numbers made "$work/a.svm"
check cache-two-files made "$work/a.svm" "$work/b.svm"
check cache-namespaces made "$work/spaces.vw"
check cache-text made "$work/plain.txt"
check cache-ngrams made --ngrams 2 --char-ngrams 3 "$work/plain.txt"
check cache-hashed made --hash-bits 5 "$work/spaces.vw"
check cache-counted made --min-count 3 "$work/plain.txt"
check cache-crosses made --cross first*second "$work/spaces.vw"
check cache-regression made -l lms "$work/a.svm"
check cache-kept-examples made -l knn "$work/plain.txt"

# Goes on from a model that has names of its own.
goes_on() {
    train first "$work/b.svm"
    train direct --init first "$work/a.svm"
    train making --init first --cache c "$work/a.svm"
    train using --init first --cache c "$work/a.svm"
    read_as cache
    same direct making
    same direct using
    train fresh "$work/a.svm"
    train fresh2 --cache c "$work/a.svm"
    same fresh fresh2
}
check cache-goes-on goes_on

raced() {
    run "$plain" race -q --json -l pa -l arow "$work/a.svm"
    grep -v seconds out | sed 's/"seconds":[^,]*//; s/"format":[^,]*//' >direct
    for i in 1 2; do
        run "$thresh" race -q --json -l pa -l arow --cache c "$work/a.svm"
        [ "$status" -eq 0 ] || fail "$(cat err)"
        grep -v seconds out | sed 's/"seconds":[^,]*//; s/"format":[^,]*//' >cached
        [ "$i" -eq 1 ] || sed -i 's/"format": "cache"/"format": "svmlight"/' cached
        same direct cached
    done
    train direct "$work/a.svm" # what a race made serves for training
    train using --cache c "$work/a.svm"
    read_as cache
    same direct using
}
check cache-race raced

# Other data, or the same otherwise: made anew.
renewed() {
    cp "$work/a.svm" d
    train making --cache c d
    head -n 800 "$work/a.svm" >d
    train direct d
    train using --cache c d
    read_as svmlight
    same direct using shorter
    sed '1s/^-*1/3/' d >e && touch -r d e && mv e d # the same size and time
    train direct d
    train using --cache c d
    same direct using 'another first line'
    train direct d "$work/b.svm"
    train using --cache c d "$work/b.svm"
    read_as svmlight
    same direct using 'a file more'
    cp "$work/plain.txt" t
    train making --cache c t
    read_as text
    train direct --ngrams 2 t
    train using --ngrams 2 --cache c t
    read_as text
    same direct using 'other settings'
    train using --ngrams 2 --columns label=1,text=2 --cache c t
    read_as text
}
check cache-renewed renewed

# refused STATUS WORDS COMMAND...: nothing is written, and what was there stays
refuses() {
    local wanted=$1 words=$2
    shift 2
    run "$thresh" train -q -m model --cache c "$@"
    [ "$status" -eq "$wanted" ] || fail "status $status: $(cat err)"
    grep -q "$words" err || fail "said $(cat err)"
    [ ! -e model ] || fail 'a model'
    no_litter
}
not_a_cache() {
    echo precious >c
    cp c before
    refuses 2 'not a cache' "$work/a.svm"
    same c before
    cp "$work/a.svm" c
    refuses 2 'read as data' c
    same c "$work/a.svm"
    "$plain" convert -q --to cache -o c "$work/a.svm"
    cp c before
    refuses 2 'read as data' c
    same c before
}
check cache-replaces-nothing-else not_a_cache
never() {
    refuses 2 'max-features' --max-features 50 "$work/a.svm"
    refuses 2 'log' --log l "$work/a.svm"
    refuses 2 'pac' -l perceptron --pac 0.1,0.1 "$work/a.svm"
    refuses 2 'bad lines' --on-error skip "$work/a.svm"
    refuses 2 'pipe' - <"$work/a.svm"
    cat "$work/a.svm" | refuses 2 'pipe' -
    refuses 2 'both' -m c "$work/a.svm"
    [ ! -e c ] || fail 'a cache'
}
check cache-never never
bad_line() {
    { cat "$work/a.svm"; echo '1 7:x'; } >d
    refuses 1 'd:901:' d
    [ ! -e c ] || fail 'a cache of half the data'
    refuses 1 'no-such' no-such/data "$work/a.svm"
    run "$thresh" train -q --cache no/c "$work/a.svm"
    [ "$status" -eq 1 ] && grep -q 'no/c' err || fail "$status: $(cat err)"
}
check cache-bad-line bad_line

# Interrupted anywhere: the cache is whole or not there.
interrupted() {
    for _ in 1 2 3 4 5 6 7 8; do cat "$work/plain.txt"; done >d
    "$plain" train -q -m direct d
    for after in 0.01 0.02 0.04 0.08; do
        rm -f c
        timeout -s INT "$after" "$plain" train -q --cache c d 2>/dev/null || true
        no_litter
        "$plain" train -q -m using --cache c d
        same direct using
    done
}
check cache-interrupted interrupted

# Damage is found, not learned from.
damaged() {
    train making --cache c "$work/a.svm"
    printf '\377' | dd of=c bs=1 seek=$(($(stat -c %s c) - 40)) conv=notrunc 2>/dev/null
    refuses 1 'damaged' "$work/a.svm"
}
check cache-damaged damaged
finish
