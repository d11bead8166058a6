"""The rules that keep examples and sum over them: voted and kernel, from docs/THEORY.md."""
import math

from labels import NEAR, Undecided, compare


def product(x, z):
    other = dict(z.features)
    return math.fsum(value * other.get(name, 0.0) for name, value in x.features)


class Dual:
    """A function is a list of (example kept, step, number of examples before)."""
    antisymmetric, direct, moves_all, halves, near = True, False, False, 1.0, NEAR

    def __init__(self, options):
        self.o, self.clock, self.all, self.kept = options, 0, [], []
        self.rounds = options.get("kind") == "rbf" or options["unit"]

    def new(self):
        self.all.append([])
        return self.all[-1]

    def kernel(self, x, z):
        kind, s = self.o.get("kind", "linear"), product(x, z)
        if kind == "linear":
            return s
        if kind == "poly":
            return (self.o["gamma"] * s + self.o["coef"]) ** self.o["degree"]
        return math.exp(-self.o["gamma"] * max(0.0, x.norm2 + z.norm2 - 2 * s))

    def value(self, f, x):
        """The latest hypothesis; and the vote, in which each counts for the examples it lasted."""
        terms, votes, since = [], [], 0
        for z, step, born in f:
            votes.append((born - since) * self.sign(terms))
            terms.append(step * self.kernel(x, z))
            since = born
        self.sign(terms)
        live = math.fsum(terms)
        if not self.o.get("vote", True):
            return live, live
        votes.append((self.clock - since) * self.sign(terms))
        return live, math.fsum(votes) / self.clock if self.clock else 0.0

    def sign(self, terms):
        """With kernels that round, a sum that cancels is a tie that rounding decides."""
        s, size = math.fsum(terms), math.fsum(map(abs, terms))
        if self.rounds and abs(s) < NEAR * size:
            raise Undecided
        return compare(s, 0) if terms else 0

    def step(self, x, margin, side, copies):
        negative = self.o["margin-negative"]
        least = self.o["margin"] if side > 0 or negative is None else negative
        thin = compare(margin, 0) <= 0 or compare(margin, least) < 0
        return self.o["rate"] * x.importance if thin else 0

    def move(self, f, x, step):
        if x not in self.kept:  # it may have moved another function just now
            budget = self.o.get("budget", 0)
            if budget and len(self.kept) == budget:
                oldest = self.kept.pop(0)
                for each in self.all:
                    each[:] = [note for note in each if note[0] is not oldest]
            self.kept.append(x)
        f.append((x, step, self.clock))

    def split(self, f, factor):
        other = self.new()
        other.extend((z, -step, born) for z, step, born in f)
        return f, other

    def after(self, x):
        self.clock += 1

    def settle(self, f):
        """Time does nothing to what is kept."""

    def rescale(self, f, name, ratio):
        """Kept examples stay as they were seen."""
