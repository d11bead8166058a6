#!/bin/bash
# The recipes on their samples, and on text that is made for it. tests/cli/docs.sh runs their pages.
. "$(dirname "$0")/lib.bash"
recipes=$(cd "$here/../../recipes" && pwd)
samples=$recipes/samples
export THRESH=$plain

# ---- spelling ----

their="their,there,they're"
"$recipes/spelling" train -m "$work/their" "$their" "$samples/harbour.txt" -- -q -p 5 >/dev/null
"$recipes/spelling" train -m "$work/weather" weather/whether "$samples/harbour.txt" -- -q -p 5 >/dev/null

correct() { run "$recipes/spelling" correct -m "$work/their" -m "$work/weather" "$@"; }

corrects() {
    sed -e '3s/^their/there/; 3s/painted there/painted their/; 3s/There uncle/Their uncle/' \
        -e '4s/THEIR/THERE/; 6s/left there/left their/; 7s/If their/If they’re/' "$samples/letter.txt" >want
    correct --reject 0.8 "$samples/letter.txt"
    [ "$status" -eq 0 ] || fail "status $status: $(cat err)"
    same out want
    correct --reject 0.8 --list "$samples/letter.txt"
    [ "$(wc -l <out)" -eq 6 ] || fail "listed $(cat out)"
    grep -q '/letter.txt:3:56: there -> their (0\.9[0-9])$' out || fail "listed $(cat out)"
    awk -F '[()]' '$2 < 0.9 { exit 1 }' out || fail "too unsure: $(cat out)" # 0.9 leads by 0.8
    correct --reject 1 "$samples/letter.txt"
    same out "$samples/letter.txt" 'nothing is as sure as that'
    "$recipes/spelling" correct --reject 0.8 -m "$work/their" - <"$samples/letter.txt" >out
    same out want 'from standard input'
}
check spelling-corrects-the-letter corrects

leaves_right_text() {
    correct "$samples/harbour.txt"
    same out "$samples/harbour.txt"
}
check spelling-leaves-right-text leaves_right_text

# Every place has a correction at --reject 0 or none; what stands between the words stays.
keeps_bytes() {
    awk 'BEGIN { srand(3); for (i = 0; i < 30000; i++) printf "%c", 1 + int(255 * rand()) }' >noise
    printf '\r\n\there\t"their" is no \377\r\n\r\n\n  their is, nobody their' >>noise
    correct --reject 1 noise
    same out noise 'nothing to correct'
    correct --reject 0.3 --list noise
    [ "$(grep -c ' -> ' out)" -ge 1 ] || fail 'nothing was corrected'
    correct --reject 0.3 noise
    ! cmp -s out noise || fail 'nothing was corrected in the text'
    sed "s/their/T/g; s/there/T/g; s/they're/T/g" noise >a
    sed "s/their/T/g; s/there/T/g; s/they're/T/g" out >b
    same a b 'other bytes'
    for text in '' '\n' '\n\n' 'x' 'x\n' ' their'; do
        printf "$text" >in
        correct --reject 1 in
        same out in "$text"
    done
    { head -c 200000 /dev/zero | tr '\0' x; echo ' there is'; } >in
    correct --reject 1 in
    same out in 'a long line'
}
check spelling-keeps-bytes keeps_bytes

# Words of the set have the case of the word they replace; I is not one that begins with a capital.
keeps_case() {
    for _ in 1 2 3 4 5 6; do
        printf 'He saw me there. I saw him. They gave me one. I gave them two. It was I who saw me.\n\n'
        printf "It’s late. it's its cage. The dog lost its cage. He says it’s late.\n\n"
    done >text
    "$recipes/spelling" train -m me I,me text -- -q -p 5 >/dev/null
    "$recipes/spelling" train -m its "its,it's" text -- -q -p 5 >/dev/null
    printf 'He saw I there. Me saw him. They gave I one. ME GAVE them two.\n' >in
    run "$recipes/spelling" correct --reject 0 -m me in
    [ "$(cat out)" = 'He saw me there. I saw him. They gave me one. I GAVE them two.' ] || fail "$(cat out)"
    printf 'Its late. THE DOG LOST IT’S CAGE.\n' >in
    run "$recipes/spelling" correct --reject 0 -m its in
    [ "$(cat out)" = 'It’s late. THE DOG LOST ITS CAGE.' ] || fail "$(cat out)"
    printf "Its late. The dog lost it's cage.\n" >in
    run "$recipes/spelling" correct --reject 0 -m its in
    [ "$(cat out)" = "It's late. The dog lost its cage." ] || fail "$(cat out)"
}
check spelling-keeps-case keeps_case

