#!/bin/bash
# The shared library as others link it: its soname, its version, the symbols it exports, and the
# programs in examples/ built against it where it is installed.
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

# ---- installed ----

# Installs the plain build into $work/installed, whose .pc file is then made to say so.
install_library() {
    local pc
    DESTDIR=$work/installed meson install --no-rebuild -C "$build" >log 2>&1 || fail "$(tail -3 log)"
    pc=$(find "$work/installed" -name thresh.pc)
    [ -n "$pc" ] || fail 'there is no thresh.pc'
    sed -i "s|^prefix=|prefix=$work/installed|" "$pc"
}

# Has pkg-config find it.
use_installed() {
    PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name thresh.pc)")
    export PKG_CONFIG_PATH
}

# compile NAME: examples/NAME.c as C11 without a warning, against the installed library.
compile() {
    use_installed
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -pthread \
        "$here/../../examples/$1.c" $(pkg-config --cflags --libs thresh) \
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
    ldd "./$name" | grep -q "libthresh.so.0 => $work/installed" || fail "$name uses $(ldd "./$name")"
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

# The installed header alone, in C11 and C++11, pedantically.
header_alone() {
    local flags
    use_installed
    flags=$(pkg-config --cflags thresh)
    printf '#include <thresh.h>\n#include <thresh.h>\nint main(void) { return THR_VERSION_MAJOR; }\n' >a.c
    # shellcheck disable=SC2086
    "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror $flags -c a.c 2>log || fail "C: $(cat log)"
    command -v "${CXX:-c++}" >/dev/null || return 0
    # shellcheck disable=SC2086
    "${CXX:-c++}" -std=c++11 -pedantic -Wall -Wextra -Werror $flags -x c++ -c a.c 2>log || fail "C++: $(cat log)"
}

check version version
if [ -e "$library" ]; then
    check exported-symbols exported_symbols
    check declared-symbols declared_symbols
    check soname soname
    check installed install_library
    check header-alone header_alone
    check example-classify example classify $'spam\tcheap watches\nham\tsee you at lunch'
    check example-stream stream_example
    check example-arrays example arrays $'row 0: 1\nrow 1: -1'
    check example-explain example explain "$(printf '%s\n' \
        'spam, because of cheap (+0.20) watches (+0.20) at (-0.10) noon (-0.10) (bias) (+0.10)' \
        'cheap weighs +0.45 for spam' 'cheap weighs -0.45 for ham')"
    check example-resume resume_example
    check example-threads example threads '4 of 4 threads were right'
    check all-examples all_examples
else
    skip exported-symbols "$library is not there"
fi
finish
