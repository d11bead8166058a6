"""The rules that count: bayes and eliminate, from docs/THEORY.md."""
import math

from labels import NEAR, Classifier, Undecided, compare


def safe_log(number):
    return math.log(number) if number > 0 else -1e6


class Bayes(Classifier):
    """Counts by label: examples, and values (multinomial) or examples (Bernoulli) by feature."""

    def __init__(self, options, known, declared):
        super().__init__(declared)
        self.o, self.known, self.examples, self.counts, self.words = options, known, [], [], []
        self.bernoulli = options["kind"] == "bernoulli"

    def widen(self, before):
        self.examples.append(0.0)
        self.counts.append({})
        self.words.append(0.0)

    def log_of(self, label, name):
        """log P(feature | label), without the denominator."""
        return safe_log(self.counts[label].get(name, 0.0) + self.o["alpha"])

    def log_absent(self, label, name):
        n = self.examples[label] - self.counts[label].get(name, 0.0)
        return safe_log(n + self.o["alpha"])

    def log_all(self, label):
        if self.bernoulli:
            return safe_log(self.examples[label] + 2 * self.o["alpha"])
        words = self.words[label] + self.o["alpha"] * len(self.known)
        return math.log(words) if words > 0 else 0.0  # all its features are impossible already

    def decide(self, x):
        n, total = len(self.labels), math.fsum(self.examples)
        if not n:
            return None, []
        met = [(name, value) for name, value in x.features if name in self.known]
        scores, sums = [], []
        for l in range(n):
            terms = [safe_log(self.examples[l]) - safe_log(total)]
            if self.bernoulli:
                present = {name for name, value in met if value > 0}
                terms += [self.log_of(l, name) if name in present else self.log_absent(l, name)
                          for name in self.known]
                terms += [-self.log_all(l)] * len(self.known)
            else:
                terms += [value * (self.log_of(l, name) - self.log_all(l)) for name, value in met]
            scores.append(math.fsum(terms))
            sums.append((terms, [(self.words[l], self.counts[l].get(name)) for name, _ in met
                                 if not self.bernoulli]))
        best = self.labels.best(scores, near=1e-9)
        if any(scores[l] == scores[best] and sums[l] != sums[best] for l in range(n)):
            raise Undecided  # equal in the reals, by other logarithms or in another order
        return best, scores

    def update(self, x, truth):
        self.examples[truth] += x.importance
        for name, value in x.features:
            by = x.importance * (value > 0 if self.bernoulli else value)
            self.counts[truth][name] = self.counts[truth].get(name, 0.0) + by
            self.words[truth] += by
        return True  # every example is an update

    def rescale(self, name, ratio):
        """Counts of the multinomial kind are sums of values."""
        if self.bernoulli:
            return
        for l, counts in enumerate(self.counts):
            self.words[l] -= counts.get(name, 0.0) * (1 - ratio)
            counts[name] = counts.get(name, 0.0) * ratio

    def weights(self, name):
        if self.bernoulli:
            return [self.log_of(l, name) - self.log_absent(l, name)
                    for l in range(len(self.labels))]
        return [self.log_of(l, name) - self.log_all(l) for l in range(len(self.labels))]


class Eliminate:
    """A function is [lessons, {feature: lessons in which it was present}]."""
    antisymmetric, direct, moves_all, halves, near = False, False, False, 1.0, NEAR
    otherwise = -2.0 ** -10

    def __init__(self, options, known):
        self.o, self.known, self.conjunction = options, known, options["form"] == "conjunction"

    def new(self):
        return [0, {}]

    def late(self, known):
        """A disjunction of what was not met yet: two lessons, each feature present in one of them."""
        if self.conjunction or self.o["negated"]:
            return self.new()
        return [2, {name: 1 for name in known}]

    def moved(self, f):
        return f[0] > 0

    def has(self, f, name):
        """Whether the formula has the literals x and !x."""
        lessons, count = f[0], f[1].get(name, 0)
        always, never = count == lessons, count == 0
        plain, negated = (always, never) if self.conjunction else (never, always)
        return plain, negated and self.o["negated"]

    def open(self, f):
        """Literals of features never met are in the formula, and how many is not known."""
        return (not f[0] and self.o["variables"] is None and
                (self.conjunction or self.o["negated"]))

    def value(self, f, x):
        if self.open(f):
            s = -1.0 if self.conjunction else 1.0
            return s, s
        present = [name for name, value in x.features if value > 0]
        satisfied = sum(self.has(f, name)[0] for name in present)
        if not self.conjunction and not self.o["negated"]:
            return satisfied - 0.5, satisfied - 0.5
        always = sum(c == f[0] for c in f[1].values()) if f[0] else self.o["variables"]
        lacking = always - sum(f[1].get(name, 0) == f[0] for name in present)
        if not self.conjunction:
            return satisfied + lacking - 0.5, satisfied + lacking - 0.5
        violated = lacking + sum(self.has(f, name)[1] for name in present)
        return 0.5 - violated, 0.5 - violated

    def step(self, x, margin, side, copies):
        lesson = (side > 0) == self.conjunction and compare(margin, 0) < 0
        return 1 if lesson and x.importance > 0 else 0

    def move(self, f, x, step):
        f[0] += 1
        for name, value in x.features:
            if value > 0:
                f[1][name] = f[1].get(name, 0) + 1

    def split(self, f, factor):
        return f, [f[0], dict(f[1])]

    def after(self, x):
        """Only lessons matter."""

    def settle(self, f):
        """Only lessons matter."""

    def rescale(self, f, name, ratio):
        """Only presence matters."""

    def weight(self, f, name):
        if self.open(f):
            return 0
        plain, negated = self.has(f, name)
        return plain - negated