features() {
    printf 'w11 w10 a9 a8 a7 a6 a5\na4 a3 a2 Left weather RIGHT, b3 b4 b5 b6 b7 b8 b9 v10 v11\n\nfar\n\nwhether\n' >text
    run "$recipes/spelling" train -m m weather,whether text -- -q
    [ "$(cat out)" = 'weather 1 times, whether 1 times' ] || fail "$(cat out err)"
    printf 'weather\nwhether\n' >labels
    "$plain" show -m m --top 100 | awk '{ print $2 }' | LC_ALL=C sort -u >names
    for name in near\|left near\|a2 near\|w10 near\|right near\|v10 at\|l=left at\|r=right at\|ll=a2,left \
        at\|lr=left,right at\|rr=right,, at\|l=-; do
        grep -qxF "$name" names || fail "no feature $name"
    done
    for name in near\|w11 near\|v11 near\|far near\|, near\|weather; do
        ! grep -qxF "$name" names || fail "a feature $name"
    done
}
check spelling-features features

spelling_refuses() {
    refused 1 'cannot open model nosuch' "$recipes/spelling" correct -m nosuch "$samples/letter.txt"
    printf 'their\0there' >nul
    refused 2 'is not text' "$recipes/spelling" correct -m "$work/their" nul
    refused 2 'cannot read nosuch' "$recipes/spelling" train -m m "$their" nosuch
    refused 2 'two words or more' "$recipes/spelling" train -m m their "$samples/harbour.txt"
    refused 2 'usage' "$recipes/spelling" correct "$samples/letter.txt"
    run "$recipes/spelling" train -m m their,zebra "$samples/harbour.txt"
    [ "$status" -eq 2 ] && [ ! -e m ] && grep -q 'must occur' err || fail "status $status: $(cat err)"
}
check spelling-refuses spelling_refuses

# ---- ppattach ----

attaches() {
    works "$recipes/ppattach" train -m m "$samples/phrases.train" -- -q -p 5
    works "$recipes/ppattach" test -m m "$samples/phrases.test"
    grep -q '^tested     16 examples, [01] wrong' out || fail "$(head -n 1 out)"
    works "$recipes/ppattach" attach -m m "$samples/phrases.test"
    [ "$(awk '$1 == $3' out | wc -l)" -ge 15 ] || fail "$(cat out)"
    cut -d ' ' -f 3- out | cmp -s - "$samples/phrases.test" || fail 'the lines are not repeated'
    cut -d ' ' -f 2- "$samples/phrases.test" | "$recipes/ppattach" attach -m m >bare
    cut -d ' ' -f 1-2 out >a
    cut -d ' ' -f 1-2 bare | cmp -s - a || fail 'the label was used'
    works "$recipes/ppattach" attach -m m --reject 1 "$samples/phrases.test"
    [ "$(cut -d ' ' -f 1 out | sort -u)" = '?' ] || fail "$(cat out)"
    "$plain" show -m m --top 1000 | grep -qF '&|m|fork&n|bread&p|with&v|eat' || fail 'no feature of four words'
}
check ppattach-attaches attaches

