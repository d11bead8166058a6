"""The rules that are made from all kept examples at once, from docs/THEORY.md: rules, lp, maxmargin.

Example t is predicted by what the first 2^j examples gave, with the greatest 2^j < t - 1.
"""
import math

import optimum
from labels import Classifier, Undecided


class Fitted(Classifier):
    def __init__(self, options, declared):
        super().__init__(declared)
        self.o, self.kept = options, []
        self.met = {}  # features in the order of their first appearance

    def update(self, x, truth):
        for name, _ in x.features:
            self.met.setdefault(name, len(self.met))
        if not x.importance > 0:
            return False
        n = len(self.kept)
        if n and n & (n - 1) == 0:
            self.fit()
        self.kept.append((x, truth))
        return True

    def rescale(self, name, ratio):
        """Kept examples stay as they were seen."""


class Rules(Fitted):
    """A list of (feature, from, to), and the label that it begins with."""

    def __init__(self, options, declared):
        super().__init__(options, declared)
        self.start, self.list = None, []

    def decide(self, x):
        n = len(self.labels)
        if self.start is None:
            return (self.labels.best([0.0] * n) if n else None), [0.0] * n
        label, present = self.start, {name for name, _ in x.features}
        for feature, source, target in self.list:
            if label == source and feature in present:
                label = target
        return label, [float(l == label) for l in range(n)]

    def fit(self):
        n, weight = len(self.labels), [round(x.importance * 65536) for x, _ in self.kept]
        share = [sum(w for w, (_, truth) in zip(weight, self.kept) if truth == l)
                 for l in range(n)]
        self.start, self.list = max(range(n), key=lambda l: (share[l], -l)), []
        current = [self.start] * len(self.kept)
        met = self.met
        while len(self.list) < self.o["max-rules"]:
            gains = {}
            for i, (x, truth) in enumerate(self.kept):
                for name, _ in x.features:
                    feature = met[name]
                    for target in range(n):
                        if target == current[i]:
                            continue
                        key = feature, current[i], target
                        change = (target == truth) - (truth == current[i])
                        gains[key] = gains.get(key, 0) + change * weight[i]
            best = min(gains, key=lambda key: (-gains[key], key), default=None)
            if best is None or gains[best] < self.o["min-gain"] * 65536:
                break
            feature = list(met)[best[0]]
            self.list.append((feature, *best[1:]))
            for i, (x, _) in enumerate(self.kept):
                if current[i] == best[1] and any(name == feature for name, _ in x.features):
                    current[i] = best[2]

    def rule_list(self):
        """As thresh shows it, after the last fit."""
        self.fit()
        name = self.labels.names
        return name[self.start], [(feature, name[a], name[b]) for feature, a, b in self.list]


class Solved(Fitted):
    """lp and maxmargin. What is best need not be unique, and maxmargin comes near it only. So the
    weights are taken from thresh, once they are shown to be as good as they must be."""

    def __init__(self, options, declared, kind, quirks):
        super().__init__(options, declared)
        self.kind, self.w, self.pending, self.quirks = kind, {}, None, quirks

    def decide(self, x):
        n = len(self.labels)
        if not n:
            return None, []
        scores = [math.fsum(self.w.get(name, [])[l] * value for name, value in x.features
                            if len(self.w.get(name, [])) > l) for l in range(n)]
        return self.labels.best(scores), scores

    def fit(self):
        self.pending = list(self.kept)

    def points(self, kept):
        """z = y x of two labels, f(x, y) - f(x, l) of more; and the importance of each."""
        labels = max(truth for _, truth in kept) + 1
        if labels <= 2:
            return labels, [({name: value * (1 if truth == 0 else -1) for name, value in x.features},
                             x.importance) for x, truth in kept]
        found = []
        for x, truth in kept:
            for other in range(labels):
                if other != truth:
                    z = {(name, truth): value for name, value in x.features}
                    z.update({(name, other): -value for name, value in x.features})
                    found.append((z, x.importance))
        return labels, found

    def witness(self, weights):
        """thresh's weights {feature: by label} after a fit; returns what is wrong with them."""
        kept, self.pending = self.pending, None
        labels, weighed = self.points(kept)
        inside = {name for x, _ in kept for name, _ in x.features}
        self.w = weights
        for name, by_label in weights.items():
            if any(by_label[labels:]) or name not in inside and any(by_label):
                return f"{name} has a weight that these examples do not give it: {by_label}"
            if labels == 2 and by_label[0] != -by_label[1]:
                return f"the two functions of {name} are not opposite: {by_label}"
        if labels <= 2:
            w = {name: by_label[0] for name, by_label in weights.items()}
        else:
            w = {(name, l): v for name, by in weights.items() for l, v in enumerate(by[:labels])}
        points, costs = [z for z, _ in weighed], [c for _, c in weighed]
        price, hard = self.o["C"], self.o["C"] is None
        if hard:
            best = self.hard(points, w)
            if best != "none":
                return best
        costs = [c * (1 if hard else price) for c in costs]
        slack = math.fsum(c * max(0.0, 1 - optimum.inner(z, w)) for z, c in zip(points, costs))
        if self.kind == "lp":
            found, best = slack + sum(map(abs, w.values())), optimum.least_l1(points, costs)
            near = found <= best * (1 + 1e-6) + 1e-6
        else:
            found, best = slack + optimum.inner(w, w) / 2, optimum.least_soft(points, costs)
            near = found <= best * (1 + 2 * self.o["gap"]) + 1e-6
            # A round moves a multiplier by 2/|z|^2 or so, and it may have to become as large as its
            # cost. Where that is soon done, little is missing.
            far = max(c * optimum.inner(z, z) for z, c in zip(points, costs)) > 100
            near = near or (far or found <= best * 1.25) and "maxmargin-rounds" in self.quirks
        return None if near else f"a value of {found}, where {best} is possible"

    def hard(self, points, w):
        """None: as it should be. "none": there is no separator, or none that counts."""
        least = min(optimum.inner(z, w) for z in points)
        if self.kind == "lp":
            best, found = optimum.least_l1(points, None), sum(map(abs, w.values()))
            if best is None:
                return "none"
            if least < 1 - 1e-6 or found > best * (1 + 1e-6):
                return f"|w|_1 is {found} and the least margin {least}; {best} and 1 are possible"
            return None
        longest = math.sqrt(max(optimum.inner(z, z) for z in points))
        low, high = optimum.least_point(points)
        if not longest or high < 1e-3 * longest:
            return "none"
        if low < 1e-3 * longest or low < high * 0.99:
            raise Undecided
        length = math.sqrt(optimum.inner(w, w))
        if abs(least - 1) > 1e-6 or 1 / length < low * (1 - self.o["gap"]) - 1e-9:
            return f"|w| is {length} and the least margin {least}; {1 / low} and 1 are possible"
        return None

    def weights(self, name):
        return self.w.get(name, [0.0] * len(self.labels))
