"""Optima that a solver's weights are held against: of linear programs and of least-norm problems. Small
and slow, and by other methods than thresh's."""
import math


def maximum(a, b, c):
    """max c.x so that a x <= b, x >= 0, where b >= 0: the simplex method on a dense tableau. None: it
    has no bound."""
    rows, n = len(a), len(c)
    table = [row + [float(i == j) for j in range(rows)] + [b[i]] for i, row in enumerate(a)]
    goal = [-value for value in c] + [0.0] * (rows + 1)
    basis = [n + i for i in range(rows)]
    for turn in range(10000):
        below = [j for j in range(n + rows) if goal[j] < -1e-9]
        if not below:
            return goal[-1]
        # The steepest column; Bland's first one once that may go round in circles.
        j = min(below, key=goal.__getitem__) if turn < 200 else below[0]
        ratios = [(row[-1] / row[j], basis[i], i) for i, row in enumerate(table) if row[j] > 1e-9]
        if not ratios:
            return None
        i = min(ratios)[2]
        pivot = table[i][j]
        table[i] = [value / pivot for value in table[i]]
        for row in table[:i] + table[i + 1:] + [goal]:
            times = row[j]
            if times:
                for k, value in enumerate(table[i]):
                    if value:
                        row[k] -= times * value
        basis[i] = j
    raise ArithmeticError("the simplex method does not end")


def least_l1(points, costs):
    """min |w|_1 + sum of cost max(0, 1 - z.w), or with costs None so that all z.w >= 1; None: there is
    no such w. By its dual: max sum a, |sum a z| <= 1 in every coordinate, 0 <= a <= cost."""
    names = sorted({name for z in points for name in z})
    half = [[z.get(name, 0.0) for z in points] for name in names]
    a = half + [[-value for value in row] for row in half]
    b = [1.0] * len(a)
    if costs is not None:
        a += [[float(i == j) for j in range(len(points))] for i in range(len(points))]
        b += costs
    return maximum(a, b, [1.0] * len(points)) if points else 0.0


def inner(z, w):
    return math.fsum(value * w.get(name, 0.0) for name, value in z.items())


def gram(points):
    return [[inner(z, other) for other in points] for z in points]


def least_point(points, turns=3000):
    """Bounds (low, high) on gamma, the least length of a convex combination w of the points. Mitchell,
    Demyanov and Malozemov: weight moves from the point farthest along w to the nearest."""
    products = gram(points)
    share, value = [0.0] * len(points), list(products[0])
    share[0] = 1.0
    for _ in range(turns):
        high2 = max(0.0, math.fsum(s * v for s, v in zip(share, value)))
        high, least = math.sqrt(high2), min(value)
        low = least / high if high2 > 1e-24 else 0.0
        if high2 < 1e-16 or low > high * (1 - 1e-4):
            break
        near = value.index(least)
        far = max((i for i, s in enumerate(share) if s > 0), key=value.__getitem__)
        apart = products[near][near] + products[far][far] - 2 * products[near][far]
        if apart <= 0:
            break
        t = min(share[far], (value[far] - value[near]) / apart)
        value = [v + t * (a - b) for v, a, b in zip(value, products[near], products[far])]
        share[far] -= t
        share[near] += t
    return low, high


def least_soft(points, costs, epochs=400):
    """An upper bound on min |w|^2/2 + sum of cost max(0, 1 - z.w), by coordinate ascent in its dual:
    tight where that converges."""
    products = gram(points)
    a, value, best = [0.0] * len(points), [0.0] * len(points), sum(costs)
    for _ in range(epochs):
        change = 0.0
        for i, row in enumerate(products):
            if row[i] > 0:
                to = max(0.0, min(costs[i], a[i] + (1 - value[i]) / row[i]))
                by = to - a[i]
                if by:
                    value = [v + by * p for v, p in zip(value, row)]
                    a[i], change = to, max(change, abs(by))
        length2 = math.fsum(x * v for x, v in zip(a, value))
        slack = math.fsum(c * max(0.0, 1 - v) for c, v in zip(costs, value))
        best = min(best, length2 / 2 + slack)
        if change < 1e-7:
            break
    return best
