#!/bin/bash
# What bad input gets: a sentence with its place, status 1 (2 for wrong usage), nothing lost.
. "$(dirname "$0")/lib.bash"

# A small model that failing runs are pointed at, and its training data.
printf '%s\n' '+1 1:1 2:0.5' '-1 2:1 3:2' '+1 1:2 4:1' '-1 3:1' >"$work/good.svm"
printf 'ham\tsee you at noon\nspam\twin a prize\nham\tlunch then\n' >"$work/good.txt"
"$plain" train -q -l perceptron -m "$work/kept.model" "$work/good.svm" || exit 1

# bad PATTERN FILE [OPTION...]: training on FILE over an existing model fails and keeps it.
bad() {
    local pattern=$1 file=$2
    shift 2
    cp "$work/kept.model" model
    refused 1 "$pattern" "$thresh" train -m model "$@" "$file"
    same model "$work/kept.model" "a failed run changed the model"
    no_litter
}

# bad_line PLACE TEXT [OPTION...]: TEXT (for printf) as the second line of svmlight data.
bad_line() {
    local place=$1 text=$2
    shift 2
    printf "+1 1:1\n$text\n-1 2:1\n" >d.svm
    bad "d\.svm:$place: ." d.svm -f svmlight "$@"
}

# ---- no example at all ----

empty() { : >d; bad 'd' d; }
only_newlines() { printf '\n\n\n' >d; bad '.' d -f svmlight; }
only_comments() { printf '# nothing\n# here\n' >d; bad '.' d -f svmlight; }
empty_stdin() {
    cp "$work/kept.model" model
    run bash -c ': | "$1" train -m model -' - "$thresh"
    [ "$status" -eq 1 ] && [ ! -s out ] || fail "status $status: $(cat err)"
    same model "$work/kept.model"
}
check bad-empty-file empty
check bad-only-newlines only_newlines
check bad-only-comments only_comments
check bad-empty-stdin empty_stdin

# ---- garbage ----

garbage() { head -c 3000 "$thresh" | tail -c 2500 >d; bad '^thresh: d:1:[0-9]*: ' d; }
garbage_after() {
    { cat "$work/good.svm"; head -c 3000 "$thresh" | tail -c 2500; } >d
    bad '^thresh: d:5:[0-9]*: ' d -f svmlight
}
garbage_every_format() {
    local f
    head -c 3000 "$thresh" | tail -c 2500 >d
    for f in $(formats); do
        bad '^thresh: d:' d -f "$f"
    done
}
vw_problem() { # PLACE, MESSAGE, LINE: as the second line of vw data
    printf '1 | a b\n%s\n' "$3" >d
    bad "^thresh: d:$1: .*$2" d
    printf '%s\n' "$3" >d # also where it decides on the format
    bad "^thresh: d:1:${1#*:}: .*$2" d
}
check bad-vw-cost-sensitive vw_problem 2:1 'cost-sensitive label.*least cost' '1:0 2:1 | a'
check bad-vw-one-cost vw_problem 2:1 'cost-sensitive label' '1:0.5 | a'
check bad-vw-bandit vw_problem 2:1 'contextual-bandit label.*right action' '1:2:0.4 | a'
check bad-vw-bandit-among-actions vw_problem 2:3 'contextual-bandit label' '1 2:2:0.4 | a'
check bad-vw-shared vw_problem 2:1 'multi-line example.*one line' 'shared | a'
check bad-vw-ccb vw_problem 2:1 'conditional contextual bandit.*one line' 'ccb slot 0:0.8:1.0 0 | a'
check bad-vw-slates vw_problem 2:1 'slates.*one line' 'slates action 0 | a'

nul() { printf '+1 1:1\n-1 2\0:1\n' >d; bad '^thresh: d:2:5: .*NUL' d; }

