"""Panels, and the probabilities that they are made of: docs/THEORY.md, `panel` and `Probabilities`. The
constants of the fits, which that page leaves out, are those of src/measure/calibration.h and
src/model/panel.c.
"""
import math

from labels import Classifier, Undecided, compare

NEAR = 1e-6  # the fits are not followed rounding by rounding


def within(number, most):
    return max(-most, min(most, number))


def normalized(logits):
    most = max(logits)
    norm = most + math.log(math.fsum(math.exp(z - most) for z in logits))
    return [z - norm for z in logits]


class Fit:
    """A number with the decayed second derivatives of the log loss: its own, and with the slope."""

    def __init__(self, value, prior):
        self.value, self.curvature, self.cross, self.gradient = value, prior, 0.0, 0.0

    def see(self, prior, forget, gradient, curvature, cross):
        self.gradient = gradient
        self.curvature += forget * (prior - self.curvature) + curvature
        self.cross += cross - forget * self.cross

    def move(self, by, least):
        self.value = min(1000.0, max(least, self.value - within(by, 0.5)))


class Calibration:
    """p_l ~ exp(a z_l + b_l), z_l the distance of the evidence from its mean, by its usual size. Every
    example makes a Newton step in a and all b, in which each b is coupled to a alone and takes half a
    step. Of logits the size is 1 and the start is firmer."""

    def __init__(self, logits=False):
        self.logits, self.prior = logits, 30.0 if logits else 4.0
        self.seen, self.log_size, self.again, self.log_now = 0, 0.0, 0, 0.0
        self.slope, self.offset = Fit(1.0, self.prior), []

    def widen(self, labels):
        while len(self.offset) < labels:
            self.offset.append(Fit(0.0, self.prior))

    def z(self, evidence):
        mean = math.fsum(evidence) / len(evidence)
        size = math.exp(min(self.log_size, self.log_now))
        return [within((e - mean) / size, 1e6) for e in evidence]

    def weigh(self, evidence):
        return [self.slope.value * z + b.value for z, b in zip(self.z(evidence), self.offset)]

    def learn(self, evidence, log_p, label, counts):
        n = len(self.offset)
        if n < 2:
            return
        self.seen += 1
        forget = counts * max(2 / (self.seen + 2), 1e-4)
        z, p = self.z(evidence), [math.exp(value) for value in log_p]
        mean = math.fsum(a * b for a, b in zip(p, z))
        variance = max(0.0, math.fsum(a * b * b for a, b in zip(p, z)) - mean * mean)
        for l, fit in enumerate(self.offset):
            fit.see(self.prior, forget, counts * (p[l] - (l == label)),
                    counts * p[l] * (1 - p[l]), counts * p[l] * (z[l] - mean))
        self.slope.see(self.prior, forget, counts * (mean - z[label]), counts * variance, 0.0)
        self.newton()
        self.see_size(evidence)

    def newton(self):
        left = self.slope.curvature - math.fsum(
            b.cross * b.cross / b.curvature / 2 for b in self.offset)
        by = self.slope.gradient - math.fsum(
            b.cross * b.gradient / b.curvature / 2 for b in self.offset)
        by = within(by / max(left, 0.1 * self.slope.curvature), 0.5)
        self.slope.move(by, 0.0)
        for b in self.offset:
            b.move((b.gradient - b.cross * by) / b.curvature / 2, -1000.0)

    def size_of(self, evidence):
        """The logarithm of the root mean square about the mean; None if all are equal, up to
        rounding."""
        mean, n = math.fsum(evidence) / len(evidence), len(evidence)
        squares = math.fsum((e - mean) ** 2 for e in evidence)
        least = n * (1e-14 * max(map(abs, evidence))) ** 2
        return math.log(squares / n) / 2 if squares > least else None

    def see_size(self, evidence):
        size = self.size_of(evidence)
        if self.logits or size is None:
            return
        self.log_size = min(self.log_size, self.log_now)
        self.log_size += max(3 / (self.seen + 2), 1e-4) * (size - self.log_size)
        self.log_now, self.again = self.log_size, 0

    def see_repeat(self, evidence):
        if len(self.offset) < 2 or not self.seen:
            return
        size, number = self.size_of(evidence), self.seen + self.again + 1
        if size is not None:
            self.again += 1
            self.log_now += max(3 / (number + 2), 1e-4) * (size - self.log_now)


class Repeats:
    """Whether the stream repeats itself: 16 examples in a row that had been met before."""

    def __init__(self):
        self.met, self.row = set(), 0

    def see(self, mark):
        self.row = min(16, self.row + 1) if mark in self.met else 0
        self.met.add(mark)
        return self.row >= 16


