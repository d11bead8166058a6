"""The rules of docs/THEORY.md on whole sentences, from their definitions.

    F(x, y) = sum over tokens of the features of (x, t, y_t, y_(t-1)),     s(y) = w.F(x, y)

A rule moves along D = F(x, y) - F(x, y'), y' = argmax s(y') + h [wrong tags], or along the gradient of
log P(y | x). D is a dictionary from (feature, tag) to an amount; numbers are doubles, and weights are
rounded to floats when they are stored.
"""
import itertools
import math

from labels import NEAR, Undecided, as_float, compare
from sentences import may_follow

LEAST = 1e-5  # smaller differences between what is and what is expected move nothing
FIRST = 1 / 64  # of q
MEAN_NEAR = 1e-6  # means are not followed rounding by rounding


class Additive:
    """w, and `a`: the sum of w after each sentence, for the mean. Other rules use `a` for what they need."""
    mean, near = False, 1e-12  # sums are nearly always exact

    def __init__(self, options):
        self.o, self.clock, self.w, self.a = options, 0, {}, {}

    def live(self, key):
        return self.w.get(key, 0.0)

    def shown(self, key):
        if not self.mean or not self.clock:
            return self.live(key)
        return self.a.get(key, 0.0) / self.clock

    def add(self, key, by):
        self.w[key] = as_float(self.w.get(key, 0.0) + by)

    def add_all(self, difference, step):
        for key, amount in difference.items():
            self.add(key, step * amount)

    def asks(self):
        return 1

    def after(self, known):
        """A sentence has been learned; `known` has the features met so far."""
        self.clock += 1
        for key, w in self.w.items() if self.mean else ():
            self.a[key] = self.a.get(key, 0.0) + w


def norm2(difference):
    return math.fsum(amount * amount for amount in difference.values())


class Perceptron(Additive):
    def asks(self):
        return self.o["margin"]

    def move(self, difference, margin):
        """`margin` is what the lead would be if a single tag were wrong."""
        if compare(margin, 0) > 0 and compare(margin, self.asks()) >= 0:
            return False
        times, gain = 1, self.o["rate"] * norm2(difference)
        while self.o.get("repeat") and gain and compare(margin + times * gain, 1) < 0:
            times += 1
        self.add_all(difference, times * self.o["rate"])
        return True


class Averaged(Perceptron):
    mean = True


class PassiveAggressive(Additive):
    def __init__(self, options):
        super().__init__(options)
        self.mean = options["averaged"]

    def move(self, difference, margin):
        length2 = norm2(difference)
        if compare(margin, 1) >= 0 or not length2:
            return False
        self.add_all(difference, min(self.o["C"], (1 - margin) / length2))
        return True


class AdaGrad(Additive):
    """a has the sums of squares G."""

    def move(self, difference, margin):
        if compare(margin, 1) >= 0:
            return False
        for key, d in difference.items():
            self.a[key] = as_float(self.a.get(key, 0.0) + d * d)
        gain = math.fsum(d * d / math.sqrt(self.a[key]) for key, d in difference.items())
        tau = min(self.o["rate"], (1 - margin) / gain) if gain else 0
        for key, d in difference.items():
            self.w[key] = as_float(self.live(key) + tau * d / math.sqrt(self.a[key]))
        return True


class Arow(Additive):
    """a has the variances, which start at 1."""

    def move(self, difference, margin):
        if compare(margin, 1) >= 0:
            return False
        c = max(1, norm2(difference) / 2) if self.o["relative"] else 1
        spread = math.fsum(self.a.get(key, 1.0) * d * d for key, d in difference.items())
        beta = 1 / (spread + self.o["r"] * c)
        for key, d in difference.items():
            v = self.a.get(key, 1.0)
            self.w[key] = as_float(self.live(key) + (1 - margin) * beta * v * d)
            self.a[key] = as_float(v - beta * (v * d) ** 2)
        return True


class Balanced(Additive):
    """w has the exponents v: p = e^v, n = e^-v, and the weight is p - n. A tag's features share its Z."""
    near = NEAR
    GRID, FINE, MOST = 2.0 ** -22, 2.0 ** -12, math.log(1e30)

    def __init__(self, options):
        super().__init__(options)
        self.number, self.z = 0, {}

    def asks(self):
        return self.o["margin"]

    def live(self, key):
        v = self.w.get(key, 0.0)
        weight = as_float(math.exp(v)) - as_float(math.exp(-v))
        return weight / self.total(key[1]) if self.o["normalized"] else weight

    def total(self, tag):
        """Features met count 2 before they move."""
        if tag not in self.z:
            moved = [v for (_, other), v in self.w.items() if other == tag]
            self.z[tag] = 2 * max(1, self.number) + math.fsum(
                as_float(math.exp(v)) + as_float(math.exp(-v)) - 2 for v in moved)
        return self.z[tag]

    def move(self, difference, margin):
        if compare(margin, 0, self.near) > 0 and compare(margin, self.asks(), self.near) >= 0:
            return False
        for key, d in difference.items():
            by = self.o["eta"] * d
            if abs(by) >= self.FINE:
                by = round(by / self.GRID) * self.GRID
            self.w[key] = max(-self.MOST, min(self.MOST, self.w.get(key, 0.0) + by))
        return True

    def after(self, known):
        super().after(known)
        self.number, self.z = len(known) + bool(self.o["bias"]), {}


