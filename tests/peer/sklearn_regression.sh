#!/bin/bash
# Gradient steps on the log loss and on numbers: the same data in the same order, once, to thresh and
# to scikit-learn or to a plain loop. What is compared with what is said in sklearn_regression.py.
#
# A larger set is looked for in ../shared/data beside the project, or in DATA.
. "$(dirname "$0")/../cli/lib.bash"
peer=$(cd "$here/../peer" && pwd)
sets=${DATA:-$here/../../../shared/data}

# The python3 that comes first may be one without the packages of the system.
for python in /usr/bin/python3 python3; do
    "$python" -c 'import numpy, scipy, sklearn' 2>/dev/null && break
    python=
done
if [ -z "$python" ]; then
    skip sklearn-regression 'no python3 here has scikit-learn (Debian: python3-sklearn)'
    finish
fi
"$python" -B "$peer/sklearn_regression.py" "$thresh" "$plain" "$sets" || failures=1
finish
