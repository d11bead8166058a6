"""A rule with options and settings, drawn at random, and the oracle's model for it."""
import additive
import counting
import fitted
import kept
import labels
import multiplicative
import neighbours
import panel
from options import CHOICES, MEMBERS, POLICIES, REGRESSORS, SCALED, WANTED
from options import is_shy, options_of, spec
from sight import Sight

SIGNED = ["ones", "counts", "signs", "whole", "dyadic", "wide"]
POSITIVE = ["ones", "counts", "positive dyadic", "wide positive"]
FUNCTIONS = {"perceptron": additive.Perceptron, "averaged": additive.Averaged,
             "pa": additive.PassiveAggressive, "alma": additive.Alma, "pegasos": additive.Pegasos,
             "adagrad": additive.AdaGrad, "arow": additive.Arow, "logistic": additive.Logistic,
             "winnow": multiplicative.Winnow, "balanced": multiplicative.Balanced,
             "lms": additive.LeastMeanSquares, "eg": multiplicative.ExponentiatedGradient,
             "eliminate": counting.Eliminate, "voted": kept.Dual, "kernel": kept.Dual}
KNOWING = {"winnow", "balanced", "eliminate"}  # they ask which features have been met
SOLVED = {"lp", "maxmargin"}
AS_THEY_ARE = SOLVED | {"knn", "rules"}  # compared without `scale` and `unit`


class Case:
    def __init__(self, dice, rule):
        self.rule, self.settings, self.declared = rule, {}, None
        self.numbers, self.small = rule in REGRESSORS, rule in SOLVED
        self.given = {name: value for name, choices in CHOICES[rule].items()
                      if (value := dice.choice(choices)) is not None}
        self.textbook = dice.random() < 0.3
        if self.textbook:
            self.settings["textbook"] = "on"
            self.given = {**WANTED.get(rule, {}), **self.given}
        self.mend(dice)
        self.mixes = self.options().get("decide") == "mix"
        self.draw_policy(dice)
        self.draw_values(dice)
        self.labels = dice.choice([2, 2, 3] if self.small else [2, 2, 2, 3, 3, 4, 5, 8])

    def mend(self, dice):
        """Takes back what is refused together."""
        if self.rule == "logistic" and self.given.get("averaged"):
            self.given.pop("l1", None), self.given.pop("l2", None)
        if self.rule == "kernel" and self.given.get("vote") is not False:
            self.given.pop("budget", None)
        if self.rule == "panel":
            self.members = dice.choice(MEMBERS[:-1] if self.given.get("decide") else MEMBERS)
            if self.members is not MEMBERS[0]:
                self.settings["members"] = "+".join(spec(*member) for member in self.members)
            if self.given.get("decide") != "vote":
                self.given = {}

    def draw_policy(self, dice):
        """None: each rule's own."""
        self.policy = None
        if self.rule in FUNCTIONS and not self.numbers and dice.random() < 0.4:
            kind = FUNCTIONS[self.rule]
            choices = ["one-vs-all", "rivals"] + ["all-pairs"] * kind.antisymmetric + ["direct"] * kind.direct
            self.policy = self.settings["multiclass"] = dice.choice(choices)

    def draw_values(self, dice):
        self.unit = self.rule not in AS_THEY_ARE and dice.random() < 0.15
        if self.unit:
            self.settings["unit"] = "on"
        drawn = None if self.rule in AS_THEY_ARE else dice.choice([None, None, "on", "off"])
        if drawn:
            self.settings["scale"] = drawn
        shy = is_shy(self.options()) and not self.scales(self.rule)
        self.values = dice.choice(POSITIVE if shy else SIGNED)
        if self.rule == "knn":
            self.values = dice.choice(SIGNED + ["fields"] * 6)

    def scales(self, rule):
        """Whether a rule, or a member, sees scaled values."""
        asked = self.settings.get("scale")
        if asked:
            return asked == "on"
        return (rule in SCALED or self.mixes) and not self.textbook

    def declare(self, dice, stream):
        if not self.numbers and dice.random() < 0.2:
            self.declared = self.settings["positive"] = dice.choice(stream.examples)[0]

    def all_settings(self):
        return {"learner": spec(self.rule, self.given), **self.settings}

    def options(self):
        return options_of(self.rule, self.given, self.textbook)

    def oracle(self, quirks=()):
        if self.rule == "panel":
            return PanelSight(self, quirks)
        return sight_of(self, self.rule, self.options(), quirks)


def sight_of(case, rule, options, quirks):
    """A rule's model, and what it sees."""
    options = {**options, "unit": case.unit}
    sight = Sight(case, rule, options)
    sight.model = model_of(case, rule, options, sight, quirks)
    return sight


def model_of(case, name, options, sight, quirks):
    declared = case.declared
    if name in SOLVED:
        return fitted.Solved(options, declared, name, quirks)
    if name == "rules":
        return fitted.Rules(options, declared)
    if name == "bayes":
        return counting.Bayes(options, sight.known, declared)
    if name == "knn":
        return neighbours.Neighbours(options, declared)
    kind = FUNCTIONS[name]
    rule = kind(options, sight.known) if name in KNOWING else kind(options)
    rule.quirks = quirks
    if name in REGRESSORS:
        return labels.Regressor(rule)
    policy = case.policy or next(p for p, rules in POLICIES.items() if name in rules)
    return labels.Functions(rule, policy, declared, quirks)


class PanelSight:
    """A panel, whose members each see an example in their own way."""

    def __init__(self, case, quirks):
        self.case, self.bias = case, True
        options = case.options()
        members = [panel.Member(sight_of(case, rule, options_of(rule, given, case.textbook), quirks))
                   for rule, given in case.members]
        kind = panel.Mixture if case.mixes else panel.Vote
        self.model = kind(members, options, case.declared)

    def predict(self, example):
        return self.model.predict(self.clean(example))

    def learn(self, example):
        return self.model.learn(self.clean(example))

    @staticmethod
    def clean(example):
        return (*example[:2], [(name, value) for name, value in example[2] if value])
