# What `make` and tests/cli/golden_models.sh share; both set $models to this folder. The data is read
# as data/..., from a folder that holds it.

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
