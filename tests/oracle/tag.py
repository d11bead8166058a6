"""thresh tag against the oracle (chains.py, sentences.py), on random sentences.

    tag.py THRESH SANITIZED STREAMS [RULE...]

For every rule STREAMS data sets are drawn, each with its own template, scheme of tags and options. Both
learn them in order; then mistakes, updates, all features and their weights must agree, the tags of those
and of further sentences, and scores and probabilities of the best taggings. The first data sets of each
rule are given to the sanitized command. Prints `ok RULE (counts)` or `not ok RULE: why`, and the smallest
data that shows the difference.
"""
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

import chains
import sentences
from labels import Undecided
from options import DEFAULTS, spec

CHECKED = 6  # data sets for the sanitized command, which takes ten times as long
BEST = 4  # taggings that are asked for
FEW = 200  # taggings of a sentence that are all gone through
RELATIVE = 1e-6  # the largest difference of weights, by their size
PENALISED = 1e-5  # the same with penalties, which thresh brings up to date late, and so rounds elsewhere

MARGINS = [None, None, 0, 0.5, 1, 2, 10]
CHOICES = {
    "perceptron": {"rate": [None, 0.5, 2], "repeat": [None, None, True], "margin": MARGINS},
    "averaged": {"rate": [None, 0.5, 2], "margin": MARGINS},
    "pa": {"C": [None, 0.01, 0.25, math.inf], "averaged": [None, False]},
    "arow": {"r": [None, 0.25, 10], "relative": [None, False]},
    "adagrad": {"rate": [None, 1, 0.25]},
    "balanced": {"eta": [None, 0.5], "normalized": [None, None, True], "margin": [None, 0, 2]},
    "winnow": {"promote": [None, 1.5, 4], "demote": [None, 0.75, 0, 1], "start": [1, 0.5],
               "theta": [1, 4], "margin": [None, 0.5, 2]},
    "logistic": {"steps": [None, "sgd"], "rate": [None, 0.5, 0.1], "decay": [None, 0.5],
                 "l1": [None, None, None, 0.01], "l2": [None, None, None, 0.1],
                 "averaged": [None, True]},
}


class Differs(Exception):
    """thresh and the oracle do not agree."""


# ---- drawing

class Case:
    """A rule with its options, a scheme of tags and a template."""

    def __init__(self, dice, rule):
        self.rule, self.short = rule, rule == "logistic"
        drawn = {name: dice.choice(choices) for name, choices in CHOICES[rule].items()}
        self.given = {name: value for name, value in drawn.items() if value is not None}
        if "bias" in DEFAULTS[rule] and dice.random() < 0.6:
            self.given["bias"] = False
        if self.given.get("averaged"):
            self.given.pop("l1", None), self.given.pop("l2", None)
        self.scheme = dice.choice(["plain", "bio", "bio", "iob1", "bioes"])
        self.named = dice.random() < 0.5  # whether thresh is told the scheme
        self.columns = dice.randint(1, 4)  # besides the tag
        self.passes = dice.randint(1, 3)
        self.words = dice.randint(2, 6)  # that a column may have
        kinds = dice.randint(2, 4 if self.short else 6)
        self.kinds = (["NP", "VP"][:1 if self.short else 2] if self.scheme != "plain"
                      else dice.sample(["N", "V", "DT", "x-y", "ADJ", "CC"], kinds))
        self.template = self.draw_template(dice)

    def draw_template(self, dice):
        """Some names do without a number, so that two lines may make the same feature."""
        lines = []
        for letter, most in (("U", 4), ("B", 2)):
            for i in range(dice.randint(letter == "U", most)):
                macros = "/".join(f"%x[{dice.randint(-2, 2)},{dice.randrange(self.columns)}]"
                                  for _ in range(dice.choice([1, 1, 1, 2])))
                number = str(i) if dice.random() < 0.8 else ""
                bare = letter == "B" and dice.random() < 0.5
                lines.append(letter + number + ("" if bare else ":" + macros))
        lines = list(dict.fromkeys(lines))  # thresh refuses the same line twice
        dice.shuffle(lines)
        return "".join(line + "\n" for line in lines)

    def draw_tags(self, dice, n):
        if self.scheme == "plain":
            return [dice.choice(self.kinds) for _ in range(n)]
        chunks, t = [], 0
        while t < n:
            end = min(n, t + dice.choice([1, 1, 2, 3, 4]))
            if dice.random() < 0.6:
                chunks.append((t, end, dice.choice(self.kinds)))
            t = end
        return sentences.tags_of(chunks, n, self.scheme)

    def draw_sentence(self, dice):
        """The first column often tells something of the tag."""
        tags = self.draw_tags(dice, dice.randint(1, 4 if self.short else 6))
        rows = []
        for tag in tags:
            row = [chr(97 + dice.randrange(self.words)) for _ in range(self.columns)]
            if dice.random() < 0.6:
                row[0] = chr(97 + sum(map(ord, tag)) % self.words)
            rows.append(row + [tag])
        return rows

    def draw(self, dice):
        """Sentences to learn from, and further ones."""
        n = dice.randint(5, 20 if self.short else 30)
        data = [self.draw_sentence(dice) for _ in range(n)]
        if dice.random() < 0.5:
            data = sorted(data, key=lambda rows: len({row[-1] for row in rows}))  # tags that come late
        return data, [self.draw_sentence(dice) for _ in range(8)]

    def options(self):
        return {"bias": False, **DEFAULTS[self.rule], **self.given}

    def __str__(self):
        return f"{spec(self.rule, self.given)}, {self.scheme}, {self.passes} passes"


