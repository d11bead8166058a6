#!/bin/bash
# The same examples to thresh's knn and to TiMBL: every prediction, the least distance and the votes
# must agree, ties included. What is compared with what is said in timbl.py.
#
# The attachment data is looked for in ../shared/data beside the project, or in DATA.
. "$(dirname "$0")/../cli/lib.bash"
peer=$(cd "$here/../peer" && pwd)
sets=${DATA:-$here/../../../shared/data}

if ! command -v timbl >/dev/null; then
    skip timbl 'there is no timbl here (Debian: timbl)'
    finish
fi
if ! command -v python3 >/dev/null; then
    skip timbl 'no python3 here'
    finish
fi
python3 -B "$peer/timbl.py" "$plain" "$sets" || failures=1
finish
