#!/bin/bash
# The shared library as others link it: its soname, its version, the symbols it exports, and the
# programs in examples/ built against it where it is installed.
. "$(dirname "$0")/lib.bash"

build=$(dirname "$plain")
library=$build/src/libthresh.so
theory=$build/theory/libthresh-theory.so
header=$here/../../include/thresh.h
theory_header=$here/../../include/thresh_theory.h

# exported_symbols LIBRARY GOLDEN. Adding a function to the header adds a line to the golden file; a
# line that goes away, or changes, breaks programs that are linked already and needs a new soname.
exported_symbols() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sort >symbols
    [ -s symbols ] || fail 'nm shows no symbols'
    ! grep -v '^thr_' symbols >others || fail "exports what is not thr_*: $(cat others)"
    diff "$golden/$2" symbols >difference || fail "$(cat difference)"
}

# declared_symbols LIBRARY HEADER: every exported function is declared, and every declared one exported.
declared_symbols() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sort >symbols
    awk '/^THR_API/ { on = 1 } on { text = text $0 } /;/ { if (on) print text; on = 0; text = "" }' \
        "$2" | sed 's/(.*//; s/.*[ *]//' | sort >declared
    diff declared symbols >difference || fail "$(cat difference)"
}

soname() { # LIBRARY SONAME
    objdump -p "$1" | awk '$1 == "SONAME" { print $2 }' >found
    [ "$(cat found)" = "$2" ] || fail "soname $(cat found)"
}

# Learning needs neither exact arithmetic nor the theory.
core_needs_no_gmp() {
    objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }' >needed
    ! grep -E 'gmp|thresh' needed || fail "libthresh needs $(cat needed)"
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

# ---- installed ----

# Installs the plain build into $work/installed, whose .pc file is then made to say so.
install_library() {
    local pc
    DESTDIR=$work/installed meson install --no-rebuild -C "$build" >log 2>&1 || fail "$(tail -3 log)"
    for pc in $(find "$work/installed" -name 'thresh*.pc'); do
        sed -i "s|^prefix=|prefix=$work/installed|" "$pc"
    done
    [ -n "$pc" ] || fail 'there is no thresh.pc'
}

# Has pkg-config find it.
use_installed() {
    PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name thresh.pc)")
    export PKG_CONFIG_PATH
}

# compile NAME: examples/NAME.c as C11 without a warning, against the installed library.
compile() {
    local package=thresh
    use_installed
    ! grep -q 'thresh_theory.h' "$here/../../examples/$1.c" || package=thresh-theory
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -pthread \
        "$here/../../examples/$1.c" $(pkg-config --cflags --libs $package) \
        -Wl,-rpath,"$(pkg-config --variable=libdir thresh)" -o "$1" 2>log || fail "$1: $(cat log)"
}

# example NAME EXPECTED [ARGUMENT...]: it prints that, with the input of file `in` if it is there.
example() {
    local name=$1 expected=$2
    shift 2
    compile "$name" || return
    [ -e in ] || : >in
    timeout 60 "./$name" "$@" >said 2>err <in || fail "$name ended with $?: $(cat err)"
    [ "$(cat said)" = "$expected" ] || fail "$name said: $(cat said)"
    ldd "./$name" | grep -q "libthresh.so.1 => $work/installed" || fail "$name uses $(ldd "./$name")"
}

stream_example() {
    printf '+1 1:1\n-1 2:1\n+1 1:1\n-1 2:1\n' | gzip >in
    example stream '4 examples, mistakes on the way: 1'
}

resume_example() {
    example resume '60 examples, 4 features' "$data/three.svm" model
    "$plain" test -m model "$data/three.svm" >/dev/null || fail 'the model does not open'
}

# Every file in examples/ is built by some test here, and listed in its README.
all_examples() {
    local file name
    for file in "$here"/../../examples/*.c; do
        name=$(basename "$file" .c)
        grep -q "example $name \|example-$name" "$here/library.sh" || fail "$name is not tested"
        grep -q "\`$name.c\`" "$here/../../examples/README.md" || fail "$name is not in the README"
    done
}

# Each installed header alone, in C11 and C++11, pedantically.
header_alone() { # HEADER
    local flags
    use_installed
    flags=$(pkg-config --cflags thresh)
    printf '#include <%s>\n#include <%s>\nint main(void) { return THR_VERSION_MAJOR; }\n' "$1" "$1" >a.c
    # shellcheck disable=SC2086
    "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror $flags -c a.c 2>log || fail "C: $(cat log)"
    command -v "${CXX:-c++}" >/dev/null || return 0
    # shellcheck disable=SC2086
    "${CXX:-c++}" -std=c++11 -pedantic -Wall -Wextra -Werror $flags -x c++ -c a.c 2>log || fail "C++: $(cat log)"
}

check version version
if [ -e "$library" ]; then
    check exported-symbols exported_symbols "$library" symbols.txt
    check declared-symbols declared_symbols "$library" "$header"
    check soname soname "$library" libthresh.so.1
    check core-needs-no-gmp core_needs_no_gmp
    check installed install_library
    check header-alone header_alone thresh.h
    check example-classify example classify $'spam\tcheap watches\nham\tsee you at lunch'
    check example-stream stream_example
    check example-arrays example arrays $'row 0: 1\nrow 1: -1'
    check example-explain example explain "$(printf '%s\n' \
        'spam, because of cheap (+0.20) watches (+0.20) at (-0.10) noon (-0.10) (bias) (+0.10)' \
        'cheap weighs +0.45 for spam' 'cheap weighs -0.45 for ham')"
    check example-resume resume_example
    check example-threads example threads '4 of 4 threads were right'
    check all-examples all_examples
    if [ -e "$theory" ]; then
        check theory-exported-symbols exported_symbols "$theory" symbols-theory.txt
        check theory-declared-symbols declared_symbols "$theory" "$theory_header"
        check theory-soname soname "$theory" libthresh-theory.so.1
        check theory-header-alone header_alone thresh_theory.h
        check example-certify example certify 'separable: yes, gamma at least 0.71'
    else
        skip theory-exported-symbols 'this build has no libthresh-theory'
    fi
else
    skip exported-symbols "$library is not there"
fi
finish
