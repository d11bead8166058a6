#!/bin/bash
# Several labels per example, candidates, and what is done with wrong answers.
. "$(dirname "$0")/lib.bash"

cat >"$work/several.ft" <<'END'
__label__sport __label__money the club sold its best player for ten million
__label__sport the match ended with two goals
__label__money shares fell on the market
__label__politics __label__money the minister raised taxes
__label__politics the minister lost the vote
__label__sport two goals in the last match
__label__money the market and shares
END
cat >"$work/some.snow" <<'END'
a, 1, 2; a, b:
b, 2, 3; b, c:
c, 3, 1; a, c:
a, 1, 4:
b, 2, 4; b:
c, 3, 4; a, b, c:
END

# ---- several labels ----

needs_the_setting() {
    cp "$work/several.ft" d
    refused 1 '^thresh: d:1:16: several labels.*--multilabel' "$thresh" train -m m d
    [ ! -e m ] || fail 'wrote a model'
}
needs_the_setting_of_json() {
    printf '%s\n' '{"label": "a"}' '{"labels": ["a", "b"]}' >d
    refused 1 '^thresh: d:2:2: several labels.*--multilabel' "$thresh" train d
}
needs_the_setting_of_a_cache() {
    "$plain" convert -q --to cache -o d "$work/several.ft"
    refused 1 '^thresh: d:1: several labels.*--multilabel' "$thresh" train d
}
sets() {
    works "$thresh" train -q --multilabel on -p 3 -m m "$work/several.ft"
    works "$thresh" predict -m m "$work/several.ft"
    cut -f1 out >said
    sed -E 's/ [^_].*//; s/__label__//g; s/ /,/g' "$work/several.ft" | sed 's/money,politics/politics,money/' >truth
    sed 's/money,politics/politics,money/' said >sorted
    same sorted truth
    works "$thresh" test --json -m m "$work/several.ft"
    grep -q '"test_accuracy": 1, .*"test_hamming_loss": 0, "test_micro_f1": 1, "test_macro_f1": 1,' out ||
        fail "$(cat out)"
    works "$thresh" predict --json -m m "$work/several.ft"
    grep -q '"labels": \["sport", "money"\].*"truths": \["sport", "money"\]' out || fail "$(cat out)"
    works "$thresh" explain -m m "$work/several.ft"
    grep -q '(right)' out || fail "$(cat out)"
}
wrong_sets() {
    works "$thresh" train -q --multilabel on -p 3 -m m "$work/several.ft"
    printf '%s\n' '__label__sport __label__never two goals in the last match' '__label__money the vote' >d
    run "$thresh" test -m m d
    grep -q '2 wrong: exact match 0.00%' out || fail "$(cat out)"
    # of 2 x 4 pairs: never missed; money missed, politics said
    grep -q 'Hamming loss 0.3750, micro F1 0.4000' out || fail "$(cat out)"
    grep -q 'a label that training never saw' err || fail "$(cat err)"
}
empty_set() {
    works "$thresh" train -q --multilabel on -l perceptron:bias=off -p 3 -m m "$work/several.ft"
    echo 'never seen words' >d
    works "$thresh" predict --no-label -f fasttext -m m d
    grep -q "^$(printf '\t')" out || fail "$(cat out)"
    works "$thresh" predict --json --no-label -f fasttext -m m d
    grep -q '"labels": \[\]' out || fail "$(cat out)"
}
same_from_all_formats() {
    local f
    works "$thresh" train -q --multilabel on -p 2 -m direct "$work/several.ft"
    "$plain" show --weights -m direct >direct.weights
    for f in fasttext jsonl cache; do
        works "$thresh" convert -q --to "$f" -o there "$work/several.ft"
        works "$thresh" train -q --multilabel on -p 2 -m between there
        "$plain" show --weights -m between >between.weights
        same direct.weights between.weights "read as $f"
        works "$thresh" convert -q --to jsonl -o back there
        rm there
    done
    works "$thresh" convert -q --to jsonl -o there "$work/several.ft"
    works "$thresh" convert -q --to fasttext -o back there
    same back "$work/several.ft"
    for f in svmlight vw text snow csv; do
        run "$thresh" convert -q --to "$f" -o no "$work/several.ft"
        [ "$status" -eq 1 ] && grep -q 'several.ft:1: .*cannot hold' err || fail "$f: $status $(cat err)"
        [ ! -e no ] || fail "$f left a file"
    done
}
resumed() {
    works "$thresh" train -q --multilabel on -m whole "$work/several.ft"
    head -n 1 "$work/several.ft" >one
    tail -n +2 "$work/several.ft" >two
    works "$thresh" train -q --multilabel on -m half one
    works "$thresh" train -q --init half -m both two
    same whole both
    works "$thresh" train -q --multilabel on --threads 1 -p 3 -m a "$work/several.ft"
    works bash -c '"$1" train -q --multilabel on --threads 2 -p 3 -m b - <"$2"' - "$thresh" "$work/several.ft"
    same a b
}
online_sets() {
    printf '%s\n' 'two goals for the market' '= sport,money' 'two goals for the market' 'nothing' >d
    works bash -c '"$1" online -q --multilabel on -f fasttext -m m <d' - "$thresh"
    sed -n 1p out | grep -qx -- - || fail "$(cat out)"
    sed -n 2p out | grep -q '^sport,money' || fail "$(cat out)"
}
# A set of labels may be empty: all labels are false then, which is learned and tested.
no_label_is_true() {
    printf '%s\n' '__label__a one' 'two' '__label__a __label__b one three' 'two four' >d.ft
    printf '%s\n' '{"label": "a", "text": "one"}' '{"labels": [], "text": "two"}' \
        '{"labels": ["a", "b"], "text": "one three"}' '{"label": [], "text": "two four"}' >d.jsonl
    local f
    for f in ft jsonl; do
        works "$thresh" train --multilabel on -m "m.$f" "d.$f"
        grep -q '^read *4 examples' out || fail "$f: $(cat out)"
        works "$thresh" show --weights -m "m.$f"
        mv out "weights.$f"
        works "$thresh" test --json -m "m.$f" "d.$f"
        grep -q '"test_examples": 4,' out || fail "$f: $(cat out)"
    done
    same weights.ft weights.jsonl
    grep -q 'two' weights.ft || fail 'nothing was learned from the empty sets'
    printf '%s\n' 'label,text' '1,one' ',two' '2,one three' >d.csv
    printf '%s\n' '1 | one' '| two' '2 | one three' >d.vw
    printf '%s\n' '1 1:1' ' 2:1' '1,2 1:1 3:1' >d.svm
    printf '%s\t%s\n' a one '' two b 'one three' >d.txt
    for f in csv vw svm txt; do
        works "$thresh" train --multilabel on -m "m.$f" "d.$f"
        grep -q '^read *3 examples' out || fail "$f: $(cat out)"
        works "$thresh" train -q --multilabel on -p 3 -m "three.$f" --cache "c.$f" "d.$f"
        works "$thresh" test --json -m "m.$f" "d.$f"
        grep -q '"test_examples": 3,.*"test_labels": {"[1a]": .*"[2b]": ' out || fail "$f: $(cat out)"
        "$plain" train -q -m one "d.$f" 2>err && fail "$f: one label an example was not asked for"
    done
    run "$thresh" cv -k 2 --multilabel on d.ft
    [ "$status" -eq 0 ] || fail "cv: $(cat err)"
    works "$thresh" train -q --multilabel on --log log -l perceptron -m m d.ft
    grep -q '"truths": \[\], "predictions": \["a"' log || fail "$(cat log)"
    works "$thresh" why -m m --log log two
}
# Unless it is said that labels are not known.
no_label_is_known() {
    printf '%s\n' '__label__a one' 'two' >d
    works "$thresh" train -q --multilabel on -m m d
    works "$thresh" predict --json -m m d
    sed -n 2p out | grep -q '"truths": \[\]' || fail "$(cat out)"
    works "$thresh" explain -m m d
    sed -n '/^line 2/p' out | grep -q '(right)' || fail "$(cat out)"
    works "$thresh" predict --json --no-label -m m d
    ! grep -q truths out || fail "$(cat out)"
    refused 1 'd:2:1: no label' "$thresh" train d
    run "$thresh" lint d
    grep -q 'd:2:1: no label' out || fail "$(cat out)"
}
# Each label of the set has its own column, an empty set is an empty field.
chances_of_each() {
    printf '%s\n' '__label__a __label__b x y' '__label__a x' z '__label__b y' >t
    for i in 1 2 3 4; do cat t; done >d
    works "$thresh" train -q --multilabel on -m m d
    works "$thresh" predict --probabilities -m m t
    [ "$(sed -E 's/0\.[0-9]+/P/g' out)" = "$(printf '%s\n' 'a,b	P	a:P	b:P' 'a	P	a:P' '	P' 'b	P	b:P' | sed 's/\\t/\t/g')" ] ||
        fail "$(cat out)"
    works "$thresh" test --at 2 -m m t
    grep -q '^ranking    precision at 1 0.7500, at 3 0.3333, at 5 0.2000$' out || fail "$(cat out)"
    grep -q '^ranking    precision at 2 0.5000$' out || fail "$(cat out)"
    "$plain" train -q -l pa -m one "$data/two.svm"
    refused 2 'at is for models of multi-label data' "$thresh" test --at 2 -m one "$data/two.svm"
}
check several-need-the-setting needs_the_setting
check several-with-probabilities chances_of_each
check several-none-is-true no_label_is_true
check several-none-is-known no_label_is_known
check several-need-the-setting-json needs_the_setting_of_json
check several-need-the-setting-cache needs_the_setting_of_a_cache
check several-are-a-set sets
check several-wrong wrong_sets
check several-none empty_set
check several-convert same_from_all_formats
check several-resumed resumed
check several-online online_sets
needs_the_setting_to_be_read() {
    grep -v ' __label__' "$work/several.ft" >one
    "$plain" train -q -m m one
    refused 1 'several.ft:1:16: several labels.*training with --multilabel on' "$thresh" predict -m m "$work/several.ft"
    refused 1 'several.ft:1:16: several labels' "$thresh" test -m m "$work/several.ft"
    refused 1 'several.ft:1:16: several labels' "$thresh" cv "$work/several.ft"
    refused 1 'several.ft:1:16: several labels' "$thresh" race "$work/several.ft"
}
check several-need-the-setting-everywhere needs_the_setting_to_be_read

