#!/bin/bash
# The figures that `test` prints for multi-label data, beside those that scikit-learn computes from the
# same predictions: they must agree to 1e-9.
. "$(dirname "$0")/../cli/lib.bash"

for python in /usr/bin/python3 python3; do
    "$python" -c 'import numpy, sklearn' 2>/dev/null && break
    python=
done
if [ -z "$python" ]; then
    skip sklearn-sets 'no python3 here has scikit-learn (Debian: python3-sklearn)'
    finish
fi

# Some lines have no label, and some labels occur in the second half only.
figures_of_sets() {
    "$python" - 3 >train.ft 600 <<'END' && "$python" - 4 >test.ft 300 <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
for i in range(int(sys.argv[2])):
    words = r.sample('abcdefgh', r.randint(1, 5))
    labels = [w for w in words if w < 'f' and r.random() < 0.7]
    print(' '.join(['__label__' + l for l in labels] + words))
END
import random, sys
r = random.Random(int(sys.argv[1]))
for i in range(int(sys.argv[2])):
    words = r.sample('abcdefghi', r.randint(1, 5))
    labels = [w for w in words if (w < 'f' or w == 'i') and r.random() < 0.7]
    print(' '.join(['__label__' + l for l in labels] + words))
END
    run "$thresh" train -q --multilabel on -f fasttext -m m train.ft
    run "$thresh" predict --json --probabilities -m m test.ft && mv out predictions
    run "$thresh" test --json --at 2 -m m test.ft
    "$python" - predictions out <<'END' || fail "$(cat out)"
import json, sys
import numpy as np
from sklearn import metrics as sk
told = [json.loads(l) for l in open(sys.argv[1])]
t = json.load(open(sys.argv[2]))
names = list(t['test_labels'])
y = np.array([[n in r['truths'] for n in names] for r in told]).astype(int)
z = np.array([[n in r['labels'] for n in names] for r in told]).astype(int)
p = np.array([[r['probabilities'].get(n, 0) for n in names] for r in told])
assert 'i' in names and y.sum(axis=1).min() == 0 and z.sum(axis=1).min() == 0
def same(a, b, what):
    assert abs(a - b) < 1e-9, (what, a, b)
same(t['test_accuracy'], sk.accuracy_score(y, z), 'exact match')
same(t['test_hamming_loss'], sk.hamming_loss(y, z), 'Hamming loss')
for kind in 'micro', 'macro':
    same(t['test_%s_f1' % kind], sk.f1_score(y, z, average=kind, zero_division=0), kind)
precision, recall, f1, n = sk.precision_recall_fscore_support(y, z, zero_division=0)
for i, name in enumerate(names):
    of = t['test_labels'][name]
    same(of['precision'], precision[i], name)
    same(of['recall'], recall[i], name)
    same(of['f1'], f1[i], name)
    assert of['examples'] == n[i]
best = np.argsort(-p, axis=1, kind='stable')
hits = np.take_along_axis(y, best, axis=1)
for k in 1, 3, 5:
    same(t['test_precision_at_%d' % k], hits[:, :k].sum() / k / len(y), k)
assert t['test_at'] == 2
same(t['test_precision_at_k'], hits[:, :2].sum() / 2 / len(y), 'at 2')
END
}
check sklearn-sets figures_of_sets
finish
