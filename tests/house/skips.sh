#!/bin/sh
# skips.sh: a missing tool skips a test, and fails it in `make test-all`; other exit codes pass through.
cd "$(dirname "$0")/.." || exit 1
expect() # CODE NO_SKIPS EXPECTED
{
	LIMBER_NO_SKIPS=$2 ./may_skip.sh sh -c "exit $1" >/dev/null
	code=$?
	[ $code = "$3" ] || { echo "skips: $1 became $code, not $3, with LIMBER_NO_SKIPS=$2"; exit 1; }
}
expect 0 "" 0 && expect 3 "" 3 && expect 77 "" 77
expect 0 1 0 && expect 3 1 3 && expect 77 1 1
grep -q 'LIMBER_NO_SKIPS=1 ctest' ../Makefile || { echo "skips: make test-all does not ask for it"; exit 1; }
echo "skips: missing tools are skips, and failures in make test-all"
