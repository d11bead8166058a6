#!/bin/bash
# Concepts on the command line: eliminate in models, thresh lab protocol and thresh lab concept.
. "$(dirname "$0")/lib.bash"

cat >"$work/both.svm" <<'END'
+1 2:1 3:1 4:1
-1 2:1 4:1
+1 2:1 3:1 10:1
-1 3:1
+1 1:1 2:1 3:1
END
# L2: x2 & x3 & x4 & x5 & x100; ones of the others as they come.
awk 'BEGIN { srand(7); for (e = 0; e < 400; e++) { s = ""; yes = 1
    for (i = 1; i <= 100; i++) { target = i >= 2 && i <= 5 || i == 100
        on = rand() < (target ? 0.87 : 0.5); if (on) s = s " " i ":1"; else if (target) yes = 0 }
    print (yes ? "+1" : "-1") s } }' >"$work/l2.svm"

# ---- eliminate ----

# The formula in show, and the same in words of JSON.
formula() {
    works "$thresh" train -q -l "eliminate:$1" -m m "$2"
    works "$thresh" show -m m
    grep -qxF "1 if  $3" out || fail "no '$3' in: $(grep ' if ' out)"
    works "$thresh" show --json -m m
    grep -qF "\"formulas\": {\"1\": \"$3\"}" out || fail 'not in JSON'
}
check eliminate-conjunction formula form=conjunction "$work/both.svm" '2 & 3'
check eliminate-negated formula negated=on "$work/both.svm" '2 & 3 & !(any feature not met)'
check eliminate-disjunction formula form=disjunction "$work/both.svm" '10 | 1 | (any feature not met)'
check eliminate-lecture formula form=conjunction "$work/l2.svm" '2 & 3 & 4 & 5 & 100'
printf -- '-1 1:1\n-1 2:1 3:1\n+1 9:1\n' >"$work/none.svm"
check eliminate-untaught formula form=conjunction <(printf -- '-1 1:1\n-1 2:1\n+1 3:1\n' | head -n 2; echo '+1') true

# Long ones are shortened on the screen, not in JSON.
long() {
    { printf '+1'; for i in $(seq 1 50); do printf ' %d:1' "$i"; done; printf '\n-1 7:1\n'; } >d
    works "$thresh" train -q -l eliminate -m m d
    works "$thresh" show -m m
    grep -q '^1 if  1 & 2 .* & 20 & (30 more)$' out || fail "$(grep ' if ' out)"
    works "$thresh" show --json -m m
    grep -q '& 49 & 50"' out || fail 'cut short in JSON'
}
check eliminate-long long

# Once no formula fits, what is left goes on.
inconsistent() {
    { cat "$work/both.svm"; echo '+1 7:1'; echo '-1 2:1 3:1'; echo '-1 8:1'; } >d
    works "$thresh" train -q -l eliminate -m m d
    works "$thresh" show -m m
    grep -qx '1 if  true' out || fail "$(grep ' if ' out)"
    works "$thresh" predict -m m d
    [ "$(cut -f 1 out | sort -u)" = 1 ] || fail "$(cat out)"
}
check eliminate-inconsistent inconsistent

# One formula a label, where there are many; several models keep what all have.
many() {
    printf 'a x y\nb y z\nc z\na x\nb y z w\nc z v\n' | sed 's/ /\t/' >d
    works "$thresh" train -q -l eliminate -m m d
    works "$thresh" show -m m
    [ "$(grep -c ' if ' out)" -eq 3 ] || fail "$(cat out)"
    refused 2 'all-pairs' "$thresh" train -q -l eliminate --multiclass all-pairs -m n d
    printf '+1 1:1 2:1 3:1\n-1 1:1\n' >e
    printf '+1 2:1 3:1 4:1\n-1 2:1\n' >f
    works "$thresh" train -q -l eliminate -m e.m e
    works "$thresh" train -q -l eliminate -m f.m f
    works "$thresh" merge -q -o both e.m f.m
    works "$thresh" show -m both
    grep -qx '1 if  2 & 3' out || fail "$(grep ' if ' out)"
    refused 2 'leave the weights out' "$thresh" merge -q --weights 1,2 -o no e.m f.m
    [ ! -e no ] || fail 'written all the same'
}
check eliminate-many many

