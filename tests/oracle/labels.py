"""From functions to labels, after "Two labels and many" of docs/THEORY.md.

A rule gives functions of an example; this file says which function serves which label, what is
predicted, and which functions learn. `Undecided` ends a stream where a decision hangs on rounding:
two numbers that are neither equal nor clearly different.
"""
import math
import struct

# Numbers closer than this, by their size, may be in another order in other arithmetic. Most rules are
# followed rounding by rounding; those that are not ask for more.
NEAR = 1e-10
_FLOAT = struct.Struct("f")


class Undecided(Exception):
    """A comparison that rounding decides."""


def as_float(number):
    """A stored weight: 32-bit, and its size at most 1e30."""
    return _FLOAT.unpack(_FLOAT.pack(max(-1e30, min(1e30, number))))[0]


def compare(a, b, near=NEAR):
    """-1, 0 or 1; 0 only if they are equal."""
    if a == b:
        return 0
    if abs(a - b) <= near * max(1, abs(a), abs(b)):
        raise Undecided
    return -1 if a < b else 1


def is_exact(*numbers):
    """Whether these are so short in binary that sums and products of them are not rounded. Where they
    are not, numbers that should be equal may differ, and those that are equal may be so by chance."""
    return all((number * 2 ** 20).is_integer() for number in numbers)


class Example:
    """Features in their order, the bias last, as a rule sees them."""

    def __init__(self, features, importance=1.0, label=None):
        self.features, self.importance, self.label = features, importance, label
        self.norm2 = math.fsum(value * value for _, value in features)


def number_of(label):
    try:
        return float(label)
    except ValueError:
        return None


class Labels:
    """Numbered in the order in which they come. Of the first two one is positive: the declared one,
    else the greater, as numbers if both are, else by bytes. Of a single label it is guessed: it is
    positive unless it is a number of at most 0."""

    def __init__(self, declared=None):
        self.names, self.declared, self.positive = [], declared, 0

    def __len__(self):
        return len(self.names)

    def add(self, name):
        self.names.append(name)
        if len(self.names) <= 2:
            self.positive = self._positive()

    def _positive(self):
        first, second = (self.names + [None])[:2]
        if self.declared == first:
            return 0
        if self.declared is not None and second in (None, self.declared):
            return 1
        value = number_of(first)
        if second is None:
            return 1 if value is not None and value <= 0 else 0
        other = number_of(second)
        if value is not None and other is not None and value != other:
            return 0 if value > other else 1
        return 0 if first.encode() > second.encode() else 1

    def best(self, scores, among=None, near=NEAR, loses=None):
        """The greatest score. Ties go to the positive label, then to the label met first; one label
        may lose all of them."""
        among = range(len(self)) if among is None else among
        order = sorted(among, key=lambda l: (l != self.positive or len(self) < 2, l == loses, l))
        best = None
        for label in order:
            if best is None or compare(scores[label], scores[best], near) > 0:
                best = label
        return best


class Classifier:
    """What every model of labels does: predict, compare, add a label that is new, learn."""

    def __init__(self, declared=None):
        self.labels, self.mistakes, self.updates = Labels(declared), 0, 0
        self.last = None, None  # the example that was decided on last, and how

    def decision(self, x):
        if self.last[0] is not x:
            self.last = x, self.decide(x)
        return self.last[1]

    def predict(self, x):
        """What a caller sees who only asks: a known label and the scores."""
        side, scores = self.decision(x)
        if side is None or not self.labels.names:
            return None, scores
        return self.labels.names[side if side < len(self.labels) else 0], scores

    def learn(self, x):
        """The label predicted, None where it has no name; then learns."""
        before = len(self.labels)
        side, _ = self.decision(x)
        self.last = None, None
        new = x.label not in self.labels.names
        if new:
            self.labels.add(x.label)
        truth = self.labels.names.index(x.label)
        self.mistakes += not self.was_right(side, truth, before)
        if new:
            self.widen(before)
        self.updates += self.update(x, truth)
        return self.labels.names[side] if side is not None and side < before else None

    def was_right(self, side, truth, before):
        """Before the first label a shared function predicts the positive side."""
        if before == 0 and side is not None:
            return (side == 0) == (self.labels.positive == 0)
        return side == truth

    def widen(self, before):
        """A label was added: there were `before` of them."""