class Runs:
    """How much an example counts whose label repeats the one before: by the number of runs of equal
    labels, this example included, over the number that a random order has, both one more."""

    def __init__(self):
        self.counts, self.runs, self.last = {}, 0, None

    def weigh(self, label):
        same, self.last = label == self.last, label
        self.runs += not same
        self.counts[label] = self.counts.get(label, 0) + 1
        t = sum(self.counts.values())
        expected = 1 + (t * t - sum(n * n for n in self.counts.values())) / t
        share = (1 + self.runs) / (1 + expected)
        return share if same and share < 1 else 1.0


class Member:
    """A rule in a panel: its model, what it sees, and its calibration."""

    def __init__(self, sight):
        self.sight, self.model, self.fit = sight, sight.model, Calibration()

    def look(self, whole):
        """Its prediction, evidence and logits; nothing, of an example that it cannot take."""
        n = len(self.model.labels)
        if self.sight.refuses(whole):
            return None, [0.0] * n, [0.0] * n
        self.x = self.sight.view(*whole)
        side, scores = self.model.decide(self.x)
        extent = self.sight.extent(self.x)
        evidence = [s / extent for s in scores]
        if any(e < -1e4 for e in evidence):
            raise Undecided  # a label of importance 0 alone, in which bayes's other scores drown
        return side, evidence, self.fit.weigh(evidence) if n else []


class Panel(Classifier):
    """What panels share: their members, and the counting of mistakes."""

    def __init__(self, members, options, declared):
        super().__init__(declared)
        self.members, self.o, self.repeats = members, options, Repeats()
        self.wrong = [0] * len(members)  # by expert, on examples met for the first time

    def look(self, example):
        """(predicted, evidence, logits) of every member."""
        return [member.look(example) for member in self.members]

    def predict(self, example):
        side, scores = self.decide(self.look(example))
        if side is None or not self.labels.names:
            return None, scores
        return self.labels.names[side if side < len(self.labels) else 0], scores

    def learn(self, example):
        label, importance, features = example
        for member in self.members:
            member.sight.see_units(features)
        before, seen = len(self.labels), self.look(example)
        (side, _), predicted = self.decide(seen), self.predictions(seen)
        new = label not in self.labels.names
        if new:
            self.add(label)
        truth = self.labels.names.index(label)
        wrong = not self.was_right(side, truth, before)
        repeated = self.repeats.see((label, tuple(features)))
        self.mistakes += wrong
        if not repeated:
            self.count([not self.was_right(p, truth, before) for p in predicted])
        if not new:
            self.record(seen, truth, repeated)
        self.teach(example, truth)
        return self.labels.names[side] if side is not None and side < before else None

    def add(self, label):
        self.labels.add(label)
        for member in self.members:
            before = len(member.model.labels)
            member.model.labels.add(label)
            member.model.widen(before)
            member.fit.widen(before + 1)

    def predictions(self, seen):
        return [predicted for predicted, _, _ in seen]

    def count(self, wrong):
        self.wrong = [a + b for a, b in zip(self.wrong, wrong)]

    def teach(self, example, truth):
        for member in self.members:
            if not member.sight.refuses(example):
                self.updates += member.model.update(member.sight.view(*example), truth)
            member.sight.meet(example[2])

    def fit_members(self, seen, truth, repeated, counts):
        for member, (side, evidence, logits) in zip(self.members, seen):
            if side is None or len(logits) < 2:
                continue
            if repeated:
                member.fit.see_repeat(evidence)
            else:
                member.fit.learn(evidence, normalized(logits), truth, counts)


class Mixture(Panel):
    """decide=mix"""

    def __init__(self, members, options, declared):
        super().__init__(members, options, declared)
        self.lost, self.gap, self.loss, self.beyond = [0.0] * len(members), 0.0, 0.0, 0.0
        self.fit, self.order = Calibration(logits=True), Runs()

    def add(self, label):
        super().add(label)
        self.fit.widen(len(self.labels))

    def rate(self):
        return math.log(len(self.members)) / (1 + self.gap)

    def learned(self):
        powers = [math.exp(-self.rate() * (lost - min(self.lost))) for lost in self.lost]
        return [power / math.fsum(powers) for power in powers]

    def shares(self):
        return [w / 2 + 1 / (2 * len(self.members)) for w in self.learned()]

    def add_up(self, seen):
        v = self.shares()
        return [math.fsum(v[k] * logits[l] for k, (_, _, logits) in enumerate(seen))
                for l in range(len(self.labels))]

    def decide(self, seen):
        n = len(self.labels)
        if not n:
            return None, []
        logits = self.fit.weigh(self.add_up(seen))
        best = self.labels.best(logits, near=NEAR)
        rivals = [z for l, z in enumerate(logits) if l != best]
        second = max(rivals) if rivals else logits[best]
        return best, [z - (second if l == best else logits[best]) for l, z in enumerate(logits)]

    def record(self, seen, truth, repeated):
        if repeated:
            self.fit_members(seen, truth, True, 1)
            return
        if len(self.labels) < 2:
            return
        counts, z = self.order.weigh(truth), self.add_up(seen)
        log_p = normalized(self.fit.weigh(z))
        self.loss -= counts * log_p[truth]
        gradient = [counts * self.fit.slope.value / 2 *
                    (math.fsum(math.exp(q) * u for q, u in zip(log_p, logits)) - logits[truth])
                    for _, _, logits in seen]
        self.hedge(gradient)
        self.fit.learn(z, log_p, truth, counts)
        self.fit_members(seen, truth, False, counts)

    def hedge(self, gradient):
        """AdaHedge: D grows by the mixability gap. Losses that differ by more than 30 are scaled down."""
        apart = max(gradient) - min(gradient)
        if apart > 30:
            self.beyond += apart - 30
            gradient = [g * 30 / apart for g in gradient]
        eta, w = self.rate(), self.learned()
        expected = math.fsum(a * g for a, g in zip(w, gradient))
        if eta > 0:
            least = min(gradient)
            mixed = math.fsum(a * math.exp(-eta * (g - least)) for a, g in zip(w, gradient))
            self.gap += max(0.0, expected - least + math.log(mixed) / eta)
        self.lost = [lost + g for lost, g in zip(self.lost, gradient)]

    def experts(self):
        return list(zip(self.wrong, self.shares()))