# ---- protocols ----

protocol() { # EXPECTED ARGUMENT...
    local want=$1
    shift
    works "$thresh" lab protocol "$@" --json
    local got
    got=$(sed 's/.*"queries": \([0-9]*\), "examples": \([0-9]*\), .*"bound": \([0-9]*\), .*"holds": \([a-z]*\), "equal": \([a-z]*\).*/\1 \2 \3 \4 \5/' out)
    [ "$got" = "$want" ] || fail "$got, not $want"
}
check protocol-ask protocol '100 0 100 true true' ask --target 'x2 & x3 & x4 & x5 & x100'
check protocol-teach protocol '0 6 6 true true' teach --target 'x2 & x3 & x4 & x5 & x100'
check protocol-teach-all protocol '0 3 3 true true' teach --target 'x1 & x2 & x3'
check protocol-teach-negated protocol '0 4 4 true true' teach --target 'x1 & !x2' --n 9
check protocol-teach-disjunction protocol '0 3 3 true true' teach --target 'x1 | x2' --n 9
check protocol-teach-true protocol '0 1 1 true true' teach --target true --n 5
check protocol-ask-false protocol '5 0 5 true true' ask --target false --n 5

nature() {
    works "$thresh" lab protocol nature --n 50 --k 4 --runs 20 --seed 3 --json
    [ "$(grep -c '"holds": true, "equal": true' out)" -eq 20 ] || fail "$(head -n 3 out)"
    [ "$(sort -u out | wc -l)" -eq 20 ] || fail 'the same game twice'
    cp out before
    works "$thresh" lab protocol nature --n 50 --k 4 --runs 20 --seed 3 --json
    same before out
    works "$thresh" lab protocol nature --n 50 --limit 1
    grep -q 'not the target yet' out || fail "$(cat out)"
}
check protocol-nature nature
shown() {
    works "$thresh" lab protocol teach --target 'x2 & x3' --n 4 --show
    cat >want <<'END'
  shown   (0,1,1,0), 1
  shown   (0,0,1,0), 0
  shown   (0,1,0,0), 0
teach: target x2 & x3, 2 of 4 variables
  examples  3, and theory says 3
  learned   x2 & x3: the target
END
    same want out
    works "$thresh" lab protocol ask --target 'x1' --n 2 --show --json
    grep -qF '"points": [{"x": [0, 1], "label": 0, "what": "asked"}, {"x": [1, 0], "label": 1, "what": "asked"}]' out ||
        fail "$(cat out)"
}
check protocol-shown shown
protocol_usage() {
    refused 2 'one of three ways' "$thresh" lab protocol
    refused 2 "no protocol 'tell'" "$thresh" lab protocol tell
    refused 2 'target:1:6: a variable is expected' "$thresh" lab protocol ask --target 'x1 & & x2'
    refused 2 'target:1:6: there is no such variable' "$thresh" lab protocol ask --target 'x1 & x9' --n 3
    refused 2 'not .2 of' "$thresh" lab protocol teach --target '2 of (x1, x2, x3)'
    refused 2 'monotone' "$thresh" lab protocol ask --target 'x1 & !x2'
    refused 2 'k=9 is more than the n=3' "$thresh" lab protocol teach --n 3 --k 9
    refused 2 'leave --k' "$thresh" lab protocol teach --target x1 --k 2
    refused 2 'lab protocol has no option --class' "$thresh" lab protocol ask --class conjunctions
    refused 2 'lab run has no option --target' "$thresh" lab run concepts --target x1
    refused 2 'lab list has no option --format' "$thresh" lab list --format svmlight
}
check protocol-usage protocol_usage

# ---- concepts from a file ----

