#!/bin/bash
# The console blocks of the documents, pasted as they stand: each command must print what is written
# below it. A line that begins with `> ` goes on with the command above it, as a shell shows it. The
# commands of one document run in one folder, in order.
#
# DOCS=write puts what is printed now in the place of what was written, for a person to read again.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$(cd "$(dirname "$2")" && pwd):$PATH
documents=(README.md docs/TUTORIAL.md recipes/spelling.md recipes/ppattach.md recipes/questions.md recipes/spam.md)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

same_times() { sed -E 's/[0-9]+\.[0-9]+ s$/0.00 s/'; }

# Runs the command at hand; what belongs below it goes to $work/new.
check() {
    [ -n "$command" ] || return 0
    local got shown=${command%%$'\n'*}
    got=$(bash -c "$command" 2>&1 | same_times)
    if [ "$got" = "$(same_times <<<"$expected")" ]; then
        printf '%s' "${expected:+$expected$'\n'}" >>"$work/new"
        echo "ok $document: $shown"
    else
        printf '%s' "${got:+$got$'\n'}" >>"$work/new"
        printf 'not ok %s: %s\n--- written\n%s\n--- printed\n%s\n' "$document" "$command" "$expected" "$got"
    fi
}

read_document() {
    local inside=false command= expected= line
    while IFS= read -r line; do
        case $inside:$line in
        false:'```console') inside=true ;;
        true:'```')
            check
            inside=false command= expected=
            ;;
        true:'$ '*)
            check
            command=${line#\$ } expected=
            ;;
        true:'> '* | 'true:>')
            line=${line#>} line=${line# }
            command=$command$'\n'$line
            line=">${line:+ $line}"
            ;;
        true:*)
            expected=$expected${expected:+$'\n'}$line
            continue
            ;;
        esac
        printf '%s\n' "$line" >>"$work/new"
    done <"$1"
}

for document in "${documents[@]}"; do
    mkdir "$work/folder"
    cd "$work/folder" || exit 1
    ln -s "$root/recipes" recipes
    : >"$work/new"
    read_document "$root/$document"
    [ "${DOCS:-}" != write ] || cp "$work/new" "$root/$document"
    cd "$work" && rm -rf "$work/folder"
done
