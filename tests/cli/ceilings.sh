#!/bin/bash
# Small inputs that would take much memory or time meet a ceiling, whose message names the option that
# raises it; with the option raised they are learned. The address space of the command is limited, so
# that an allocation of what the input asks for would fail with another message.
. "$(dirname "$0")/lib.bash"

# within KB COMMAND...: with at most so much address space, where a huge table is only reserved.
printf '#!/bin/bash\nulimit -v "$1" && shift && exec "$@"\n' >"$work/within"
chmod +x "$work/within"

many_labels() {
    awk 'BEGIN { for (i = 0; i < 12000; i++) print "L" i " | w" i % 50 }' >many.vw
    refused 1 'many.vw:10001: more than 10000 different labels (see --max-labels)' \
        "$plain" train -q -l perceptron -m many.model many.vw
    [ ! -e many.model ] || fail 'a model was written'
    refused 1 'more than 20 different labels (see --max-labels)' "$thresh" train -q --max-labels 20 many.vw
    refused 1 'more than 20 different labels (see --max-labels)' \
        "$thresh" race -q -l pa -l perceptron --max-labels 20 many.vw
    head -n 100 many.vw >some.vw
    works "$thresh" train -q --max-labels 100 -m a.model some.vw
    works "$thresh" train -q --memory 1G -m b.model some.vw
    same a.model b.model 'a ceiling is not part of a model'
    works "$thresh" train -q --max-labels 1000 --init a.model -m c.model some.vw
}
check 'labels' many_labels

compared() {
    awk 'BEGIN { for (i = 0; i < 90; i++) print "L" i % 30 " | w" i % 50 }' >d.vw
    for how in 'cv -k 3' 'tune -l pa:C=1|2' 'tune -l pa:C=1|2 -k 3'; do
        set -f
        refused 1 'd.vw:[0-9]*: more than 20 different labels (see --max-labels)' \
            "$thresh" $how -q --max-labels 20 d.vw
        refused 1 'features and [0-9]* labels would take .* allowed (see --memory)' \
            "$thresh" $how -q --memory 1k d.vw
        works "$thresh" $how -q --max-labels 30 --memory 1G d.vw
        set +f
    done
}
check 'cv and tune' compared

# A line that would lead beyond a ceiling is reported and not learned, whatever it would have added;
# the model is the one that the other lines make.
online() { # CEILING SIZE: of the lines in `all`, those in `good` are learned, and two are not
    local option
    for option in '-l perceptron' '-l pa --min-count 2' '-l arow --max-features 500' '-l winnow' ''; do
        "$thresh" online -q $option "--$1" "$2" -m all.model <all >out 2>err || fail "$1: status $?"
        [ "$(grep -c '' err)" -eq 2 ] && [ "$(grep -c "standard input:.*(see --$1)" err)" -eq 2 ] ||
            fail "$1, $option: $(head -c 500 err)"
        "$thresh" online -q $option -m good.model <good >/dev/null 2>err || fail "$1: status $?"
        same all.model good.model "$1, $option"
        rm -f all.model good.model
    done
}
online_ceilings() {
    printf '%s\n' 'a | x y:2' 'b | y z' 'c | z' 'a | x' 'c | y y' 'a | x z' 'b | x z' >good
    sed '3a d | new y:7\ne | x z\n' good | sed '/^$/d' >all
    online max-labels 3
    awk 'BEGIN { s = "b |"; for (i = 0; i < 3000; i++) s = s " n" i; print s }' >wide
    (sed -n 1,4p good && cat wide && sed -n 5,6p good && sed 's/^b/new/' wide && sed -n 7p good) >all
    online memory 150k
    printf '%s\n' 'a | x' 'b | z' '| y' '= d' '+ d' '= b' '- a' >all
    sed '/ d$/d' all >good
    online max-labels 2
    printf '%s\n' 'a | x y' 'b | y z' 'a | k l m n' 'b | z' 'b | k l m n' 'a | x' >all
    sed '/k l m/d' all >good
    for file in all good; do
        "$thresh" online -q -l pa --conjoin 2 --max-active 5 -m $file.model <$file >out 2>err.$file || fail "status $?"
    done
    same all.model good.model
    [ "$(grep -c '(see --max-active)' err.all)" -eq 2 ] || fail "$(cat err.all)"
    # A model that is beyond a ceiling learns what brings nothing new.
    "$thresh" online -q -l pa -m more.model <good >out 2>err || fail "status $?"
    printf '%s\n' 'a | x z' 'a | q' 'c | x' >last
    "$thresh" online -l pa --max-labels 1 --memory 1 -m more.model <last >out 2>err || fail "status $?"
    grep -q '3 predictions, 1 example learned, .* 2 bad lines' err || fail "$(cat err)"
}
check 'online' online_ceilings