concept() { # LEARNER CLASS MISTAKES-AT-MOST FORMULA
    works "$thresh" lab concept -l "$1" --class "$2" --json "$work/both.svm"
    grep -qF "\"bound\": $3," out || fail "no bound $3 in $(cat out)"
    grep -qF '"consistent": true' out || fail 'not consistent'
    grep -qF "\"formulas\": [\"$4\"]" out || fail "$(cat out)"
}
check concept-halving concept halving conjunctions:negated=on 7 '2 & 3'
check concept-consistent concept consistent conjunctions:negated=on 242 '2 & 3'
check concept-eliminate concept eliminate conjunctions:negated=on 6 '2 & 3'
check concept-eliminate-monotone concept eliminate conjunctions 5 '2 & 3'
check concept-thresholds concept halving thresholds:m=2,k=2,exactly=on 3 '2 & 3'

listed() {
    printf '# a class\n2 & 3\n2 | 4\n2 of (2, 3, 99)\n' >class
    works "$thresh" lab concept --class file=class "$work/both.svm"
    grep -q '6 variables: 3 concepts' out && grep -q '^2 left, 1 if$' out || fail "$(cat out)"
    works "$thresh" lab concept --class file=class --top 1 "$work/both.svm"
    grep -q 'and 1 more' out || fail "$(cat out)"
    printf '2 &\n' >>class
    refused 1 'class:5:4: a variable is missing' "$thresh" lab concept --class file=class "$work/both.svm"
    refused 1 'nowhere' "$thresh" lab concept --class file=nowhere "$work/both.svm"
}
check concept-listed listed
absent() {
    run "$thresh" lab concept --class conjunctions --variables 2,two "$work/both.svm"
    [ "$status" -eq 0 ] && grep -q 'no example has 1 of the 2 variables named' err || fail "$(cat err)"
}
check concept-absent-variable absent
emptied() {
    { cat "$work/both.svm"; echo '-1 2:1 3:1 4:1'; echo '+1'; } >d
    local l
    for l in consistent halving; do
        works "$thresh" lab concept -l "$l" --class conjunctions d
        grep -q 'no concept of the class is right: example 6 shows it (2 in all' out || fail "$(cat out)"
    done
    works "$thresh" lab concept -l eliminate --class conjunctions --json d
    grep -q '"consistent": false' out || fail "$(cat out)"
}
check concept-emptied emptied
variables() {
    works "$thresh" lab concept --class conjunctions --variables 3,2 --json "$work/both.svm"
    grep -qF '"formulas": ["3 & 2"]' out || fail "$(cat out)"
    grep -qF '"variables": 2, "concepts": 4' out || fail "$(cat out)"
    printf 'spam\tcheap pills\nham\tcheap lunch\nspam\tpills now\n' >d
    works "$thresh" lab concept -l eliminate --class disjunctions --json d
    grep -qF '"positive": "spam"' out && grep -qF 'pills' out || fail "$(cat out)"
}
check concept-variables variables
concept_usage() {
    refused 2 'needs data' "$thresh" lab concept --class conjunctions
    refused 2 'needs a class' "$thresh" lab concept "$work/both.svm"
    refused 2 "no learner 'halve' of concepts" "$thresh" lab concept -l halve --class conjunctions "$work/both.svm"
    refused 2 "no class 'conjunction'" "$thresh" lab concept --class conjunction "$work/both.svm"
    refused 2 'at most 2^20 can be listed' "$thresh" lab concept --class conjunctions "$work/l2.svm"
    refused 2 'not .thresholds' "$thresh" lab concept -l eliminate --class thresholds "$work/both.svm"
    refused 2 'declared twice' "$thresh" lab concept --variables 2,2 --class conjunctions "$work/both.svm"
    refused 2 'lab concept has no option --k' "$thresh" lab concept --k 2 --class conjunctions "$work/both.svm"
    refused 1 'there are 3 labels' "$thresh" lab concept --class conjunctions <(printf '1 1:1\n2 1:1\n3 1:1\n')
    works "$thresh" lab concept -l eliminate --class conjunctions "$work/l2.svm"
    grep -qx '  2 & 3 & 4 & 5 & 100' out || fail "$(cat out)"
}
check concept-usage concept_usage
finish
