"""The options of every rule: defaults, plain forms, and what the streams draw them from.

DEFAULTS and TEXTBOOK are written by hand from the help and from docs/THEORY.md, so that a default
that changes by accident is noticed. None stands for `auto`.
"""
import math

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
    "lp": {"C": None, "bias": True},
    "maxmargin": {"gap": 0.01, "C": None, "bias": True},
    "panel": {"decide": "mix", "eta": 0.1, "share": 0.001, "blend": True},
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
WANTED = {"winnow": {"theta": 4}, "eg": {"eta": 0.01, "U": 8}, "eliminate": {"variables": 15},
          "lp": {"C": 1}, "maxmargin": {"C": 1}}
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
    "lp": {"C": [None, None, 0.5, 4], "bias": [None, False]},
    "maxmargin": {"gap": [None, 0.001], "C": [None, None, 0.5, 4], "bias": [None, False]},
    "panel": {"decide": [None, "vote"], "eta": [None, 0.5], "share": [None, 0, 0.1],
              "blend": [None, False]},
}
# Members of panels, each a rule with the options that are given; the first are the default.
MEMBERS = [
    [("adagrad", {}), ("arow", {}), ("bayes", {"alpha": 0.01})],
    [("adagrad", {}), ("arow", {"r": 2}), ("bayes", {"alpha": 0.5})],
    [("perceptron", {}), ("pa", {}), ("bayes", {"kind": "bernoulli"})],
    [("averaged", {"bias": False}), ("logistic", {})],
    [("winnow", {"theta": 3, "start": 1}), ("pegasos", {"lambda": 0.5}), ("alma", {})],
    [("arow", {})],
]
POLICIES = {"direct": "perceptron averaged pa alma pegasos balanced logistic".split(),
            "rivals": "adagrad arow".split(),
            "one-vs-all": "winnow voted kernel eliminate".split()}
SCALED = {"adagrad", "arow", "logistic", "lms", "eg"}  # by default
REGRESSORS = {"lms", "eg"}


def options_of(rule, given, textbook):
    return {**DEFAULTS[rule], **(TEXTBOOK.get(rule, {}) if textbook else {}), **given}


def is_shy(options):
    """Whether a rule with these options cannot take negative values."""
    return options.get("kind") == "multinomial" or options.get("demote") == 0


def written(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    return "inf" if value == math.inf else str(value)


def spec(rule, given):
    """As thresh reads it."""
    options = ",".join(f"{name}={written(value)}" for name, value in given.items())
    return rule + (":" + options if options else "")
