#!/bin/bash
# A short run of tests/oracle: 30 streams for each rule.
STREAMS=${STREAMS:-30} exec "$(dirname "$0")/../oracle/oracle.sh" "$@"
