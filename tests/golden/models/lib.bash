# What `make` and tests/cli/golden_models.sh share; both set $models to this folder. The data is read
# as data/..., from a folder that holds it.

# bring_data FILE: makes the folder data, with FILE and what is beside it. Only the long stream
# data/noisy-N.vw, the first N of many lines, is not in the repository: it is drawn. The parity of
# one of 60 numbers is the label, two of 60 words say nothing, and one label in three is drawn.
bring_data() {
    local n=${1#data/noisy-} more probe
    [ -e data ] || { mkdir data && ln -s "$models"/data/* data/; }
    n=${n%.vw} more=$(beside "$1" more) probe=$(beside "$1" probe)
    case $1 in data/noisy-*) ;; *) return ;; esac
    awk -v n="$n" -v first="$1" -v more="$more" -v probe="$probe" '
        function draw(below) { # exact in doubles (Park and Miller 1988)
            seed = seed * 16807 % 2147483647
            return int(seed / 2147483647 * below)
        }
        BEGIN {
            seed = 3
            for (i = 1; i <= n + 205; i++) {
                number = draw(60); a = draw(60); b = draw(60)
                label = draw(3) ? number % 2 : draw(2)
                print label " | " number " a" a " b" b >(i <= n ? first : i <= n + 200 ? more : probe)
            }
        }'
}

# case_of NAME: its line of the table, as `DATA OPTIONS...`.
case_of() {
    awk -v name="$1" '$1 == name { sub(/^[^ ]+ +/, ""); print }' "$models/cases"
}

# beside FILE WORD: data/two.vw and more are data/two-more.vw.
beside() {
    echo "${1%.*}-$2.${1##*.}"
}

# predicted THRESH MODEL FILE: all that can be asked for, with every digit. Regressors have neither
# scores nor probabilities.
predicted() {
    {
        "$1" predict --json --scores --probabilities -m "$2" "$3" 2>/dev/null ||
            "$1" predict --json -m "$2" "$3"
    } | sed 's/"file": "[^"]*", //'
}

# rules_of MODEL: the version of the rules that it was written with.
rules_of() {
    local rules
    rules=$(grep -a -m 1 -o 'rules=[0-9]*$' "$1")
    echo "${rules:-rules=1}" | cut -d= -f2
}

# resumed THRESH MODEL FILE PROBE: a checksum of the model after FILE, and what it predicts.
resumed() {
    "$1" train -q --init "$2" -m resumed.thresh "$3" || return
    echo "sha256 $(sha256sum <resumed.thresh | cut -d' ' -f1)"
    predicted "$1" resumed.thresh "$4"
}
