"""The rules that add multiples of examples to their weights: perceptron, averaged, pa, alma, pegasos,
adagrad, arow, logistic and lms. Each is written from its section of docs/THEORY.md.
"""
import math

from labels import NEAR, Undecided, as_float, compare, is_exact


def dot(weights, x):
    return math.fsum(weights.get(name, 0.0) * value for name, value in x.features)


class Additive:
    """Weights by feature, which start at 0 and are stored as floats."""
    antisymmetric, direct, moves_all, halves, near = True, True, False, 1.0, NEAR

    def __init__(self, options):
        self.o, self.clock = options, 0

    def new(self):
        return {}

    def value(self, f, x):
        s = dot(f, x)
        return s, s

    def move(self, f, x, step):
        for name, value in x.features:
            f[name] = as_float(f.get(name, 0.0) + step * value)

    def split(self, f, factor):
        return ({name: as_float(w * factor) for name, w in f.items()},
                {name: as_float(-w * factor) for name, w in f.items()})

    def after(self, x):
        self.clock += 1

    def settle(self, f):
        """What happens to a function's weights in the course of time."""

    def rescale(self, f, name, ratio):
        """Only the rules that are scaled by default convert their weights."""

    def weight(self, f, name):
        return f.get(name, 0.0)

    def margin(self, side):
        negative = self.o["margin-negative"]
        return self.o["margin"] if side > 0 or negative is None else negative

    def thin(self, margin, side):
        """y s <= 0 or y s < margin"""
        return compare(margin, 0) <= 0 or compare(margin, self.margin(side)) < 0


class Perceptron(Additive):
    def step(self, x, margin, side, copies):
        if not self.thin(margin, side):
            return 0
        step = self.o["rate"] * x.importance
        gain = step * copies * x.norm2  # of the margin, by one addition
        if not self.o["repeat"] or not gain > 0:
            return step
        times = 1
        while compare(margin + times * gain, 1) < 0:
            times += 1
        if margin + times * gain == 1 and not is_exact(*(value for _, value in x.features)):
            raise Undecided
        return times * step


class Mean(Additive):
    """A rule that predicts by the mean of its weights over all steps: w - a/T."""

    def __init__(self, options, averaged=True):
        super().__init__(options)
        self.averaged = averaged

    def new(self):
        return {}, {}

    def value(self, f, x):
        live = dot(f[0], x)
        if not self.averaged or self.clock == 0:
            return live, live
        return live, live - dot(f[1], x) / self.clock

    def move(self, f, x, step):
        w, a = f
        for name, value in x.features:
            before = w.get(name, 0.0)
            w[name] = as_float(before + step * value)
            a[name] = a.get(name, 0.0) + self.clock * (w[name] - before)

    def split(self, f, factor):
        w, a = f
        scaled = {name: v * factor for name, v in a.items()}
        return tuple(zip(super().split(w, factor),
                         (scaled, {name: -v for name, v in scaled.items()})))

    def weight(self, f, name):
        mean = f[1].get(name, 0.0) / self.clock if self.averaged and self.clock else 0
        return f[0].get(name, 0.0) - mean


class Averaged(Mean):
    def step(self, x, margin, side, copies):
        return self.o["rate"] * x.importance if self.thin(margin, side) else 0


class PassiveAggressive(Mean):
    halves = 0.5

    def __init__(self, options):
        super().__init__(options, options["averaged"])

    def step(self, x, margin, side, copies):
        loss = 1 - margin
        if compare(margin, 1) >= 0 or not x.norm2 or not x.importance:
            return 0
        return min(self.o["C"] * x.importance, loss / (copies * x.norm2))


