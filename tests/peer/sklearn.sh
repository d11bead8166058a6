#!/bin/bash
# The same data in the same order, once, to thresh and to scikit-learn: weights must agree to 1e-5
# and log-probabilities to 1e-9. What is compared with what is said in compare.py.
#
# The larger sets are looked for in ../shared/data beside the project, or in DATA.
. "$(dirname "$0")/../cli/lib.bash"
peer=$(cd "$here/../peer" && pwd)
sets=${DATA:-$here/../../../shared/data}

# The python3 that comes first may be one without the packages of the system.
for python in /usr/bin/python3 python3; do
    "$python" -c 'import numpy, scipy, sklearn' 2>/dev/null && break
    python=
done
if [ -z "$python" ]; then
    skip sklearn 'no python3 here has scikit-learn (Debian: python3-sklearn)'
    finish
fi
"$python" -B "$peer/compare.py" "$thresh" "$plain" "$data" "$sets" || failures=1
finish