# A NUL in running text is taken as a blank, with a warning, also where the format is detected;
# with --strict it is an error. In DATA (for printf) an @ stands for the NUL.
with_nul() { # DATA
    case $1 in
    *{*) printf "$1" | sed 's/@/\\u0000/' ;;
    *) printf "$1" | tr '@' '\000' ;;
    esac
}
nul_in_text() { # PLACE, DATA, OPTION...
    local place=$1 data=$2
    shift 2
    with_nul "$data" >d
    run "$thresh" train -m with "$@" d
    [ "$status" -eq 0 ] || fail "$(cat err)"
    grep -q 'warning: 1 byte of text is NUL; each is taken as a blank' err || fail "$(cat err)"
    run "$thresh" train --json "$@" d
    grep -q '"nul_bytes": 1,' out || fail "$(cat out)"
    run "$thresh" lint d
    grep -q '^1 byte of text is NUL' out || fail "$(cat out)"
    printf "${data//@/ }" >d
    run "$thresh" train -m without "$@" d
    ! grep -q 'NUL' err || fail "$(cat err)"
    same with without 'a blank gives another model'
    with_nul "$data" >d
    bad "^thresh: d:$place: .*NUL" d --strict "$@"
}
nul_elsewhere() { # PLACE, DATA, OPTION...
    local place=$1
    with_nul "$2" >d
    shift 2
    bad "^thresh: d:$place: ." d "$@"
    bad "NUL\|control character" d "$@"
}
words='--tokens spaces --char-ngrams 2-3'
check bad-nul-in-text nul_in_text 2:9 'a\tone two\nb\tthree @four five six seven eight\n'
check bad-nul-in-words nul_in_text 2:8 'a\tone two\nb\tthree@four five six seven eight\n' $words
check bad-nul-in-fasttext nul_in_text 2:17 '__label__a one two\n__label__b three@four five six\n'
check bad-nul-in-csv nul_in_text 3:6 'label,text\na,one two\nb,two@four five six seven eight\n'
check bad-nul-in-quotes nul_in_text 3:12 'label,text\na,one two\nb,"x ""y"" @four, five six seven"\n'
check bad-nul-in-json nul_in_text 2:14 \
    '{"label":"a","text":"one"}\n{"label":"b","text":"two @ four"}\n'
check bad-nul-in-a-label nul_elsewhere 2:2 'a\tone two\nb@c\tthree four five six seven eight nine\n'
check bad-nul-in-a-fasttext-label nul_elsewhere 2:11 '__label__a one two\n__label__b@c three\n' -f fasttext
check bad-nul-in-a-field nul_elsewhere 3:4 'label,town\na,one\nb,t@o\n'
check bad-nul-in-a-header nul_elsewhere 1 'label,to@wn\na,one\nb,two\n'
check bad-nul-in-vw nul_elsewhere 2:6 '1 | a\n2 | b@c\n'
check bad-nul-in-a-json-label nul_elsewhere 1:2 '{"label":"a@","text":"one"}\n'
nul_byte_in_json() { printf '{"label":"a","text":"one\0"}\n' >d; bad '^thresh: d:1:24: .*control character' d -f jsonl; }
check bad-nul-byte-in-json nul_byte_in_json
check bad-garbage garbage
check bad-garbage-after-good-lines garbage_after
check bad-garbage-in-every-format garbage_every_format
check bad-nul nul

# ---- line ends ----

crlf() {
    sed 's/$/\r/' "$work/good.svm" >crlf
    works "$thresh" train -q -m a "$work/good.svm"
    works "$thresh" train -q -m b crlf
    same a b
    sed 's/$/\r/' "$work/good.txt" >crlf.txt
    works "$thresh" train -q -m c "$work/good.txt"
    works "$thresh" train -q -m d crlf.txt
    same c d
}
no_final_newline() {
    head -c -1 "$work/good.svm" >cut
    works "$thresh" train -q -m a "$work/good.svm"
    works "$thresh" train -q -m b cut
    same a b
    head -c -1 "$work/good.txt" >cut.txt
    works "$thresh" train -q -m c "$work/good.txt"
    works "$thresh" train -q -m d cut.txt
    same c d
}
check ok-crlf crlf
check ok-no-final-newline no_final_newline

# ---- numbers ----

check bad-nan bad_line 2:6 '-1 2:nan'
check bad-NaN bad_line 2:6 '-1 2:NaN'
check bad-inf bad_line 2:6 '-1 2:inf'
check bad-minus-Inf bad_line 2:6 '-1 2:-Inf'
check bad-1e400 bad_line 2:6 '-1 2:1e400'
check bad-over-float bad_line 2:6 '-1 2:1e39'
check bad-label-nan bad_line 2:1 'nan 2:1'
check bad-label-1e400 bad_line 2:1 '1e400 2:1'
check bad-negative-id bad_line 2:4 '-1 -2:1'
check bad-huge-id bad_line 2:4 '-1 18446744073709551616:1'
check bad-very-huge-id bad_line 2:8 '-1 1:1 99999999999999999999999999999999:1'
check bad-missing-value bad_line '2:[67]' '-1 2: 3:1'
check bad-no-colon bad_line '2:[45]' '-1 2 3:1'
check bad-word-for-value bad_line 2:6 '-1 2:two'
check bad-word-for-id bad_line 2:4 '-1 two:1'
check bad-two-points bad_line '2:[6-9]' '-1 2:1.2.3'

