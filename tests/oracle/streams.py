"""Random streams: short, over few features, with small whole or dyadic values, so that sums are exact
and ties frequent. Some have importances, repeated and empty examples, and a label that comes late.
"""
NAMES = [["1", "-1", "2", "0", "3", "10", "-7", "4"],
         ["ham", "spam", "eggs", "tea", "ale", "oil", "rye", "jam"],
         ["0", "1", "2", "3", "4", "5", "6", "7"], ["b", "a", "c", "e", "d", "g", "f", "h"]]
VALUES = {
    "ones": [1.0],
    "counts": [1.0, 1.0, 2.0, 3.0],
    "signs": [1.0, -1.0],
    "whole": [1.0, 2.0, -1.0, -2.0, 3.0],
    "dyadic": [0.5, 0.25, 1.0, -0.5, 1.5, -1.25, 2.0],
    "positive dyadic": [0.5, 0.25, 1.0, 1.5, 2.0],
    "wide": [0.25, 1.0, 4.0, -8.0, 16.0],
    "wide positive": [0.25, 1.0, 4.0, 16.0],
}


class Stream:
    """Examples (label, importance, features), and what kind of values and labels they have."""

    def __init__(self, dice, values, labels, numbers=False, small=False):
        self.values, self.labels = values, labels
        self.weighted = dice.random() < 0.3
        names = list(dice.choice(NAMES))
        if dice.random() < 0.5:
            dice.shuffle(names)
        n = dice.randint(4, 6 if small else 15)
        density = dice.choice([0.2, 0.4, 0.7])
        late = dice.randint(1, 12) if dice.random() < 0.5 else 0
        self.examples = []
        for t in range(dice.randint(6, 18) if small else dice.randint(10, 40)):
            known = labels if t >= late else max(1, labels - 1)
            if self.examples and dice.random() < 0.25:
                example = dice.choice(self.examples)
                if dice.random() < 0.3:
                    example = (self._label(dice, names, known, numbers), *example[1:])
            else:
                features = self._features(dice, n, density)
                if dice.random() < 0.05:
                    features = []
                elif dice.random() < 0.3:
                    dice.shuffle(features)
                example = (self._label(dice, names, known, numbers), 1.0, features)
            if self.weighted and dice.random() < 0.5:
                example = (example[0], dice.choice([0.0, 0.5, 1.0, 2.0, 2.0, 3.0]), example[2])
            self.examples.append(example)

    def _features(self, dice, n, density):
        """With `fields`: values of columns, marks and numbers. An example may have two values of
        a column, which are features of their own from then on."""
        if self.values != "fields":
            return [(f"f{i}", dice.choice(VALUES[self.values])) for i in range(n)
                    if dice.random() < density]
        found = []
        for i in range(min(n, 8)):
            if i % 3 == 2:
                found += [(f"n{i}", dice.choice([1.0, 2.0, 4.0, -1.0]))] * (dice.random() < 0.8)
            elif i % 3 == 1 and i > 3:
                found += [(f"m{i}", 1.0)] * (dice.random() < 0.5)
            elif dice.random() < 0.9:
                found.append((f"c{i}={dice.choice('abc')}", 1.0))
        if dice.random() < 0.02:
            found += [("c0=d", 2.0), ("c3=e", 1.0)]
        return found

    @staticmethod
    def _label(dice, names, known, numbers):
        if numbers:
            return repr(dice.randint(-8, 8) / 2)
        return names[min(known - 1, int(dice.random() * known))]
