#!/usr/bin/env bash
# preset.sh asan|tsan|clang|native [BUILD]: builds and runs the quick tests with that preset (tsan: those that start
# threads). BUILD is the folder to build in, build/asan and so on unless said.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1 build=${2:-build/$1}
jobs=$(nproc)

select=(-L quick) options=()
case $kind in
	asan)
		export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
		export LSAN_OPTIONS=suppressions=$PWD/tests/house/leaks.txt:print_suppressions=0
		command -v clang >/dev/null || options=(-DCMAKE_C_COMPILER=cc -DLIMBER_FUZZ=OFF) # any compiler's will do
		# Left out: what takes minutes here and runs little code that the others do not: comparisons of numbers,
		# whole scenes and their meshes.
		skipped='bench_martin|elastic_refinement|act_character(_ground)?|act_optimize(_model)?|design_motion|match_reference|mesh_lattice|gallery|gallery_make'
		# What takes a minute each and whose code the mutants and fuzzers run, too: `make test-all` has the time for it.
		[ -n "${LIMBER_NO_SKIPS:-}" ] || skipped+='|cli|world_paint'
		select+=(-E "^($skipped)\$")
		;;
	tsan)
		select+=(-R '^(base|contact_p|match_(step|recover|rotation|runs|api|together)|mesh_(binding|lattice)|scene_parts|sparse_fronts|world$|world_(act|command|meet_cloth)$|render_(renderer|film))')
		clang=$(command -v clang) || { echo "preset: no clang here"; exit 77; }
		# Archer tells the sanitizer what LLVM's OpenMP does between threads; without it every barrier looks like a race.
		archer=$(dirname "$(realpath "$clang")")/../lib/libarcher.so
		[ -e "$archer" ] || { echo "preset: no libarcher.so beside clang (package libomp-dev)"; exit 77; }
		export OMP_TOOL_LIBRARIES=$archer
		# Embree and TBB are not instrumented: what happens inside them is not ours to judge.
		export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1"
		;;
	clang | native)
		case $kind in clang) compiler=clang ;; *) compiler=gcc ;; esac
		command -v $compiler >/dev/null || { echo "preset: no $compiler here"; exit 77; }
		# What takes longest and is least about the compiler: `make test-all` has the time for it.
		[ -n "${LIMBER_NO_SKIPS:-}" ] || select+=(-E '^(gallery|gallery_make|cli)$')
		;;
	*) echo "preset: asan, tsan, clang or native?" >&2; exit 2 ;;
esac

mkdir -p "$(dirname "$build")" # make asan may be the first thing that is ever made
cmake --preset "$kind" -B "$build" ${options[@]+"${options[@]}"} \
	${LIMBER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$LIMBER_LAUNCHER} >"$build.log" 2>&1 ||
	{ cat "$build.log"; exit 1; }
# Only what runs is built. The gallery's meshes serve as another build made them.
mapfile -t targets < <(ctest --test-dir "$build" -N "${select[@]}" | sed -n 's/^ *Test *#[0-9]*: /test_/p' |
	grep -Fxf <(ninja -C "$build" -t targets all | sed -n 's/^\(test_[a-z0-9_]*\): phony.*/\1/p'))
[ -e gallery/assets/made ] || targets+=(limber_gallery_assets)
cmake --build "$build" -j "$jobs" --target limber_cli "${targets[@]}" >>"$build.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$build.log"; exit 1; }
ctest --test-dir "$build" --output-on-failure -j "$jobs" --no-tests=error "${select[@]}"