# Each label has its own p; a set has their product; the least sure label decides about rejecting.
chances_of_sets() {
    for i in 1 2 3 4 5 6; do cat "$work/several.ft"; done >d
    works "$thresh" train -q --multilabel on -m m d
    works "$thresh" predict --json --probabilities --ranked 2 --reject 0.8 -m m "$work/several.ft"
    python3 - out <<'END' || fail "$(head -n 1 out)"
import json, math, sys
rejected = 0
for r in map(json.loads, open(sys.argv[1])):
    p = r['probabilities']
    as_said = [v if l in r['labels'] else 1 - v for l, v in p.items()]
    assert all(0 <= v <= 1 for v in p.values()) and len(p) == 3
    assert abs(math.prod(as_said) - r['probability']) < 1e-12
    assert r['rejected'] == (min(2 * v - 1 for v in as_said) < 0.8), r
    assert [x['probability'] for x in r['ranked']] == sorted(p.values(), reverse=True)[:2]
    rejected += r['rejected']
assert 0 < rejected < 7, rejected
END
    grep -c '"rejected": false' out >answered
    works "$thresh" predict --probabilities --scores --reject 0.8 --reject-word none -m m "$work/several.ft"
    [ "$(grep -vc "^none$(printf '\t')" out)" -eq "$(cat answered)" ] || fail "$(cat out)"
    awk -F'\t' 'NF != 5 { exit 1 }' out || fail "$(cat out)"
    works "$thresh" test --reject 0.8 -m m "$work/several.ft"
    grep -q "^answered *$(cat answered) example" out || fail "$(cat out)"
    grep -q '^reliability: labels of all examples' out || fail "$(cat out)"
    works "$thresh" test --json -m m "$work/several.ft"
    python3 - out <<'END' || fail "$(cat out)"
import json, sys
t = json.load(open(sys.argv[1]))
assert sum(b['examples'] for b in t['test_reliability']) == 7 * 3
assert 0 < t['test_log_loss'] < 0.6 and 0 < t['test_brier'] < 0.2
END
}
check several-probabilities chances_of_sets

