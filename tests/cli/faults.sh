#!/bin/bash
# System calls that fail, one at a time: a part of `make faults` that takes seconds.
. "$(dirname "$0")/lib.bash"
. "$here/../faults/lib.bash"

# Each call of a scene fails once, in the commands that write the files that matter most.
every() {
    local call n faults=0 wrong=0
    cp -a "$work/start/." . # with times: a cache knows its data by them
    for call in pread64 write fsync rename; do
        for ((n = 1; n <= 40; n++)); do
            fault "$1" $call $n EIO >>said || break
        done
    done
    [ $wrong -eq 0 ] || fail "$(cat said)"
    [ $faults -gt 2 ] || fail "only $faults faults"
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    mkdir start
    (cd start && prepare 300) || exit 1
    for scene in train new-cache used-cache convert online resume; do
        check "faults-$scene" every $scene
    done
else
    skip faults 'no strace'
fi
finish