class Winnow(Additive):
    """w has the weights over `start`. A feature with a positive amount is promoted, one with a negative
    amount demoted. theta counts alike for all taggings."""
    near = NEAR

    def asks(self):
        return self.o["margin"]

    def live(self, key):
        return self.o["start"] * self.w.get(key, 1.0)

    def move(self, difference, margin):
        if compare(margin, 0) > 0 and compare(margin, self.asks()) >= 0:
            return False
        for key, d in difference.items():
            power = self.o["promote"] ** d if d > 0 else self.o["demote"] ** -d
            w = self.w.get(key, 1.0) * power
            self.w[key] = as_float(max(1e-30, w)) if w else 0.0
        return True


class Logistic(Additive):
    """q: 1/64 and the squares of the gradients."""
    near = 1e-6

    def __init__(self, options):
        super().__init__(options)
        self.mean, self.q = options["averaged"], {}

    def rate(self, key):
        if self.o["steps"] == "adaptive":
            return self.o["rate"] / math.sqrt(self.q[key])
        return self.o["rate"] / (1 + self.clock) ** self.o["decay"]

    def climb(self, gradient):
        for key, g in gradient.items():
            self.q[key] = as_float(self.q.get(key, FIRST) + g * g)
            self.add(key, self.rate(key) * g)

    def after(self, known):
        """Every weight but the bias's follows the flow of the penalties for the length of its rate."""
        l1, l2 = self.o["l1"], self.o["l2"]
        for key, w in self.w.items():
            if w and key[0] != "" and (l1 or l2):
                h = self.rate(key)
                less = l1 * (-math.expm1(-l2 * h) / l2 if l2 else h)
                size = abs(w) * math.exp(-l2 * h) - less
                self.w[key] = math.copysign(size, w) if size > 0 else 0.0
        super().after(known)


# ---- sentences

class Scores:
    """node[t][y] and link[t][x][y] by number of tag, with -inf where the scheme forbids it."""

    def __init__(self, tagger, sentence, weight):
        tags = tagger.tags
        self.node = [[math.fsum(weight((f, y)) for f in sentence.features[t]) for y in tags]
                     for t in range(len(sentence))]
        self.link, made = [None], {}
        for names in sentence.links[1:]:
            if tuple(names) not in made:
                made[tuple(names)] = [[math.fsum(weight((f, y)) for f in behind(x, names))
                                       if tagger.free or may_follow(x, y) else -math.inf
                                       for y in tags] for x in tags]
            self.link.append(made[tuple(names)])
        for i, y in enumerate(tags if not tagger.free else []):
            self.node[0][i] += 0 if may_follow(None, y) else -math.inf
            self.node[-1][i] += 0 if may_follow(y, None) else -math.inf

    def sum(self, path):
        links = (self.link[t][path[t - 1]][path[t]] for t in range(1, len(path)))
        return math.fsum(self.node[t][y] for t, y in enumerate(path)) + math.fsum(links)

    def best(self, near, exact):
        """The best path, and whether no rounding decides, by which sums differ less than `near`. Of
        equal ones the lower tags win, from the end on; equal sums are believed where they are `exact`.
        Without a path None."""
        tags, way, back = range(len(self.node[0])), self.node[0], [None]
        for node, link in zip(self.node[1:], self.link[1:]):
            ways = [[way[x] + link[x][y] for x in tags] for y in tags]
            back.append([choice(w, near, exact) for w in ways])
            way = [max(w) + node[y] for y, w in zip(tags, ways)]
        if max(way) == -math.inf:
            return None, False
        y, sure = choice(way, near, exact)
        path = [y]
        for at in reversed(back[1:]):
            y, safe = at[y]
            path.append(y)
            sure = sure and safe
        return path[::-1], sure

    def all(self):
        """The sums of all taggings that the scheme allows."""
        paths = itertools.product(range(len(self.node[0])), repeat=len(self.node))
        sums = {path: self.sum(path) for path in paths}
        return {path: s for path, s in sums.items() if s > -math.inf}

    def probabilities(self):
        """P(y_t = y) and P(y_(t-1) = x, y_t = y), by going through all taggings."""
        n, k = len(self.node), len(self.node[0])
        single, pair = [[0.0] * k for _ in range(n)], [[[0.0] * k for _ in range(k)] for _ in range(n)]
        for path, p in softmax(self.all()).items():
            for t, y in enumerate(path):
                single[t][y] += p
                if t:
                    pair[t][path[t - 1]][y] += p
        return single, pair


def softmax(sums):
    most = max(sums.values())
    powers = {path: math.exp(s - most) for path, s in sums.items()}
    whole = math.fsum(powers.values())
    return {path: power / whole for path, power in powers.items()}


