#!/bin/bash
# The core by itself, without libthresh-theory, GMP and CLP: it builds, passes its unit tests, trains
# and installs.
. "$(dirname "$0")/../cli/lib.bash"
root=$(cd "$here/../.." && pwd)
build=$work/build

builds() {
    meson setup "$build" "$root" -Dtheory=false -Dgmp=disabled -Dclp=disabled -Dtests=true \
        -Dwerror=true >log 2>&1 && ninja -C "$build" >>log 2>&1 || fail "$(tail -n 5 log)"
}

passes_its_tests() {
    local program run=0
    for program in "$build"/tests/test_*; do
        [ -x "$program" ] && [ ! -d "$program" ] || continue
        run=$((run + 1))
        "$program" >said 2>&1 || fail "$(basename "$program"): $(grep 'FAILED' said | head -n 3)"
    done
    [ "$run" -ge 40 ] || fail "only $run programs were built"
}

trains() {
    run "$build/thresh" train -m model "$data/three.svm"
    [ "$status" -eq 0 ] || fail "$(cat err)"
    run "$build/thresh" certify "$data/three.svm"
    [ "$status" -eq 2 ] && grep -q "no command 'certify'" err || fail "certify: $status $(cat err)"
    ! ldd "$build/thresh" | grep -q gmp || fail 'it is linked with GMP'
}

installs() {
    DESTDIR=$PWD/to meson install --no-rebuild -C "$build" >log 2>&1 || fail "$(tail -n 3 log)"
    [ -n "$(find to -name thresh.h)" ] && [ -n "$(find to -name thresh.pc)" ] || fail 'header or .pc is missing'
    [ -z "$(find to -name '*theory*')" ] || fail "installed: $(find to -name '*theory*')"
}

check core-builds builds
check core-passes-its-tests passes_its_tests
check core-trains trains
check core-installs installs
finish
