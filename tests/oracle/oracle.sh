#!/bin/bash
# Every rule against its second, independent implementation, on 1000 random streams each: predictions,
# scores, mistakes, updates and weights, step by step. compare.py says what is compared and how.
#
# STREAMS is the number of streams for each rule. The library is that of the plain build, since Python
# cannot load one with sanitizers.
. "$(dirname "$0")/../cli/lib.bash"
oracle=$(cd "$here/../oracle" && pwd)
library=$(dirname "$plain")/src/libthresh.so

python=$(command -v python3) || python=
if [ -z "$python" ]; then
    skip oracle 'there is no python3'
elif [ ! -e "$library" ]; then
    skip oracle "there is no $library"
else
    "$python" -B "$oracle/compare.py" "$library" "${STREAMS:-1000}" || failures=1
fi
finish