# ---- both

class Thresh:
    """What the command learns and says."""

    def __init__(self, thresh, case, data, more):
        self.thresh = thresh
        with tempfile.TemporaryDirectory() as folder:
            self.at = lambda name: os.path.join(folder, name)
            for name, text in (("template", case.template), ("data", sentences.written(data)),
                               ("all", sentences.written(data + more))):
                with open(self.at(name), "w", encoding="ascii") as file:
                    file.write(text)
            told = ["--tags", case.scheme] if case.named or not has_chunks(case, data) else []
            self.report = json.loads(self.run(
                "tag", "train", "--in-order", "--json", "--threads", "1", "-p", str(case.passes),
                "-l", spec(case.rule, case.given), "--template", self.at("template"), *told,
                "-m", self.at("model"), self.at("data")))
            more = ["--probabilities"] if case.rule == "logistic" else []
            self.said = [json.loads(line) for line in self.run(
                "tag", "predict", "--json", "--threads", "1", "--best", str(BEST), *more,
                "-m", self.at("model"), self.at("all")).splitlines()]
            self.weights = self.table(self.run("show", "--weights", "-m", self.at("model")))

    def run(self, *words):
        done = subprocess.run([self.thresh, *words], capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            raise Differs(f"status {done.returncode} of {words[:2]}: {done.stderr}")
        return done.stdout

    @staticmethod
    def table(text):
        head, *lines = [line.split("\t") for line in text.splitlines()]
        return {("" if line[0] == "(bias)" else line[0], tag): float(value)
                for line in lines for tag, value in zip(head[1:], line[1:])}


def oracle_of(case, data):
    template = sentences.Template(case.template)
    tagger = chains.Tagger(chains.RULES[case.rule](case.options()), case.scheme == "plain")
    lessons = [chains.Sentence(rows, template, case.options()["bias"],
                               sentences.turned([row[-1] for row in rows], case.scheme, "bioes"))
               for rows in data]
    for _ in range(case.passes):
        for lesson in lessons:
            tagger.learn(lesson)
    return template, tagger


def tolerance(case):
    return PENALISED if case.options().get("l1") or case.options().get("l2") else RELATIVE


def near(a, b, most):
    return abs(a - b) <= most * max(1, abs(a))


def need_weights(case, tagger, thresh):
    names = list(tagger.met) + [""] * case.options()["bias"]
    own = {(name, tag): tagger.rule.shown((name, tag)) for name in names for tag in tagger.tags}
    for odd in own.keys() ^ thresh.keys():
        if odd[0] or odd in own:
            raise Differs(f"the feature {odd} is in one of both only")
    for key, w in own.items():
        if not near(w, thresh[key], tolerance(case)):
            raise Differs(f"weight of {key}: thresh {thresh[key]}, oracle {w}")


def need_tags(case, tagger, sentence, said):
    """Returns whether they are sure."""
    tags, sure = tagger.predict(sentence)
    own = sure and sentences.turned(tags, case.scheme if case.scheme == "plain" else "bioes", case.scheme)
    if sure and said["tags"] != own:
        raise Differs(f"tags: thresh {said}, oracle {own}")
    return sure


def numbers(case, tagger, tags):
    """None: there is no such tag."""
    tags = sentences.turned(tags, case.scheme, "bioes")
    return tuple(map(tagger.tags.index, tags)) if set(tags) <= set(tagger.tags) else None


def need_best(case, tagger, sentence, said):
    """The scores and probabilities of the best taggings, against those of all. Of winnow only leads are
    compared, since all have the same thresholds."""
    if len(tagger.tags) ** len(sentence) > FEW or not (sums := tagger.scores(sentence).all()):
        return
    most, order = 20 * tolerance(case), sorted(sums, key=sums.get, reverse=True)[:BEST]
    less = said["score"] - sums[order[0]] if case.rule == "winnow" else 0
    paths = [numbers(case, tagger, found["tags"]) for found in said["best"]]
    if None in paths or None in [found["score"] for found in said["best"]]:
        raise Differs(f"a tagging that is not allowed: thresh {said}")
    shares = chains.softmax(sums)
    good = len(paths) == len(set(paths)) == len(order) and near(said["score"] - less, sums[order[0]], most)
    for path, found, own in zip(paths, said["best"], order):
        good = good and (near(sums[path], found["score"] - less, most) and
                         near(sums[path], sums[own], most) and
                         near(shares[path], found.get("probability", shares[path]), most))
    if "probabilities" in said:
        single = tagger.scores(sentence).probabilities()[0]
        good = good and all(near(single[t][y], p, most)
                            for t, (y, p) in enumerate(zip(paths[0], said["probabilities"])))
    if not good:
        raise Differs(f"best: thresh {said}, oracle {[(path, sums[path], shares[path]) for path in order]}")


def compare(thresh, case, data, more):
    """Returns how many predictions were compared, and how many not."""
    template, tagger = oracle_of(case, data)
    found = Thresh(thresh, case, data, more)
    mistakes, updates = found.report["mistakes"], found.report["updates"]
    if abs(mistakes - tagger.mistakes) > tagger.doubt:
        raise Differs(f"mistakes: thresh {mistakes}, oracle {tagger.mistakes}, doubt {tagger.doubt}")
    if updates != tagger.updates:
        raise Differs(f"updates: thresh {updates}, oracle {tagger.updates}")
    need_weights(case, tagger, found.weights)
    if len(found.said) != len(data + more):
        raise Differs(f"{len(found.said)} sentences of {len(data + more)}")
    asked = [chains.Sentence(rows, template, case.options()["bias"]) for rows in data + more]
    sure = [need_tags(case, tagger, sentence, said) for sentence, said in zip(asked, found.said)]
    for sentence, said in list(zip(asked, found.said))[-len(more):]:
        need_best(case, tagger, sentence, said)
    return sum(sure), len(sure) - sum(sure)


# ---- all of them

def differs(thresh, case, data, more):
    """Why, or None."""
    try:
        compare(thresh, case, data, more)
    except Differs as why:
        return str(why)
    except Undecided:
        pass
    return None


def smallest(thresh, case, data, more):
    """The sentences that the difference needs."""
    for part in (data, more):
        for i in reversed(range(len(part))):
            kept = part.pop(i)
            if not data or not differs(thresh, case, data, more):
                part.insert(i, kept)
    return data, more


def has_chunks(case, data):
    return case.scheme == "plain" or any(row[-1] != "O" for rows in data for row in rows)


def compare_rule(plain, sanitized, rule, streams):
    counts, found = {"same": 0, "undecided": 0, "tags": 0, "unsure": 0}, []
    for i in range(streams):
        dice = random.Random(f"tag {rule} {i}")
        case = Case(dice, rule)
        data, more = case.draw(dice)
        thresh = sanitized if i < CHECKED else plain
        try:
            sure, unsure = compare(thresh, case, data, more)
            counts["tags"] += sure
            counts["unsure"] += unsure
            counts["same"] += 1
        except Undecided:
            counts["undecided"] += 1
        except Differs as why:
            found.append((thresh, case, data, more, str(why)))
    return counts, found


def report(rule):
    """What is printed of a rule; runs in a process of its own."""
    plain, sanitized, streams = settings
    begun = time.time()
    counts, found = compare_rule(plain, sanitized, rule, streams)
    said = ", ".join(f"{n} {what}" for what, n in counts.items()) + f", {time.time() - begun:.1f} s"
    enough = counts["same"] >= 0.8 * streams and counts["tags"] >= 4 * counts["unsure"]
    if not found:
        return enough, f"{'ok' if enough else 'not ok'} tag-{rule} ({said})"
    thresh, case, data, more, why = found[0]
    data, more = smallest(thresh, case, data, more)
    lines = [f"not ok tag-{rule}: {len(found)} of {streams} streams differ ({said})", f"  with {case}",
             case.template, sentences.written(data), sentences.written(more),
             f"  {differs(thresh, case, data, more) or why}"]
    return False, "\n".join(lines)


def begin(*given):
    global settings
    settings = given


def main(plain, sanitized, streams, *rules):
    good = True
    with multiprocessing.Pool(2, begin, (plain, sanitized, int(streams))) as pool:
        for right, text in pool.imap(report, rules or chains.RULES, 1):
            print(text, flush=True)
            good = good and right
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