# A label is predicted if its probability is at least 1/2, whatever the sign of its score.
decided_by_chance() {
    local rule
    python3 - >d <<'END'
import random
r = random.Random(7)
for i in range(400):
    words = r.sample('abcdefgh', 4)
    labels = [w for w in words if w < 'e' and r.random() < 0.6]
    print(' '.join(['__label__' + l for l in labels or ['none']] + words))
END
    for rule in adagrad arow pa panel; do
        works "$thresh" train -q --multilabel on -l "$rule" -m m d
        works "$thresh" predict --json --probabilities --scores -m m d
        python3 - out "$rule" <<'END' || fail "$rule"
import json, sys
for r in map(json.loads, open(sys.argv[1])):
    assert set(r['labels']) == {l for l, p in r['probabilities'].items() if p >= 0.5}, r
END
    done
}
check several-decided-by-probability decided_by_chance

# Thresholds are given, for all labels or some ...
given_thresholds() {
    for i in 1 2 3 4 5 6; do cat "$work/several.ft"; done >d
    works "$thresh" train -q --multilabel on --threshold 0.08,sport=0.95 -m m d
    works "$thresh" predict --json --probabilities -m m "$work/several.ft"
    python3 - out <<'END' || fail "$(head -n 3 out)"
import json, sys
some = set()
for r in map(json.loads, open(sys.argv[1])):
    least = {'sport': 0.95}
    assert set(r['labels']) == {l for l, p in r['probabilities'].items() if p >= least.get(l, 0.08)}, r
    some |= set(r['labels']) - set(r['truths'])
assert some
END
    works "$thresh" show --json -m m
    grep -q '"thresholds": {"sport": 0.95, "money": 0.08, "politics": 0.08}' out || fail "$(cat out)"
    works "$thresh" train -q --multilabel on --threshold 0.08,sport=0.95 --lean -m lean d
    "$plain" predict -m m d | cut -f1 >full
    works "$thresh" predict -m lean d
    cut -f1 out >small
    same full small
    refused 2 'is not P or LABEL=P' "$thresh" train --multilabel on --threshold 1.5 d
    refused 2 'is not P or LABEL=P' "$thresh" train --multilabel on --threshold sport=x d
    refused 2 'is for several labels' "$thresh" train --threshold 0.3 "$data/two.svm"
}
check several-given-thresholds given_thresholds
# ... or learned from the predictions before learning, as half of the F1 that these had. The labels
# here are hard to predict, so that few reach 1/2.
learned_thresholds() {
    python3 - >d <<'END'
import random
r = random.Random(5)
for i in range(1500):
    words = r.sample('abcdefgh', 3)
    labels = [w for w in words if w < 'd' and r.random() < 0.4]
    print(' '.join(['__label__' + l for l in labels] + words))
END
    head -n 700 d >one
    tail -n +701 d >two
    local kind rule
    for kind in f1 micro-f1; do
        for rule in panel arow; do
            works "$thresh" train -q --multilabel on --threshold $kind -l $rule --threads 1 -m m one
            works "$thresh" train -q --init m -m both two
            works "$thresh" train -q --multilabel on --threshold $kind -l $rule --threads 2 -m whole d
            same both whole "$kind $rule resumed"
            works "$thresh" test --json -m m two
            mv out learned
            works "$thresh" show --json -m m
            mv out shown
            works "$thresh" train -q --multilabel on -l $rule -m half one
            works "$thresh" test --json -m half two
            python3 - learned out shown <<'END' || fail "$kind $rule $(cat shown)"
import json, sys
learned, half, shown = (json.load(open(f)) for f in sys.argv[1:])
for key in 'test_micro_f1', 'test_macro_f1':
    assert learned[key] > half[key] + 0.1, (key, learned[key], half[key])
for l, t in shown['thresholds'].items():
    assert abs(t - learned['test_micro_f1'] / 2) < 0.06, (l, t, learned['test_micro_f1'])
END
        done
    done
    works "$thresh" merge -o merged m m
    works "$thresh" predict -m merged one
}
check several-learned-thresholds learned_thresholds