def choice(ways, near, exact):
    """The first of the greatest, and whether it is clear."""
    best = max(ways)
    close = [w for w in ways if w > -math.inf and best - w <= near * max(1, abs(best))]
    clear = len(close) == 1 or (exact and all(w == best for w in close))
    return ways.index(best), clear and bool(close)


def share(amount):
    if abs(abs(amount) - LEAST) < 1e-9:
        raise Undecided
    return amount if abs(amount) >= LEAST else 0.0


class Sentence:
    """The features of each token, "" the bias, and the names of its links."""

    def __init__(self, rows, template, bias, tags=None):
        n = len(rows)
        self.features = [template.features(rows, t) + [""] * bias for t in range(n)]
        self.links = [template.link_names(rows, t) if t else [] for t in range(n)]
        self.tags = tags

    def __len__(self):
        return len(self.features)


def behind(tag, names):
    return [f"after {tag}|{name}" for name in names]


class Tagger:
    def __init__(self, rule, free):
        self.rule, self.free = rule, free  # whether any tag may follow any other
        self.tags, self.met = [], {}  # in the order in which they came
        self.mistakes = self.updates = self.doubt = 0

    def met_behind(self, tag, names):
        """The features of links that exist. The others have the weight that all begin with, and keep it."""
        return [name for name in behind(tag, names) if name in self.met]

    def predict(self, sentence):
        """Tags, and whether they are sure."""
        if not self.tags:
            return [None] * len(sentence), True
        near = MEAN_NEAR if self.rule.mean else self.rule.near
        path, sure = self.scores(sentence).best(near, not self.rule.mean)
        return path and [self.tags[y] for y in path], sure

    def scores(self, sentence):
        """As it predicts with."""
        return Scores(self, sentence, self.rule.shown)

    def learn(self, sentence):
        predicted, sure = self.predict(sentence)
        if not sure:
            self.doubt += len(sentence)
        self.mistakes += sum(a != b for a, b in zip(predicted or sentence.tags, sentence.tags))
        self.meet(sentence)
        learn = self.climb if isinstance(self.rule, Logistic) else self.correct
        self.updates += learn(sentence)
        self.rule.after(self.met)

    def meet(self, sentence):
        for t, tag in enumerate(sentence.tags):
            if tag not in self.tags:
                self.tags.append(tag)
            self.met.update((name, True) for name in sentence.features[t] if name)
            self.met.update((f"after {sentence.tags[t - 1]}|{name}", True)
                            for name in sentence.links[t])

    def correct(self, sentence):
        asked, truth = self.rule.asks(), [self.tags.index(tag) for tag in sentence.tags]
        scores = Scores(self, sentence, self.rule.live)
        right = scores.sum(truth)
        for node, y in zip(scores.node, truth):
            node[:] = [s + asked * (i != y) for i, s in enumerate(node)]
        path, sure = scores.best(self.rule.near, True)
        wrong = sum(y != z for y, z in zip(truth, path))
        if not sure:
            raise Undecided
        if not wrong:
            return False
        lead = right - (scores.sum(path) - asked * wrong)
        return self.rule.move(self.difference(sentence, truth, path), lead - asked * (wrong - 1))

    def difference(self, sentence, truth, path):
        found = {}
        for way, sign in ((truth, 1), (path, -1)):
            for t, y in enumerate(way):
                before = self.met_behind(self.tags[way[t - 1]], sentence.links[t])
                for name in sentence.features[t] + before:
                    key = name, self.tags[y]
                    found[key] = found.get(key, 0) + sign
        return {key: amount for key, amount in found.items() if amount}

    def climb(self, sentence):
        """Along what the true tags have more than is expected. Links are summed up over the tokens in
        a row that have the same ones, before small amounts are left out."""
        truth, gradient = [self.tags.index(tag) for tag in sentence.tags], {}
        single, pair = Scores(self, sentence, self.rule.live).probabilities()
        for t, of_tag in enumerate(single):
            for y, p in enumerate(of_tag):
                note(gradient, sentence.features[t], self.tags[y], share((truth[t] == y) - p))
        runs = itertools.groupby(range(1, len(truth)), lambda t: sentence.links[t])
        for names, run in runs:
            run = list(run)
            for x, y in itertools.product(range(len(self.tags)), repeat=2):
                amount = share(math.fsum((truth[t - 1:t + 1] == [x, y]) - pair[t][x][y] for t in run))
                note(gradient, self.met_behind(self.tags[x], names), self.tags[y], amount)
        self.rule.climb({key: g for key, g in gradient.items() if g})
        return bool(gradient)


def note(gradient, names, tag, amount):
    for name in names if amount else []:
        gradient[name, tag] = gradient.get((name, tag), 0.0) + amount


RULES = {"perceptron": Perceptron, "averaged": Averaged, "pa": PassiveAggressive, "arow": Arow,
         "adagrad": AdaGrad, "balanced": Balanced, "winnow": Winnow,
         "logistic": Logistic}
