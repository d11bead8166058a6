#!/bin/bash
# thresh certify: verdicts with their proofs, the figures of the text in the JSON, certificates there
# and back, tampered with and taken for other data, and what bad options get.
. "$(dirname "$0")/lib.bash"
xor=$work/xor.svm
printf -- '-1\n1 1:1\n1 2:1\n-1 1:1 2:1\n' >"$xor"
json() { # json FILE EXPRESSION...: each must be true of the object j
    python3 - "$@" <<'END' || fail "$(cat "$1")"
import json, sys
j = json.load(open(sys.argv[1]))
for e in sys.argv[2:]:
    assert eval(e), e
END
}

# ---- verdicts ----

not_separable() {
    works "$thresh" certify "$xor"
    grep -q '^separable  no: the perceptron comes back to the same weights' out || fail "$(cat out)"
    ! grep -q '^gamma' out || fail "$(cat out)"
    works "$thresh" certify --json "$xor"
    json out 'j["separable"] is False' 'j["method"] == "cycle"' 'j["gamma_low"] is None' \
        'j["examples"] == 4 and j["features"] == 2 and j["labels"] == 2' 'abs(j["R"]**2 - 3) < 1e-9'
}
conjoined() { # XOR becomes linear
    works "$thresh" certify --json --conjoin 2 "$xor"
    json out 'j["separable"] is True' 'j["features"] == 3' '0 < j["gamma_low"] <= j["gamma_high"]'
}
same_features() {
    printf '1 1:1 2:2\n-1 1:1\n\n1 3:1\n-1 2:2 1:1\n' >a
    printf -- '-1 3:1\n' >b
    works "$thresh" certify a
    grep -q 'no: lines 1 and 5 have the same features and different labels (1,' out || fail "$(cat out)"
    printf '1 3:1\n-1 1:1\n' >a
    works "$thresh" certify a b
    grep -q 'no: examples a:1 and b:1 have the same' out || fail "$(cat out)"
}
separable() {
    works "$thresh" certify --json "$data/two.svm"
    json out 'j["separable"] is True and j["method"] == "separator"' \
        'j["gamma_low"] >= 0.99 * j["gamma_high"]' 'j["g_low"] >= 0.99 * j["g_high"]' \
        'abs(j["norm1"] * j["g_low"] - 1) < 1e-9' \
        'abs(j["rules"][0]["bound"] - j["R"]**2 / j["gamma_low"]**2) < 1e-6 * j["rules"][0]["bound"]' \
        'all(r["holds"] for r in j["rules"])' \
        'all(r["vacuous"] == (r["bound"] > j["examples"]) for r in j["rules"] if r["bound"])'
}
many_labels() {
    works "$thresh" certify --json "$data/mail.txt"
    json out 'j["labels"] == 3 and j["scaled"] and abs(j["R"] - 1) < 1e-9' 'j["separable"] is True' \
        'abs(j["rules"][0]["bound"] - 2 / j["gamma_low"]**2) < 1e-6 * j["rules"][0]["bound"]'
    works "$thresh" certify --json --unit off "$data/mail.txt"
    json out 'not j["scaled"] and j["R"] > 2 and j["X"] == 1'
    works "$thresh" certify --time-limit 3 --json "$data/three.svm"
    json out 'j["labels"] == 3' 'j["separable"] is not True'
}
one_label() {
    printf '1 1:1\n1 2:1\n' >d
    works "$thresh" certify --json d
    json out 'j["separable"] is True' 'j["labels"] == 1'
}
importance() { # each example counts once
    printf '1 5 |a x\n-1 0.25 |a y\n1 |a x z\n' >d
    printf '1 |a x\n-1 |a y\n1 |a x z\n' >e
    works "$thresh" certify --json d
    sed 's/"seconds": [^,]*//' out >a
    works "$thresh" certify --json e
    sed 's/"seconds": [^,]*//' out >b
    same a b
}
gap() {
    works "$thresh" certify --time-limit 3 --json --gap 0.2 "$data/three.svm"
    works "$thresh" certify --json --gap 1e-4 "$data/two.svm"
    json out 'j["gamma_low"] >= 0.9998 * j["gamma_high"]'
}
passes() {
    works "$thresh" certify -p 1 --json "$data/two.svm"
    json out 'j["rules"][0]["passes"] == 1 and j["rules"][0]["converged"] is False'
    works "$thresh" certify -p 1 "$data/two.svm"
    grep -q 'not standing still after 1 pass' out || fail "$(cat out)"
}
narrow() { # 80 columns
    for f in "$xor" "$data/two.svm" "$data/mail.txt" "$data/three.svm"; do
        works "$thresh" certify --time-limit 3 "$f"
        ! grep -q '.\{80\}.' out || fail "$(grep '.\{80\}.' out)"
    done
}
keys() {
    works "$thresh" certify --json "$data/two.svm"
    json out 'all(k in j for k in "separable proof R X gamma_low gamma_high g_low g_high examples features labels mean_active rules".split())' \
        'all(k in r for r in j["rules"] for k in "rule bound mistakes updates vacuous ratio".split())' \
        '[r["rule"].split(":")[0] for r in j["rules"]] == "perceptron perceptron averaged pa pa balanced winnow panel".split()'
}
figures() { # the text says what the object says
    works "$thresh" certify --time-limit 3 --json "$1"
    mv out j
    works "$thresh" certify --time-limit 3 "$1"
    python3 - j out <<'END' || fail "$(cat out)"
import json, sys
j, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
rows = [line.split() for line in text.split('rule  ')[1].splitlines()[1:len(j['rules']) + 1]]
for r, row in zip(j['rules'], rows):
    assert r['rule'].startswith(row[0]), (r, row)
    assert row[1] == '-' if r['bound'] is None else abs(float(row[1]) - r['bound']) <= 0.006 * r['bound'] + 0.06
    assert int(row[2]) == r['mistakes'] and int(row[3]) == r['updates']
    assert ('vacuous' in row) == r['vacuous']
assert ('separable  ' + {True: 'yes', False: 'no', None: 'unknown'}[j['separable']]) in text
END
}
standard_input() {
    works "$thresh" certify --json "$xor"
    sed 's/"seconds": [^,]*//' out >a
    "$thresh" certify --json - <"$xor" | sed 's/"seconds": [^,]*//' >b
    same a b
    works "$thresh" certify -q "$xor"
    [ ! -s out ] || fail "$(cat out)"
}
if command -v python3 >/dev/null; then
    check certify-xor not_separable
    check certify-xor-conjoined conjoined
    check certify-separable separable
    check certify-many-labels many_labels
    check certify-one-label one_label
    check certify-importance importance
    check certify-gap gap
    check certify-passes passes
    check certify-keys keys
    check certify-figures-two figures "$data/two.svm"
    check certify-figures-three figures "$data/three.svm"
    check certify-figures-xor figures "$xor"