class Alma(Additive):
    """Everything is kept in doubles: w, which is divided as a whole."""
    halves = math.sqrt(0.5)

    def __init__(self, options):
        super().__init__(options)
        self.k, self.all, self.moved = 1, [], False

    def new(self):
        self.all.append({})
        return self.all[-1]

    def value(self, f, x):
        """A sum that cancels is a tie in the reals, which rounding decides: so is a weight that
        comes back to 0 (None)."""
        weights = [f.get(name, 0.0) for name, _ in x.features]
        if None in weights:
            raise Undecided
        terms = [w * value for w, (_, value) in zip(weights, x.features)]
        s, size = math.fsum(terms), math.fsum(map(abs, terms))
        if size and abs(s) < 1e-12 * size:
            raise Undecided
        return s, s

    def step(self, x, margin, side, copies):
        alpha, length = self.o["alpha"], math.sqrt(copies * x.norm2)
        if not length or not x.importance:
            return 0
        asked = (1 - alpha) * (math.sqrt(8) / alpha) / math.sqrt(self.k)
        if compare(margin / length, asked) > 0:
            return 0
        return x.importance * math.sqrt(2) / math.sqrt(self.k) / length

    def move(self, f, x, step):
        for name, value in x.features:
            f[name] = f.get(name, 0.0) + step * value
            if abs(f[name]) < 1e-12 * abs(step):
                f[name] = None
        self.moved = True

    def split(self, f, factor):
        self.all = [{name: w and w * times for name, w in f.items()} for times in (factor, -factor)]
        return tuple(self.all)

    def after(self, x):
        super().after(x)
        if self.moved:
            length = math.sqrt(math.fsum(w * w for f in self.all for w in f.values() if w))
            for f in self.all:
                for name in f:
                    f[name] = f[name] and f[name] / max(1.0, length)
            self.k += 1
        self.moved = False

    def weight(self, f, name):
        return f.get(name) or 0.0


class Pegasos(Additive):
    """v, the sum of y x over the examples that led by less than 1; w = v/(lambda (t - 1))."""
    halves = 0.5

    def scale(self):
        return 1 / (self.o["lambda"] * self.clock) if self.clock else 0.0

    def value(self, f, x):
        s = self.scale() * dot(f, x)
        return s, s

    def step(self, x, margin, side, copies):
        return x.importance if compare(margin, 1) < 0 else 0

    def weight(self, f, name):
        return f.get(name, 0.0) * self.scale()


def change_of_unit(ratio):
    """What a weight is multiplied by if its feature's values become `ratio` times as large; when
    they shrink by more than half at once, the weight is doubled and no more."""
    return min(2, 1 / ratio)


class AdaGrad(Additive):
    """(w, G)"""
    direct = False

    def new(self):
        return {}, {}

    def value(self, f, x):
        s = dot(f[0], x)
        return s, s

    def step(self, x, margin, side, copies):
        """Whether it moves, and the lead that is missing: how far depends on G."""
        return 1 - margin if x.importance and compare(margin, 1) < 0 else 0

    def move(self, f, x, missing):
        w, squares = f
        y = 1 if missing > 0 else -1
        for name, value in x.features:
            squares[name] = as_float(squares.get(name, 0.0) + value * value)
        gain = math.fsum(v * v / math.sqrt(squares[name]) for name, v in x.features)
        tau = min(self.o["rate"] * x.importance, abs(missing) / gain) if gain else 0
        for name, value in x.features:
            w[name] = as_float(w.get(name, 0.0) + tau * y * value / math.sqrt(squares[name]))

    def split(self, f, factor):
        plus, minus = super().split(f[0], 1)
        return (plus, dict(f[1])), (minus, dict(f[1]))

    def rescale(self, f, name, ratio):
        if name in f[0]:
            f[0][name] = as_float(f[0][name] * change_of_unit(ratio))
            f[1][name] = as_float(f[1][name] * ratio * ratio)

    def weight(self, f, name):
        return f[0].get(name, 0.0)