# The default, a panel, is one function for each label: explanations add up to the log-odds, and the
# lean model predicts the same.
mixed_sets() {
    for i in 1 2 3 4 5 6; do cat "$work/several.ft"; done >d
    works "$thresh" train --multilabel on -m m d
    grep -q '^learner *panel$' out && grep -q '^ *mixed .* log loss' out || fail "$(cat out)"
    works "$thresh" train -q --multilabel on --lean -m lean d
    works "$thresh" predict --json --probabilities --scores -m m "$work/several.ft"
    mv out full
    works "$thresh" predict --json --probabilities --scores -m lean "$work/several.ft"
    mv out small
    works "$thresh" explain --json -m m "$work/several.ft"
    python3 - full small out <<'END' || fail "$(head -n 2 full) $(head -n 2 out)"
import json, math, sys
full, small, told = ([json.loads(l) for l in open(f)] for f in sys.argv[1:])
for f, s, t in zip(full, small, told):
    assert f['labels'] == s['labels']
    for l, z in f['scores'].items():
        p = 1 / (1 + math.exp(-z))
        assert abs(f['probabilities'][l] - (42 * p + 1) / 44) < 0.05
        assert abs(z - s['scores'][l]) < 1e-5 * (1 + abs(z)), (z, s['scores'][l])
    sum_ = t['rest'] + sum(c['contribution'] for c in t['features'])
    assert abs(sum_ - t['total']) < 1e-5 and t['against'] is None, t
    assert abs(t['total'] - max(f['scores'].values())) < 1e-9
END
    works "$thresh" show --weights -m m
    works "$thresh" merge -o both m m
    works "$thresh" train -q --init m -m more --keep winner d
}
check several-mixed mixed_sets