else
    skip certify-figures 'no python3 here'
fi
check certify-same-features same_features
check certify-narrow narrow
check certify-input standard_input

# ---- certificates ----

roundtrip() { # DATA PATTERN OPTION...
    works "$thresh" certify -q --write-certificate c "${@:3}" "$1"
    works "$thresh" certify --check-certificate c "$1"
    grep -q "$2" out || fail "$(cat out)"
    works "$thresh" certify --json --check-certificate c "$1"
    grep -q '"holds": true' out || fail "$(cat out)"
    cp c again
    works "$thresh" certify -q --write-certificate c "${@:3}" "$1"
    [ -n "$(sed -n 's/^data //p' c)" ] || fail "$(head c)"
    no_litter
}
other_data() {
    works "$thresh" certify -q --write-certificate c "$data/two.svm"
    head -n 59 "$data/two.svm" >d
    refused 1 'c:15: .*another number of examples' "$thresh" certify --check-certificate c d
    sed 's/2:1/2:2/' "$data/two.svm" >d
    refused 1 'c:15: .*fingerprint' "$thresh" certify --check-certificate c d
    sed '1s/^-1/1/' "$data/two.svm" >d
    refused 1 'c:15: .*fingerprint' "$thresh" certify --check-certificate c d
}
# Each line with a number, one number after the other, is made another one.
tampered() {
    works "$thresh" certify -q --write-certificate c "$1"
    local lines line n
    lines=$(grep -n '^[wpscd].*[0-9]' c | cut -d: -f1 | awk 'NR % 7 == 1' | head -n 40)
    for line in $lines $(wc -l <c); do
        for n in 1 2 3; do
            perl -pe 'if ($. == '"$line"') { my $k = 0; s/\d+/++$k == '"$n"' ? $& + 1 : $&/ge }' c >d
            cmp -s c d && continue
            refused 1 '^thresh: d' "$plain" certify --check-certificate d "$1"
        done
    done
    head -c 200 c >d
    refused 1 '^thresh: d' "$thresh" certify --check-certificate d "$1"
    : >d
    refused 1 'not a certificate' "$thresh" certify --check-certificate d "$1"
    refused 1 'not a certificate' "$thresh" certify --check-certificate "$1" "$1"
}
unproved() { # a certificate is not written where nothing is proved, and no file is touched
    cp "$xor" keep
    refused 2 'read as data' "$thresh" certify --write-certificate keep keep
    same keep "$xor"
    refused 1 'cannot write nowhere' "$thresh" certify --write-certificate nowhere/c "$xor"
    refused 1 'nowhere: cannot read' "$thresh" certify --check-certificate nowhere "$xor"
}
if has gmp; then
    check certificate-xor roundtrip "$xor" 'no linear function separates them'
    check certificate-two roundtrip "$data/two.svm" 'gamma >= 0.3'
    check certificate-text roundtrip "$data/mail.txt" 'a linear function separates them'
    check certificate-settings roundtrip "$data/mail.txt" 'a linear function' --ngrams 2 --unit off --values count
    check certificate-other-data other_data
    check certificate-tampered-xor tampered "$xor"
    check certificate-tampered-two tampered "$data/two.svm"
    check certificate-tampered-mail tampered "$data/mail.txt"
else
    without() { refused 2 'no GMP' "$thresh" certify --check-certificate "$1" "$xor"; }
    works "$thresh" certify -q --write-certificate "$work/c" "$xor"
    check certificate-without-gmp without "$work/c"
fi
check certificate-unproved unproved

# ---- bad data and bad options ----

wrong() { refused 2 "$1" "$thresh" certify "${@:2}" "$xor"; }
check bad-certify-no-data refused 2 'certify needs data' "$thresh" certify
check bad-certify-missing refused 1 '^thresh: nowhere' "$thresh" certify nowhere
empty() {
    : >d
    refused 1 'd: there is no example' "$thresh" certify d
    printf '1 1:1\n1 x\n' >d
    refused 1 'd:2' "$thresh" certify d
}
check bad-certify-data empty
check bad-certify-gap wrong 'gap 0: ' --gap 0
check bad-certify-gap-word wrong 'gap small: ' --gap small
check bad-certify-time wrong 'time-limit -1: ' --time-limit -1
check bad-certify-passes wrong 'passes 0.5: ' --passes 0.5
check bad-certify-learner wrong 'no option --learner' --learner pa
check bad-certify-check-settings wrong 'leave --ngrams out' --ngrams 2 --check-certificate c
check bad-certify-check-write wrong 'leave --write-certificate out' --check-certificate c --write-certificate d

finish
