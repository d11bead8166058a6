"""The rules that multiply their weights: winnow, balanced and eg, from docs/THEORY.md."""
import math

from labels import NEAR, Undecided, as_float, compare


class Multiplicative:
    antisymmetric, direct, moves_all, halves, near = True, True, False, 1.0, NEAR
    quirks = ()

    def __init__(self, options):
        self.o, self.clock = options, 0

    def new(self):
        return {}

    def after(self, x):
        self.clock += 1

    def settle(self, f):
        """Time does nothing to the weights."""

    def rescale(self, f, name, ratio):
        """Only the rules that are scaled by default convert their weights."""

    def margin(self, side):
        negative = self.o["margin-negative"]
        return self.o["margin"] if side > 0 or negative is None else negative


class Winnow(Multiplicative):
    """Weights divided by `start`, which may change; 1 where nothing was learned."""
    antisymmetric, direct, otherwise = False, False, -1

    def __init__(self, options, known):
        super().__init__(options)
        self.known, self.total = known, 0.0  # features met, and the sum of the values of all examples

    def late(self, known):
        """As if what was met had been demoted twice; what demote=0 would lose for good stays."""
        demote = self.o["demote"]
        return {name: as_float(demote ** 2) for name in known} if demote else self.new()

    def scale(self, x=None):
        """start and theta: given, or from the mean sum of values of the examples so far; before the
        first example, from this one."""
        mean = self.total / self.clock if self.clock else math.fsum(v for _, v in x.features)
        mean = mean if mean > 1e-30 else 1
        start, theta = self.o["start"], self.o["theta"]
        if start is None:
            start = 1 if theta is None else theta / mean
        return start, start * mean if theta is None else theta

    def value(self, f, x):
        start, theta = self.scale(x)
        s = start * math.fsum(f.get(name, 1.0) * value for name, value in x.features) - theta
        follows = self.o["start"] is None and self.o["theta"] is not None and self.o["unit"]
        if s == 0 and follows and "winnow-start" in self.quirks:
            raise Undecided  # only here: in unit length the order of the sum matters
        return s, s

    def step(self, x, margin, side, copies):
        """At w.x = theta the answer is +, so a positive need not move there."""
        wrong = compare(margin, 0) < 0 or (side < 0 and margin == 0)
        return x.importance if wrong or compare(margin, self.margin(side)) < 0 else 0

    def move(self, f, x, step):
        factor = self.o["promote" if step > 0 else "demote"]
        for name, value in x.features:
            exponent = abs(step) * value
            power = factor ** exponent if factor else float(exponent <= 0)
            w = f.get(name, 1.0) * max(1e-60, min(1e60, power)) if power else 0.0
            f[name] = as_float(max(1e-30, w)) if w else 0.0

    def split(self, f, factor):
        """The positive label's function; the other label's has the same numbers."""
        return dict(f), dict(f)

    def after(self, x):
        super().after(x)
        self.total += math.fsum(v for _, v in x.features)

    def moved(self, f):
        return any(w != 1 for w in f.values())

    def weight(self, f, name):
        return self.scale()[0] * f.get(name, 1.0)


class Balanced(Multiplicative):
    """The exponents v_i, which steps move on a grid: p = exp(v) and n = exp(-v), as stored."""
    near = 1e-6
    GRID, FINE, MOST = 2.0 ** -22, 2.0 ** -12, math.log(1e30)

    def __init__(self, options, known):
        super().__init__(options)
        self.known = known

    def total(self, f):
        """Z: the features known before this example, and what was learned of new ones."""
        number = max(1, len(self.known) + bool(self.o["bias"]))
        return 2 * number + math.fsum(as_float(math.exp(v)) + as_float(math.exp(-v)) - 2
                                      for v in f.values())

    @staticmethod
    def difference(f, name):
        v = f.get(name, 0.0)
        return as_float(math.exp(v)) - as_float(math.exp(-v))

    def value(self, f, x):
        s = math.fsum(self.difference(f, name) * value for name, value in x.features)
        most = max([0.0] + [abs(self.difference(f, name) * value) for name, value in x.features])
        if most > 1e9 * max(1, abs(s)) and "balanced-sums" in self.quirks:
            raise Undecided
        if self.o["normalized"]:
            s /= self.total(f)
        return s, s

    def step(self, x, margin, side, copies):
        thin = (compare(margin, 0, self.near) <= 0 or
                compare(margin, self.margin(side), self.near) < 0)
        return self.o["eta"] * x.importance if thin else 0

    def move(self, f, x, step):
        for name, value in x.features:
            by = step * value
            if abs(by) >= self.FINE:
                by = round(by / self.GRID) * self.GRID
            f[name] = max(-self.MOST, min(self.MOST, f.get(name, 0.0) + by))

    def split(self, f, factor):
        return dict(f), {name: -v for name, v in f.items()}

    def weight(self, f, name):
        w = self.difference(f, name)
        return w / self.total(f) if self.o["normalized"] else w


class ExponentiatedGradient(Multiplicative):
    """theta_i = log v_i. A feature counts in Z from its first example on; the bias always."""

    def __init__(self, options):
        super().__init__(options)
        self.most_x = self.most_y = 0.0

    def new(self):
        return {"": 0.0} if self.o["bias"] else {}

    def mass(self):
        return 4 * self.most_y if self.o["U"] is None else self.o["U"]

    def raw(self, theta):
        return 2 * math.sinh(theta) if self.o["signed"] else math.exp(theta)

    def total(self, f):
        return math.fsum(2 * math.cosh(t) if self.o["signed"] else math.exp(t)
                         for t in f.values())

    def value(self, f, x):
        s = math.fsum(self.raw(f[name]) * value for name, value in x.features if name in f)
        s *= self.mass() / self.total(f) if f else 0
        return s, s

    def learn(self, f, x, y):
        s = self.value(f, x)[1]
        if y and abs(y - s) < 1e-12:
            raise Undecided  # whether it moves at all
        self.most_y = max(self.most_y, abs(y))
        self.most_x = max([self.most_x] + [abs(v) for _, v in x.features])
        mass, eta = self.mass(), self.o["eta"]
        if eta is None:
            eta = 1 / (3 * (mass * self.most_x) ** 2) if mass * self.most_x else 0
        step = 2 * eta * mass * (y - s) * x.importance
        for name, value in x.features:
            f[name] = max(-500, min(500, f.get(name, 0.0) + step * value))
        return step != 0

    def weight(self, f, name):
        return self.mass() * self.raw(f[name]) / self.total(f) if name in f else 0.0
