"""knn, from docs/THEORY.md: every field of every kept example is compared, and every weight is
computed again from all examples before each prediction."""
import math

from labels import NEAR, Classifier, Undecided, compare, is_exact

INTERVALS = 20


def entropy(weights):
    total = math.fsum(weights)
    return -math.fsum(w / total * math.log2(w / total) for w in weights if w > 0)


def group_of(name):
    """The field that a feature names as its own: all before the first `=`."""
    return name.split("=", 1)[0] + "=" if "=" in name else None


def rounded(number):
    return round(number * 2.0 ** 40) / 2.0 ** 40


class Neighbours(Classifier):
    def __init__(self, options, declared):
        super().__init__(declared)
        self.o, self.kept, self.broken = options, [], set()

    def update(self, x, truth):
        if not x.importance > 0:
            return False
        here = {}
        for name, value in x.features:
            here.setdefault(group_of(name), []).append(value)
        self.broken |= {g for g, values in here.items() if g and values != [1.0]}
        self.kept.append((dict(x.features), truth, x.importance))
        return True

    # ---- fields

    def fields(self):
        """{field: its values in the kept examples}; of a group the names, of a feature numbers."""
        fields = {}
        for i, (features, _, _) in enumerate(self.kept):
            for name, value in features.items():
                group = group_of(name)
                whole = group and group not in self.broken
                column = fields.setdefault(group if whole else name, [0.0] * len(self.kept))
                column[i] = name if whole else value
        return fields

    def gain(self, column):
        """Information gain, or gain ratio, of a field about the label."""
        if self.o["weights"] == "none":
            return 1.0
        classes, values, both = {}, {}, {}
        interval = self.intervals(column)
        for (_, label, weight), value in zip(self.kept, column):
            value = interval.get(value, value)
            classes[label] = classes.get(label, 0.0) + weight
            values[value] = values.get(value, 0.0) + weight
            both.setdefault(value, {}).setdefault(label, 0.0)
            both[value][label] += weight
        total = math.fsum(values.values())
        gain = entropy(classes.values()) - math.fsum(
            n / total * entropy(both[v].values()) for v, n in values.items())
        if self.o["weights"] == "gain":
            return max(0.0, gain)
        split = entropy(values.values())
        return max(0.0, gain / split) if split > 1e-12 else 0.0

    @staticmethod
    def intervals(column):
        """Numbers are cut into intervals of equally many values, the first having one more."""
        if any(isinstance(value, str) for value in column):
            return {}
        values = sorted(set(column))
        found, at = {}, 0
        for k in range(INTERVALS):
            n = len(values) // INTERVALS + (k < len(values) % INTERVALS)
            found.update((value, ("interval", k)) for value in values[at:at + n])
            at += n
        return found

    # ---- predicting

    def distances(self, x):
        """Of every kept example: sums of w d, where w and w d are multiples of 2^-40. Two values of
        a column, or one that is not 1, are unlike what any kept example has there."""
        have = {}
        fields = self.fields()
        for name, value in x.features:
            group = group_of(name)
            if group in fields and name in fields[group]:
                have[group] = name if value == 1 and group not in have else "unlike"
            elif name in fields:
                have[name] = value
        sums = [0.0] * len(self.kept)
        for field, column in fields.items():
            weight, mine = rounded(self.gain(column)), have.get(field, 0.0)
            numbers = not any(isinstance(value, str) for value in column)
            spread = max(column) - min(column) if numbers else 0
            if numbers and set(column) <= {0.0, 1.0}:
                spread = 1
            for i, value in enumerate(column):
                if numbers:
                    d = abs(mine - value) / spread if spread else 0.0
                else:
                    d = float(mine != value)
                sums[i] += rounded(weight * d)
        return sums

    def votes(self, distances, near):
        """Votes by label of the examples at these distances, the least first."""
        votes = [0.0] * len(self.labels)
        for (_, label, importance), d in zip(self.kept, distances):
            if d > near[-1]:
                continue
            weight = 1.0
            if self.o["vote"] == "linear" and d != near[0]:
                weight = (near[-1] - d) / (near[-1] - near[0])
            elif self.o["vote"] == "inverse":
                weight = 1 / (max(0.0, d) + 2.0 ** -52)
            votes[label] += weight * importance
        return votes

    def winners(self, votes):
        best = [0]
        for label in range(1, len(votes)):
            order = compare(votes[label], votes[best[0]], NEAR)
            if order == 0 and not is_exact(votes[label]):
                raise Undecided
            best = [label] if order > 0 else best + [label] if order == 0 else best
        return best

    def decide(self, x):
        n = len(self.labels)
        if not n or not self.kept:
            return (self.labels.best([0.0] * n) if n else None), [0.0] * n
        distances = self.distances(x)
        near, k = sorted(set(distances)), self.o["k"]
        votes = self.votes(distances, near[:k])
        best = self.winners(votes)
        if len(best) > 1 and len(near) > k:
            wider = self.votes(distances, near[:k + 1])
            if len(self.winners(wider)) == 1:
                votes, best = wider, self.winners(wider)
        examples = [math.fsum(w for _, l, w in self.kept if l == label) for label in range(n)]
        answer = max(best, key=lambda l: (examples[l], -l))
        return answer, [v / math.fsum(votes) for v in votes]