class Vote(Panel):
    """decide=vote"""

    def __init__(self, members, options, declared):
        super().__init__(members, options, declared)
        k = len(members)
        self.blends = options["blend"] and k > 1
        self.wrong = [0] * (k + self.blends)
        self.weight = [1.0] * len(self.wrong)
        self.power = [1 / k] * k
        self.curvature = [[10.0 * (i == j) for j in range(k)] for i in range(k)]

    def logs(self, seen):
        """Log-probabilities of the members, at least -30."""
        return [[max(-30.0, q) for q in normalized(logits)] for _, _, logits in seen]

    def blend(self, seen):
        logs = self.logs(seen)
        return [math.fsum(c * q[l] for c, q in zip(self.power, logs))
                for l in range(len(self.labels))]

    def predictions(self, seen):
        predicted = super().predictions(seen)
        if not self.blends:
            return predicted
        if not self.labels.names:
            return predicted + [None]
        blended, best = self.blend(seen), 0
        for l in range(1, len(blended)):
            if blended[l] == blended[best] and any(blended):
                raise Undecided
            best = l if compare(blended[l], blended[best], NEAR) > 0 else best
        return predicted + [best]

    def decide(self, seen):
        """The label with the heaviest vote; of equals the one that is named first."""
        votes, total, best = {}, math.fsum(self.weight), None
        predicted = self.predictions(seen)
        for side, weight in zip(predicted, self.weight):
            if side is not None:
                votes[side] = votes.get(side, 0.0) + weight / total
        for side in predicted:
            if side is not None and (best is None or
                                     compare(votes[side], votes[best], NEAR) > 0):
                best = side
        return best, [votes.get(l, 0.0) for l in range(len(self.labels))]

    def count(self, wrong):
        super().count(wrong)
        share, n = self.o["share"], len(self.weight)
        self.weight = [w * math.exp(-self.o["eta"] * bad) for w, bad in zip(self.weight, wrong)]
        if n > 1:
            total = math.fsum(self.weight)
            self.weight = [(1 - share) * w + share / (n - 1) * (total - w) for w in self.weight]

    def record(self, seen, truth, repeated):
        """A Newton step of the powers, from the covariances of the log-probabilities."""
        n = len(self.labels)
        if len(self.members) > 1 and not repeated:
            logs, p = self.logs(seen), [math.exp(q) for q in normalized(self.blend(seen))]
            k, keep = len(self.members), 1 - 1 / 4000
            mean = [math.fsum(a * b for a, b in zip(p, q)) for q in logs]
            for i in range(k):
                for j in range(k):
                    self.curvature[i][j] = (
                        keep * self.curvature[i][j] + (1 - keep) * 10.0 * (i == j) +
                        math.fsum(p[l] * (logs[i][l] - mean[i]) * logs[j][l] for l in range(n)))
            step = solve(self.curvature, [m - q[truth] for m, q in zip(mean, logs)])
            self.power = [within(c - within(by, 0.1), 10.0) for c, by in zip(self.power, step)]
        self.fit_members(seen, truth, repeated, 1)

    def experts(self):
        return [(bad, w / math.fsum(self.weight)) for bad, w in zip(self.wrong, self.weight)]


def solve(matrix, right):
    """Gauss."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i, row in enumerate(rows):
        for other in rows[i + 1:]:
            times = other[i] / row[i]
            for j in range(i, len(row)):
                other[j] -= times * row[j]
    for i in reversed(range(len(rows))):
        rows[i][-1] -= math.fsum(rows[i][j] * rows[j][-1] for j in range(i + 1, len(rows)))
        rows[i][-1] /= rows[i][i]
    return [row[-1] for row in rows]
