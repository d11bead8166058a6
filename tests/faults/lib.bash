# Faults of system calls, and kills. A fault is one system call that fails with an error; strace makes it
# fail. After each fault, either the status is not 0, there is a message and the old file is as it was,
# or the status is 0 and the result is the right one. Never may anything half-written stay, nor a signal
# end the process.
#
# Sourced with $plain set to the command, in an empty folder. Each scene is a command line that writes t/o,
# with what was there before (or nothing) and what must be there afterwards.

scenes='train new-cache used-cache log errors html convert merge online lean resume predict'
calls='openat read pread64 write fsync rename fstat,newfstatat close flock lseek ftruncate'

# prepare LINES: data, the results of undisturbed runs, and what the scenes start from.
prepare() {
    local scene under=
    "$plain" gen disjunction:n=50 -n "$1" >d 2>/dev/null
    head -n 100 d >d2
    "$plain" train -q -m old d2
    "$plain" train -q -m new d
    mkdir -p t right
    for scene in $scenes; do
        begin "$scene"
        eval "$(line "$scene")" >out 2>err || { echo "prepare: $scene: $(cat err)" >&2; return 1; }
        cp t/o "right/$scene"
        cp out "right/$scene.out"
        [ "$scene" != new-cache ] || cp t/o cache
    done
}

# The command line of a scene; $plain may be preceded by strace and its options, $under.
line() {
    case $1 in
    train) echo '$under "$plain" train -q --threads 1 -m t/o d' ;;
    new-cache | used-cache) echo '$under "$plain" train -q --threads 1 --cache t/o d' ;;
    log) echo '$under "$plain" train -q --threads 1 --log t/o -l perceptron d' ;;
    errors) echo '$under "$plain" test -q --threads 1 -m old --errors t/o d' ;;
    html) echo '$under "$plain" race -q --threads 1 -l pa -l perceptron --html t/o d' ;;
    convert) echo '$under "$plain" convert -q --threads 1 --to vw -o t/o d' ;;
    merge) echo '$under "$plain" merge -q -o t/o old new' ;;
    online) echo '$under "$plain" online -q -m t/o <d' ;;
    lean) echo '$under "$plain" train -q --threads 1 --lean -m t/o d' ;;
    resume) echo '$under "$plain" train -q --threads 1 --init t/o -m t/o d' ;;
    predict) echo '$under "$plain" predict -q --threads 1 -m t/o d' ;;
    esac
}

# Puts what a scene starts from into t/o, and a copy into before.
begin() {
    rm -rf t
    mkdir t
    case $1 in
    used-cache) cp cache t/o ;;
    train | merge | online | lean | resume | predict) cp old t/o ;;
    convert) cp d2 t/o ;;
    esac
    rm -f before
    [ ! -e t/o ] || cp t/o before
}

is_as_before() {
    if [ -e before ]; then cmp -s t/o before; else [ ! -e t/o ]; fi
}
# A session of online whose answers cannot be written saves what it has learned until then.
is_right() {
    if [ "$1" = online ] && [ "${2-0}" -ne 0 ] && "$plain" show -m t/o >/dev/null 2>&1; then
        return 0
    fi
    cmp -s t/o "right/$1" || { [ "$1" = html ] && [ -s t/o ]; } # the page has a time in it
}

# judge SCENE STATUS: prints what is wrong.
judge() {
    local what="$1, status $2"
    if [ "$2" -eq 0 ]; then
        is_right "$1" || echo "$what: wrong or missing result"
        [ "$1" != predict ] || cmp -s out "right/$1.out" || echo "$what: wrong answers"
    else
        # A failure to write answers or messages may come when the result is complete.
        is_as_before || is_right "$1" "$2" || echo "$what: the old file is neither kept nor replaced"
        [ -s err ] || grep -q 'write(2.*INJECTED' trace || echo "$what: no message"
    fi
    [ "$2" -lt 124 ] || echo "$what: $(tail -n 1 err)"
    [ -z "$(find t -name '*.tmp*')" ] || grep -q 'unlink.*INJECTED' trace ||
        echo "$what: left behind: $(ls t)"
}

# fault SCENE CALL N ERROR: the N-th call fails. Returns 1 if there are not so many calls.
fault() {
    local status said under="strace -f -o trace -e trace=$2,unlink -e inject=$2:error=$4:when=$3"
    begin "$1"
    eval "timeout 60 $(line "$1")" >out 2>err
    status=$?
    grep -q INJECTED trace || return 1
    # A fault before main begins is the loader's, which reports it in its own way.
    if grep -q 'error while loading shared libraries' err; then
        return 0
    fi
    faults=$((faults + 1))
    said=$(judge "$1" $status)
    [ -z "$said" ] || {
        wrong=$((wrong + 1))
        echo "$said; $2 number $3 failed with $4: $(grep -m 1 INJECTED trace | head -c 150)"
    }
}
