"""The rules with their options: what a stream of each is drawn from, and the oracle's model for it.

DEFAULTS and TEXTBOOK are written by hand from the help and from docs/THEORY.md, so that a default
that changes by accident is noticed.
"""
import math

import additive
import counting
import fitted
import kept
import labels
import multiplicative
import neighbours

MARGINS = {"margin": 0, "margin-negative": None}
DEFAULTS = {
    "perceptron": {"rate": 1, "repeat": False, "bias": True, **MARGINS},
    "averaged": {"rate": 1, "bias": True, **MARGINS},
    "pa": {"C": 1, "averaged": True, "bias": True},
    "alma": {"alpha": 0.9, "bias": True},
    "pegasos": {"lambda": 0.001, "bias": True},
    "adagrad": {"rate": 0.5, "bias": True},
    "arow": {"r": 1, "relative": True, "bias": True},
    "logistic": {"steps": "adaptive", "rate": 1, "decay": 0, "l1": 0, "l2": 0, "averaged": False,
                 "bias": True},
    "winnow": {"promote": 2, "demote": 0.5, "theta": None, "start": None, **MARGINS},
    "balanced": {"eta": 0.2, "normalized": False, "bias": True, "margin": 1,
                 "margin-negative": None},
    "lms": {"rate": 0.5, "normalized": True, "averaged": True, "bias": True},
    "eg": {"eta": None, "U": None, "signed": True, "bias": True},
    "bayes": {"kind": "multinomial", "alpha": 1},
    "eliminate": {"form": "conjunction", "negated": False, "variables": None},
    "voted": {"rate": 1, "bias": True, **MARGINS},
    "kernel": {"kind": "poly", "degree": 2, "gamma": 1, "coef": 0, "vote": True, "budget": 0,
               "rate": 1, "bias": True, **MARGINS},
    "knn": {"k": 1, "weights": "gain", "vote": "equal"},
    "rules": {"min-gain": 2, "max-rules": 10000},
}
TEXTBOOK = {
    "perceptron": {"margin": 0, "margin-negative": 0},
    "averaged": {"margin": 0, "margin-negative": 0},
    "pa": {"averaged": False},
    "arow": {"relative": False},
    "logistic": {"steps": "sgd", "decay": 0, "l1": 0, "l2": 0, "averaged": False},
    "winnow": {"start": 1, "margin": 0, "margin-negative": 0},
    "balanced": {"margin": 0, "margin-negative": 0},
    "lms": {"normalized": False, "averaged": False},
    "voted": {"margin": 0, "margin-negative": 0},
    "kernel": {"vote": False, "budget": 0, "margin": 0, "margin-negative": 0},
    "knn": {"weights": "none", "vote": "equal"},
}
# Without these the textbook form is refused.
WANTED = {"winnow": {"theta": 4}, "eg": {"eta": 0.01, "U": 8}, "eliminate": {"variables": 15}}
# What each option is drawn from; None is left out, so the default is tested too.
MARGIN_CHOICES = {"margin": [None, 0, 0.5, 1, 2], "margin-negative": [None, None, 0, 0.5, 2]}
CHOICES = {
    "perceptron": {"rate": [None, 0.5, 2], "repeat": [None, True], "bias": [None, False],
                   **MARGIN_CHOICES},
    "averaged": {"rate": [None, 0.5, 2], "bias": [None, False], **MARGIN_CHOICES},
    "pa": {"C": [None, 0.25, 4, math.inf], "averaged": [None, False], "bias": [None, False]},
    "alma": {"alpha": [None, 0.5, 1, 0.1], "bias": [None, False]},
    "pegasos": {"lambda": [None, 0.0625, 0.5, 1, 4], "bias": [None, False]},
    "adagrad": {"rate": [None, 1, 0.25], "bias": [None, False]},
    "arow": {"r": [None, 0.25, 4], "relative": [None, False], "bias": [None, False]},
    "logistic": {"steps": [None, "sgd"], "rate": [None, 0.5, 0.1], "decay": [None, 0.5, 1],
                 "l1": [None, None, 0.01, 0.1], "l2": [None, None, 0.1],
                 "averaged": [None, None, True], "bias": [None, False]},
    "winnow": {"promote": [None, None, 1.5, 4], "demote": [None, None, 0.75, 0, 1],
               "theta": [None, 1, 3, 8], "start": [None, 1, 0.5], "margin": [None, 0.5, 1],
               "margin-negative": [None, 0, 0.25]},
    "balanced": {"eta": [None, 0.5, 1], "normalized": [None, True], "bias": [None, False],
                 "margin": [None, 0, 0, 0.5], "margin-negative": [None, 0, 2]},
    "lms": {"rate": [None, 0.25, 0.03125], "normalized": [None, False], "averaged": [None, False],
            "bias": [None, False]},
    "eg": {"eta": [None, 0.01, 0.001], "U": [None, 2, 16], "signed": [None, False],
           "bias": [None, False]},
    "bayes": {"kind": [None, "bernoulli"], "alpha": [None, 0, 0.5, 0.01]},
    "eliminate": {"form": [None, "disjunction"], "negated": [None, True],
                  "variables": [None, None, 15]},
    "voted": {"rate": [None, 0.5], "bias": [None, False], **MARGIN_CHOICES},
    "kernel": {"kind": [None, "linear", "rbf"], "degree": [None, 1, 3], "gamma": [None, 0.5],
               "coef": [None, 1], "vote": [None, False, False], "budget": [None, 1, 3, 6],
               "rate": [None, 0.5], "bias": [None, False], **MARGIN_CHOICES},
    "knn": {"k": [None, 2, 3, 5], "weights": [None, "ratio", "none"],
            "vote": [None, "linear", "inverse"]},
    "rules": {"min-gain": [None, 1, 0.5, 3], "max-rules": [None, 0, 1, 3]},
}
SIGNED = ["ones", "counts", "signs", "whole", "dyadic", "wide"]
POSITIVE = ["ones", "counts", "positive dyadic", "wide positive"]
POLICIES = {"direct": "perceptron averaged pa alma pegasos balanced logistic".split(),
            "one-vs-all": "adagrad arow winnow voted kernel eliminate".split()}