largest_id() {
    printf '+1 18446744073709551615:1\n-1 16777216:1\n+1 16777215:1\n-1 0:1\n' >d
    works "$thresh" train -q -m m d -f svmlight
    works "$thresh" show -m m --weights
    grep -q '^18446744073709551615	' out || fail "the name is lost: $(cat out)"
}
check ok-largest-id largest_id

other_formats() {
    printf '1 |a x:1\n-1 |a y:nan\n' >d.vw
    bad '^thresh: d.vw:2:[0-9]*: ' d.vw -f vw
    printf '1 |a x:1\n-1 |a y:1e400\n' >d.vw
    bad '^thresh: d.vw:2:[0-9]*: ' d.vw -f vw
    printf '1 nan |a x:1\n' >d.vw
    bad '^thresh: d.vw:1:[0-9]*: ' d.vw -f vw
    printf '1 -2 |a x:1\n' >d.vw
    bad '^thresh: d.vw:1:[0-9]*: ' d.vw -f vw
    printf 'a, 1, 2(0.5):\nb, 1(nan):\n' >d.snow
    bad '^thresh: d.snow:2:[0-9]*: ' d.snow -f snow
    printf 'a, 1, 2(0.5):\nb, 1(2:\n' >d.snow
    bad '^thresh: d.snow:2:[0-9]*: ' d.snow -f snow
    printf 'label,text\na,one\nb,"two\n' >d.csv
    bad '^thresh: d.csv:[23]:[0-9]*: ' d.csv -f csv
    printf 'label,text\na,one\nb,two,three\n' >d.csv
    bad '^thresh: d.csv:3:[0-9]*: ' d.csv -f csv
    printf '{"label":"a","text":"x"}\n{"label":"b","text":\n' >d.jsonl
    bad '^thresh: d.jsonl:2:[0-9]*: ' d.jsonl -f jsonl
    printf '{"label":"a","features":{"x":1}}\n{"label":"b","features":{"x":1e400}}\n' >d.jsonl
    bad '^thresh: d.jsonl:2:[0-9]*: ' d.jsonl -f jsonl
    printf '__label__a one\n__label__a __label__b two\n' >d.ft
    bad '^thresh: d.ft:2:[0-9]*: ' d.ft -f fasttext
}
check bad-other-formats other_formats

# ---- labels ----

check bad-label-missing bad_line '2\(:1\)*' '2:1 3:1'
check bad-label-word-in-svmlight bad_line 2:1 'yes 2:1'
label_missing_elsewhere() {
    printf '1 |a x\n|a y\n' >d.vw
    bad '^thresh: d.vw:2:.*label' d.vw -f vw
    printf 'a\tone\nno tab here\n' >d.txt
    bad '^thresh: d.txt:2:[0-9]*: ' d.txt -f text
    printf '__label__a one\ntwo three\n' >d.ft
    bad '^thresh: d.ft:2:.*label' d.ft -f fasttext
    printf 'label,text\na,one\n,two\n' >d.csv
    bad '^thresh: d.csv:3:.*label' d.csv -f csv
    printf '{"label":"a","text":"x"}\n{"text":"y"}\n' >d.jsonl
    bad '^thresh: d.jsonl:2:.*label' d.jsonl -f jsonl
}
check bad-label-missing-in-other-formats label_missing_elsewhere
test_without_label() {
    printf '+1 1:1\n2:1\n' >d
    refused 1 '^thresh: d:2:.*label' "$thresh" test -m "$work/kept.model" -f svmlight d
}
check bad-label-missing-in-test test_without_label
unseen_label() {
    printf '+1 1:1\n7 1:1\n7 3:1\n-1 3:1\n' >d
    warned '2 examples .*label' "$thresh" test -m "$work/kept.model" d
    grep -q '4 examples, 2 wrong' out || fail "$(cat out)"
    run "$thresh" train -m m -t d "$work/good.svm"
    [ "$status" -eq 0 ] && [ "$(grep -c warning err)" -eq 1 ] || fail "train -t: $(cat err)"
}
check ok-unseen-label-in-test unseen_label
no_features() {
    printf '+1\n-1 1:1\n+1 \n-1 1:1\n' >d.svm
    works "$thresh" train -q -m m d.svm
    printf '1 |\n-1 |a x\n' >d.vw
    works "$thresh" train -q -m m d.vw
    printf 'a\t\nb\tone\n' >d.txt
    works "$thresh" train -q -m m d.txt
    works "$thresh" predict -m m d.txt
    [ "$(grep -c '' out)" -eq 2 ] || fail "$(cat out)"
    printf '__label__a\n__label__b one\n' >d.ft
    works "$thresh" train -q -m m d.ft
    printf 'label,text\na,\nb,one\n' >d.csv
    works "$thresh" train -q -m m d.csv
    printf '{"label":"a"}\n{"label":"b","text":"one"}\n' >d.jsonl
    works "$thresh" train -q -m m d.jsonl
    printf 'a:\nb, 1:\n' >d.snow
    works "$thresh" train -q -m m -f snow d.snow
}
check ok-line-without-features no_features

