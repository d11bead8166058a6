#!/bin/bash
# The folders of the library, in the order that src/meson.build lists them: each includes headers
# only of itself and of those before it, and only five of them know what a model consists of.
. "$(dirname "$0")/lib.bash"
root=$(cd "$here/../.." && pwd)
order=$(sed -n "s/^subdir('\(.*\)')\$/\1/p" "$root/src/meson.build")

theory_order=$(sed -n "s/^# order: //p" "$root/theory/meson.build")

# nothing WHAT: fails with WHAT unless it is empty.
nothing() { [ -z "$1" ] || fail "$1"; }

# Every include between two folders, as "FILE HEADER".
includes() {
    grep -rn --include='*.[ch]' '^#include "[a-z_]*/' "$1" |
        sed -E "s,^$1/([^:]*):[0-9]+:#include \"([^\"]*)\".*,\1 \2,"
}

# downwards FOLDERS: of these includes, those that go down in that order of folders.
downwards() {
    awk -v order="$1" '
        BEGIN { n = split(order, name, " "); for (i = 1; i <= n; i++) place[name[i]] = i }
        { split($1, file, "/"); split($2, header, "/") }
        place[header[1]] == 0 || place[header[1]] > place[file[1]] { print $1 " includes " $2 }'
}

includes_go_upwards() { nothing "$(includes "$root/src" | downwards "$(echo $order)")"; }
check includes-go-upwards includes_go_upwards

# Of the inside of libthresh the theory uses only what is part of both libraries (`common`).
theory_uses_what_is_common() {
    nothing "$(includes "$root/theory" |
        grep -Ev ' (base|solve)/| measure/(hedge|pac|significance)\.h$| multiclass/labels\.h$' |
        downwards "$theory_order")"
}
check theory-uses-what-is-common theory_uses_what_is_common

# What is part of both libraries uses nothing else.
common_stands_alone() {
    nothing "$(includes "$root/src" | grep -E '^(base|solve)/|^measure/(hedge|pac|significance)\.|^multiclass/labels\.' |
        grep -Ev ' (base|solve)/| measure/(hedge|pac|significance)\.h$| multiclass/labels\.h$')"
}
check common-stands-alone common_stands_alone

every_folder_is_listed() {
    nothing "$(diff <(sort <<<"$order") <(cd "$root/src" && printf '%s\n' */ | tr -d / | sort))"
    nothing "$(diff <(tr ' ' '\n' <<<"$theory_order" | sort) <(cd "$root/theory" && printf '%s\n' */ | tr -d / | sort))"
}
check every-folder-is-listed every_folder_is_listed

model_fields_stay_inside() {
    nothing "$(cd "$root" && grep -rl --include='*.[ch]' 'model/inside.h' src theory cli |
        grep -Ev '^src/(model|chain|step|file|combine)/')"
}
check model-fields-stay-inside model_fields_stay_inside

# cli/ and examples/ have their own headers, without a folder, and the public ones.
programs_use_public_headers() {
    nothing "$(cd "$root" && grep -n '^#include "[a-z_]*/' cli/*.[ch] examples/*.c)"
    nothing "$(cd "$root" && grep -ho '^#include "[^"]*"' cli/*.[ch] | sort -u | sed 's/.*"\(.*\)"/\1/' |
        while read -r header; do
            [ -e "cli/$header" ] || [ -e "include/$header" ] || echo "$header"
        done)"
}
check programs-use-public-headers programs_use_public_headers
finish
