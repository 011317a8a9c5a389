#!/usr/bin/env bash
# mutants.sh N [BUILD]: builds the command with the address and undefined-behaviour sanitizers and gives it N damaged files of
# every kind (tests/trust/mutants.py). BUILD is that of the sanitizers' tests, build/asan unless said.
set -euo pipefail
cd "$(dirname "$0")/../.."
count=$1 build=${2:-build/asan}
command -v clang >/dev/null || { echo "mutants: no clang here"; exit 77; }
mkdir -p "$(dirname "$build")"
{ cmake --preset asan -B "$build" ${LIMBER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$LIMBER_LAUNCHER} &&
	cmake --build "$build" -j "$(nproc)" --target limber_cli; } >"$build-mutants.log" 2>&1 || { tail -n 40 "$build-mutants.log"; exit 1; }
exec python3 tests/trust/mutants.py "$build/limber" --mutants "$count" --seed 19
