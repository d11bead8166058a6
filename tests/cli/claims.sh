#!/bin/bash
# Every claim of the theory has a test: what tests/claims.txt names exists, and nothing is left out.
. "$(dirname "$0")/lib.bash"
root=$(cd "$here/../.." && pwd)
claims=$root/tests/claims.txt

rows() { grep -v '^#' "$claims" | grep -v '^$'; }

# has PROGRAM TEST: registered in a program, checked by a script, or an experiment of the lab.
has() {
    local file
    case $1 in
    prop_*) file=$root/tests/prop/$1.c ;;
    test_*) file=$root/tests/unit/$1.c ;;
    experiment)
        grep -q "\.name = \"$2\"," "$root"/theory/lab/*.c
        return
        ;;
    *)
        grep -q "^check $2 " "$root/tests/cli/$1.sh"
        return
        ;;
    esac
    [ -f "$file" ] || return 1
    grep -qF "cmocka_unit_test($2)" "$file" || grep -qF "\"$2\", " "$file"
}

# name_tests: a line `program: test` for each test named.
name_tests() { sed 's/^[^@]* @ //; s/ @ /\n/g' <<<"$1"; }

tests_exist() {
    local row one
    while read -r row; do
        grep -q ' @ [^ ]' <<<"$row" || fail "no test: $row"
        while read -r one; do
            has "${one%%: *}" "${one#*: }" || fail "no such test: $one"
        done < <(name_tests "$row")
    done < <(rows)
    [ "$(rows | wc -l)" -gt 40 ] || fail 'too few claims'
}
check claims-have-tests tests_exist

# A test that does not exist is seen.
would_notice() {
    has prop_facts xor_needs_conjunctions || fail 'a test that is there'
    ! has prop_facts xor_needs_nothing || fail 'a test that is not'
    ! has prop_nothing xor_needs_conjunctions || fail 'a program that is not'
    ! has experiment martin || fail 'an experiment that is not'
    ! has prop_bounds 'updates <= R^2' || fail 'half of a name'
}
check claims-would-notice would_notice

every_learner() {
    local name
    "$plain" train --help | sed -n '/^Learners/,/^$/p' | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' >names
    [ "$(wc -l <names)" -ge 15 ] || fail 'the learners were not found'
    while read -r name; do
        rows | grep -q "^rule $name @" || fail "no row for $name"
    done <names
}
check claims-every-learner every_learner

# The table in docs/THEORY.md names its tests in its last column (and here and there the
# program in parentheses); each is one of ours.
table() { awk '/^## /{on = /The bounds in one table/} on && /^\| [a-z]/' "$root/docs/THEORY.md"; }

every_bound() {
    local test
    table | sed 's/\\|/\x01/g; s/ |$//; s/^.*| //; s/\x01/|/g' |
        grep -o '`[^`]*`' | tr -d '`' | sort -u >named
    [ "$(wc -l <named)" -gt 25 ] || fail 'the table was not found'
    while read -r test; do
        [ -f "$root/tests/unit/$test.c" ] || rows | grep -qF ": $test" || fail "not among the claims: $test"
    done <named
}
check claims-every-bound every_bound
# A mutant whose text no longer occurs tests nothing.
mutants_match() {
    perl -e '
        while (<>) {
            next if /^#/ || !/\S/;
            my ($name, $file, $wanted) = map { s/^\s+|\s+$//gr } split / @ /;
            my $text = do { local $/; open my $in, "<", "$ENV{ROOT}/$file" or print("no $file\n"), next; <$in> };
            my $w = join "\\s+", map { quotemeta } split " ", $wanted;
            print "$name\n" unless $text =~ /$w/;
        }' "$root/tests/mutants.txt" >stale
    [ ! -s stale ] || fail "$(cat stale)"
}
export ROOT=$root
check mutants-match mutants_match
finish
