# What the command-line tests share. A script sources this with its own arguments: the sanitized
# command and the plain one (default: the same). It then works in an empty folder of its own, runs
# its tests by name and ends with `finish`.
#
# A test is a function: it says `fail WHY` and returns non-zero when something is wrong. Each test
# gets its own empty folder and a subshell, so tests neither see nor stop one another.
set -u
export LC_ALL=C
thresh=$(realpath "$1") plain=$(realpath "${2:-$1}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=$(cd "$here/../data" && pwd) golden=$(cd "$here/../golden" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "$*" >>"$work/why"
    return 1
}

# check NAME FUNCTION [ARGUMENT...]
check() {
    local name=$1 status
    shift
    rm -rf "$work/why" "$work/test"
    mkdir "$work/test"
    (cd "$work/test" && "$@") >"$work/said" 2>&1
    status=$?
    if [ "$status" -eq 0 ] && [ ! -e "$work/why" ]; then
        echo "ok $name"
        return
    fi
    failures=$((failures + 1))
    [ -e "$work/why" ] || echo "status $status" >"$work/why"
    echo "not ok $name: $(head -c 600 "$work/why" | tr '\n' ';')"
    head -c 2000 "$work/said"
}

skip() {
    echo "skip $1: $2"
}

finish() {
    [ "$failures" -eq 0 ]
    exit
}

# Runs a command line; its status, output and messages are then in $status, out and err.
run() {
    timeout 240 "$@" >out 2>err </dev/null # against hanging; other tests run beside it
    status=$?
    if grep -q 'ERROR: AddressSanitizer\|runtime error:\|LeakSanitizer\|WARNING: ThreadSanitizer' err; then
        fail "sanitizer: $* $(head -c 1500 err)"
    fi
}

# refused STATUS PATTERN COMMAND...: it must end with that status, match the pattern on standard
# error in a single line and print nothing else.
refused() {
    local want=$1 pattern=$2
    shift 2
    run "$@"
    [ "$status" -eq "$want" ] || fail "status $status, not $want, of: $* ($(head -c 300 err))"
    [ ! -s out ] || fail "printed on stdout: $(head -c 100 out)"
    [ "$(grep -c '' err)" -eq 1 ] || fail "not one line of message: $(head -c 500 err)"
    grep -q -- "$pattern" err || fail "no '$pattern' in: $(head -c 300 err)"
}

# works COMMAND...: it must succeed without a word on standard error, except that a model that was
# only trained to see its figures is not saved.
works() {
    run "$@"
    sed -i '/^thresh: the model is not saved: -m FILE saves it$/d' err
    [ "$status" -eq 0 ] || fail "status $status of: $* ($(head -c 300 err))"
    [ ! -s err ] || fail "said: $(head -c 300 err)"
}

# warned PATTERN COMMAND...: it must succeed with exactly one warning.
warned() {
    local pattern=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] || fail "status $status of: $* ($(head -c 300 err))"
    [ "$(grep -c warning err)" -eq 1 ] || fail "not one warning: $(head -c 500 err)"
    grep -q -- "$pattern" err || fail "no '$pattern' in: $(head -c 300 err)"
}

same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ${3:+: $3}"
}

# no_litter: nothing half-written is left in this folder.
no_litter() {
    local left
    left=$(find . -name '*.tmp*')
    [ -z "$left" ] || fail "left behind: $left"
}

# The names in one table of `thresh --help`.
table() {
    "$plain" --help | awk -v head="$1" 'index($0, head) == 1 { on = 1; next }
        /^$/ { on = 0 } on { print $1 }'
}
learners() { table Learners; }     # of labels, all that begin with this word
solved() { table 'Learners that solve'; }
regressors() { table Regressors; } # of numbers
is_regressor() { regressors | grep -qx "${1%%:*}"; }
# shown LEARNER MODEL DATA: all that predict prints of the scores, or the numbers.
shown() {
    if is_regressor "$1"; then
        "$plain" predict -m "$2" "$3"
    else
        "$plain" predict --scores -m "$2" "$3" | cut -f3- | tr '\t' '\n' | sed 's/.*://'
    fi
}
formats() { table Formats; }
commands() { "$plain" --help | awk '/^  thresh [a-z]+ +[a-z]/ && $2 != "help" { print $2 }' | sort -u; }

has() { "$plain" --version | grep -qw "$1"; }