# ---- long lines ----

# A line of exactly $1 bytes before its newline, as text.
long_line() { printf 'a\t%s\n' "$(head -c $(($1 - 2)) /dev/zero | tr '\0' x)"; }
max_line() {
    { echo 'b	short'; long_line "$1"; echo 'b	end'; } >d
    case $2 in
    good) works "$thresh" train -q -m m --max-line 1000 d ;;
    bad) bad '^thresh: d:2:[0-9]*: .*1000 bytes\|^thresh: d:2: .*1000 bytes' d --max-line 1000 ;;
    esac
}
last_line_too_long() { { echo 'b	short'; long_line 1500 | tr -d '\n'; } >d; bad '^thresh: d:2:' d --max-line 1000; }
megabytes() {
    { echo 'b	short'; printf 'a\t'; seq 400000 | tr '\n' ' '; echo; } >d
    "$plain" train -q -m m d || fail "a line of 2.7 MB was refused"
    bad '^thresh: d:2:' d --max-line 2000000
}
csv_too_long() {
    { printf 'label,text\na,one\nb,"'; seq 1000; printf '"\n'; } >d
    bad '^thresh: d:3:' d -f csv --max-line 1000
}
check ok-line-of-max-line max_line 1000 good
check ok-line-under-max-line max_line 999 good
check bad-line-over-max-line max_line 1001 bad
check bad-line-far-over-max-line max_line 9000 bad
check bad-last-line-over-max-line last_line_too_long
check bad-line-of-megabytes megabytes
check bad-csv-record-over-max-line csv_too_long
max_line_skip() {
    { echo 'b	short'; long_line 9000; echo 'a	end'; } >d
    warned '1 bad line' "$thresh" train -m m --max-line 1000 --on-error skip d
    grep -q '2 examples' out || fail "$(cat out)"
}
check ok-line-over-max-line-skipped max_line_skip

# ---- files ----

truncated() {
    local tool=$1 part
    "$plain" gen disjunction -n 2000 >d
    "$tool" -c d >whole
    works "$thresh" train -q -m m whole
    for part in 6 20 50 90 99; do
        head -c $(($(stat -c %s whole) * part / 100)) whole >cut
        bad '^thresh: cut' cut
    done
    head -c -1 whole >cut
    bad '^thresh: cut' cut
    { cat whole; echo rubbish; } >more
    bad '^thresh: more' more
}
flipped() {
    local tool=$1 size
    "$plain" gen disjunction -n 500 >d
    "$tool" -c d >whole
    size=$(stat -c %s whole)
    cp whole flip
    printf '\xa5\x5a\xa5' | dd of=flip bs=1 seek=$((size / 2)) conv=notrunc status=none
    bad '^thresh: flip' flip
}
for pair in gzip:zlib zstd:zstd xz:lzma; do
    tool=${pair%:*}
    if ! has "${pair#*:}"; then
        skip "bad-truncated-$tool" "this build has no ${pair#*:}"
    elif ! command -v "$tool" >/dev/null; then
        skip "bad-truncated-$tool" "no $tool here"
    else
        check "bad-truncated-$tool" truncated "$tool"
        check "bad-damaged-$tool" flipped "$tool"
    fi
