#!/bin/bash
# What each command does with good input, and the very words it prints. After a wanted change of
# words, `GOLDEN=write tests/cli/commands.sh THRESH` writes the files in tests/golden anew.
. "$(dirname "$0")/lib.bash"

cp "$data"/* "$work/"
for learner in $(learners); do
    "$plain" train -q -l "$learner" -p 2 -m "$work/mail-$learner" "$work/mail.txt" || exit 1
    "$plain" train -q -l "$learner" -p 2 -m "$work/two-$learner" "$work/two.svm" || exit 1
    "$plain" train -q -l "$learner" -p 2 -m "$work/three-$learner" "$work/three.svm" || exit 1
done
# The same with numbers as labels.
sed 's/^ham/0/; s/^work/-0.5/; s/^spam/1.5/' "$work/mail.txt" >"$work/points.txt"
for learner in $(regressors); do
    "$plain" train -q -l "$learner" -p 2 -m "$work/mail-$learner" "$work/points.txt" || exit 1
    "$plain" train -q -l "$learner" -p 2 -m "$work/two-$learner" "$work/two.svm" || exit 1
    "$plain" train -q -l "$learner" -p 2 -m "$work/three-$learner" "$work/three.svm" || exit 1
done

# ---- golden ----

untimed() { sed -E 's/[0-9.e+-]+ s$/TIME/; s/"seconds": [0-9.e+-]+/"seconds": TIME/'; }
says() {
    local name=$1
    shift
    ln -s "$work"/* . 2>/dev/null
    rm -f out err
    run "$@"
    [ "$status" -eq 0 ] || fail "status $status: $(cat err)"
    { cat out; sed 's/^/stderr: /' err; } | untimed >said
    if [ "${GOLDEN:-}" = write ]; then
        cp said "$golden/$name.txt"
    elif ! cmp -s said "$golden/$name.txt"; then
        diff "$golden/$name.txt" said
        fail 'other words than in tests/golden (see the difference)'
    fi
}
gold() { check "golden-$1" says "$@"; }
gold help "$thresh" --help
gold gen-list "$thresh" gen --list
gold train "$thresh" train -m m -p 2 -t mail.txt mail.txt
gold train-json "$thresh" train --json -l perceptron -t two.svm two.svm
gold train-hashed "$thresh" train --hash-bits 8 mail.txt
gold test "$thresh" test -m three-averaged three.svm
gold test-json "$thresh" test --json -m three-averaged three.svm
gold predict "$thresh" predict -m mail-perceptron mail.txt
gold predict-scores "$thresh" predict --scores -m three-perceptron three.svm
gold predict-probabilities "$thresh" predict --probabilities --scores --reject 0.4 -m three-averaged three.svm
gold test-reject "$thresh" test --reject 0.4 -m three-averaged three.svm
gold show "$thresh" show --top 3 -m mail-averaged
gold show-kept "$thresh" show -m mail-voted
gold show-rules "$thresh" show -m mail-rules
gold show-json "$thresh" show --json --top 2 -m two-perceptron
gold show-weights "$thresh" show --weights -m three-perceptron
gold explain "$thresh" explain --top 4 -m mail-perceptron mail.txt
gold explain-rules "$thresh" explain -m mail-rules mail.txt
gold explain-neighbours "$thresh" explain --top 2 -m three-knn three.svm
gold explain-json "$thresh" explain --json -m two-winnow two.svm
gold train-log bash -c '"$1" train -q -l pa --log l mail.txt && cat l' - "$thresh"
gold why bash -c '"$1" train -q -l pa -m m --log l mail.txt && "$1" why m --log l --top 4 the lunch' - "$thresh"
gold why-json bash -c '"$1" train -q -l perceptron -m m --log l two.svm && "$1" why m --log l --json --top 2 --by size 1' - "$thresh"
gold why-panel bash -c '"$1" train -q -m m --log l mail.txt && "$1" why m --log l --label spam free' - "$thresh"
gold numbers-why bash -c '"$1" train -q -l lms:averaged=off -m m --log l three.svm && "$1" why m --log l --top 3 1' - "$thresh"
gold numbers-train "$thresh" train -m m -l lms -p 2 -t points.txt points.txt
gold numbers-train-json "$thresh" train --json -l eg -t three.svm three.svm
gold numbers-test "$thresh" test -m three-lms three.svm
gold numbers-test-json "$thresh" test --json -m three-lms three.svm
gold numbers-predict "$thresh" predict -m mail-lms points.txt
gold numbers-predict-json "$thresh" predict --json -m mail-lms points.txt
gold numbers-show "$thresh" show --top 3 -m mail-lms
gold numbers-show-weights "$thresh" show --weights -m three-lms
gold numbers-explain "$thresh" explain --top 4 -m mail-lms points.txt
gold numbers-explain-json "$thresh" explain --json -m three-eg three.svm
gold race "$thresh" race -l perceptron -l pa -l 'winnow:promote=1.5|2' two.svm
gold race-json "$thresh" race --json -l perceptron -l pa three.svm
gold race-page bash -c '"$1" race -q --html page.html -l perceptron -l "pa:C=0.1|1" three.svm && cat page.html' - "$thresh"
gold cv "$thresh" cv -k 4 --repeat 2 -l pa three.svm
gold cv-json "$thresh" cv --json -k 3 --by-position -l pa two.svm
gold numbers-race "$thresh" race -l lms -l eg three.svm
gold numbers-cv "$thresh" cv -k 3 -l lms three.svm
gold tune "$thresh" tune --top 3 -l 'pa:C=0.01|0.1|1,averaged=on|off' three.svm
gold tune-json "$thresh" tune --json --random 3 --seed 1 -k 3 -l 'pa:C=0.001..10' two.svm
gold diff bash -c 'head -n 6 mail.txt >half && "$1" train -q -l pa --ngrams 2 -m h half && "$1" diff --top 4 h mail-pa mail.txt' - "$thresh"
gold diff-same "$thresh" diff two-pa two-pa
gold diff-panel "$thresh" diff --top 1 two-panel three-panel
gold diff-json bash -c 'head -n 20 three.svm >third && "$1" train -q -l perceptron -m t third && "$1" diff --json --top 2 t three-perceptron three.svm' - "$thresh"
gold numbers-diff "$thresh" diff --top 2 two-lms three-lms three.svm
gold merge "$thresh" merge mail-pa mail-pa -o merged
gold merge-json "$thresh" merge --json --weights 1,2 mail-bayes mail-bayes -o merged
gold trace "$thresh" trace --textbook on --until-clean hand.vw
gold trace-averaged "$thresh" trace -l averaged hand.vw
gold trace-text "$thresh" trace -p 2 mail.txt
gold trace-json "$thresh" trace --json -l pa hand.vw
gold train-pac "$thresh" train -l perceptron --pac 0.5,0.5 two.svm
gold train-pac-json "$thresh" train -l winnow:theta=2,start=1 --pac 0.01,0.01 --json two.svm
gold lint "$thresh" lint two.svm
gold convert "$thresh" convert --to jsonl mail.txt
gold gen "$thresh" gen threshold:n=12,k=4,m=2 -n 8 --seed 3
gold experts "$thresh" experts market.csv
gold experts-json "$thresh" experts --json --eta auto --switches 1 market.csv
gold experts-square "$thresh" experts --loss square --experts north,south rain.csv
gold experts-curve bash -c '"$1" experts -k 2 --curve c market.csv >/dev/null && cat c' - "$thresh"
gold gen-target "$thresh" gen threshold:n=12,k=4,m=2 --seed 3 --target

# ---- help ----

# Every option that the command's table lists must be in the help, and what the help lists must be
# taken: the tables are one, so the second shows the first.
help_lists() {
    local c=$1 o
    works "$thresh" "$c" --help
    cp out long
    grep -q "^Usage: thresh $c " long || fail 'no usage'
    works "$thresh" help "$c"
    same long out
    works "$thresh" "$c" -h
    same long out
    for o in $(sed -n 's/^  .. *,* *--\([a-z-]*\).*/\1/p' long); do
        "$thresh" "$c" "--$o" --help >out 2>err </dev/null
        ! grep -q -- "$c has no option --$o" err || fail "--$o is listed and not known"
    done
    for o in quiet help; do
        grep -q -- " --$o " long || fail "--$o is not listed"
    done
}
# The options of the source's tables, where the source is there.
help_complete() {
    local c=$1 source=$here/../../cli/cmd_$1.c name
    works "$thresh" "$c" --help
    for name in $(sed -n 's/^    {.*, "\([a-z-]*\)", .*/\1/p' "$source"); do
        grep -q -- " --$name\b" out || fail "--$name is not in the help"
    done
    [ "$c" != train ] || grep -q -- '--until-clean' out || fail 'the help lacks what it must have'
}
for c in $(commands); do
    check "help-$c" help_lists "$c"
    check "help-complete-$c" help_complete "$c"