# 500 kB, 4000 labels and 20,000 features, would take 3 GB in plain rows. As lists they take 100 MB.
much_memory() {
    awk 'BEGIN { srand(1); for (i = 0; i < 4000; i++) { s = "L" i " |"
        for (k = 0; k < 18; k++) s = s " w" int(20000 * rand()); print s } }' >wide.vw
    works "$work/within" 900000 "$plain" train -q --threads 1 --memory 200M wide.vw
    refused 1 'features and [0-9]* labels would take .* more than the 20 MiB allowed (see --memory)' \
        "$work/within" 900000 "$plain" train -q --threads 1 --memory 20M wide.vw
    refused 1 'features and [0-9]* labels would take .* allowed (see --memory)' \
        "$plain" train -q --memory 100k wide.vw
    refused 2 'a number of bytes is needed' "$thresh" train -q --memory 10q wide.vw
    refused 2 'a number of bytes is needed' "$thresh" train -q --memory M wide.vw
}
check 'memory' much_memory

# 270 kB of gzip -9, 250 MB in one line: 2 GB.
long_line() {
    (printf '1 |' && head -c 250000000 /dev/zero | tr '\0' 'a' | sed 's/aaaaaaaa/ a a a a/g' && echo) |
        gzip -1 >line.vw.gz
    refused 1 'line.vw.gz:1: a line is longer than 67108864 bytes (see --max-line)' \
        "$work/within" 900000 "$plain" train -q -l pa line.vw.gz
}
has zlib && check 'a long line' long_line

# 9 kB, 8.7 million conjunctions: 1.5 GB if all lines are read at once, and 2 GB in the model.
conjunctions() {
    awk 'BEGIN { for (l = 0; l < 9; l++) { s = (l % 2 ? "1" : "-1") " |"
        for (i = 0; i < 180; i++) s = s " " l "f" i; print s } }' >lines.vw
    refused 1 'features and [0-9]* labels would take .* more than the 100 MiB allowed (see --memory)' \
        "$work/within" 900000 "$plain" train -q --threads 1 -l pa --conjoin 3 --memory 100M lines.vw
    awk 'BEGIN { s = "1 |"; for (i = 0; i < 290; i++) s = s " f" i; print s; print "-1 | zz" }' >long.vw
    refused 1 'long.vw:1: 290 features would make 4064785 conjunctions: more than the 1048576 .* (see --max-active)' \
        "$work/within" 900000 "$plain" train -q -l pa --conjoin 3 long.vw
    head -c 200 long.vw >few.vw
    echo >>few.vw
    echo '-1 | f0' >>few.vw
    refused 1 'more than the 500 allowed in one example (see --max-active)' \
        "$thresh" train -q -l pa --conjoin 2 --max-active 500 few.vw
    works "$thresh" train -q -l pa --conjoin 2 --max-active 2000 -m a.model few.vw
    works "$thresh" train -q -l pa --conjoin 2 -m b.model few.vw
    same a.model b.model 'a ceiling is not part of a model'
}
check 'conjunctions' conjunctions

