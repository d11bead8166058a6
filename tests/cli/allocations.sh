#!/bin/bash
# An allocation that fails, in the command or in a library, is an error with status 1: no command line
# crashes, and none writes a wrong file or output with status 0. A sample of what `make faults-alloc` tries.
. "$(dirname "$0")/lib.bash"
shim=$(dirname "$thresh")/tests/alloc_fail.so

sampled() {
    "$here/../faults/alloc" "$plain" "$shim" --sample 15 --jobs 2 >out 2>err || {
        grep 'fails:' out >why
        fail "$(head -n 5 why) $(tail -n 1 out) $(head -c 300 err)"
    }
    grep -q ' faults, 0 wrong$' out || fail "$(tail -n 1 out)"
}
if ! command -v python3 >/dev/null; then
    skip allocations-fail-softly 'there is no python3'
elif [ ! -f "$shim" ]; then
    skip allocations-fail-softly "there is no $shim"
else
    check allocations-fail-softly sampled
fi
finish