class Functions(Classifier):
    """A rule with a function for each label, or one for two labels, or one for each pair.

    The rule gives: new() a function at its start; value(f, x) the numbers (live, shown) that it
    updates and predicts by; step(x, margin, side, copies) how far to move, 0: not; move(f, x, step);
    split(f, factor) the functions of both labels; after(x) and settle(f), called after every
    example; weight(f, name). Its attributes: antisymmetric, direct (it has that form), moves_all
    (which moves every label), halves (the factor of a split under `direct`) and near (see compare).
    A rule that is not antisymmetric gives late(known) too, the function of a third or later label at
    its start, with `known`, the features met so far, and `otherwise`, the factor of a reversed
    function's value.
    """

    def __init__(self, rule, policy, declared=None, quirks=()):
        super().__init__(declared)
        self.rule, self.policy, self.quirks = rule, policy, quirks
        self.f, self.anchor = [rule.new()], 0
        self.reversed = None  # the function that is

    def shared(self):
        return len(self.labels) <= 2

    def factor(self, i):
        """What multiplies the numbers of function i."""
        return self.rule.otherwise if i == self.reversed else 1

    def values(self, x):
        """(live, shown) of every function."""
        return [[self.factor(i) * v for v in self.rule.value(f, x)] for i, f in enumerate(self.f)]

    # ---- predicting

    def decide(self, x):
        shown = [shown for _, shown in self.values(x)]
        if self.shared():
            scores = [shown[0] if l == self.anchor else -shown[0] for l in range(len(self.labels))]
            sign = compare(shown[0], 0, self.rule.near)
            if sign == 0:
                return self.labels.positive if self.rule.antisymmetric else self.anchor, scores
            return self.anchor if sign > 0 else 1 - self.anchor, scores
        scores = self.fold(shown)
        best = self.labels.best(scores, near=self.rule.near, loses=self.reversed)
        if self.policy == "all-pairs" and best != self.labels.best(self.fold(shown, sum), near=0):
            raise Undecided  # sums that are equal in the reals
        return best, scores

    def fold(self, values, add_up=math.fsum):
        """From functions to labels."""
        n = len(self.labels)
        if self.shared():
            return [values[0] if l == self.anchor else -values[0] for l in range(n)]
        if self.policy != "all-pairs":
            return values
        return [add_up([-values[pair(i, l)] for i in range(l)] +
                       [values[pair(l, j)] for j in range(l + 1, n)]) for l in range(n)]

    # ---- learning

    def widen(self, before):
        n = len(self.labels)
        if n <= 2:
            if not self.rule.antisymmetric:
                if n == 2 and self.anchor != self.labels.positive:
                    self.f = [self.rule.new()]  # it was the function of the other label
                self.anchor = self.labels.positive
        elif self.policy == "all-pairs":
            while len(self.f) < n * (n - 1) // 2:
                self.f.append(self.rule.new())
        else:
            if n == 3:
                factor = self.rule.halves if self.policy == "direct" else 1
                pair_of = self.rule.split(self.f[0], factor)
                self.f = list(pair_of) if self.anchor == 0 else list(reversed(pair_of))
                if not self.rule.antisymmetric and self.rule.moved(self.f[self.anchor]):
                    self.reversed = 1 - self.anchor
            self.f.append(self.rule.new() if self.rule.antisymmetric
                          else self.rule.late(list(self.rule.known)))

    def update(self, x, truth):
        live = [live for live, _ in self.values(x)]
        moved = self.teach_all(x, truth, live)
        self.rule.after(x)
        for f in self.f:
            self.rule.settle(f)
        return moved

    def teach(self, x, f, live, sign, side):
        """One function: `sign` is where it should go, `side` whether the example is positive. Of a
        reversed function the numbers go the other way, and its own label's examples are negative."""
        turn = -1 if f == self.reversed else 1
        step = self.rule.step(x, sign * live, turn * side, 1)
        if step:
            self.rule.move(self.f[f], x, turn * sign * step)
        return step != 0

    def teach_all(self, x, truth, live):
        n = len(self.labels)
        if self.shared():
            sign = 1 if truth == self.anchor else -1
            return self.teach(x, 0, live[0], sign, 1 if truth == self.labels.positive else -1)
        if self.policy == "one-vs-all":
            signs = [1 if l == truth else -1 for l in range(n)]
            return any([self.teach(x, l, live[l], signs[l], signs[l]) for l in range(n)])
        if self.policy == "rivals":
            return self.teach_rivals(x, truth, live)
        if self.policy == "all-pairs":
            return any([self.teach(x, pair(truth, l), live[pair(truth, l)],
                                   1 if truth < l else -1, 1 if truth < l else -1)
                        for l in range(n) if l != truth])
        return self.teach_direct(x, truth, live)

    def teach_direct(self, x, truth, live):
        """The right label rises and the best wrong one falls. If several wrong labels are equally
        good, the one falls that would be predicted."""
        if self.rule.moves_all:
            return self.teach_each(x, truth, live)
        wrong = [l for l in range(len(self.labels)) if l != truth]
        worst = self.labels.best(live, wrong, self.rule.near)
        step = self.rule.step(x, live[truth] - live[worst], 1, 2)
        if step:
            self.rule.move(self.f[truth], x, step)
            self.rule.move(self.f[worst], x, -step)
        return step != 0

    def teach_rivals(self, x, truth, live):
        """The right label, and the four wrong ones with the greatest values, each for itself. Of
        equal ones the label that would be predicted comes first."""
        rivals = []
        wrong = [l for l in range(len(self.labels)) if l != truth]
        while wrong and len(rivals) < 4:
            rivals.append(self.labels.best(live, wrong, self.rule.near))
            wrong.remove(rivals[-1])
        return any([self.teach(x, truth, live[truth], 1, 1)] +
                   [self.teach(x, l, live[l], -1, -1) for l in rivals])

    def teach_each(self, x, truth, live):
        """A rule whose direct form moves every label."""
        steps = self.rule.steps(x, truth, live)
        for f, step in zip(self.f, steps):
            if step:
                self.rule.move(f, x, step)
        return any(steps)

    def rescale(self, name, ratio):
        for f in self.f:
            self.rule.rescale(f, name, ratio)

    # ---- what was learned

    def weights(self, name):
        return self.fold([self.factor(i) * self.rule.weight(f, name) for i, f in enumerate(self.f)])


class Regressor:
    """A rule with one function, whose value is the prediction."""

    def __init__(self, rule):
        self.rule, self.f, self.updates, self.mistakes = rule, rule.new(), 0, 0

    def predict(self, x):
        return None, [self.rule.value(self.f, x)[1]]

    def learn(self, x):
        self.updates += self.rule.learn(self.f, x, float(x.label))
        self.rule.after(x)

    def rescale(self, name, ratio):
        self.rule.rescale(self.f, name, ratio)

    def weights(self, name):
        return [self.rule.weight(self.f, name)]


def pair(i, j):
    """The function of two labels, which is high for the one met first."""
    i, j = min(i, j), max(i, j)
    return j * (j - 1) // 2 + i