six_fields() {
    awk '{ print NR, $2, $3, $4, $5, $1 }' "$samples/phrases.train" >six
    works "$recipes/ppattach" train -m a "$samples/phrases.train" -- -q
    works "$recipes/ppattach" train -m b six -- -q
    same a b
    printf 'V Pay 1,000 IN 1994\nN pay 7 in 8\n' >numbers
    works "$recipes/ppattach" train -m m numbers -- -q
    "$plain" show -m m --top 100 >names
    grep -qw 'n|0' names && grep -qw 'v|pay' names && ! grep -q 1994 names || fail "$(cat names)"
}
check ppattach-six-fields six_fields

ppattach_refuses() {
    printf 'V eat soup with spoon\nN eat soup\n' >short
    refused 1 'short:2: four words are needed.* there are 3' "$recipes/ppattach" train -m m short
    printf 'X eat soup with spoon\n' >label
    refused 1 'label:1: V or N is needed, not X' "$recipes/ppattach" train -m m label
    printf 'eat soup with spoon\n' >bare
    refused 1 'bare:1: V or N is needed before' "$recipes/ppattach" test -m m bare
    refused 2 'there is no command' "$recipes/ppattach" learn -m m "$samples/phrases.train"
    refused 1 'cannot open model m' "$recipes/ppattach" attach -m m "$samples/phrases.test"
    [ ! -e m ] || fail 'a model was written'
}
check ppattach-refuses ppattach_refuses

# ---- questions ----

asks() {
    works "$recipes/questions" train -m m "$samples/questions.tsv" -- -q -p 5
    "$plain" show -m m --top 1000 | grep -q 'how many$' || fail 'no pairs of words'
    "$plain" show -m m --top 1000 | grep -q '"$' || fail 'no marks'
    works "$recipes/questions" ask -m m --reject 0.3 "$samples/questions.txt"
    [ "$(cut -d ' ' -f 1 out | tr '\n' ' ')" = \
        'person place number time reason meaning meaning time number person ? ' ] || fail "$(cat out)"
    cut -f 2 out | cmp -s - "$samples/questions.txt" || fail 'the questions are not repeated'
    printf '\nwho\tis it?\n\n  \nwhere' | "$recipes/questions" ask -m m >out
    [ "$(cut -d ' ' -f 1 out | tr '\n' ' ')" = 'person place ' ] || fail "$(cat out)"
    works "$recipes/questions" check "$samples/questions.tsv"
    wrong=$(sed -n 's/^tested *72 examples, \([0-9]*\) wrong.*/\1/p' out)
    [ "${wrong:-72}" -le 30 ] || fail "$(cat out)" # 60 if all were called one type
    refused 1 'cannot open model nosuch' "$recipes/questions" ask -m nosuch "$samples/questions.txt"
    refused 2 'train needs a file' "$recipes/questions" train -m m
    refused 1 'nosuch' "$recipes/questions" train -m m nosuch
}
check questions-ask asks

# ---- spam ----

replays() {
    works "$recipes/spam" replay -m m --sure 0.6 "$samples/messages.tsv"
    tail -n 1 out | awk -F '[: ,;]+' '{ exit !($1 == 42 && $3 + $5 + $7 == 42 && $9 == $5 + $7 && $3 < 35) }' ||
        fail "first: $(tail -n 1 out)"
    [ "$(grep -c ': said ' out)" -eq "$(tail -n 1 out | sed 's/.*right, \([0-9]*\) wrong.*/\1/')" ] || fail "$(cat out)"
    works "$recipes/spam" replay -m m --sure 0.6 "$samples/messages.tsv"
    tail -n 1 out | awk '{ exit !($3 >= 36) }' || fail "second: $(tail -n 1 out)"
}
check spam-replay replays

# What is learned from all messages is what training learns.
learns_all() {
    works "$recipes/spam" replay -m m --learn all "$samples/messages.tsv"
    "$plain" train -q -f text -m n "$samples/messages.tsv"
    same m n
    tail -n 1 out | grep -q '42 learned$' || fail "$(cat out)"
}
check spam-learns-all learns_all

