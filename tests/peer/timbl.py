"""thresh's knn beside TiMBL's IB1 on the same examples.

    -mO, -mN        fields of names, fields of numbers
    -w0, -w1, -w2   weights=none, ratio, gain
    -k              k, which counts distances in both
    -dZ, -dIL, -dID vote=equal, linear, inverse

Compared are each prediction, the least distance to 1e-9, and the votes at the k least distances.
TiMBL's ties are not random: it counts one distance more, then takes the label with most examples,
then the one met first; so they are compared as well. The votes are not compared where TiMBL has
looked at one distance more, since then it prints those; how often is said. TiMBL 6.5 forgets -dIL
after the first tie of a run (an unused place of its array of neighbours then counts as the furthest
one), so linear votes are compared up to the first tie; how far is said.

Usage: timbl.py THRESH DATA
"""

import json
import lzma
import os
import random
import re
import subprocess
import sys

WEIGHTS = {0: 'none', 1: 'ratio', 2: 'gain'}
VOTES = {'Z': 'equal', 'IL': 'linear', 'ID': 'inverse'}
failures = 0


def ok(name, said):
    print(f'ok {name}: {said}')


def not_ok(name, why):
    global failures
    failures += 1
    print(f'not ok {name}: {why}')


def rows_to_csv(path, rows):
    with open(path, 'w') as out:
        print(','.join([f'c{i}' for i in range(len(rows[0]) - 1)] + ['label']), file=out)
        for row in rows:
            print(','.join(row), file=out)


def rows_to_vw(path, rows):
    with open(path, 'w') as out:
        for row in rows:
            print(row[-1], ' '.join(f'|n{i} {v}' for i, v in enumerate(row[:-1])), file=out)


