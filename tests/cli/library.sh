#!/bin/bash
# The shared library as others link it: its soname, its version and the symbols it exports.
. "$(dirname "$0")/lib.bash"

build=$(dirname "$plain")
library=$build/src/libthresh.so
header=$here/../../include/thresh.h

# Adding a function to thresh.h adds a line to the golden file; a line that goes away, or changes,
# breaks programs that are linked already and needs a new soname.
exported_symbols() {
    nm -D --defined-only "$library" | awk '{ print $3 }' | sort >symbols
    [ -s symbols ] || fail 'nm shows no symbols'
    ! grep -v '^thr_' symbols >others || fail "exports what is not thr_*: $(cat others)"
    diff "$golden/symbols.txt" symbols >difference || fail "$(cat difference)"
}

# Every exported function is declared in the header, and every declared one is exported.
declared_symbols() {
    nm -D --defined-only "$library" | awk '{ print $3 }' | sort >symbols
    awk '/^THR_API/ { on = 1 } on { text = text $0 } /;/ { if (on) print text; on = 0; text = "" }' \
        "$header" | sed 's/(.*//; s/.*[ *]//' | sort >declared
    diff declared symbols >difference || fail "$(cat difference)"
}

soname() {
    objdump -p "$library" | awk '$1 == "SONAME" { print $2 }' >found
    [ "$(cat found)" = libthresh.so.0 ] || fail "soname $(cat found)"
}

macro() { awk -v name="$1" '$1 == "#define" && $2 == name { print $3 }' "$header" | tr -d '"'; }

# The text, the numbers, the build file and the library all name one version.
version() {
    local text
    text=$(macro THR_VERSION)
    [ "$text" = "$(macro THR_VERSION_MAJOR).$(macro THR_VERSION_MINOR).$(macro THR_VERSION_PATCH)" ] ||
        fail "THR_VERSION is $text, the numbers are others"
    grep -q "version: '$text'" "$here/../../meson.build" || fail "meson.build has another version than $text"
    [ "$("$plain" --version | cut -d' ' -f2)" = "$text" ] || fail "the command says $("$plain" --version)"
    [ -e "$library.$text" ] || fail "there is no libthresh.so.$text"
}

check version version
if [ -e "$library" ]; then
    check exported-symbols exported_symbols
    check declared-symbols declared_symbols
    check soname soname
else
    skip exported-symbols "$library is not there"
fi
finish