compared_sets() {
    for i in 1 2 3 4; do cat "$work/several.ft"; done >d
    works "$thresh" race --multilabel on --json d
    grep -q '"learner": "adagrad"' out || fail "$(cat out)"
    ! grep -q bayes out || fail 'bayes cannot'
    refused 2 'bayes cannot learn several' "$thresh" race --multilabel on -l pa -l bayes d
    refused 2 'knn cannot learn several' "$thresh" tune --multilabel on -l pa -l knn d
    works "$thresh" cv -k 4 --multilabel on --json d
    grep -q '^{"learner": "panel".*"test_hamming_loss": 0\(\.[0-9]*\)\?, ' out || fail "$(cat out)"
    works "$thresh" cv -k 4 --multilabel on d
    grep -q '^exact match' out || fail "$(cat out)"
    works "$thresh" tune --multilabel on -l 'pa:C=0.1|1' -m m d
    works "$thresh" predict -m m "$work/several.ft"
    grep -q '^sport,money' out || fail "$(cat out)"
    works "$thresh" tune --multilabel on -k 4 -l 'pa:C=0.1|1' d
    works "$thresh" race --textbook on -l perceptron -l pa -l balanced --multilabel on d
}
check several-compared compared_sets

# What all labels have in common decides nothing where one is the answer, and all where several are.
pruned_sets() {
    echo '__label__a __label__b word other' >d
    works "$thresh" train -q --multilabel on -l perceptron:bias=off --unit off --prune 0.5 -m m d
    echo word >w
    works "$thresh" predict --no-label -f fasttext -m m w
    grep -q '^a,b	' out || fail "$(cat out)"
}
check several-pruned pruned_sets
# So show and diff tell of each label's own weights, and diff of both labels where there are two.
own_weights() {
    printf '%s\n' '__label__a __label__b word' '__label__a other' >d
    works "$thresh" train -q --multilabel on -l perceptron:bias=off --unit off -m m d
    works "$thresh" show -m m
    [ "$(grep -c ' 1  word$' out)" -eq 2 ] || fail "$(cat out)"
    works "$thresh" train -q --multilabel on -l perceptron:bias=off,rate=2 --unit off -m n d
    works "$thresh" diff m n --json
    grep -q '"feature": "word", "label": "a", "a": 1, "b": 2' out || fail "$(cat out)"
    grep -q '"feature": "word", "label": "b", "a": 1, "b": 2' out || fail "$(cat out)"
}
check several-own-weights own_weights
explained_sets() {
    works "$thresh" train -q --multilabel on -p 3 -m m "$work/several.ft"
    works "$thresh" explain --json -m m "$work/several.ft"
    grep -q '"line": 1, .*"labels": \["sport", "money"\], "truths": \["sport", "money"\]' out ||
        fail "$(cat out)"
}
check several-explained explained_sets

usage() { refused 2 "$@"; }
check several-not-bayes usage 'bayes cannot learn several labels.*adagrad' "$thresh" train --multilabel on -l bayes "$work/several.ft"
check several-not-voted usage 'decide=mix, not by vote' "$thresh" train --multilabel on -l panel:decide=vote "$work/several.ft"
check several-not-in-panel usage 'bayes cannot learn several' "$thresh" train --multilabel on -l arow -l bayes "$work/several.ft"
check several-not-direct usage 'one-vs-all, not direct' "$thresh" train --multilabel on --multiclass direct "$work/several.ft"
check several-not-weighed usage 'class-weights' "$thresh" train --multilabel on --class-weights balanced "$work/several.ft"

# ---- candidates ----