done

directory() { mkdir dir; bad '^thresh: dir' dir; refused 1 'dir' "$thresh" lint dir; }
missing() {
    bad '^thresh: nowhere' nowhere
    refused 1 'nowhere' "$thresh" predict -m "$work/kept.model" nowhere
    refused 1 'nowhere' "$thresh" convert --to vw -o o nowhere
    [ ! -e o ] || fail "convert left a file"
}
missing_second() {
    cp "$work/kept.model" model
    refused 1 '^thresh: nowhere' "$thresh" train -m model "$work/good.svm" nowhere
    same model "$work/kept.model"
}
missing_test() {
    cp "$work/kept.model" model
    refused 1 nowhere "$thresh" train -m model -t nowhere "$work/good.svm"
    same model "$work/kept.model"
}
second_file_place() {
    cp "$work/good.svm" first
    printf '+1 1:1\n-1 2:x\n' >second
    refused 1 '^thresh: second:2:6: ' "$thresh" train first second
}
check bad-directory directory
check bad-missing-file missing
check bad-missing-second-file missing_second
check bad-missing-test-file missing_test
check bad-place-in-second-file second_file_place

far_line() {
    # Several blocks on, the line number is still right.
    "$plain" gen disjunction:n=1000 -n 12000 >d
    echo '+1 5:bad' >>d
    "$plain" gen disjunction:n=1000 -n 12000 >>d
    for threads in 1 4; do
        bad '^thresh: d:12001:6: ' d --threads $threads
    done
}
check bad-place-far-into-a-file far_line

# ---- nowhere to write ----

# Found before any work is done: the data is bad, and nobody has looked yet.
nowhere() {
    local m
    echo 'no svmlight' >d
    mkdir folder
    for m in nowhere/m folder "$work/nowhere/m"; do
        refused 1 "cannot write $m: " "$thresh" train -f svmlight -m "$m" d
        refused 1 "cannot write $m: " "$thresh" tune -f svmlight -l pa -m "$m" d
        refused 1 "cannot write $m: " "$thresh" race -f svmlight --html "$m" d
        refused 1 "cannot write $m: " bash -c 'echo "1 1:1" | "$1" online -m "$2"' - "$thresh" "$m"
    done
    refused 1 "cannot write '': the name is empty" "$thresh" train -f svmlight -m '' d
}
check bad-nowhere-to-write nowhere

# ---- full disk ----

# A full device of the test's own, never the machine's: a command that wrongly renames onto its
# target would, run as root, replace /dev/full for everyone. Others cannot, and may use a link.
full_device() {
    if [ "$(id -u)" -eq 0 ]; then
        mknod -m 666 full c 1 7 2>/dev/null && ! (echo x >full) 2>/dev/null
    else
        ln -s /dev/full full
    fi
}
full_model() {
    full_device || return
    refused 1 full "$thresh" train -q -m full "$work/good.svm"
    [ -c full ] || fail 'the device was replaced by a file'
    no_litter
}
full_convert() {
    full_device || return
    refused 1 full "$thresh" convert -q --to vw -o full "$work/good.svm"
    [ -c full ] || fail 'the device was replaced by a file'
    no_litter
}
full_stdout() {
    local line
    while read -r line; do
        # shellcheck disable=SC2086 # words on purpose
        "$thresh" $line >/dev/full 2>err
        status=$?
        [ "$status" -eq 1 ] || fail "status $status of: $line"
        grep -q 'standard output' err || fail "$line: $(cat err)"
        [ "$(grep -c '' err)" -eq 1 ] || fail "$line said: $(cat err)"
    done <<END
predict -q -m $work/kept.model $work/good.svm
predict -q --json -m $work/kept.model $work/good.svm
explain -q -m $work/kept.model $work/good.svm
show -q -m $work/kept.model
test -q -m $work/kept.model $work/good.svm
train --json $work/good.svm
convert -q --to vw $work/good.svm
lint $work/good.svm
gen disjunction
gen disjunction -n 100000
gen --list
--help
train --help
END
}
full_online() {
    printf '+1 1:1\n-1 2:1\n' | "$thresh" online -m m >/dev/full 2>err
    status=$?
    [ "$status" -eq 1 ] || fail "status $status"
    [ ! -e m ] || fail "a model was written"
}
unwritable_folder() { refused 1 'nowhere/m' "$thresh" train -q -m nowhere/m "$work/good.svm"; }
model_is_directory() {
    mkdir m
    refused 1 '^thresh: .*m' "$thresh" train -q -m m "$work/good.svm"
    no_litter
}
if [ -c /dev/full ]; then
    if (full_device); then
        rm -f full
        check bad-full-disk-model full_model
        check bad-full-disk-convert full_convert
    else
        rm -f full
        skip bad-full-disk-model 'no device of its own can be made here'
    fi
    check bad-full-disk-stdout full_stdout
    check bad-full-disk-online full_online
