#!/usr/bin/env bash
# memory.sh [BUILD]: quick tests, and a frame of a scene of every engine, under valgrind: nothing that was never written
# decides anything. (MemorySanitizer would want all libraries compiled for it.) Valgrind knows AVX2, no AVX-512: kernels of
# 16 lanes are compiled for AVX2 in the tests, where what they have not written is a pattern (cmake/vectors.cmake).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build}
command -v valgrind >/dev/null || { echo "memory: there is no valgrind here (package valgrind)"; exit 1; }
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# Left out: what takes more than a minute here and runs little that the others do not (each engine keeps its smaller tests
# and a scene); base asks for more memory than valgrind has; rays and videos are made by libraries of others. The rest takes
# about 11 minutes of one core.
left_out='^(base|act_(api|optimize|optimize_model|interpolation)|design_(model|motion|performance|simulate)|elastic_refinement'
left_out+='|match_(api|recover|reference|step|together)|mesh_(cage_around|cage_weights|lattice)|render_.*)$'
mapfile -t names < <(ctest --test-dir "$build" -N -L quick | sed -n 's/^ *Test *#[0-9]*: //p' | grep -Ev "$left_out")
works=()
for name in "${names[@]}"; do
	program=$(echo "$build"/tests/*/"test_$name")
	[ ! -x "$program" ] || works+=("$program")
done
[ ${#works[@]} -ge 40 ] || { echo "memory: found only ${#works[@]} test programs in $build"; exit 1; }
for scene in act/cross match/slope track/band design/arc; do
	works+=("$build/limber run gallery/$scene.json --seconds 0.01 --threads 1 --quiet --out $logs/$(basename $scene).lmc")
done

export logs
judge() {
	local log=$logs/$RANDOM$RANDOM.log
	# shellcheck disable=SC2086 # a work is a command and its words
	OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive valgrind -q --error-exitcode=99 --leak-check=no --trace-children=no $1 >"$log" 2>&1 ||
		{ echo "memory: $1:"; grep -vE '^\[ +(RUN|OK) ' "$log" | head -40; return 1; }
}
export -f judge
printf '%s\n' "${works[@]}" | xargs -P "$(nproc)" -I{} bash -c 'judge "$1"' _ {} || { echo "memory: some failed, see above"; exit 1; }
echo "memory: ${#works[@]} programs read nothing that was never written"