def timbl(train, test, options):
    for name, rows in (('train.timbl', train), ('test.timbl', test)):
        with open(name, 'w') as out:
            for row in rows:
                print(' '.join(row), file=out)
    done = subprocess.run(['timbl', '-f', 'train.timbl', '-t', 'test.timbl', '-F', 'Columns', '+v',
                           'di+db', '-o', 'out.timbl', *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    said = []
    for line in open('out.timbl'):
        found = re.fullmatch(r'.* (\S+) \{ (.*) \} +(\S+)\n', line)
        votes = {}
        for part in found[2].split(', '):
            label, vote = part.split()
            votes[label] = float(vote)
        said.append((found[1], votes, float(found[3])))
    assert len(said) == len(test)
    return said


def thresh(command, train, test, write, learner, top):
    suffix = 'csv' if write is rows_to_csv else 'vw'
    write(f'train.{suffix}', train)
    write(f'test.{suffix}', test)
    subprocess.run([command, 'train', '-q', '-l', learner, '-m', 'm', f'train.{suffix}'], check=True)
    lines = subprocess.run([command, 'explain', '--json', '--top', str(top), '-m', 'm',
                            f'test.{suffix}'], check=True, stdout=subprocess.PIPE, text=True).stdout
    said = [json.loads(line) for line in lines.splitlines()]
    assert len(said) == len(test)
    return said


def same_votes(theirs, ours):
    """Shares: TiMBL prints six digits of each vote."""
    all_theirs, all_ours = sum(theirs.values()), sum(ours.values())
    return all(abs(theirs.get(l, 0) / all_theirs - ours.get(l, 0) / all_ours) < 1e-5
               for l in set(theirs) | set(ours))


def is_tie(votes):
    best = max(votes.values())
    return sum(abs(v - best) < 1e-5 * best for v in votes.values()) > 1


def linear(neighbours):
    """Votes that fall from 1 at the nearest to 0 at the furthest."""
    near, far = neighbours[0]['distance'], neighbours[-1]['distance']
    votes = {}
    for n in neighbours:
        weight = (far - n['distance']) / (far - near) if n['distance'] > near else 1
        votes[n['label']] = votes.get(n['label'], 0) + weight
    return votes


def equal(neighbours):
    votes = {}
    for n in neighbours:
        votes[n['label']] = votes.get(n['label'], 0) + 1
    return votes


def compare(name, command, train, test, write, metric, weights, k, vote='Z', neighbours=True):
    learner = f'knn:k={k},weights={WEIGHTS[weights]},vote={VOTES[vote]}'
    theirs = timbl(train, test, [metric, f'-w{weights}', f'-k{k}', f'-d{vote}'])
    ours = thresh(command, train, test, write, learner, 1000000 if neighbours else 1)
    seen = wrong = far = other = ties = 0
    for (label, votes, distance), e in zip(theirs, ours):
        seen += 1
        wrong += label != e['label']
        far += abs(distance - e['neighbours'][0]['distance']) > 1e-9
        if not neighbours or vote == 'ID':
            continue
        counted = linear(e['neighbours']) if vote == 'IL' else equal(e['neighbours'])
        if is_tie(counted):
            ties += 1
            if vote == 'IL':
                break
        else:
            other += not same_votes(votes, counted)
    name = f'timbl-{name}-{learner[4:].replace(",", "-")}'
    if wrong or far or other:
        not_ok(name, f'of {seen}: {wrong} predictions, {far} distances, {other} votes differ')
    else:
        said = f'{seen} predictions and distances the same'
        if neighbours and vote != 'ID':
            said += f', votes too but at {ties} tie' + 's' * (ties != 1)
        ok(name, said)


def symbolic(seed, rows, columns, labels):
    """Labels depend on two columns, with noise; some values are rare or only in the test."""
    r = random.Random(seed)
    out = []
    for _ in range(rows):
        row = [chr(ord('a') + min(r.randrange(9), r.randrange(3 + 2 * c))) + str(c)
               for c in range(columns)]
        right = (ord(row[0][0]) + 2 * ord(row[1][0])) % labels
        out.append(row + ['L' + str(right if r.random() < 0.7 else r.randrange(labels))])
    return out


def numeric(seed, rows, columns, labels):
    """Values that a float holds exactly, zeros and unseen ones among them."""
    r = random.Random(seed)
    out = []
    for _ in range(rows):
        x = [round(r.gauss(0, 1 + c) * 64) / 64 for c in range(columns)]
        right = int(x[0] + x[1] * x[2] / 4 > 0) + int(x[0] > 1) * (labels > 2)
        out.append([repr(v) for v in x] + ['L' + str(right if r.random() < 0.9
                                                     else r.randrange(labels))])
    return out


def attachment(path, rows):
    with lzma.open(path, 'rt') as lines:
        for _, line in zip(range(rows), lines):
            yield re.sub('[:|,]', '_', line).split()[1:]


def main():
    command, data = os.path.abspath(sys.argv[1]), sys.argv[2]
    names = symbolic(1, 500, 5, 3), symbolic(2, 300, 5, 3)
    for weights in WEIGHTS:
        for k in 1, 3, 5:
            compare('names', command, *names, rows_to_csv, '-mO', weights, k)
    for weights in 1, 2:
        for vote in 'IL', 'ID':
            compare('names', command, *names, rows_to_vw, '-mO', weights, 3, vote)
    numbers = numeric(3, 400, 4, 3), numeric(4, 300, 4, 3)
    for weights in WEIGHTS:
        for k in 1, 3, 5:
            compare('numbers', command, *numbers, rows_to_csv, '-mN', weights, k)
    for vote in 'IL', 'ID':
        compare('numbers', command, *numbers, rows_to_csv, '-mN', 2, 5, vote)
    words = os.path.join(data, 'ppa-training.txt.xz')
    if not os.path.exists(words):
        print('skip timbl-attachment: no ppa-training.txt.xz in', data)
    else:
        sets = (list(attachment(words, 3000)),
                list(attachment(os.path.join(data, 'ppa-test.txt.xz'), 600)))
        for weights in WEIGHTS:
            for k in 1, 3, 5:
                compare('attachment', command, *sets, rows_to_vw, '-mO', weights, k,
                        neighbours=False)
    return failures > 0


sys.exit(main())