done
# A name never runs into what is said of it.
help_in_columns() {
    works "$thresh" train --help
    grep -q '^      margin-negative  *the same' out || fail 'an option of a learner'
    grep -q '^      --multiclass auto|one-vs-all|direct|all-pairs|rivals$' out || fail 'a setting'
}
check help-in-columns help_in_columns
# What the help lists the manual tells of: a command's own options in its section.
in_the_manual() {
    local c=$1 page=$here/../../docs/thresh.1 o
    works "$thresh" "$c" --help
    awk -v own="$c" '/^\.S[hs]/ { on = $2 == own || $2 == "READING" || $2 == "SETTINGS" } on' "$page" >told
    for o in $(sed -n 's/^  .. *,* *--\([a-z-]*\).*/\1/p' out); do
        case $c-$o in show-model | explain-model) continue ;; esac # in the synopsis
        grep -Eq -- "Fl Fl $o( |$)" told || [ "$c-$o" = why-model ] || fail "--$o is not told of"
    done
}
for c in $(commands); do
    check "manual-$c" in_the_manual "$c"
done
# Settings of the library are options where they mean something: what concerns the model where one
# is made, what shares or drops features where that can be had.
settings_of() {
    local c=$1 o
    shift
    works "$thresh" "$c" --help
    mv out help
    for o in learner members multiclass positive class-weights multilabel threshold textbook hash-bits \
        hash-seed min-count max-features; do
        case " $* " in
            *" $o "*) refused 2 "$c has no option --$o" "$thresh" "$c" "--$o" 1 d ;;
            *) grep -q -- " --$o " help || fail "$c lacks --$o" ;;
        esac
    done
}
check help-settings-train settings_of train
check help-settings-online settings_of online
check help-settings-race settings_of race members max-features
check help-settings-cv settings_of cv max-features
check help-settings-tune settings_of tune max-features
for c in convert lint; do # which know of empty sets of labels
    check "help-settings-$c" settings_of $c learner members multiclass positive class-weights \
        threshold textbook hash-bits hash-seed min-count max-features
