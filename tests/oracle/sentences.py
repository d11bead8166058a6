"""Sentences as thresh tag reads them: columns, templates and schemes of tags, from docs and from CRF++.

A sentence is a list of rows, one for each token; a row is the list of its columns, the tag last.
"""
import re


def read_sentences(text):
    """Lines of columns, a blank line behind each sentence."""
    blocks = re.split(r"\n[ \t]*\n", text)
    found = [[line.split() for line in block.split("\n") if line.strip()] for block in blocks]
    return [sentence for sentence in found if sentence]


def written(sentences):
    return "".join("".join(" ".join(row) + "\n" for row in rows) + "\n" for rows in sentences)


class Template:
    """Lines U are features of a token, lines B of a token and the tag before it. Only %x is known."""

    def __init__(self, text):
        lines = [line for line in text.split("\n") if line and line[0] != "#"]
        self.unary = [line for line in lines if line[0] == "U"]
        self.links = [line for line in lines if line[0] == "B"]

    @staticmethod
    def expand(line, rows, t):
        def value(match):
            at, column = t + int(match[1]), int(match[2])
            if at < 0:
                return f"_B{at}"
            return rows[at][column] if at < len(rows) else f"_B+{at - len(rows) + 1}"
        return re.sub(r"%x\[(-?\d+),(\d+)\]", value, line)

    def features(self, rows, t):
        return [self.expand(line, rows, t) for line in self.unary]

    def link_names(self, rows, t):
        return [self.expand(line, rows, t) for line in self.links]


# ---- chunks: (first token, token behind the last, type)

def chunks_of(tags):
    """Of tags in any scheme that keep its rules."""
    found, begun, kind = [], None, None
    for t, tag in enumerate(tags + ["O"]):
        letter, now = tag[0], tag[2:]
        goes_on = begun is not None and letter in "IE" and now == kind
        if begun is not None and not goes_on:
            found.append((begun, t, kind))
            begun = None
        if letter != "O" and not goes_on:
            begun, kind = t, now
        if letter in "ES":
            found.append((begun, t + 1, kind))
            begun = None
    return found


def letters_bio(n, earlier):
    return "B" + "I" * (n - 1)


def letters_iob1(n, earlier):
    """B only where a chunk of the same type ends right before."""
    return ("B" if earlier else "I") + "I" * (n - 1)


def letters_bioes(n, earlier):
    return "S" if n == 1 else "B" + "I" * (n - 2) + "E"


SCHEMES = {"bio": letters_bio, "iob1": letters_iob1, "bioes": letters_bioes}


def tags_of(chunks, n, scheme):
    tags, last = ["O"] * n, (0, 0, None)
    for chunk in chunks:
        first, end, kind = chunk
        for i, letter in enumerate(SCHEMES[scheme](end - first, last[1:] == (first, kind))):
            tags[first + i] = f"{letter}-{kind}"
        last = chunk
    return tags


def turned(tags, old, new):
    """The same chunks in another scheme; plain tags stay."""
    return list(tags) if old == "plain" else tags_of(chunks_of(list(tags)), len(tags), new)


def may_follow(before, tag):
    """In BIOES. None is the start or the end of the sentence."""
    open_chunk = before is not None and before[0] in "BI"
    inside = tag is not None and tag[0] in "IE"
    return before[2:] == tag[2:] if open_chunk and inside else open_chunk == inside
