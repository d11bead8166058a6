"""thresh against the oracle, on random streams, step by step.

    compare.py LIBRARY STREAMS [RULE...]

For every rule STREAMS streams are drawn, each with its own options. Before every example both are
asked for their prediction and scores; both learn; then mistakes and updates must agree, and at the end
all weights. Prints `ok RULE (counts)` or `not ok RULE: why`, with the smallest stream that shows the
difference.
"""
import multiprocessing
import random
import sys
import time

import cases
from labels import Undecided
from library import Library, Model, Refused
from streams import Stream

RELATIVE = 1e-6  # the largest difference of scores and weights, by their size

# Differences that are known and being mended. Each is a way in which the oracle can be made to do as
# thresh does; a stream that differs is tried with each of them, and counted if that explains it. When
# thresh is mended, remove the line here and the word in the oracle.
EXPECTED = {
    "winnow-start": "rounding decides whether an automatic start, times the mean sum, reaches theta",
    "balanced-sums": "where weights of 1e9 and more cancel, small ones are lost in the sums of p and n",
    "maxmargin-rounds": "with a penalty, maxmargin stops after 300 rounds, however far from its optimum",
}


class Differs(Exception):
    """thresh and the oracle do not agree."""


def same(a, b):
    return a == b or abs(a - b) <= RELATIVE * max(1, abs(a), abs(b))


def need(what, thresh, oracle):
    if thresh != oracle:
        raise Differs(f"{what}: thresh {thresh}, oracle {oracle}")


def need_near(what, thresh, oracle):
    if len(thresh) != len(oracle) or not all(map(same, thresh, oracle)):
        raise Differs(f"{what}: thresh {thresh}, oracle {oracle}")


def one_step(t, model, oracle, example):
    model.take(*example)
    label, scores = model.score()
    expected, own = oracle.predict(example)
    if model.labels or oracle.case.numbers:
        need_near(f"step {t}, scores of {example}", scores, own)
    need(f"step {t}, label of {example}", label, expected)
    expected = oracle.learn(example)
    label = model.learn()
    need(f"step {t}, label of {example} when learning", label, expected)
    if not oracle.case.numbers:
        need(f"step {t}, mistakes after {example}", model.stats.mistakes, oracle.model.mistakes)
    need(f"step {t}, updates after {example}", model.stats.updates, oracle.model.updates)
    hold_up(t, model, oracle)


def hold_up(t, model, oracle):
    """Of a rule that is solved for: the weights that thresh found, if they were found just now."""
    if not oracle.case.small or oracle.model.pending is None:
        return
    names = list(oracle.model.met) + ([""] if oracle.bias else [])
    wrong = oracle.model.witness({name: model.weights(name) for name in names})
    if wrong:
        raise Differs(f"step {t}, the weights: {wrong}")


def final(model, oracle, examples):
    if oracle.case.rule == "panel":
        for i, (thresh, own) in enumerate(zip(model.experts(), oracle.model.experts())):
            need_near(f"mistakes and weight of expert {i}", thresh, own)
        return
    if oracle.case.small:
        if oracle.model.kept:
            model.finish()
            oracle.model.fit()
            hold_up("last", model, oracle)
        return
    if oracle.case.rule == "rules" and oracle.model.kept:
        model.finish()
        need("the list", model.rule_list(), oracle.model.rule_list())
    if not model.linear() or not (model.labels or oracle.case.numbers):
        return
    names = {"": 1} if oracle.bias else {}
    names.update((name, 1) for example in examples for name, value in example[2] if value)
    for name in names:
        need_near(f"weight of {name or 'the bias'}", model.weights(name),
                  oracle.model.weights(name))


def run(library, case, examples, quirks=()):
    """Steps compared. Undecided ends a stream early."""
    model = Model(library, case.all_settings())
    try:
        oracle = case.oracle(quirks)
        for t, example in enumerate(examples, 1):
            one_step(t, model, oracle, example)
        final(model, oracle, examples)
    finally:
        model.close()


def differs(library, case, examples, quirks=()):
    """Why, or None."""
    try:
        run(library, case, examples, quirks)
    except Differs as why:
        return str(why)
    except Undecided:
        pass
    return None


def unexplained(library, case, examples):
    return differs(library, case, examples) and not explained(library, case, examples)


def smallest(library, case, examples):
    """The stream without what the difference does not need."""
    progress = True
    while progress:
        progress = False
        for i in reversed(range(len(examples))):
            fewer = examples[:i] + examples[i + 1:]
            if fewer and unexplained(library, case, fewer):
                examples, progress = fewer, True
        for i, (label, importance, features) in enumerate(examples):
            for j in reversed(range(len(features))):
                features = examples[i][2]
                fewer = list(examples)
                fewer[i] = (label, importance, features[:j] + features[j + 1:])
                if unexplained(library, case, fewer):
                    examples, progress = fewer, True
    return examples


def explained(library, case, examples):
    for quirk in EXPECTED:
        if not differs(library, case, examples, (quirk,)):
            return quirk
    return None if differs(library, case, examples, tuple(EXPECTED)) else "several of them"


def compare_rule(library, rule, streams, seed):
    """Counts, and the first differences that nothing explains."""
    counts, found, steps = {}, [], 0
    for i in range(streams):
        dice = random.Random(f"{seed} {rule} {i}")
        case = cases.Case(dice, rule)
        stream = Stream(dice, case.values, case.labels, case.numbers, case.small)
        case.declare(dice, stream)
        outcome = "same"
        try:
            run(library, case, stream.examples)
        except Undecided:
            outcome = "undecided"
        except Refused as why:
            found.append((case, stream.examples, f"refused: {why}"))
            continue
        except Differs:
            quirk = explained(library, case, stream.examples)
            outcome = f"expected {quirk}"
            if not quirk:
                found.append((case, smallest(library, case, stream.examples), None))
                outcome = "different"
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts, found


def report(rule):
    """What is printed of a rule; runs in a process of its own."""
    path, streams, seed = settings
    library, begun = Library(path), time.time()
    counts, found = compare_rule(library, rule, streams, seed)
    said = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    said += f", {time.time() - begun:.1f} s"
    if not found:
        return True, f"ok {rule} ({said})"
    case, examples, why = min(found, key=lambda f: sum(2 + len(e[2]) for e in f[1]))
    lines = [f"not ok {rule}: {len(found)} of {streams} streams differ ({said})",
             f"  with {case.all_settings()}"]
    for label, importance, features in examples:
        lines.append(f"  {label} {importance:g} | " + " ".join(f"{n}:{v:g}" for n, v in features))
    return False, "\n".join(lines + [f"  {why or differs(library, case, examples)}"])


def begin(*given):
    global settings
    settings = given


def main(path, streams, *rules):
    rules = rules or Library(path).learners()
    good = True
    with multiprocessing.Pool(2, begin, (path, int(streams), 1)) as pool:
        for right, text in pool.imap(report, rules, 1):
            print(text, flush=True)
            good = good and right
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