candidates_are_kept() {
    works "$thresh" convert -q --to jsonl -o a "$work/some.snow"
    grep -q '"candidates": \["a", "b"\]' a || fail "$(cat a)"
    works "$thresh" convert -q --to snow -o b a
    same b "$work/some.snow"
    works "$thresh" train -q -p 2 -m direct "$work/some.snow"
    works "$thresh" convert -q --to cache -o c "$work/some.snow"
    works "$thresh" train -q -p 2 -m cached c
    same direct cached
    works "$thresh" train -q -p 2 -m json a
    "$plain" show --weights -m direct >1
    "$plain" show --weights -m json >2
    same 1 2
}
candidates_hold() {
    local l
    for l in $(learners); do
        run "$thresh" train -q -l "$l" -p 2 -m m "$work/some.snow"
        [ "$status" -eq 0 ] || continue # a rule for numbers
        printf '%s\n' 'a, 1; b:' 'a, 1; c, b:' 'a, 1; never:' >d
        works "$thresh" predict -m m d
        sed -n 1p out | grep -q '^b	' && sed -n 2p out | grep -q '^[bc]	' &&
            sed -n 3p out | grep -q '^-	' || fail "$l: $(cat out)"
    done
}
# p of what cannot be is 0; what no candidate of was ever met has no answer, and is rejected.
candidates_have_chances() {
    local l
    for l in $(learners); do
        run "$thresh" train -q -l "$l" -p 2 -m m "$work/some.snow"
        [ "$status" -eq 0 ] || continue # a rule for numbers
        printf '%s\n' 'a, 1; c, b:' 'a, 1; never:' >d
        works "$thresh" predict --json --probabilities -m m d
        python3 - out "$l" <<'END' || fail "$l: $(cat out)"
import json, sys
one, none = map(json.loads, open(sys.argv[1]))
p = one['probabilities']
assert p['a'] == 0 and abs(p['b'] + p['c'] - 1) < 1e-9 and one['probability'] == p[one['label']]
assert none['label'] is None and none['probability'] == 0 and not any(none['probabilities'].values())
END
        works "$thresh" predict --reject 0.01 -m m d
        sed -n 2p out | grep -q '^?	' || fail "$l: $(cat out)"
        run "$thresh" explain -m m d
        [ "$status" -eq 0 ] || grep -q 'is not linear' err || fail "$l: $(cat err)"
        works "$thresh" test -m m d
        grep -q '2 wrong' out || fail "$l: $(cat out)"
    done
    works "$thresh" cv -k 2 "$work/some.snow"
    works "$thresh" race "$work/some.snow"
}
candidates_refused() {
    printf 'a, 1; a, b\n' >d
    refused 1 '^thresh: d:1:11: ' "$thresh" train -f snow d
    printf 'a, 1; :\n' >d
    refused 1 '^thresh: d:1:7: a candidate was expected' "$thresh" train -f snow d
    refused 1 'candidate labels' "$thresh" convert -q --to vw "$work/some.snow"
}
check candidates-kept candidates_are_kept
check candidates-hold candidates_hold
check candidates-have-probabilities candidates_have_chances
check candidates-refused candidates_refused

# ---- wrong answers ----

errors_are_written() {
    "$plain" gen margin:n=20,active=4 -n 200 --seed 4 | awk '{ if (NR % 5 == 0) $1 = -$1; print }' >d
    works "$thresh" train -q -l perceptron -m m d
    works "$thresh" test --json --errors e -m m d
    wrong=$(sed 's/.*"test_mistakes": \([0-9]*\).*/\1/' out)
    [ "$wrong" -gt 0 ] && [ "$(grep -c '' e)" -eq "$wrong" ] || fail "$wrong wrong, $(grep -c '' e) written"
    works "$thresh" predict -m m d
    cut -f1 out | paste -d' ' - <(cut -d' ' -f1 d) | awk '$1 + 0 != $2 + 0 { print NR }' >lines
    sed 's/.*"line": \([0-9]*\),.*/\1/' e >said
    same said lines
    grep -q '^{"file": "d", "line": [0-9]*, "tag": null, "truth": "-\{0,1\}1", "label": "-\{0,1\}1", "scores": {"-\{0,1\}1": ' e ||
        fail "$(head -n 1 e)"
    works "$thresh" train -q -l perceptron -m m2 -t d --errors e2 d
    same e e2
}
errors_of_sets() {
    works "$thresh" train -q --multilabel on -p 3 -m m "$work/several.ft"
    echo '__label__sport __label__never two goals in the last match' >d
    run "$thresh" test --errors e -m m d
    grep -q '"truths": \["sport", "never"\], "labels": \["sport"\], "scores"' e || fail "$(cat e)"
}
errors_need_a_test() { refused 2 '--errors .* -t' "$thresh" train --errors e "$work/some.snow"; }
errors_elsewhere() {
    cp "$work/some.snow" d
    works "$thresh" train -q -m m d
    refused 2 'read as data' "$thresh" test --errors d -m m d
    refused 2 'is the model' "$thresh" test --errors m -m m d
    echo old >e
    printf 'a, 1:\nb, 2\n' >bad
    refused 1 'bad:2' "$thresh" test --errors e -f snow -m m bad
    [ "$(cat e)" = old ] || fail 'overwritten by a failure'
    no_litter
}
check errors-written errors_are_written
check errors-of-sets errors_of_sets
check errors-need-a-test errors_need_a_test
check errors-elsewhere errors_elsewhere

# ---- ranked ----