else
    skip bad-full-disk 'no /dev/full here'
fi
check bad-no-such-folder unwritable_folder
check bad-model-is-a-directory model_is_directory

# A disk that fills while the model is written: the old model stays.
limited() {
    "$plain" gen disjunction:n=5000 -n 2000 >d
    cp "$work/kept.model" model
    (
        trap '' XFSZ
        ulimit -f 8
        timeout 10 "$plain" train -q -m model d
    ) >out 2>err
    status=$?
    [ "$status" -eq 1 ] || fail "status $status: $(cat err)"
    same model "$work/kept.model"
    no_litter
}
check bad-disk-fills limited

# ---- model files ----

opened_badly() {
    refused 1 "^thresh: $1" "$thresh" predict -m "$1" "$work/good.svm"
}
truncated_model() {
    local n size
    size=$(stat -c %s "$work/kept.model")
    for n in 0 1 7 8 16 63 64 100 $((size / 2)) $((size - 8)) $((size - 1)); do
        head -c "$n" "$work/kept.model" >cut
        opened_badly cut
    done
    { cat "$work/kept.model"; echo; } >more
    opened_badly more
}
# Every 37th byte with one bit turned; every byte of the first 128.
flipped_model() {
    local at size bit byte
    size=$(stat -c %s "$work/kept.model")
    for at in $(seq 0 7 128) $(seq 129 61 $((size - 1))) $((size - 1)); do
        bit=$((at % 8))
        byte=$(od -An -tu1 -j "$at" -N1 "$work/kept.model" | tr -d ' ')
        cp "$work/kept.model" flip
        # shellcheck disable=SC2059 # the byte is written by its octal number
        printf "\\$(printf %o $((byte ^ (1 << bit))))" | dd of=flip bs=1 seek="$at" conv=notrunc status=none
        "$plain" show -m flip >out 2>err
        status=$?
        [ "$status" -eq 1 ] && [ ! -s out ] || fail "bit $bit of byte $at: status $status"
        grep -q '^thresh: flip: ' err || fail "bit $bit of byte $at: $(cat err)"
    done
}
wrong_version() {
    cp "$work/kept.model" v
    printf '\x63' | dd of=v bs=1 seek=8 conv=notrunc status=none
    refused 1 '^thresh: v: .*version' "$thresh" show -m v
}
not_a_model() {
    opened_badly_as "$work/good.svm"
    refused 1 'nowhere: ' "$thresh" predict -m nowhere "$work/good.svm"
    mkdir dir
    refused 1 'dir' "$thresh" predict -m dir "$work/good.svm"
    refused 1 '/dev/null' "$thresh" predict -m /dev/null "$work/good.svm"
}
opened_badly_as() { refused 1 "$1.*model" "$thresh" predict -m "$1" "$work/good.svm"; }
damaged_init() {
    head -c 500 "$work/kept.model" >cut
    cp "$work/kept.model" model
    refused 1 '^thresh: cut: ' "$thresh" train -q --init cut -m model "$work/good.svm"
    same model "$work/kept.model"
    cp cut before
    refused 1 '^thresh: cut: ' "$thresh" online -m cut
    same cut before
}
check bad-truncated-model truncated_model
check bad-bit-flipped-model flipped_model
check bad-wrong-version-model wrong_version
check bad-not-a-model not_a_model
check bad-damaged-model-to-go-on-from damaged_init
lean_init() {
    works "$thresh" train -q --lean -m lean "$work/good.svm"
    refused 2 'lean model' "$thresh" train -q --init lean -m model "$work/good.svm"
    [ ! -e model ] || fail 'a model was written'
}
check bad-lean-model-to-go-on-from lean_init

