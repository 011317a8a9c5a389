#!/usr/bin/env bash
# late_packages.sh LIBLIMBER: on a new machine `make demo` configures before `make test` has installed the optional
# packages. Configures without them and then with them in one tree, as make does, and finds the rows of house_bench.
set -euo pipefail
cd "$(dirname "$0")/../.."
library=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "late_packages: $*"; exit 1; }
optional=(ipopt liblbfgs)
pkg-config --exists "${optional[@]}" || { echo "late_packages: ${optional[*]} are missing"; exit 77; }
export CMAKE_C_COMPILER_LAUNCHER=${LIMBER_LAUNCHER:-}

configure() { make -s configure BUILD="$work/build" SETUP=true >"$work/log" 2>&1 || { cat "$work/log"; fail "does not configure"; }; }
# All that pkg-config finds but the optional packages.
mkdir "$work/packages"
IFS=: read -ra folders <<<"$(pkg-config --variable pc_path pkg-config):${PKG_CONFIG_PATH:-}"
for folder in "${folders[@]}"; do
	find "$folder" -name '*.pc' -exec ln -sf -t "$work/packages" {} + 2>/dev/null || true
done
for package in "${optional[@]}"; do rm -f "$work/packages/$package.pc"; done

bench() # how limber-bench would be linked
{
	ninja -C "$work/build" -t commands limber-bench | tail -n 1
}
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$work/packages configure
[[ $(bench) != *ipopt* && $(bench) != *lbfgs* ]] || fail "this test does not hide the packages"
configure
[[ $(bench) == *ipopt* && $(bench) == *lbfgs* ]] || fail "packages that came later are not found"
# Only the benchmarks are compiled; the library is the one that another build made.
ninja -C "$work/build" -t targets all | sed -n 's/^\(bench\/CMakeFiles\/limber_bench.dir\/.*\.o\): .*/\1/p' |
	xargs ninja -C "$work/build" -j "$(nproc)" >"$work/log" 2>&1 || { cat "$work/log"; fail "the benchmarks do not compile"; }
ln -s "$library" "$work/build/liblimber.a"
(cd "$work/build" && eval "$(bench)")
tests/house/bench_rows.py "$work/build/limber-bench" --rows
echo "late_packages: they are found"