# A correction changes the answer; the others teach what they say or nothing.
talks() {
    printf '%s\n' 'free boats' spam 'see you' ham 'the goat' '-' 'see you' '' '= ham' spam 'a	tab' what |
        timeout 60 "$recipes/spam" talk -m m --sure 0 >out 2>err || fail "status $?: $(cat err)"
    [ "$(wc -l <out)" -eq 6 ] && [ "$(head -n 4 out | cut -d ' ' -f 1 | tr '\n' ' ')" = 'unsure spam spam ham ' ] ||
        fail "$(cat out)"
    [ "$(grep -c 'say spam or ham' err)" -eq 1 ] || fail "$(cat err)"
    printf 'spam\tfree boats\nham\tsee you\nham\tsee you\nspam\t= ham\n' | "$plain" train -q -f text -m n -
    same m n
    printf 'free boats\n\n' | timeout 60 "$recipes/spam" talk -m m --sure 1 >out
    grep -q '^unsure 0\.' out || fail "$(cat out)"
    same m n 'an empty verdict on an unsure answer'
}
check spam-talk talks

# Each message that was learned is saved before the next one is read.
saves() {
    mkfifo in
    timeout 60 "$recipes/spam" talk -m m <in >out &
    exec 3>in
    printf 'free boats\nspam\nsee you\n' >&3
    for _ in $(seq 100); do
        [ "$(wc -l <out)" -eq 2 ] && [ -s m ] && break
        sleep 0.1
    done
    "$plain" predict --no-label -m m - <<<'free boats' | grep -q '^spam' || fail 'not saved while the session lasts'
    exec 3>&-
    wait $! || fail "status $?"
}
check spam-saves saves

sorts() {
    works "$recipes/spam" replay -m m --learn all "$samples/messages.tsv"
    printf 'claim\nyour\tfree\r\nprize\0now' >one
    printf 'the ferry is late' >two
    works "$recipes/spam" sort -m m --sure 0.5 one two
    [ "$(cut -d ' ' -f 1,3 out)" = "$(printf 'spam one\nham two')" ] || fail "$(cat out)"
    works "$recipes/spam" sort -m m --sure 1 one two
    [ "$(cut -d ' ' -f 1 out | tr '\n' ' ')" = 'unsure ham ' ] || fail "$(cat out)"
}
check spam-sort sorts

spam_refuses() {
    printf 'eggs\thello\n' >bad
    refused 2 'spam or ham, a tab' "$recipes/spam" replay -m m bad
    refused 2 'is a probability' "$recipes/spam" replay -m m --sure 2 "$samples/messages.tsv"
    refused 2 'errors or all' "$recipes/spam" replay -m m --learn some "$samples/messages.tsv"
    refused 1 nosuch "$recipes/spam" sort -m nosuch bad
    echo 'not a model' >m
    refused 1 'm' "$recipes/spam" replay -m m "$samples/messages.tsv"
    [ "$(cat m)" = 'not a model' ] || fail 'it was replaced'
}
check spam-refuses spam_refuses

# ---- all, with the sanitized command ----

sanitized() {
    export THRESH=$thresh
    run "$recipes/spelling" train -m s their,there "$samples/harbour.txt" -- -q
    run "$recipes/spelling" correct -m s "$samples/letter.txt"
    [ "$status" -eq 0 ] || fail "spelling: $(cat err)"
    run "$recipes/ppattach" train -m p "$samples/phrases.train" -- -q
    run "$recipes/ppattach" attach -m p "$samples/phrases.test"
    [ "$status" -eq 0 ] || fail "ppattach: $(cat err)"
    run "$recipes/questions" train -m q "$samples/questions.tsv" -- -q
    run "$recipes/questions" ask -m q "$samples/questions.txt"
    [ "$status" -eq 0 ] || fail "questions: $(cat err)"
    run "$recipes/spam" replay -m m "$samples/messages.tsv"
    [ "$status" -eq 0 ] || fail "spam: $(cat err)"
}
check recipes-sanitized sanitized
finish