# ---- stopping ----

# Waits until the run has had time to begin, stops it and looks at what is left.
interrupted() {
    local signal=$1 pid
    cp "$work/kept.model" model
    mkfifo pipe
    set -m # else a background process ignores SIGINT
    "$thresh" train -m model -p 3 -f svmlight pipe >out 2>err &
    pid=$!
    set +m
    exec 3>pipe
    cat "$work/good.svm" >&3
    sleep 0.3
    kill "-$signal" "$pid"
    wait "$pid"
    status=$?
    exec 3>&-
    [ "$status" -eq 130 ] || fail "status $status: $(cat err)"
    [ ! -s out ] || fail "printed $(cat out)"
    grep -q interrupted err || fail "said $(cat err)"
    same model "$work/kept.model"
    no_litter
}
check bad-sigint interrupted INT
interrupted_busy() {
    local pid
    "$plain" gen disjunction:n=1000 -n 20000 >d
    cp "$work/kept.model" model
    set -m
    "$thresh" train -q -m model -p 100000 --threads 2 d >out 2>err &
    pid=$!
    set +m
    sleep 0.5
    kill -INT "$pid"
    wait "$pid"
    status=$?
    [ "$status" -eq 130 ] || fail "status $status: $(cat err)"
    same model "$work/kept.model"
    no_litter
}
check bad-sigint-while-busy interrupted_busy
interrupted_convert() {
    local pid
    echo old >o
    cp o before
    mkfifo pipe
    set -m
    "$thresh" convert --to vw -o o -f svmlight pipe >out 2>err &
    pid=$!
    set +m
    exec 3>pipe
    cat "$work/good.svm" >&3
    sleep 0.3
    kill -INT "$pid"
    wait "$pid"
    status=$?
    exec 3>&-
    [ "$status" -eq 130 ] || fail "status $status: $(cat err)"
    same o before
    no_litter
}
check bad-sigint-while-converting interrupted_convert

# ---- UTF-8 ----

bad_utf8() {
    printf 'a\tgood caf\xe9 \xff\xfe word\nb\tother\n' >d
    warned '3 bytes .*UTF-8' "$thresh" train -m m d
    grep -q '2 examples' out || fail "$(cat out)"
    warned '3 bytes .*UTF-8' "$thresh" predict -m m d
    warned '3 bytes .*UTF-8' "$thresh" test -m m d
    works "$thresh" train -q -m m d
    bad '^thresh: d:1:11: .*UTF-8' d --strict
}
check ok-invalid-utf8 bad_utf8

# ---- --on-error skip, lint ----

printf '%s\n' '+1 1:1' '-1 2:x' '+1 3:nan 4:y' '-1 5:1' '+1 -6:1' 'two 1:1' '-1 7:1' >"$work/mixed.svm"
skipping() {
    warned '4 bad lines' "$thresh" train --on-error skip -m m "$work/mixed.svm"
    grep -q '3 examples' out || fail "$(cat out)"
    warned '4 bad lines' "$thresh" train --json --on-error skip "$work/mixed.svm"
    grep -q '"skipped": 4' out || fail "$(cat out)"
    sed -n '1p;4p;7p' "$work/mixed.svm" >only
    works "$thresh" train -q -m n only
    same m n
    warned '4 bad lines' "$thresh" test --on-error skip -m m "$work/mixed.svm"
    warned '4 bad lines' "$thresh" predict --on-error skip -m m "$work/mixed.svm"
    [ "$(grep -c '' out)" -eq 3 ] || fail "predicted: $(cat out)"
}
skipping_all() {
    printf '+1 a:1\n-1 b:2\n' >d
    cp "$work/kept.model" model
    run "$thresh" train --on-error skip -f svmlight -m model d
    [ "$status" -eq 1 ] && [ ! -s out ] || fail "status $status $(cat out err)"
    same model "$work/kept.model"
}
linting() {
    cp "$work/mixed.svm" d
    run "$thresh" lint d
    [ "$status" -eq 1 ] || fail "status $status"
    [ ! -s err ] || fail "said $(cat err)"
    sed -n '1p' out | grep -q '^d:2:6: ' || fail "first: $(cat out)"
    sed -n '2p' out | grep -q '^d:3:6: ' || fail "second: $(cat out)"
    sed -n '3p' out | grep -q '^d:5:4: ' || fail "third: $(cat out)"
    sed -n '4p' out | grep -q '^d:6:1: ' || fail "fourth: $(cat out)"
    grep -q '^4 problems; 3 good examples as svmlight' out || fail "sum: $(cat out)"
}
lint_good() { works "$thresh" lint "$work/good.svm"; grep -q '^0 problems; 4 good' out || fail "$(cat out)"; }
lint_threads() {
    local i
    for i in $(seq 60); do
        "$plain" gen disjunction:n=1000 -n 500 --seed "$i"
        echo '+1 5:bad'
    done >d
    run "$plain" lint --threads 1 d
    mv out one
    run "$plain" lint --threads 4 d
    same one out
    [ "$(grep -c '^d:[0-9]*:6: ' out)" -eq 60 ] || fail "$(grep -c '^d:' out) problems"
    grep -q '^d:30060:6: ' out || fail 'the last line number is wrong'
}
lint_empty() { : >d; run "$thresh" lint d; [ "$status" -le 1 ] || fail "status $status"; }
check ok-skip-counts skipping
check bad-skip-leaves-nothing skipping_all
check bad-lint-reports-all linting
check ok-lint-good-file lint_good
check bad-lint-several-blocks lint_threads
check bad-lint-empty lint_empty

