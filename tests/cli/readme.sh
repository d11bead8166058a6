#!/bin/bash
# The README's console blocks, pasted as they stand: each command must print what is written.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$(dirname "$2"):$PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

same_times() { sed -E 's/[0-9]+\.[0-9]+ s$/0.00 s/'; }

check() {
    [ -n "$1" ] || return 0
    local got
    got=$(bash -c "$1" 2>&1 | same_times)
    if [ "$got" = "$(same_times <<<"$2")" ]; then
        echo "ok readme: $1"
    else
        printf 'not ok readme: %s\n--- README\n%s\n--- printed\n%s\n' "$1" "$2" "$got"
    fi
}

inside=false command= expected=
while IFS= read -r line; do
    case $inside:$line in
    false:'```console') inside=true command= expected= ;;
    true:'```')
        check "$command" "$expected"
        inside=false
        ;;
    true:'$ '*)
        check "$command" "$expected"
        command=${line#\$ } expected=
        ;;
    true:*) expected=$expected${expected:+$'\n'}$line ;;
    esac
done <"$root/README.md"