# 12 kB of gzip, 12 MB of zeros, one bit for each of 96 million features: 1.1 GB.
forged_cache() {
    echo '1 | a' >a.vw
    works "$thresh" convert -q --to cache -o a.cache a.vw
    "$forge" 96000000 1 <a.cache | gzip >many.cache.gz
    refused 1 'a block of this cache has more than 17825792 features (see --max-line)' \
        "$work/within" 900000 "$plain" train -q -l pa many.cache.gz
    "$forge" 5000 1 <a.cache >repeats.cache
    refused 1 'this cache is damaged' "$thresh" train -q -l pa repeats.cache
    "$forge" 2 1 <a.cache >two.cache
    works "$thresh" train -q -l pa two.cache
    # a long block, which --max-line admits or not
    "$forge" 300000 32 <a.cache >long.cache
    refused 1 'a block is longer than 1000000 bytes (see --max-line)' "$thresh" train -q --max-line 250000 long.cache
    works "$thresh" train -q -l pa --max-line 320000 long.cache
}
forge=$(dirname "$thresh")/tests/forge_cache
if has zlib && [ -x "$forge" ]; then
    check 'a cache' forged_cache
else
    skip 'a cache' 'zlib or the program that forges caches is not there'
fi

# What may be read as a line may be read from a cache, where it takes twice as many bytes.
long_line_in_cache() {
    awk 'BEGIN { printf "1 |"; for (i = 0; i < 300000; i++) printf " x%x", 65536 + i; print "" }' >one.vw
    (cat one.vw one.vw one.vw && echo '-1 | x10000') >line.vw
    works "$plain" train -q -l pa --max-line 2100004 -m a.model line.vw
    works "$plain" convert -q --max-line 2100004 --to cache -o line.cache line.vw
    works "$plain" train -q -l pa --max-line 2100004 -m b.model line.cache
    same a.model b.model
    works "$plain" train -q -l pa -p 2 --max-line 2100004 -m c.model line.vw
    works "$plain" train -q -l pa -p 2 -m d.model line.vw
    same c.model d.model
}
check 'a long line in a cache' long_line_in_cache

# Namespaces were searched one by one: 7 s for 3 MB.
namespaces() {
    awk 'BEGIN { srand(1); for (i = 0; i < 1500; i++) { s = i % 2 ? "1" : "-1"
        for (k = 0; k < 20; k++) s = s " |n" int(4090 * rand()) " a"; print s } }' >spaces.vw
    awk '{ gsub(/[|]n/, "n"); gsub(/ a/, ""); sub(/ /, " | "); print }' spaces.vw >names.vw
    few=$(count "$plain" train -q --threads 1 -l pa names.vw)
    many=$(count "$plain" train -q --threads 1 -l pa spaces.vw)
    [ "${few:-0}" -gt 0 ] && [ "$many" -le $((4 * few)) ] || fail "$many instructions; as names, $few"
    works "$thresh" train -q -l pa -m a.model spaces.vw
    head -n 700 spaces.vw >first
    tail -n +701 spaces.vw >rest
    works "$thresh" train -q -l pa -m b.model first
    works "$thresh" train -q --init b.model -m c.model rest
    same a.model c.model
}
count() { # COMMAND...
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $4 }'
}

# A list of settings by label was searched once for each label whenever a model was opened: 0.7 * 10^9
# instructions for 2000 labels. Four times as many labels may cost five times as much.
label_lists() { # OPTION...
    local n few=0 many=0 given
    for n in 300 1200; do
        awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print "l" i "\tword" i % 7 }' >labels.text
        given=$(awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) printf "%sl%d=0.%d", i ? "," : "", i, 1 + i % 9 }')
        "$plain" train -q -f text -l perceptron "$@" "$given" -m $n.model labels.text || fail 'train failed'
    done
    head -n 1 labels.text >one.text
    few=$(count "$plain" predict -q --threads 1 -f text -m 300.model one.text)
    many=$(count "$plain" predict -q --threads 1 -f text -m 1200.model one.text)
    [ "${few:-0}" -gt 0 ] && [ "$many" -le $((5 * few)) ] || fail "$many instructions; of a quarter, $few"
}
if command -v valgrind >/dev/null; then
    check 'namespaces' namespaces
    check 'class weights of many labels' label_lists --class-weights
    check 'thresholds of many labels' label_lists --multilabel on --threshold
else
    skip 'namespaces and lists of labels' 'valgrind is not there'
fi
finish
