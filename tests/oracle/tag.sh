#!/bin/bash
# thresh tag against its second, independent implementation, on 1000 random data sets for each rule:
# mistakes, updates, features, weights and tags. tag.py says what is compared and how.
#
# STREAMS is the number of data sets for each rule, of which a few are given to the sanitized command.
. "$(dirname "$0")/../cli/lib.bash"
oracle=$(cd "$here/../oracle" && pwd)

python=$(command -v python3) || python=
if [ -z "$python" ]; then
    skip oracle-tag 'there is no python3'
else
    "$python" -B "$oracle/tag.py" "$plain" "$thresh" "${STREAMS:-1000}" || failures=1
fi
finish