done
for c in certify predict test explain show; do
    check "help-settings-$c" settings_of $c learner members multiclass positive class-weights \
        multilabel threshold textbook hash-bits hash-seed min-count max-features
done
all_commands() {
    [ "$(commands | tr '\n' ' ')" = 'certify convert cv diff experts explain gen lab lint merge online predict race show tag test trace train tune why ' ] ||
        fail "commands: $(commands | tr '\n' ' ')"
}
check help-commands all_commands
means() { # means WORD COMMAND...: the complaint offers WORD
    local word=$1
    shift
    "$thresh" "$@" >out 2>err </dev/null
    [ $? -eq 2 ] && grep -q "did you mean $word?\$" err || fail "$(cat err)"
}
check help-means-command means train trian
check help-means-option means --passes train --pases=3 two.svm
check help-means-setting means --ngrams train --ngram 2 two.svm

# ---- json ----

json_keys() {
    works "$thresh" train --json -t "$work/two.svm" "$work/two.svm"
    [ "$(grep -c '' out)" -eq 1 ] || fail 'not one line'
    python3 - out <<'END' || fail "$(cat out)"
import json, sys
r = json.load(open(sys.argv[1]))
for key in ('learner examples mistakes accuracy passes features labels updates seconds '
            'test_examples test_accuracy').split():
    assert key in r, key
assert type(r['learner']) is str
for key in 'examples mistakes passes features labels updates test_examples'.split():
    assert type(r[key]) is int, key
assert 0 <= r['accuracy'] <= 1 and 0 <= r['test_accuracy'] <= 1
assert abs(r['accuracy'] - (1 - r['mistakes'] / r['examples'])) < 1e-6
END
    works "$thresh" train --json "$work/two.svm"
    ! grep -q test_ out || fail 'a test that was not asked for'
}
# What a regressor leaves empty, and what it has instead.
json_numbers() {
    works "$thresh" train --json -l lms -t "$work/three.svm" "$work/three.svm"
    python3 - out <<'END' || fail "$(cat out)"
import json, sys
r = json.load(open(sys.argv[1]))
for key in 'mistakes accuracy test_mistakes test_accuracy'.split():
    assert r[key] is None, key
assert r['labels'] == 0 and r['clean'] is False and r['updates'] > 0
assert r['mse'] > 0 and 0 < r['mae'] <= r['mse'] ** 0.5 + 1e-9
assert abs(r['test_rmse'] ** 2 - r['test_mse']) < 1e-6 * r['test_mse'] and r['test_r2'] < 1
END
    works "$thresh" show --json --top 2 -m "$work/three-eg"
    python3 - out <<'END' || fail "$(cat out)"
import json, sys
r = json.load(open(sys.argv[1]))
assert r['mistakes'] is None and r['mse'] > 0 and r['mae'] > 0 and r['labels'] == 0
assert list(r['strongest']) == ['value'] and len(r['strongest']['value']) == 2
END
}
json_valid() {
    printf 'a"b\\\tone "two" \\ \001x\303\251\n c\377\tthree\n' >odd
    "$thresh" train -q -m m --log l odd 2>err
    python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' l || fail "$(cat l)"
    local line
    while read -r line; do
        # shellcheck disable=SC2086 # words on purpose
        "$thresh" $line >out 2>err
        python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' out || fail "$line: $(cat out)"
        [ -s out ] || fail "$line printed nothing"
    done <<END
train --json -t odd odd
test --json -m m odd
predict --json --scores -m m odd
explain --json -m m odd
show --json -m m
lint --json odd
experts --json --header no odd
race --json -l pa -l bayes odd
cv --json -k 2 -l pa odd
tune --json -l pa:C=1|2 odd
why m --log l --json one
END
}
# explain: the parts and the rest are the total, and the total is the score (or the lead). A model
# without weights shows the rules that fired, which lead from the first label to the last; or its
# neighbours, nearest first, whose votes are the score; or it refuses.
sums() {
    works "$thresh" show --json -m "$1"
    case $(sed -n 's/.*"explained_by": "\([a-z]*\)".*/\1/p' out) in
    weights) parts "$@" ;;
    rules) fired "$@" ;;
    neighbours) neighbours "$@" ;;
    *)
        refused 2 'is not linear' "$thresh" explain -m "$1" "$2"
        works "$thresh" show -m "$1"
        grep -q '^not linear: predicts from [1-9][0-9]* kept examples' out || fail "$(cat out)"
        ;;
    esac
}
no_weights() {
    refused 2 'not linear' "$thresh" show --weights -m "$1"
    works "$thresh" show -m "$1"
    ! grep -q strongest out || fail 'weights where there are none'
}
fired() {
    no_weights "$1"
    works "$thresh" show --json -m "$1"
    mv out shown
    works "$thresh" explain --json -m "$1" "$2"
    python3 - shown out <<'END' || fail 'the rules do not lead to the label'
import json, sys
shown, fired = json.load(open(sys.argv[1])), 0
for e in map(json.loads, open(sys.argv[2])):
    now, last = shown['start'], 0
    for r in e['rules']:
        rule = shown['rules'][r['number'] - 1]
        assert (rule['feature'], rule['from'], rule['to']) == (r['feature'], r['from'], r['to']), r
        assert r['from'] == now and r['number'] > last, e
        now, last, fired = r['to'], r['number'], fired + 1
    assert now == e['label'] and e['start'] == shown['start'] and e['score'] == 1, e
assert fired > 3 or not shown['rules'] # features that every example has decide nothing
END
}
neighbours() {
    no_weights "$1"
    works "$thresh" explain --json --top 1000000 -m "$1" "$2"
    python3 - out <<'END' || fail 'the neighbours do not say what was predicted'
import json, sys
n = 0
for e in map(json.loads, open(sys.argv[1])):
    near = e['neighbours']
    assert near and e['more_neighbours'] == 0, e
    assert all(a['distance'] <= b['distance'] for a, b in zip(near, near[1:])), e
    share = sum(x['label'] == e['label'] for x in near) / len(near)
    assert abs(share - e['score']) < 1e-8, (share, e)
    n += 1
assert n > 5
END
}
parts() {
    works "$thresh" explain --json --top 1000000 -m "$1" "$2"
    mv out explained
    works "$thresh" predict --json ${3:---scores} -m "$1" "$2"
    python3 - explained out "$1" <<'END' || fail 'the sum is not the total'
import json, sys
n, panel = 0, 'panel' in sys.argv[3]
for e, p in zip(map(json.loads, open(sys.argv[1])), map(json.loads, open(sys.argv[2]))):
    parts = sum(f['contribution'] for f in e['features'])
    size = 1 + abs(e['total']) + sum(abs(f['contribution']) for f in e['features']) + abs(e['rest'])
    assert abs(parts + e['rest'] - e['total']) < 1e-6 * size, e
    for f in e['features']:
        assert abs(f['value'] * f['weight'] - f['contribution']) < 1e-6 * size, f
    n += 1
    if 'value' in e: # a number, which the total is
        assert abs(e['value'] - p['value']) < 1e-6 * size and 'label' not in e, (e, p)
        assert abs(e['value'] - e['total']) < 1e-6 * size, e
        continue
    assert e['label'] == p['label'] and abs(e['score'] - p['score']) < 1e-6 * size, (e, p)
    lead = p['scores'][e['label']] - p['scores'][e['against']] if e['against'] else e['score']
    if panel: # a score is how far a label leads: the answer is the only one that does
        assert abs(e['score'] - e['total']) < 1e-6 * size, e
        assert all(s <= 0 for l, s in p['scores'].items() if l != e['label']), p
    else:
        assert abs(lead - e['total']) < 1e-6 * size, (lead, e)
assert n > 5
END
}
if command -v python3 >/dev/null; then
    check json-keys json_keys
    check json-valid json_valid
    for learner in $(learners); do
        check "explain-sums-two-$learner" sums "$work/two-$learner" "$work/two.svm"
        check "explain-sums-three-$learner" sums "$work/three-$learner" "$work/three.svm"
        check "explain-sums-text-$learner" sums "$work/mail-$learner" "$work/mail.txt"
    done
    for learner in $(regressors); do
        check "explain-sums-two-$learner" sums "$work/two-$learner" "$work/two.svm" --tags
        check "explain-sums-three-$learner" sums "$work/three-$learner" "$work/three.svm" --tags
        check "explain-sums-text-$learner" sums "$work/mail-$learner" "$work/points.txt" --tags
    done
    check json-numbers json_numbers
