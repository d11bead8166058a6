"""lms, eg and logistic against scikit-learn or a plain loop: same examples, same order, one pass.

    sklearn_regression.py SANITIZED-THRESH PLAIN-THRESH LARGER-SETS

Prints `ok NAME (largest difference)`, `not ok NAME: why` or `skip NAME: why` for each comparison.

| thresh | peer |
|---|---|
| lms:normalized=off | SGDRegressor(squared_error), constant rate |
| logistic:steps=sgd | SGDClassifier(log_loss), constant and inverse scaling rate |
| lms, eg, logistic (adaptive, softmax) | their definitions, as loops over dense rows of doubles |

What it takes for the two to do the same:

- scikit-learn's squared loss is half the square, so that its gradient is the error itself: the rates
  are the same as here.
- thresh holds values, importances and weights as 32-bit floats (weights of eg: doubles). The peer is
  given the same values; its weights are doubles, and that is the difference found.
- thresh learns of a label when it comes, scikit-learn knows all from the start. So a set with many
  labels begins with one example of each, whose only feature comes nowhere else; these features are
  left out of the comparison of weights.
- scikit-learn's l2 shrinks by 1 - rate l2 where thresh shrinks by exp(-rate l2), and its l1 is another
  rule, so penalties are compared with a plain loop in tests/prop/prop_lazy.c instead.
"""
import lzma
import os
import random
import subprocess
import sys
import warnings

import numpy as np
from sklearn.linear_model import SGDClassifier, SGDRegressor

ALLOWED = 1e-5
failures = 0


# ---- thresh ------------------------------------------------------------------------------------