ranked() {
    works "$thresh" train -q -l perceptron -p 2 -m m "$work/some.snow"
    printf 'a, 1, 2:\na, 1, 2; b, c:\n' >d
    works "$thresh" predict --ranked 0 -m m d
    awk -F'\t' '{ if (NF != (NR == 1 ? 5 : 4)) exit 1; split($3, p, ":"); if (p[1] != $1 || p[2] != $2) exit 1
        for (i = 4; i <= NF; i++) { split($(i-1), p, ":"); split($i, q, ":"); if (p[2] + 0 < q[2] + 0) exit 1 } }' out ||
        fail "$(cat out)"
    works "$thresh" predict --ranked 2 --json -m m d
    [ "$(head -n 1 out | grep -o '"label"' | grep -c '')" -eq 3 ] || fail "$(cat out)"
    refused 2 'ranked' "$thresh" predict --ranked all -m m d
}
check predict-ranked ranked

# ---- promote and demote ----

pushes() {
    printf '%s\n' 'a | x y' 'b | y z' '| x z' '+ b' '| x z' '- b' '- b' '| x z' >d
    works bash -c '"$1" online -q -l perceptron -f vw -m m <d' - "$thresh"
    sed -n 4,5p out | cut -f1 | paste -sd' ' | grep -qx 'b a' || fail "$(cat out)"
    printf '%s\n' '| x z' '- never' '+ b' '!' >d
    run bash -c '"$1" online -q -l perceptron -f vw -m m <d' - "$thresh"
    grep -q 'standard input:2: .*never' err || fail "$(cat err)"
    printf '%s\n' '+ b' '| x' >d
    run bash -c '"$1" online -q -l perceptron -f vw -m n <d' - "$thresh"
    grep -q 'standard input:1: there is no example' err || fail "$(cat err)"
    printf '%s\n' 'a | x' '+ a' >d
    run bash -c '"$1" online -q -l bayes -f vw -m n <d' - "$thresh"
    grep -q 'standard input:2: bayes has no function' err || fail "$(cat err)"
}
check online-promotes pushes

# Pushed examples count as others do: for the ceiling, and for the least count.
pushes_are_counted() {
    printf '%s\n' 'a | x' 'b | y z' '| u v w' '+ a' '| v w t' '- b' '| x y' '+ b' >d
    works bash -c '"$1" online -q -l perceptron --max-features 4 -f vw -m m <d' - "$thresh"
    works "$thresh" show --json -m m
    python3 -c 'import json; m = json.load(open("out")); assert m["features"] <= 4, m' || fail "$(cat out)"
    printf '%s\n' 'a | x' '| u' '+ a' '| u' '+ a' >d
    works bash -c '"$1" online -q -l perceptron:bias=off --min-count 2 -f vw -m n <d' - "$thresh"
    works "$thresh" show --weights -m n
    grep -qx 'u	1' out && grep -qx 'x	0' out || fail "$(cat out)"
}
check online-promotes-counted pushes_are_counted

# ---- plain forms ----

textbook() {
    works "$thresh" train --textbook on -m m "$work/several.txt"
    grep -q '^learner *perceptron$' out || fail "$(cat out)"
    works "$thresh" train -q -l perceptron --unit off -m n "$work/several.txt"
    "$plain" show --weights -m m >1
    "$plain" show --weights -m n >2
    same 1 2
    works "$thresh" train -q --init m -l perceptron --textbook on -m o "$work/several.txt"
    refused 2 'winnow needs theta' "$thresh" train --textbook on -l winnow "$work/several.txt"
    works "$thresh" train -q --textbook on -l winnow:theta=5 "$work/several.txt"
}
printf 'ham\tsee you at noon\nspam\twin a prize now\nham\tlunch then\nspam\ta prize\n' >"$work/several.txt"
check textbook textbook

plain_forms() {
    refused 2 'eg needs eta' "$thresh" train --textbook on -l eg "$work/several.txt"
    works "$thresh" train -q --textbook on -l logistic -m m "$work/several.txt"
    works "$thresh" train -q --unit off -l logistic:steps=sgd -m n "$work/several.txt"
    "$plain" show --weights -m m >1
    "$plain" show --weights -m n >2
    same 1 2
    refused 2 'winnow needs theta' "$thresh" race --textbook on -l pa -l winnow "$work/several.txt"
}
check textbook-of-all plain_forms
check textbook-mistyped usage 'textbook is on or off' "$thresh" train --textbook maybe "$work/several.txt"
check multilabel-without-value usage 'multilabel is on or off' "$thresh" train --multilabel "$work/several.ft"
check multilabel-mistyped usage 'multilabel is on or off' "$thresh" train --multilabel both "$work/several.txt"
check margin-negative-mistyped usage 'margin-negative=-1 is out of range' "$thresh" train -l voted:margin-negative=-1 "$work/several.txt"
check weights-of-numbers usage 'class-weights are for labels, and lms' "$thresh" train -l lms --class-weights balanced "$work/several.txt"

