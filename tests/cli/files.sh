#!/bin/bash
# The files that thresh writes: temporary names that somebody has taken, modes, links, limits,
# signals, files left over, and places where a model cannot be written.
. "$(dirname "$0")/lib.bash"

"$plain" gen disjunction:n=50 -n 300 >"$work/d" 2>/dev/null
"$plain" train -q -m "$work/model" "$work/d"

# Each command that writes a file, with the file it writes: o.
writers() {
    cat <<END
train -q -m o $work/d
train -q --cache o $work/d
train -q --log o $work/d
train -q -t $work/d --errors o $work/d
race -q --html o $work/d
tune -q -l pa -m o $work/d
merge -q -o o $work/model $work/model
convert -q --to vw -o o $work/d
END
}

# Links stand at the temporary names that the process would use. Its id is that of the shell that
# becomes thresh, so that they can be made before.
planted() {
    local line
    while read -r line; do
        rm -rf ./*
        echo precious >victim
        # shellcheck disable=SC2016
        line=$line bash -c 'for n in "o.$$" "o.$$-0" "o.thresh-$$-0"; do ln -s victim "$n.tmp"; done
            exec "$1" $line' - "$thresh" >out 2>err || fail "$line: $(cat err)"
        [ "$(cat victim)" = precious ] || fail "$line wrote through a planted link"
        [ -f o ] && [ ! -L o ] || fail "$line wrote nothing"
    done < <(writers)
}
check files-planted-links-are-not-followed planted

modes() {
    local line
    while read -r line; do
        rm -f o err out
        # shellcheck disable=SC2086
        "$plain" $line >/dev/null 2>&1
        chmod 640 o
        # shellcheck disable=SC2086
        run "$thresh" $line
        [ "$status" -eq 0 ] || fail "$line: $(cat err)"
        [ "$(stat -c %a o)" = 640 ] || fail "$line: mode $(stat -c %a o)"
    done < <(writers | grep -v -e --cache)
    umask 077
    rm -f o
    works "$thresh" convert -q --to vw -o o "$work/d"
    [ "$(stat -c %a o)" = 600 ] || fail "a new file has mode $(stat -c %a o)"
}
check files-keep-their-mode modes

links() {
    local line
    while read -r line; do
        rm -rf ./*
        mkdir real
        ln -s real/there o
        # shellcheck disable=SC2086
        run "$thresh" $line
        [ "$status" -eq 0 ] && [ -L o ] && [ -f real/there ] || fail "$line: $status $(cat err)"
        # shellcheck disable=SC2086
        run "$thresh" $line
        [ "$status" -eq 0 ] && [ -L o ] && [ -f real/there ] || fail "$line again: $status $(cat err)"
        no_litter
    done < <(writers)
}
check files-links-are-followed links

# All that is written is synced, and so is its folder.
synced() {
    local line
    while read -r line; do
        rm -f o
        # shellcheck disable=SC2086
        strace -f -e trace=fsync -o calls "$plain" $line >/dev/null 2>&1
        [ "$(grep -c 'fsync(.*= 0' calls)" -eq 2 ] || fail "$line: $(cat calls)"
    done < <(writers)
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    check files-are-synced synced
else
    skip files-are-synced 'no strace'
fi

# A limit on the size of files is an error like a full disk.
limited() {
    local line
    "$plain" gen disjunction:n=50 -n 3000 >big 2>/dev/null
    while read -r line; do
        cp "$work/model" m
        # shellcheck disable=SC2086
        (ulimit -f 2 && exec "$plain" $line) >out 2>err
        status=$?
        [ "$status" -eq 1 ] || fail "$line: status $status"
        grep -q '^thresh: cannot write' err || fail "$line: $(cat err)"
        same m "$work/model"
        no_litter
    done <<END
train -q -m m big
train -q --cache c big
convert -q --to vw -o v big
train -q --log l big
END
}
check files-size-limit limited

# stopped SIGNAL STATUS: while three files are being written.
stopped() {
    local pid
    mkfifo pipe
    cp "$work/model" m
    set -m
    "$thresh" train -q -f svmlight -m m -t "$work/d" --errors e --log l pipe >out 2>err &
    pid=$!
    set +m
    exec 3>pipe
    cat "$work/d" >&3
    for _ in $(seq 100); do
        [ "$(find . -name '*.tmp' | wc -l)" -eq 2 ] && break
        sleep 0.1
    done
    [ "$(find . -name '*.tmp' | wc -l)" -eq 2 ] || fail "not two files: $(ls)"
    kill "-$1" "$pid"
    wait "$pid"
    status=$?
    exec 3>&-
    [ "$status" -eq "$2" ] || fail "status $status: $(cat err)"
    [ ! -e e ] && [ ! -e l ] || fail "$(ls)"
    same m "$work/model"
    no_litter
}
check files-sigterm stopped TERM 130
check files-sigint stopped INT 130
check files-sighup stopped HUP 129

# What a killed process left behind is removed by the next that writes the same file.
left_over() {
    local pid
    mkfifo pipe
    "$plain" convert -q -f svmlight --to vw -o o pipe 2>/dev/null &
    pid=$!
    exec 3>pipe
    for _ in $(seq 100); do
        [ -n "$(find . -name 'o.*.tmp')" ] && break
        sleep 0.1
    done
    [ -n "$(find . -name 'o.*.tmp')" ] || fail 'nothing was begun'
    works "$thresh" convert -q --to vw -o o "$work/d"
    [ -n "$(find . -name 'o.*.tmp')" ] || fail 'the file of a running process was removed'
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    exec 3>&-
    works "$thresh" convert -q --to vw -o o "$work/d"
    no_litter
}
check files-left-over left_over

# ---- where a model cannot be written ----

no_place() {
    local what
    mkfifo pipe
    mkdir folder
    echo 'no svmlight' >d # nobody has looked at it yet
    for what in train 'tune -l pa'; do
        # shellcheck disable=SC2086
        refused 1 'cannot write pipe: it is a named pipe, and a model is written to a file' \
            timeout 20 "$thresh" $what -f svmlight -m pipe d
        # shellcheck disable=SC2086
        refused 1 'cannot write folder: it is a directory' "$thresh" $what -f svmlight -m folder d
    done
    refused 1 'named pipe' timeout 20 "$thresh" online -m pipe
    refused 1 'named pipe' timeout 20 "$thresh" merge -o pipe "$work/model" "$work/model"
    refused 1 'pipe.*not a thresh model' timeout 20 "$thresh" predict -m pipe "$work/d"
}
check files-no-place-for-a-model no_place

# What worked goes on working: devices, and pipes that a shell has made.
other_places() {
    works "$thresh" train -q -m /dev/null "$work/d"
    [ -c /dev/null ] || fail '/dev/null was replaced'
    ln -s /proc/self/fd/1 stdout # not /dev/stdout, which a wrong rename would replace for everyone
    "$thresh" train -q -m stdout "$work/d" | cat >piped
    same piped "$work/model"
    "$thresh" train -q -m stdout "$work/d" >direct
    same direct "$work/model"
    "$thresh" train -q -m >(cat >shell) "$work/d"
    for _ in $(seq 100); do
        cmp -s shell "$work/model" && break
        sleep 0.1
    done
    same shell "$work/model"
    "$thresh" convert -q --to vw -o stdout "$work/d" >v
    [ -L stdout ] || fail 'the link to standard output was replaced'
    works "$thresh" convert -q --to vw -o w "$work/d"
    same v w
}
check files-devices-and-pipes other_places

# ---- caches: faults that left one missing or different without a word ----

unread() {
    cp "$work/d" d
    strace -f -o calls -e trace=pread64 -e inject=pread64:error=EIO:when="$1" \
        "$plain" train -q --cache c --threads 1 d 2>err
    status=$?
    grep -q INJECTED calls || return 0
    [ "$status" -eq 1 ] && grep -q 'cannot read d' err || fail "read $1: status $status $(cat err)"
    [ ! -e c ] || fail 'a cache was written'
    no_litter
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    for n in 3 5 7 9; do
        check "files-cache-unread-$n" unread $n
    done
else
    skip files-cache-unread 'no strace'
fi
finish
