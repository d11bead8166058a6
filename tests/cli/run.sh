#!/bin/bash
# tests/run itself, on a small tree of pretended tests: counts, order, skips, tests that run alone, and
# what it does where there is nothing to run.
. "$(dirname "$0")/lib.bash"
runner=$here/../run

# program FILE LINE...: a pretended cmocka program, which prints the lines.
program() {
    local file=$1
    shift
    { echo '#!/bin/sh' && printf "echo '%s'\n" "$@"; } >"$file"
    chmod +x "$file"
}

# tree: one test of each kind, all well.
tree() {
    mkdir -p tests/{unit,prop,cli,core,oracle,page,peer,tsan,fuzz/corpus/x} build/tests plain tsan/tests
    cp "$runner" tests/run
    touch tests/unit/test_a.c tests/unit/test_b.c tests/prop/prop_c.c
    echo '/* stream_seeds */' >tests/prop/prop_d.c
    echo 'test_a # with threads' >tests/tsan.txt
    local one
    for one in build/tests/test_{a,b} build/tests/prop_{c,d} tsan/tests/test_a; do
        program "$one" '[ RUN      ] x' '[       OK ] x'
    done
    program build/tests/fuzz_x ''
    for one in {build,plain,tsan}/thresh; do program "$one" ''; done
    for one in tests/{cli,core,oracle,page,peer,tsan}/s.sh; do program "$one" 'ok one'; done
}

ran() { # STATUS ARGUMENT...: tests/run ends with this status
    local want=$1
    shift
    status=0
    tests/run "$@" >out 2>err || status=$?
    [ "$status" -eq "$want" ] || fail "status $status of $*: $(cat out err)"
}
ends() { [ "$(tail -n 1 out)" = "$1" ] || fail "it ends with '$(tail -n 1 out)', not '$1'"; }

all_well() {
    tree
    ran 0 build plain
    ends '6 passed, 0 failed'
    ran 0 --all build plain tsan
    ends '7 passed, 0 failed'
    grep -q '^tsan test_a .* 1 passed' out || fail 'no thread test'
    grep -q '^long prop_d .* 1 passed' out || fail 'no long run'
    ! grep -q 'long prop_c' out || fail 'a long run of what cannot be longer'
}
check run-counts all_well

# A failure, a crash, a program that runs no test: each is one failure, and what it said is shown.
failures() {
    tree
    program build/tests/test_a '[ RUN      ] x' 'why it failed' '[  FAILED  ] x' '[  FAILED  ] x'
    echo 'exit 1' >>build/tests/test_a
    program build/tests/test_b '[ RUN      ] x' 'before the crash'
    echo 'kill -SEGV $$' >>build/tests/test_b
    program build/tests/prop_c 'nothing is counted'
    echo 'exit 3' >>build/tests/fuzz_x
    printf 'echo "not ok two: so"\nexit 1\n' >>tests/cli/s.sh
    ran 1 build plain
    ends '2 passed, 5 failed'
    local words
    for words in 'why it failed' 'before the crash' 'nothing is counted' 'not ok two: so' \
        'status 3' 'status 139'; do
        grep -q "$words" out || fail "it does not show '$words'"
    done
}
check run-failures failures

skips() {
    tree
    program build/tests/test_a 'skip: no such device' '[  SKIPPED ] x' '[  SKIPPED ] x'
    program build/tests/test_b '[  SKIPPED ] silent' '[  SKIPPED ] silent'
    echo 'echo "skip two: no such tool"' >>tests/cli/s.sh
    ran 0 build plain
    ends '4 passed, 0 failed, 3 skipped'
    grep -q 'no such device' out && grep -q 'no such tool' out || fail 'a reason is missing'
    grep -q '^skip silent: no reason' out || fail 'a skip without a reason is not named'
}
check run-skips skips

# Reports come in the order of the list and in one piece, although the first test ends last.
together() {
    tree
    program tests/cli/s.sh 'not ok slow: begins'
    printf 'sleep 1\necho "not ok slow: ends"\n' >>tests/cli/s.sh
    JOBS=1 ran 1 build plain
    cp out serial
    JOBS=4 ran 1 build plain
    same out serial 'several at a time'
    grep -A 1 'slow: begins' out | grep -q 'slow: ends' || fail 'torn apart'
    JOBS=none ran 2 build plain
}
check run-in-order together

# Two tests that wait for each other: they must run at the same time, each with its own temporary
# folder, and a third that is to be alone with neither.
parallel() {
    tree
    local one other
    for one in a b; do
        other=$([ $one = a ] && echo b || echo a)
        cat >"tests/cli/$one.sh" <<END
#!/bin/sh
touch running.$one began.$one
mkdir "\$TMPDIR/mine" || exit 1
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e began.$other ] && break
    sleep 0.5
done
[ -e began.$other ] && echo 'ok beside' || echo 'not ok beside'
sleep 0.5
rm running.$one
END
        chmod +x "tests/cli/$one.sh"
    done
    program tests/cli/0.sh 'ok alone'
    printf '# alone: it must be\n[ ! -e running.a ] && [ ! -e running.b ]\n' >>tests/cli/0.sh
    JOBS=2 ran 0 build plain
    ends '9 passed, 0 failed'
    ls running.* >/dev/null 2>&1 && fail 'still running'
    grep -n 'passed, 0 failed' out | tail -n 2 | grep -q 'cli/0.sh' || fail 'the one alone is not last'
}
check run-parallel parallel

# nothing REMOVED...: without these files it is an error, and nothing is counted.
nothing() {
    tree
    rm -rf "$@"
    ran 2 $tier
    grep -q 'tests/run: ' err || fail "said $(cat err)"
    [ ! -s out ] || fail "printed $(cat out)"
}
tier='build plain'
check run-empty-build nothing build/tests
check run-no-command nothing build/thresh
check run-no-plain-command nothing plain/thresh
check run-test-not-built nothing build/tests/test_b
check run-no-unit-tests nothing tests/unit/test_a.c tests/unit/test_b.c
check run-no-properties nothing tests/prop/prop_c.c tests/prop/prop_d.c
check run-no-scripts nothing tests/cli/s.sh
check run-no-corpora nothing tests/fuzz/corpus/x
tier='--all build plain tsan'
check run-all-no-tsan-program nothing tsan/tests/test_a
check run-all-no-list nothing tests/tsan.txt
check run-all-no-pages nothing tests/page/s.sh
check run-all-no-peers nothing tests/peer/s.sh
check run-all-no-long-runs nothing tests/prop/prop_d.c
no_folder() {
    tree
    ran 2 nowhere plain
    ran 2 build
    ran 2
}
check run-no-folder no_folder
finish
