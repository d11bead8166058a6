#!/bin/bash
# Crosses of namespaces, as given on the command line: by name, by letter, of any number of
# namespaces; what matches nothing is warned of; models made before keep their meaning.
. "$(dirname "$0")/lib.bash"

cat >"$work/d.vw" <<'END'
1 |user bob |item tea |hour h1 h2
-1 |user eve |item tea |hour h1
1 |user bob |item cake |hour h3
-1 |user eve |item cake |hour h1
END

# The features of a model that are crosses.
made() {
    "$plain" show --weights -m "$1" | cut -f 1 | grep '[*]' | sort | tr '\n' ' '
}

# crossed EXPECTED OPTION...
crossed() {
    local expected=$1
    shift
    run "$thresh" train -l perceptron -m model "$@" "$work/d.vw"
    [ "$status" -eq 0 ] && [ ! -s err ] || fail "$(cat err)"
    [ "$(made model)" = "$expected" ] || fail "$* made $(made model)"
    # Prediction makes the same features: nothing is met for the first time.
    run "$thresh" explain -m model "$work/d.vw"
    ! grep -q 'never seen' out || fail "$(cat out)"
    # The model means the same after saving, and resuming is exact.
    cat "$work/d.vw" "$work/d.vw" >twice
    "$plain" train -q -l perceptron -m once "$@" twice
    run "$thresh" train -q --init model -m again "$work/d.vw"
    same again once 'resuming'
}
pairs='user*item|bob*cake user*item|bob*tea user*item|eve*cake user*item|eve*tea '
threes='user*item*hour|bob*cake*h3 user*item*hour|bob*tea*h1 user*item*hour|bob*tea*h2 user*item*hour|eve*cake*h1 user*item*hour|eve*tea*h1 '
hours='user*hour|bob*h1 user*hour|bob*h2 user*hour|bob*h3 user*hour|eve*h1 '
check crosses-names crossed "$pairs" --cross 'user*item'
check crosses-letters crossed "$pairs" --cross 'u*i'
check crosses-bare-letters crossed "$pairs" --cross ui
check crosses-name-and-letter crossed "$pairs" --cross 'user*i'
check crosses-three-names crossed "$threes" --cross 'user*item*hour'
check crosses-three-letters crossed "$threes" --cross 'u*i*h'
check crosses-one-with-all crossed "$hours$pairs" --cross 'u**'
check crosses-a-list crossed "$hours$pairs" --cross 'u*i,u*h'
check crosses-repeated-options crossed "$hours$pairs" --cross 'u*i' --cross 'user*hour' --cross ui

no_match() {
    run "$thresh" train --cross 'u*i' --cross 'u*x' --cross 'z*item*hour' "$@" "$work/d.vw"
    [ "$status" -eq 0 ] || fail "$(cat err)"
    grep -qx "thresh: warning: the cross 'u\*x' matched no example; the namespaces met are: user, item, hour" err ||
        fail "$(cat err)"
    grep -q "the cross 'z\*item\*hour' matched" err || fail "$(cat err)"
    [ "$(grep -c 'matched no example' err)" -eq 2 ] || fail "$(cat err)"
    run "$thresh" train -q --json --cross 'u*i' --cross 'u*x' "$@" "$work/d.vw"
    grep -q '"unmatched_crosses": "u\*x",' out || fail "$(cat out)"
}
no_match_online() {
    run sh -c "'$thresh' online -l perceptron --cross 'u*i' --cross 'u*x' <'$work/d.vw'"
    grep -qx "thresh: warning: the cross 'u\*x' matched no example; the namespaces met are: user, item, hour" err ||
        fail "$(cat err)"
    [ "$(grep -c 'matched no example' err)" -eq 1 ] || fail "$(cat err)"
}
check crosses-online no_match_online
no_match_elsewhere() {
    "$plain" train -q --cross 'u*i' -m model "$work/d.vw"
    echo '1 |user bob |town x' >other
    local c
    for c in predict test explain; do
        run "$thresh" "$c" -m model other
        grep -q "the cross 'u\*i' matched no example; the namespaces met are: user, town" err || fail "$c $(cat err)"
        run "$thresh" "$c" -m model "$work/d.vw"
        ! grep -q 'matched no example' err || fail "$c $(cat err)"
    done
    printf 'a\tone two\nb\tthree\n' >text
    run "$thresh" train --cross 'u*i' text
    grep -q 'matched no example; the namespaces met are: the empty one' err || fail "$(cat err)"
}
cached() { # a cache has its crosses already
    "$plain" convert -q --cross 'u*i' --to cache -o cache "$work/d.vw"
    run "$thresh" train --cross 'u*i' -m from-cache cache
    [ "$status" -eq 0 ] && [ ! -s err ] || fail "$(cat err)"
    [ "$(made from-cache)" = "$pairs" ] || fail "$(made from-cache)"
    run "$thresh" train --cross 'user*item' cache
    [ "$status" -eq 1 ] && grep -q 'other feature settings' err || fail "$(cat err)"
}
check crosses-no-match no_match
check crosses-no-match-in-passes no_match -p 3
check crosses-no-match-with-threads no_match --threads 3
check crosses-no-match-elsewhere no_match_elsewhere
check crosses-cached cached

# A model of an earlier version that says cross=u*i has no features of that cross, and gets none.
earlier() {
    "$plain" train -q -l perceptron --cross 'uu*ii' -m model "$work/d.vw"
    "$plain" show --json -m model | grep -q '"cross": "uu\*ii"' || fail 'not kept'
    grep -aq '^cross=uu\*ii$' model || fail 'pairs of names are written as before'
    "$plain" train -q -l perceptron --cross 'u*i' -m model "$work/d.vw"
    grep -aq '^crosses=u\*i$' model || fail 'an earlier version would misread it'
}
check crosses-in-the-file earlier

too_many() {
    { printf '1 |a'; printf ' x%d' {1..400}; printf ' |b'; printf ' y%d' {1..400}; printf ' |c'
      printf ' z%d' {1..400}; echo; } >long
    run "$thresh" train --cross 'a*b*c' "$work/d.vw" long
    [ "$status" -eq 1 ] && grep -q '^thresh: long:1: 1200 features would make at least 64000000 conj' err ||
        fail "$(cat err)"
}
check crosses-too-many too_many
refused_cross() { refused 2 "$2" "$thresh" train --cross "$1" "$work/d.vw"; }
check crosses-of-one refused_cross u "'u' is not two namespaces"
check crosses-of-nothing refused_cross 'a*b,,c*d' "'' is not two namespaces"

finish
