"""What a rule sees of an example, after "Units" of docs/THEORY.md and the help of `unit`."""
import math

import labels
from options import is_shy


class Sight:
    """Values in units of their own, the bias last, and unit length if that is asked for. With `scale` a
    value is divided by the greatest of its feature, the present one included where it is learned from;
    what was learned before is then converted (rescale). Rules that cannot take negative values see 0
    in the place of features that have had some; without `scale` they refuse them."""

    def __init__(self, case, rule, options):
        self.case, self.rule, self.most, self.known = case, rule, {}, {}
        self.scale = case.scales(rule)
        self.bias, self.shy = options.get("bias", False), is_shy(options)
        self.negative = set()  # features that have had a negative value

    def view(self, label, importance, features):
        features = [(name, value) for name, value in features if value]
        if self.scale:
            features = [(name, labels.as_float(value / self.most.get(name, abs(value))))
                        for name, value in features]
        whole2 = math.fsum([value * value for _, value in features] + [1.0])
        length = math.sqrt(whole2 if self.bias else whole2 - 1)
        if self.bias:
            features = features + [("", 1.0)]
        if self.scale and self.shy:  # the length is that of the whole example
            features = [(name, value if value > 0 and name not in self.negative else 0.0)
                        for name, value in features]
        by = length if self.case.unit and length else 1.0
        if by != 1:
            features = [(name, value / by) for name, value in features]
        x = labels.Example(features, importance, label)
        x.length, x.whole = length / by, math.sqrt(whole2) / by  # without and with the bias
        return x

    def see_units(self, features):
        if not self.scale:
            return
        for name, value in features:
            before, now = self.most.get(name, 0), max(self.most.get(name, 0), abs(value))
            self.most[name] = now
            if value < 0:
                self.negative.add(name)
            if 0 < before < now:
                self.model.rescale(name, labels.as_float(before / now))

    def meet(self, features):
        """`known` has the features in the order in which they came."""
        self.known.update((name, True) for name, value in features if value)

    # ---- of a rule by itself

    def predict(self, example):
        self.seen = self.view(*example)
        return self.model.predict(self.seen)

    def learn(self, example):
        """After predict, of the same example."""
        if self.scale:
            self.see_units(example[2])
            self.seen = self.view(*example)
        predicted = self.model.learn(self.seen)
        self.meet(example[2])
        return predicted

    # ---- of a member of a panel

    def refuses(self, example):
        return self.shy and not self.scale and any(value < 0 for _, value in example[2])

    def extent(self, x):
        """By what scores grow with the example. Members of a mixture have that of the whole example."""
        if self.case.mixes:
            return x.whole
        if self.rule in ("winnow", "eliminate", "voted", "kernel", "knn", "rules"):
            return 1.0
        if self.rule == "bayes":
            return 1 + math.fsum(v for _, v in x.features) / 10 if self.shy else 1.0
        return x.length or 1.0