else
    skip json 'no python3 here'
fi

# ---- predict ----

one_line_each() {
    works "$thresh" predict -m "$work/two-pa" "$work/two.svm"
    [ "$(grep -c '' out)" -eq "$(grep -c '' "$work/two.svm")" ] || fail 'not one line each'
    ! grep -qvP '^-?1\t-?[0-9.e+-]+$' out || fail "$(head -n 3 out)"
    mv out labelled
    cut -d' ' -f2- "$work/two.svm" >bare
    works "$thresh" predict --no-label -f svmlight -m "$work/two-pa" bare
    same labelled out
    works "$thresh" predict -m "$work/two-pa" bare
    same labelled out 'svmlight lines that lack the label'
    "$thresh" predict -m "$work/two-pa" <bare >out
    same labelled out 'from standard input'
}
text_without_label() {
    cut -f2 "$work/mail.txt" >bare
    works "$thresh" predict --no-label -m "$work/mail-pa" bare
    mv out bare.out
    works "$thresh" predict -m "$work/mail-pa" "$work/mail.txt"
    same bare.out out
}
predicting_changes_nothing() {
    cp "$work/two-pa" m
    works "$thresh" predict -m m "$work/two.svm"
    works "$thresh" test -m m "$work/two.svm"
    works "$thresh" explain -m m "$work/two.svm"
    same m "$work/two-pa"
}
check predict-one-line-each one_line_each
check predict-text-without-label text_without_label
check predict-changes-nothing predicting_changes_nothing