def run(thresh, *arguments):
    """Its output, in lines."""
    done = subprocess.run([thresh, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or b"runtime error:" in done.stderr:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode().split("\n")[:-1]


def learned(data, learner, *options):
    """[label or the one number][feature]"""
    run(data.thresh, "train", "-q", "-l", f"{learner},bias=off", "--scale", "off", "-m", "model", *options, data.path)
    head, *lines = run(data.thresh, "show", "--weights", "-m", "model")
    row = {name: numbers for name, *numbers in (line.split("\t") for line in lines)}
    table = np.array([row[name] for name in data.features], dtype=float)
    order = head.split("\t")[1:]
    return table[:, [order.index(label) for label in data.labels or order]].T


# ---- data --------------------------------------------------------------------------------------


def as_held(number):
    return float(np.float32(number))


class Data:
    """Examples in a file, one a line, and as a matrix. An example is label, importance, values."""

    def __init__(self, name, thresh, examples, labels):
        self.name, self.thresh, self.path, self.labels = name, thresh, f"{name}.vw", labels
        if len(labels) > 2:
            examples = [(label, 1.0, {f"private{label}": 1.0}) for label in labels] + examples
        column = {}
        for _, _, values in examples:
            for feature in values:
                column.setdefault(feature, len(column))
        self.features = [name for name in column if not name.startswith("private")]
        self.columns = [column[name] for name in self.features]
        self.x = np.zeros((len(examples), len(column)))
        with open(self.path, "w") as out:
            for row, (label, importance, values) in enumerate(examples):
                for feature, value in values.items():
                    self.x[row, column[feature]] = as_held(value)
                items = " ".join(f"{feature}:{value!r}" for feature, value in values.items())
                out.write(f"{label} {importance!r} | {items}\n")
        self.importance = np.array([as_held(importance) for _, importance, _ in examples])
        self.y = np.array([labels.index(label) if labels else float(label)
                           for label, _, _ in examples])


def drawn(name, thresh, labels=(), weighted=False, features=40, active=1 / 3, few=0):
    """A hidden vector for each label (or for the number), noise, some of the features each time."""
    dice = random.Random(name)
    hidden = [[dice.gauss(0, 1) if not few or i < few else 0.0 for i in range(features)]
              for _ in labels or [0]]

    def example():
        values = {f"f{i}": round(dice.gauss(0, 1), 4) for i in range(features)
                  if dice.random() < active}
        values = {f: v for f, v in values.items() if v != 0} or {"f0": 1.0}
        scores = [sum(u[int(f[1:])] * v for f, v in values.items()) + dice.gauss(0, 1)
                  for u in hidden]
        label = labels[scores.index(max(scores))] if labels else repr(round(scores[0], 5))
        return label, round(0.25 + 1.75 * dice.random(), 3) if weighted else 1.0, values

    return Data(name, thresh, [example() for _ in range(1500)], list(labels))


def adult(name, thresh, folder, labels):
    """Its labels as such, or as numbers."""
    path = f"{folder}/a9a.train.svm.xz"
    if not os.path.exists(path):
        print(f"skip {name}: a9a.train.svm.xz is not in ../shared/data")
        return None
    with lzma.open(path, "rt") as lines:
        examples = [(f"{float(line.split()[0]):g}", 1.0,
                     {f"f{item.split(':')[0]}": 1.0 for item in line.split()[1:]})
                    for line in lines]
    return Data(name, thresh, examples, labels)


# ---- peers -------------------------------------------------------------------------------------


def once(rate, **settings):
    return dict(dict(learning_rate="constant"), **settings, penalty=None, eta0=rate,
                fit_intercept=False, shuffle=False, max_iter=1, tol=None)


def fitted(peer, data):
    peer.fit(data.x, data.y, sample_weight=data.importance)
    coef = np.atleast_2d(peer.coef_)
    return np.vstack([-coef, coef]) if len(data.labels) == 2 else coef


def normalized_lms(rate, average):
    def loop(data):
        w, total = np.zeros(data.x.shape[1]), np.zeros(data.x.shape[1])
        for x, y, importance in zip(data.x, data.y, data.importance):
            w += min(rate * importance, max(rate, 1)) * (y - w.dot(x)) * x / x.dot(x)
            total += w
        return np.array([total / len(data.y) if average else w])

    return loop


def exponentiated(eta, U, signed):
    """Kivinen and Warmuth 1997; features are there from their first example on."""

    def loop(data):
        n = data.x.shape[1]
        v, minus = np.ones(n), np.ones(n) if signed else np.zeros(n)
        known, w = np.zeros(n, dtype=bool), np.zeros(n)
        for x, y, importance in zip(data.x, data.y, data.importance):
            factor = np.exp(2 * eta * U * importance * (y - w.dot(x)) * x)
            v, minus, known = v * factor, minus / factor, known | (x != 0)
            w = np.where(known, U * (v - minus) / (v + minus)[known].sum(), 0)
        return np.array([w])

    return loop


def adaptive_logistic(rate):
    """AdaGrad; of many labels the softmax, of two one function."""

    def loop(data):
        n, many = data.x.shape[1], len(data.labels) > 2
        w = np.zeros((len(data.labels) if many else 1, n))
        squares = np.full_like(w, 1 / 64)
        for x, y, importance in zip(data.x, data.y, data.importance):
            scores = w.dot(x)
            p = np.exp(scores - scores.max())
            doubt = (np.eye(len(w))[int(y)] - p / p.sum() if many
                     else np.array([y - 1 / (1 + np.exp(-scores[0]))]))
            g = importance * np.outer(doubt, x)
            squares += g ** 2
            w += rate * g / np.sqrt(squares)
        return w if many else np.vstack([-w, w])

    return loop


# ---- comparisons -------------------------------------------------------------------------------


def difference(got, want):
    """The largest one; complains if it is too large or there was nothing to compare."""
    if got.shape != want.shape:
        raise AssertionError(f"sizes {got.shape} and {want.shape}")
    if not np.any(want):
        raise AssertionError("nothing was learned, so nothing was compared")
    gap = np.abs(got - want)
    if not np.all(gap <= ALLOWED):
        at = np.unravel_index(np.argmax(np.where(np.isnan(gap), np.inf, gap)), gap.shape)
        raise AssertionError(f"{(~(gap <= ALLOWED)).sum()} of {gap.size} differ by more than "
                             f"{ALLOWED:g}; most: {got[at]:.17g}, peer {want[at]:.17g}")
    return gap.max()


def compare(data, learner, peer, *options):
    """One comparison that breaks down does not hide the others."""
    global failures
    name = f"{learner}, {data.name}"
    try:
        want = peer(data) if callable(peer) else fitted(peer, data)
        gap = difference(learned(data, learner, *options), want[:, data.columns])
        print(f"ok {name} ({gap:.1e})", flush=True)
    except Exception as problem:
        failures += 1
        why = str(problem).replace("\n", " ")
        print(f"not ok {name}: {type(problem).__name__}: {why}", flush=True)


def numbers(data, rate):
    for average in False, True:
        on = "on" if average else "off"
        compare(data, f"lms:rate={rate},normalized=off,averaged={on}",
                SGDRegressor(**once(rate, loss="squared_error", average=average)))
        compare(data, f"lms:rate=0.4,averaged={on}", normalized_lms(0.4, average))
    compare(data, "eg:eta=0.0003,U=20", exponentiated(0.0003, 20, True))
    compare(data, "eg:eta=0.01,U=2,signed=off", exponentiated(0.01, 2, False))


def classes(data, rate):
    many = ["--multiclass", "one-vs-all"] if len(data.labels) > 2 else []
    for average in False, True:
        compare(data, f"logistic:steps=sgd,rate={rate},averaged={'on' if average else 'off'}",
                SGDClassifier(**once(rate, loss="log_loss", average=average)), *many)
    compare(data, f"logistic:steps=sgd,rate={rate},decay=0.5",
            SGDClassifier(**once(rate, loss="log_loss", learning_rate="invscaling", power_t=0.5)),
            *many)
    compare(data, "logistic:rate=0.5", adaptive_logistic(0.5))


def main(sanitized, plain, folder):
    warnings.simplefilter("ignore")
    numbers(drawn("numbers", sanitized), 0.01)
    numbers(drawn("weighted numbers", sanitized, weighted=True), 0.01)
    numbers(drawn("few of many", sanitized, features=300, active=0.1, few=4), 0.01)
    classes(drawn("two", sanitized, ["-1", "1"]), 0.1)
    classes(drawn("weighted two", sanitized, ["no", "yes"], weighted=True), 0.1)
    classes(drawn("four", sanitized, ["a", "b", "c", "d"]), 0.1)
    for labels, comparisons in ([], numbers), (["-1", "1"], classes):
        data = adult("a9a" if labels else "a9a as numbers", plain, folder, labels)
        if data:
            comparisons(data, 0.01)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