# Many pairs of labels, most of which were never told apart: the file opens again.
many_pairs() {
    seq 1 90 | awk '{ print $1 " " $1 ":1 " $1 % 7 + 100 ":1" }' >many
    run "$thresh" train -q -l perceptron --multiclass all-pairs -m model many
    [ "$status" -eq 0 ] || fail "train: $(cat err)"
    run "$thresh" test -m model many
    [ "$status" -eq 0 ] || fail "test: $(cat err)"
}
check all-pairs-of-many-labels many_pairs

# ---- numbers learned as classes ----

# numbers LABELS EXAMPLES FACTOR [PREFIX]: svmlight, or vw where labels have names.
numbers() {
    awk -v k="$1" -v n="$2" -v f="$3" -v p="${4:-}" \
        'BEGIN { for (i = 0; i < n; i++) printf "%s%g | a%d b%d\n", p, (i % k) * f, i % 7, i % 3 }'
}
amounts() { # LABELS, EXAMPLES, FACTOR, OPTION...
    local labels=$1
    numbers "$1" "$2" "$3" >d
    shift 3
    run "$thresh" train -l perceptron -m model "$@" d
    [ "$status" -eq 0 ] || fail "$(cat err)"
    grep -q "warning: each of $labels different numbers is learned as a class.*-l lms" err || fail "$(cat err)"
    run "$thresh" train -q -l perceptron --json "$@" d
    grep -q "\"numeric_labels\": $labels," out || fail "$(cat out)"
}
classes() { # LABELS, EXAMPLES, FACTOR, PREFIX, OPTION...
    numbers "$1" "$2" "$3" "$4" >d
    shift 4
    [ $# -gt 0 ] || set -- -l perceptron
    run "$thresh" train "$@" d
    [ "$status" -eq 0 ] && ! grep -q 'different numbers' err || fail "$(cat err)"
    run "$thresh" train -q --json "$@" d
    ! grep -q 'numeric_labels' out || fail "$(cat out)"
}
resumed_amounts() { # the examples of the first run count too
    numbers 150 3100 1 >d
    "$plain" train -q -l perceptron -m model d
    head -n 200 d >more
    run "$thresh" train --init model more
    ! grep -q 'different numbers' err || fail "$(cat err)"
}
check labels-amounts amounts 400 500 1
check labels-amounts-in-passes amounts 150 1000 1 -p 5
check labels-amounts-with-fractions amounts 101 3000 0.25
check labels-twenty-numbers classes 20 100 1 ''
check labels-a-hundred-numbers classes 100 100 0.5 ''
check labels-numbered-classes classes 300 6300 1 ''
check labels-named-classes classes 400 500 1 c
check labels-numbers-of-a-regressor classes 400 500 1 '' -l lms
check labels-resumed resumed_amounts

# convert and lint know empty sets of labels, and what convert writes trains the same weights.
empty_sets() {
    printf '__label__a __label__b x y\n__label__a z\nq r\n__label__b x q\n' >d.ft
    refused 1 '^thresh: d.ft:3:1: no label' "$thresh" convert --to jsonl d.ft
    works "$thresh" lint --multilabel on d.ft
    grep -q '^0 problems; 4 good examples' out || fail "$(cat out)"
    "$plain" train -q --multilabel on -p 3 -m m d.ft && "$plain" show --weights -m m >weights
    local format
    for format in jsonl fasttext cache; do
        run "$thresh" convert -q --multilabel on --to $format -o there d.ft
        [ "$status" -eq 0 ] || fail "$format: $(cat err)"
        works "$thresh" train -q --multilabel on -p 3 -m m there
        works "$thresh" show --weights -m m
        same out weights "$format"
    done
    printf 'a\tx\n\tq r\n' >d.tsv
    works "$thresh" convert -q --multilabel on --to text d.tsv
    same out d.tsv text
    refused 2 '^thresh: --multilabel is on or off' "$thresh" lint --multilabel yes d.ft
}
check labels-empty-sets-converted empty_sets

# A vote of one member holds no vote, so there is nothing to report of one.
vote_of_one() {
    printf '1 1:1\n-1 2:1\n1 1:1\n' >d
    works "$thresh" train --json -l panel:decide=vote --members pa d
    ! grep -q '"panel"' out || fail "$(cat out)"
}
check labels-vote-of-one vote_of_one

finish