class Arow(AdaGrad):
    """(w, v), v the variances, which start at 1."""

    def move(self, f, x, missing):
        w, variance = f
        c = max(1, x.norm2 / 2) if self.o["relative"] else 1
        beta = 1 / (math.fsum(variance.get(name, 1.0) * value * value
                              for name, value in x.features) + self.o["r"] * c / x.importance)
        for name, value in x.features:
            v = variance.get(name, 1.0)
            w[name] = as_float(w.get(name, 0.0) + missing * beta * v * value)
            variance[name] = as_float(v - beta * (v * value) ** 2)

    def rescale(self, f, name, ratio):
        """Precisions add up: what is beyond the first 1 was summed from squares of values."""
        if name in f[0]:
            f[0][name] = as_float(f[0][name] * change_of_unit(ratio))
            f[1][name] = as_float(1 / (1 + (1 / f[1][name] - 1) * ratio * ratio))


class Logistic(Additive):
    """{name: [w, a, q]}: weight, averaging sum, and 1/64 plus the squared gradients."""
    moves_all, halves, near = True, 0.5, 1e-6

    def new(self):
        return {}

    def value(self, f, x):
        live = math.fsum(f[name][0] * value for name, value in x.features if name in f)
        if not self.o["averaged"] or not self.clock:
            return live, live
        mean = math.fsum(f[name][1] * value for name, value in x.features if name in f)
        return live, live - mean / self.clock

    def step(self, x, margin, side, copies):
        return x.importance * sigmoid(-margin)

    def steps(self, x, truth, live):
        most = max(live)
        powers = [math.exp(s - most) for s in live]
        return [x.importance * ((l == truth) - p / math.fsum(powers))
                for l, p in enumerate(powers)]

    def rate(self, of):
        if self.o["steps"] == "adaptive":
            return self.o["rate"] / math.sqrt(of[2])
        return self.o["rate"] / (1 + self.clock) ** self.o["decay"]

    def move(self, f, x, g):
        for name, value in x.features:
            of = f.setdefault(name, [0.0, 0.0, 1 / 64])
            of[2] = as_float(of[2] + (g * value) ** 2)
            before = of[0]
            of[0] = as_float(before + self.rate(of) * g * value)
            of[1] += self.clock * (of[0] - before)

    def after(self, x):
        self.length = self.o["rate"] / (1 + self.clock) ** self.o["decay"]
        super().after(x)

    def settle(self, f):
        """Every weight but the bias's follows the flow of the penalties for the length of its rate."""
        l1, l2 = self.o["l1"], self.o["l2"]
        for name, of in f.items():
            if name == "" or not of[0] or not (l1 or l2):
                continue
            h = self.rate(of) if self.o["steps"] == "adaptive" else self.length
            size = abs(of[0]) * math.exp(-l2 * h)
            size -= l1 * (-math.expm1(-l2 * h) / l2 if l2 else h)
            of[0] = math.copysign(size, of[0]) if size > 0 else 0.0

    def split(self, f, factor):
        return ({name: [as_float(w * factor), a * factor, q] for name, (w, a, q) in f.items()},
                {name: [as_float(-w * factor), -a * factor, q] for name, (w, a, q) in f.items()})

    def rescale(self, f, name, ratio):
        if name in f:
            w, a, q = f[name]
            change = change_of_unit(ratio)
            f[name] = [as_float(w * change), a * change,
                       as_float(1 / 64 + (q - 1 / 64) * ratio * ratio)]

    def weight(self, f, name):
        w, a, _ = f.get(name, (0.0, 0.0, 0.0))
        return w - (a / self.clock if self.o["averaged"] and self.clock else 0)


def sigmoid(s):
    return 1 / (1 + math.exp(-s)) if s >= 0 else math.exp(s) / (1 + math.exp(s))


class LeastMeanSquares(Mean):
    def __init__(self, options):
        super().__init__(options, options["averaged"])

    def learn(self, f, x, y):
        error, step = y - self.value(f, x)[0], self.o["rate"] * x.importance
        if self.o["normalized"]:
            step = min(step, 1) / x.norm2 if x.norm2 else 0
        if abs(error) > 1e12:
            raise Undecided  # it diverges, and rounding with it
        if error and step:
            self.move(f, x, step * error)
        return bool(error and step)

    def rescale(self, f, name, ratio):
        for part in f:
            if name in part:
                part[name] *= change_of_unit(ratio)
        if name in f[0]:
            f[0][name] = as_float(f[0][name])
