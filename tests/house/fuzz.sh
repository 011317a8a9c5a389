#!/usr/bin/env bash
# fuzz.sh [SECONDS [BUILD]]: builds the libFuzzer targets of tests/fuzz and runs each for SECONDS (5 unless said) on what
# lies in its corpus. Inputs that break something are kept in BUILD/found.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-5} build=${2:-build/fuzz}
command -v clang >/dev/null || { echo "fuzz: no clang here"; exit 77; }

mkdir -p "$(dirname "$build")"
{ cmake --preset fuzz -B "$build" ${LIMBER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$LIMBER_LAUNCHER} &&
	cmake --build "$build" -j "$(nproc)" --target fuzz_all; } >"$build.log" 2>&1 || { tail -n 40 "$build.log"; exit 1; }

mkdir -p "$build/found"
count=0
for program in "$build"/tests/fuzz/fuzz_*; do
	[ -f "$program" ] && [ -x "$program" ] || continue
	name=${program##*/fuzz_}
	mkdir -p "$build/corpus/$name" # what it learns is kept between runs
	seeds=()
	[ ! -d "tests/fuzz/corpus/$name" ] || seeds=("tests/fuzz/corpus/$name")
	echo "== $name"
	"$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$build/found/$name-" "$build/corpus/$name" ${seeds[@]+"${seeds[@]}"} 2>"$build/$name.log" ||
		{ cat "$build/$name.log"; exit 1; }
	grep -E 'number_of_executed_units|new_units_added' "$build/$name.log" || true
	count=$((count + 1))
done
[ $count -gt 0 ] || { echo "fuzz: there are no targets"; exit 1; }
