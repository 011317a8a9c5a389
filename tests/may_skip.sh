#!/bin/sh
# may_skip.sh COMMAND...: runs it. It leaves with 77 where something is missing that it needs; with LIMBER_NO_SKIPS, which
# `make test-all` sets, that is a failure.
"$@"
code=$?
[ $code = 77 ] && [ -n "$LIMBER_NO_SKIPS" ] && { echo "something is missing, and here nothing may be (tools/setup --all)"; exit 1; }
exit $code