# ---- values a rule cannot take ----

negative_counts() { printf '+1 1:1\n-1 2:-1\n' >d; bad '^thresh: d:2:.*' d -l bayes; }
check bad-negative-count-in-bayes negative_counts

# ---- usage ----

usage() { refused 2 "$@"; }
check usage-command usage "'trian'" "$thresh" trian
check usage-help-of-no-command usage "'trian'" "$thresh" help trian
check usage-option usage '--modle' "$thresh" train --modle m d
check usage-letter usage '-Z' "$thresh" train -Z d
check usage-missing-value usage '--model needs a value' "$thresh" train d -m
check usage-value-for-switch usage 'takes no value' "$thresh" train --json=yes d
check usage-learner usage "'perceptorn'" "$thresh" train -l perceptorn "$work/good.svm"
check usage-learner-option usage "'marign'" "$thresh" train -l perceptron:marign=1 "$work/good.svm"
check usage-learner-value usage 'wide' "$thresh" train -l perceptron:margin=wide "$work/good.svm"
check usage-learner-range usage 'promote' "$thresh" train -l winnow:promote=0.5 "$work/good.svm"
check usage-kernel-budget usage 'a budget needs vote=off' "$thresh" train -l kernel:budget=9 "$work/good.svm"
check usage-format usage "'svmlite'" "$thresh" train -f svmlite "$work/good.svm"
check usage-convert-format usage "'svmlite'" "$thresh" convert --to svmlite "$work/good.svm"
check usage-gen-kind usage "'disjucntion'" "$thresh" gen disjucntion
check usage-gen-option usage "'kk'" "$thresh" gen disjunction:kk=3
check usage-gen-format usage "'svmlite'" "$thresh" gen disjunction -f svmlite
check usage-setting usage 'ngrams' "$thresh" train --ngrams many "$work/good.txt"
check usage-choice usage 'tokens' "$thresh" train --tokens letters "$work/good.txt"
check usage-passes usage 'passes' "$thresh" train -p 0 "$work/good.svm"
check usage-passes-word usage 'passes' "$thresh" train -p two "$work/good.svm"
check usage-threads usage 'threads' "$thresh" train --threads 0 "$work/good.svm"
check usage-on-error usage 'on-error' "$thresh" train --on-error ignore "$work/good.svm"
check usage-columns usage 'col' "$thresh" train --columns lable=1 "$work/good.txt"
check usage-class-weights usage "two weights" "$thresh" train --class-weights spam=2,spam=3 "$work/good.txt"
check usage-class-weight usage "LABEL=WEIGHT" "$thresh" train --class-weights spam:2 "$work/good.txt"
check usage-no-data usage 'train needs data' "$thresh" train
check usage-no-model usage 'needs a model' "$thresh" predict "$work/good.svm"
check usage-other-learner usage 'learner' "$thresh" train --init "$work/kept.model" -l winnow "$work/good.svm"
nothing_given() { run "$thresh"; [ "$status" -eq 2 ] && [ ! -s out ] && grep -q Usage err; }
check usage-nothing-given nothing_given

finish