SCALED = {"adagrad", "arow", "logistic", "lms", "eg", "panel"}
FUNCTIONS = {"perceptron": additive.Perceptron, "averaged": additive.Averaged,
             "pa": additive.PassiveAggressive, "alma": additive.Alma, "pegasos": additive.Pegasos,
             "adagrad": additive.AdaGrad, "arow": additive.Arow, "logistic": additive.Logistic,
             "winnow": multiplicative.Winnow, "balanced": multiplicative.Balanced,
             "lms": additive.LeastMeanSquares, "eg": multiplicative.ExponentiatedGradient,
             "eliminate": counting.Eliminate, "voted": kept.Dual, "kernel": kept.Dual}
REGRESSORS = {"lms", "eg"}


WHOLE = {"knn", "rules", "lp", "maxmargin"}  # compared with values as they are


def written(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    return "inf" if value == math.inf else str(value)


class Case:
    """A rule with options and settings, as drawn."""

    def __init__(self, dice, rule):
        self.rule, self.settings = rule, {}
        self.given = {name: value for name, choices in CHOICES[rule].items()
                      if (value := dice.choice(choices)) is not None}
        self.textbook = dice.random() < 0.3
        if self.textbook:
            self.settings["textbook"] = "on"
            self.given = {**WANTED.get(rule, {}), **self.given}
        self.mend(dice)
        self.policy = next((p for p, rules in POLICIES.items() if rule in rules), None)
        if rule in FUNCTIONS and rule not in REGRESSORS and dice.random() < 0.4:
            choices = ["one-vs-all"]
            if FUNCTIONS[rule].antisymmetric:
                choices.append("all-pairs")
            if FUNCTIONS[rule].direct:
                choices.append("direct")
            self.policy = self.settings["multiclass"] = dice.choice(choices)
        self.unit = rule not in WHOLE and dice.random() < 0.15
        if self.unit:
            self.settings["unit"] = "on"
        self.scale = rule in SCALED and not self.textbook
        drawn = rule not in WHOLE and dice.choice([None, None, "on", "off"])
        if drawn:
            self.settings["scale"], self.scale = drawn, drawn == "on"
        # Rules that cannot take negative values see, with `scale`, 0 in the place of features that have
        # had some; without it they refuse them.
        self.shy = self.options().get("kind") == "multinomial" or rule == "winnow" and self.given.get("demote") == 0
        self.values = dice.choice(POSITIVE if self.positive() else SIGNED)
        if rule == "knn":
            self.values = dice.choice(SIGNED + ["fields"] * 6)
        self.labels = dice.choice([2, 2, 2, 3, 3, 4, 5])
        self.declared = None
        self.numbers = rule in REGRESSORS

    def mend(self, dice):
        """Takes back what is refused together."""
        if self.rule == "logistic" and self.given.get("averaged"):
            self.given.pop("l1", None), self.given.pop("l2", None)
        if self.rule == "kernel" and self.given.get("vote") is not False:
            self.given.pop("budget", None)

    def positive(self):
        """Whether negative values are refused."""
        return self.shy and not self.scale

    def declare(self, dice, stream):
        if not self.numbers and dice.random() < 0.2:
            self.declared = dice.choice(stream.examples)[0]
            self.settings["positive"] = self.declared

    def all_settings(self):
        options = ",".join(f"{name}={written(value)}" for name, value in self.given.items())
        return {"learner": self.rule + (":" + options if options else ""), **self.settings}

    def options(self):
        return {**DEFAULTS[self.rule], **(TEXTBOOK.get(self.rule, {}) if self.textbook else {}),
                **self.given}

    def oracle(self, quirks=()):
        options = {**self.options(), "unit": self.unit}
        sight = Sight(self, options.get("bias", False))
        if self.rule == "bayes":
            sight.model = counting.Bayes(options, sight.known, self.declared)
            return sight
        if self.rule == "rules":
            sight.model = fitted.Rules(options, self.declared)
            return sight
        if self.rule == "knn":
            sight.model = neighbours.Neighbours(options, self.declared)
            return sight
        kind = FUNCTIONS[self.rule]
        if self.rule == "balanced":
            kind = multiplicative.RoundedBalanced if "balanced-tie" in quirks else kind
            rule = kind(options, sight.known)
        else:
            rule = kind(options)
        if self.rule == "logistic" and (options["l1"] or options["l2"]):
            rule.after = lambda x: after_penalties(rule, sight.model)
        sight.model = (labels.Regressor(rule) if self.numbers else
                       labels.Functions(rule, self.policy, self.declared, quirks))
        return sight


def after_penalties(rule, model):
    """Every weight of every function shrinks after every example."""
    for f in model.f:
        rule.shrink(f)
    rule.clock += 1


class Sight:
    """What a rule sees of an example: values in units of their own, the bias last, and unit length if
    that is asked for. With `scale` a value is divided by the greatest of its feature, the present one
    included where it is learned from; what was learned before is then converted (rescale)."""

    def __init__(self, case, bias):
        self.case, self.bias, self.most, self.known = case, bias, {}, set()
        self.negative = set()  # features that have had a negative value

    def view(self, label, importance, features):
        features = [(name, value) for name, value in features if value]
        if self.case.scale:
            features = [(name, labels.as_float(value / self.most.get(name, abs(value))))
                        for name, value in features]
        if self.bias:
            features = features + [("", 1.0)]
        length = math.sqrt(math.fsum(value * value for _, value in features))
        if self.case.scale and self.case.shy:  # the length is that of the whole example
            features = [(name, value if value > 0 and name not in self.negative else 0.0)
                        for name, value in features]
        if self.case.unit and length:
            features = [(name, value / length) for name, value in features]
        return labels.Example(features, importance, label)

    def see_units(self, features):
        for name, value in features:
            before, now = self.most.get(name, 0), max(self.most.get(name, 0), abs(value))
            self.most[name] = now
            if value < 0:
                self.negative.add(name)
            if 0 < before < now:
                self.model.rescale(name, labels.as_float(before / now))

    def predict(self, example):
        self.seen = self.view(*example)
        return self.model.predict(self.seen)

    def learn(self, example):
        """After predict, of the same example."""
        if self.case.scale:
            self.see_units(example[2])
            self.seen = self.view(*example)
        predicted = self.model.learn(self.seen)
        self.known.update(name for name, value in example[2] if value)
        return predicted
