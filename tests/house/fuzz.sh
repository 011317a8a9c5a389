#!/usr/bin/env bash
# fuzz.sh SECONDS|fixed [BUILD]: builds the libFuzzer targets of tests/fuzz and runs each on what lies in its corpus: for
# SECONDS, and what it learns is kept between runs; or `fixed`: the same inputs every time, because what a test finds may
# not hang on the clock. Inputs that break something are kept in BUILD/found. BUILD is that of the address sanitizer's
# tests (build/asan unless said), so that the library is compiled once for both.
set -euo pipefail
cd "$(dirname "$0")/../.."
amount=$1 build=${2:-build/asan} jobs=$(nproc)
command -v clang >/dev/null || { echo "fuzz: no clang here"; exit 77; }

mkdir -p "$(dirname "$build")"
{ cmake --preset asan -B "$build" ${LIMBER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$LIMBER_LAUNCHER} &&
	cmake --build "$build" -j "$jobs" --target fuzz_all; } >"$build-fuzz.log" 2>&1 || { tail -n 40 "$build-fuzz.log"; exit 1; }

fuzz() # PROGRAM
{
	local name=${1##*/fuzz_} limit=(-max_total_time="$amount") runs=50000 learnt run=()
	learnt=$build/corpus/$name
	if [ "$amount" = fixed ]
	then
		case $name in checkpoint | scene) runs=200 ;; take) runs=2000 ;; esac # a run of these steps a world
		limit=(-runs=$runs -seed=1 -reload=0) learnt=$build/corpus/fixed-$name
		rm -rf "$learnt"
		! setarch -R true 2>/dev/null || run=(setarch -R) # addresses steer libFuzzer, too
	fi
	mkdir -p "$learnt"
	${run[@]+"${run[@]}"} "$1" "${limit[@]}" -timeout=200 -rss_limit_mb=2048 -max_len=65536 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$build/found/$name-" "$learnt" "tests/fuzz/corpus/$name" 2>"$build/$name.log" ||
		{ cat "$build/$name.log"; return 1; }
	echo "== $name" $(grep -hoE '(number_of_executed_units|new_units_added): *[0-9]+' "$build/$name.log")
}
export -f fuzz
export build amount
mkdir -p "$build/found"
programs=$(find "$build/tests/fuzz" -maxdepth 1 -type f -perm -u+x -name 'fuzz_*')
[ -n "$programs" ] || { echo "fuzz: there are no targets"; exit 1; }
xargs -P "$jobs" -I {} bash -c 'set -euo pipefail; fuzz {}' <<<"$programs"
