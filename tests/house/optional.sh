#!/bin/sh
# optional.sh CC: whether what uses a library that may be missing compiles without it, with warnings as errors. `make demo`
# on a new machine has none of them.
set -e
cd "$(dirname "$0")/../.."
files=$(grep -lE '^#if(def| defined\()? *\(?LIMBER_(LBFGS|IPOPT|MUMPS)' bench/*.c)
[ -n "$files" ] || { echo "optional: no file asks for LIMBER_LBFGS, LIMBER_IPOPT or LIMBER_MUMPS; this check looks for the wrong names"; exit 1; }
for file in $files; do
	"$1" -std=c17 -D_DEFAULT_SOURCE -Wall -Wextra -Wpedantic -Werror -Iinclude -Isrc -I/usr/include/suitesparse -DLIMBER_SOURCE='"."' -DLIMBER_BUILD='"."' -fsyntax-only "$file"
done
echo "optional: $(echo $files) compile without optional libraries"