# ---- train ----

until_clean() {
    "$plain" gen disjunction:n=20,k=3 -n 300 >d
    works "$thresh" train --json -l perceptron --until-clean -m m d
    grep -q '"clean": true' out || fail "$(cat out)"
    works "$thresh" test -m m d
    grep -q ' 0 wrong' out || fail "a clean pass and yet: $(head -n 1 out)"
    "$plain" gen xor -n 100 >x
    warned 'no clean pass within 4' "$thresh" train --json -l perceptron --until-clean -p 4 x
    grep -q '"passes": 4' out && grep -q '"clean": false' out || fail "$(cat out)"
}
# The last of the updates that a pass without a mistake made may spoil the weights.
clean_at_the_end() {
    "$plain" gen threshold:n=12,k=5,m=3,active=6 -n 60 --seed 6 >t
    for l in perceptron perceptron:margin=1 pa averaged pegasos logistic alma maxmargin panel; do
        works "$thresh" train --json -l "$l" --until-clean -m m t
        grep -q '"clean": true' out || fail "$l: $(cat out)"
        works "$thresh" test -m m t
        grep -q ' 0 wrong' out || fail "$l ended clean and yet: $(head -n 1 out)"
        cat t | "$thresh" train -q -l "$l" --until-clean -m piped - || fail "$l: a pipe fails"
        cmp -s m piped || fail "$l: a pipe gives another model"
    done
    warned 'no clean pass within 28' "$thresh" train --json -l perceptron --until-clean -p 28 t
    grep -q '"passes": 28' out && grep -q '"clean": false' out || fail "$(cat out)"
}
# A tied vote has scores that are equal up to rounding; it must not decide how large scores are.
knn_probabilities() {
    "$plain" gen disjunction:n=200,k=3,active=20,noise=0.15 -n 4000 --seed 5 >d
    head -n 3000 d >a && tail -n 1000 d >b
    works "$plain" train -q -l knn:k=15 -m m a
    works "$plain" test --json -m m b
    local loss
    loss=$(sed 's/.*"test_log_loss": \([0-9.]*\).*/\1/' out)
    awk "BEGIN { exit !($loss < 0.6) }" || fail "log loss $loss"
}
# Ties in real numbers are ties, and the label that wins them is the one that an update demotes.
ties() {
    printf 'a | y z\na | z\nb | x\na | x z\na | x y\nb | x z\n' >d
    works "$thresh" train -q -l balanced:eta=0.2,bias=off,margin=0 -m m d
    printf '| x z\n' | "$thresh" predict --scores --no-label -m m >out
    grep -q '^b.0*-*0.a:0.b:-0$' out || fail "rounding decides a tie: $(cat out)"
    printf 'a | x\nb | y\nc | z\n' >d
    works "$thresh" train -q -l perceptron:bias=off --multiclass direct -m m d
    works "$thresh" show --weights -m m
    grep -q '^z.0.-1.1$' out || fail "b was predicted for z, and not demoted: $(cat out)"
}
# What two labels have taught survives the third, though weights are positive; and the third is learned.
third_label() {
    "$plain" gen disjunction:n=40,k=3,active=8 -n 500 --seed 2 >d
    seq -f '5 900:1 %.0f:1' 901 920 >more
    for l in winnow:theta=100,start=1 winnow:theta=10 eliminate:form=disjunction; do
        works "$thresh" train -q -l "$l" -p 9 -m two d
        works "$thresh" train -q --init two -m three <(echo '5 900:1')
        works "$thresh" test -m three d
        grep -q ' 0 wrong' out || fail "$l, third label: $(head -n 1 out)"
        works "$thresh" train -q --init two -p 9 -m three <(cat d more)
        works "$thresh" test -m three <(cat d more)
        grep -q ' 0 wrong' out || fail "$l, three labels: $(head -n 1 out)"
        cat d more | "$thresh" train -q -l "$l" -m whole - && "$thresh" train -q -l "$l" -m half d &&
            "$thresh" train -q --init half -m resumed more && same whole resumed
    done
}
# P = 1/(1 + exp(-a s)) of the score that is printed, whatever was learned; three labels: the softmax.
given_slope() {
    ln -s "$work"/* . 2>/dev/null
    works "$thresh" train -q -l perceptron --slope 0.25 -m m two.svm
    paste <("$thresh" predict -m m two.svm) <("$thresh" predict --probabilities -m m two.svm) >both
    awk -F'\t' '{ p = 1/(1 + exp(-0.25 * ($2 < 0 ? -$2 : $2))); d = p - $4; bad += d*d > 1e-12 }
        END { exit bad > 0 || NR < 9 }' both || fail "not the sigmoid: $(head -n 3 both)"
    works "$thresh" show -m m
    grep -q '^sigmoid    slope a = 0.25, given$' out || fail "$(cat out)"
    works "$thresh" show -m two-perceptron
    grep -q '^sigmoid    slope a = .*, fitted$' out || fail "$(cat out)"
    refused 2 'slope is for one rule' "$thresh" train -q --slope 1 -m m two.svm
}
one_label() {
    printf '+1 1:1\n-1 2:1\n1 1:1\n1.0 1:2\n-1.0 2:1\n1e0 1:1\n' >d
    works "$thresh" train --json d
    grep -q '"labels": 2' out || fail "$(cat out)"
    printf '1 |a x\n-1 |a y\n+1 |a x\n1.0 |a x\n' >d.vw
    works "$thresh" train --json d.vw
    grep -q '"labels": 2' out || fail "vw: $(cat out)"
}
hash_report() {
    works "$thresh" train --hash-bits 6 "$work/mail.txt"
    grep -q '^hashing .* of 64 slots used .* shared' out || fail "$(cat out)"
    ! grep -q 'inf\|nan' out || fail "$(grep hashing out)"
    works "$thresh" train --json --hash-bits 4 "$work/two.svm"
    grep -q '"hash_slots": 16' out && grep -q '"hash_names": [0-9]' out || fail "$(cat out)"
}
hash_full() {
    seq 400 | awk '{ print ($1 % 2 ? "+1 " : "-1 ") $1 ":1" }' >d
    works "$thresh" train --hash-bits 4 d
    ! grep -q 'inf\|nan' out || fail "$(grep hashing out)"
}
quiet() { works "$thresh" train -q -m m "$work/two.svm"; [ ! -s out ] || fail "printed $(cat out)"; }
columns() {
    awk -F'\t' '{ print NR "\t" $2 "\t" $1 }' "$work/mail.txt" >d
    works "$thresh" train -q -m m --columns label=3,id=1,text=2 d
    works "$thresh" predict --tags -m m --columns label=3,id=1,text=2 d
    cut -f1 out >ids
    seq "$(grep -c '' d)" >want
    same ids want
    cut -f2- out >got
    works "$thresh" train -q -m n "$work/mail.txt"
    works "$thresh" predict -m n "$work/mail.txt"
    same got out
}
check train-until-clean until_clean
check train-clean-at-the-end clean_at_the_end
check train-ties ties
check train-given-slope given_slope
# A reversed function at 0 has nothing to say, and must not win the tie for its label: winnow would be
# wrong for ever without an update.
third_label_is_learned() {
    printf 'z | p\na | q\nb | r\nb | r\nb | r\nb | r\nb | r\n' >d
    works "$thresh" train --json -l winnow -f vw d
    [ "$(grep -o '"mistakes": [0-9]*' out)" = '"mistakes": 2' ] || fail "$(cat out)"
}
check train-third-label-learned third_label_is_learned
check train-third-label third_label
check train-knn-probabilities knn_probabilities
check train-one-label-many-spellings one_label
check train-hash-report hash_report
check train-hash-report-of-full-table hash_full
check train-quiet quiet
check train-columns columns

# A vote is explained by a member that voted for the answer: its total is never against it.
explained_by_a_voter() {
    awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) { l = int(rand() * 4); s = l
        for (k = 1; k < 30; k++) if (rand() < (k % 4 == l ? .35 : .25)) s = s " " k ":1"; print s } }' >d
    works "$plain" train -q -l panel:decide=vote,blend=off,eta=0.001 --members perceptron+pa+bayes -m m d
    works "$thresh" explain --json -m m d
    cp out told
    [ "$(grep -c '"total": ' told)" -eq 300 ] || fail "$(head -n 2 told)"
    grep -q '"total": -' told && fail "$(grep '"total": -' told | head -n 1)"
    [ "$(grep -o '"learner": "[a-z]*"' told | sort -u | wc -l)" -gt 1 ] || fail 'one member explains all'
    run "$thresh" show --weights -m m
    grep -q 'warning: this panel decides by a vote; these are the weights of ' err || fail "$(cat err)"
}
check explain-vote explained_by_a_voter

# ---- online ----

protocol() {
    printf '+1 1:1\n-1 2:1\n1:1\n= 1\n2:1\n= -1\n2:1\n' | "$thresh" online -l perceptron -m m >out 2>err
    status=$?
    [ "$status" -eq 0 ] || fail "status $status: $(cat err)"
    [ "$(grep -c '' out)" -eq 5 ] || fail "not five answers: $(cat out)"
    [ "$(head -n 1 out)" = - ] || fail "the first answer is $(head -n 1 out)"
    tail -n 1 out | grep -q '^-1	' || fail "the last is $(tail -n 1 out)"
    grep -q '5 predictions, 4 examples learned' err || fail "$(cat err)"
}
online_is_training() {
    "$thresh" online -q -l "$1" -m m <"$work/three.svm" >out || fail 'online failed'
    works "$thresh" train -q -l "$1" -m n "$work/three.svm"
    shown "$1" m "$work/three.svm" >x
    shown "$1" n "$work/three.svm" >y
    same x y
}
online_resumes() {
    head -n 20 "$work/two.svm" | "$thresh" online -q -m m >/dev/null
    tail -n +21 "$work/two.svm" | "$thresh" online -q -m m >/dev/null
    "$thresh" online -q -m n <"$work/two.svm" >/dev/null
    same m n
}
online_bad() {
    printf '+1 1:1\n-1 2:x\n-1 2:1\n' | "$thresh" online -f svmlight -m m >out 2>err ||
        fail "status $?"
    [ "$(sed -n 2p out)" = '!' ] && [ "$(wc -l <out)" -eq 3 ] || fail "answered $(cat out)"
    grep -q '^thresh: standard input:2:' err || fail "$(cat err)"
    grep -q '2 examples learned.*1 bad line$' err || fail "$(cat err)"
    [ -s m ] || fail 'no model was written'
    printf '= 1\n' | "$thresh" online >out 2>err || fail "status $?"
    grep -q 'no example is waiting' err || fail "$(cat err)"
}
# A sign alone, or with nothing but space behind it, is no example: what it lacks is said.
online_signs() {
    printf 'ham\tlunch at noon\nspam\tfree prize\n+\n- \n=  \n-\r\n - lunch\n+\tlunch\n' |
        "$thresh" online -f text -l perceptron -m m >out 2>err || fail "status $?"
    [ "$(wc -l <out)" -eq 4 ] || fail "answered $(cat out)"
    [ "$(sed -n 's/^thresh: standard input://p' err | tr '\n' ';')" = \
        '3: no label follows +;4: no label follows -;5: no label follows =;6: no label follows -;' ] ||
        fail "$(cat err)"
    grep -q '4 predictions, 3 examples learned, .* 4 bad lines$' err || fail "$(cat err)"
    works "$thresh" show --json -m m
    grep -q '"labels": 3' out || fail "$(cat out)" # + is a label where a tab follows
}
online_answers_at_once() {
    local answer
    coproc "$thresh" online -q -l perceptron 2>err
    echo '+1 1:1' >&"${COPROC[1]}"
    read -r -t 10 answer <&"${COPROC[0]}" || fail 'no answer before the end of the input'
    [ "$answer" = - ] || fail "answered $answer"
    kill "$COPROC_PID" 2>/dev/null
}
check online-protocol protocol
online_numbers() {
    printf '3 1:1\n1:1\n= 5\n1:1\n= many\n2:1\n' |
        "$thresh" online -l lms:rate=1,averaged=off,bias=off -m m >out 2>err || fail "status $?"
    [ "$(tr '\n' ' ' <out)" = '0 3 5 0 ' ] || fail "answered $(cat out)"
    grep -q 'standard input:5: .*many.* is not a number' err || fail "$(cat err)"
    grep -q '4 predictions, 2 examples learned, mean squared error 6.5, 1 bad line$' err ||
        fail "$(cat err)"
}
check online-numbers online_numbers
# A number that is none can be said again; and there are no labels to push, whatever was said.
online_numbers_again() {
    printf '3 1:1\n1:1\n= many\n+ 5\n= 5\n1:1\n' |
        "$thresh" online -l lms:rate=1,averaged=off,bias=off >out 2>err || fail "status $?"
    [ "$(tr '\n' ' ' <out)" = '0 3 5 ' ] || fail "answered $(cat out)"
    grep -q 'standard input:4: lms.* predicts numbers: there is no label' err || fail "$(cat err)"
    grep -q '2 examples learned, .*, 2 bad lines$' err || fail "$(cat err)"
}
check online-numbers-again online_numbers_again
for learner in $(learners) $(regressors); do
    check "online-equals-train-$learner" online_is_training "$learner"
done
check online-resumes online_resumes
check online-bad-line online_bad
check online-signs online_signs
check online-answers-at-once online_answers_at_once

# ---- labels that settings name ----

named_labels() {
    warned 'no example has the label smap, which --class-weights names' \
        "$thresh" train -l pa --class-weights smap=2,ham=1 "$work/mail.txt"
    warned 'no example has the label smap, which is to be positive' \
        "$thresh" train -l pa --positive smap "$work/mail.txt"
    works "$thresh" train -l pa --class-weights spam=2,ham=1 "$work/mail.txt"
    works "$thresh" train -l pa --class-weights +1=2,-1.0=3 "$work/two.svm"
    works "$thresh" train -l pa --positive +1 "$work/two.svm"
}
check train-named-labels named_labels
kept_is_named() {
    works "$thresh" train --keep winner -m m "$work/mail.txt"
    local kept
    kept=$(sed -n 's/^kept  *\(.*\) alone$/\1/p' out)
    works "$thresh" show --json -m m
    grep -q "\"learner\": \"${kept:-none}\"" out || fail "kept $kept: $(cat out)"
    works "$thresh" train --json --keep winner "$work/mail.txt"
    grep -q "\"kept\": \"$kept\"" out || fail "$(cat out)"
}
check train-names-what-is-kept kept_is_named

# ---- numbers ----

numbers_refused() {
    cp "$work/two-pa" m
    refused 1 '^thresh: .*mail.txt:1:1: .*"ham" is not a number' "$thresh" train -l lms -m m "$work/mail.txt"
    refused 2 'leave --until-clean out' "$thresh" train -l lms --until-clean -m m "$work/two.svm"
    refused 2 'has no classes' "$thresh" train -l eg --multiclass direct -m m "$work/two.svm"
    refused 2 'cannot be a member' "$thresh" train -l pa -l lms -m m "$work/two.svm"
    same m "$work/two-pa" 'a refused run changed the model'
    refused 2 'predicts numbers' "$thresh" predict --scores -m "$work/two-lms" "$work/two.svm"
    refused 1 '^thresh: .*mail.txt:1:1: ' "$thresh" test -m "$work/mail-lms" "$work/mail.txt"
    warned '12 bad lines' "$thresh" train -l lms --on-error skip "$work/mail.txt" "$work/points.txt"
}
check numbers-refused numbers_refused
numbers_hashed() {
    works "$thresh" train -l lms --hash-bits 4 "$work/points.txt"
    grep -q 'with [1-9][0-9.]*% of the weight mass' out || fail "$(cat out)"
}
check numbers-hashed numbers_hashed

# ---- gen ----

gen_kinds() { "$plain" gen --list | awk '/^[a-z]/ { print $1 }'; }
gen_seeded() {
    works "$thresh" gen "$1" -n 50 --seed 5
    [ "$(grep -c '' out)" -eq 50 ] || fail "$(grep -c '' out) lines"
    mv out a
    works "$thresh" gen "$1" -n 50 --seed 5
    same a out
    works "$thresh" lint a
    works "$thresh" gen "$1" --target --seed 5
    [ -s out ] || fail 'no target'
    works "$thresh" gen "$1" -n 50 --seed 6
    [ "$1" = unit-rows ] || ! cmp -s a out || fail 'the seed makes no difference'
}
for kind in $(gen_kinds); do
    check "gen-$kind" gen_seeded "$kind"
done

finish
