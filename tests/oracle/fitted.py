"""The rules that are made from all kept examples at once, from docs/THEORY.md: rules.

Example t is predicted by what the first 2^j examples gave, with the greatest 2^j < t - 1.
"""
from labels import Classifier


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
