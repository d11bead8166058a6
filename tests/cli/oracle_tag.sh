#!/bin/bash
# A short run of tests/oracle/tag.sh: 30 data sets for each rule.
STREAMS=${STREAMS:-30} exec "$(dirname "$0")/../oracle/tag.sh" "$@"
