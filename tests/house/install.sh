#!/usr/bin/env bash
# install.sh BUILD: installs into a fresh prefix, moves it elsewhere, and builds a small program against it in every way
# that is offered: pkg-config, pkg-config --static, find_package with each target.
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "install: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/first" >install.log || { cat install.log; fail "cmake --install failed"; }
mv first prefix # nothing may remember where it was installed
for file in bin/limber include/limber/limber.h lib/liblimber.a lib/liblimber.so lib/pkgconfig/limber.pc; do
	[ -e "prefix/$file" ] || fail "$file is missing"
done
[ -d prefix/share/limber/gallery ] || fail "the gallery is missing"
[ ! -e prefix/share/limber/gallery/make ] || fail "the maker of the gallery is not to be installed"
grep -rIlE "$work/first|$build" prefix && fail "these remember where they were built or installed"
readelf -d prefix/lib/liblimber.so | grep -E 'SONAME.*\[liblimber\.so\.[0-9]+\]' >grep.log || fail "the library has no soname"
prefix/bin/limber --version >version.txt || fail "the installed tool does not run"

# DESTDIR is honoured.
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/limber >/dev/null
[ -e stage/opt/limber/bin/limber ] || fail "DESTDIR is not honoured"

# A single tetrahedron falls for a tenth of a second.
cat >program.c <<'PROGRAM'
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 4, 0, 1);
	for (int i = 0; i < 4; ++i)
		mesh->tets[i] = i, mesh->positions[i] = i == 3;
	mesh->positions[7] = mesh->positions[11] = 1;
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh;
	lm_error error;
	lm_match* body = NULL;
	if (lm_match_create(&def, &host, &body, &error) != LM_OK)
		return printf("%s\n", error.message), 1;
	for (int i = 0; i < 6; ++i)
		lm_match_step(body, 1.0 / 60, NULL, i / 60.0);
	double positions[12], fall = 0;
	lm_match_positions(body, positions);
	for (int i = 0; i < 4; ++i)
		fall += mesh->positions[3 * i + 1] - positions[3 * i + 1];
	printf("limber %s: fell %g m\n", lm_version(), fall / 4);
	lm_match_destroy(body);
	lm_mesh_destroy(mesh);
	return fabs(fall / 4 - 0.5 * 9.81 * 0.01) < 0.01 ? 0 : 1;
}
PROGRAM
cc=${CC:-cc}
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
flags="-std=c17 -Wall -Wextra -Wpedantic -Werror"
uses_shared() { ldd "$1" | grep 'liblimber\.so' >grep.log; }

$cc $flags program.c $(pkg-config --cflags --libs limber) -lm -o with-shared
LD_LIBRARY_PATH=$work/prefix/lib ./with-shared || fail "the program built with pkg-config does not run"
uses_shared with-shared || fail "pkg-config did not link the shared library"

# Headers must do for C++, too.
if command -v c++ >/dev/null; then
	c++ -std=c++17 -Wall -Wextra -Werror -x c++ -fsyntax-only program.c $(pkg-config --cflags limber) ||
		fail "the headers are not fit for C++"
fi

cp -a prefix static-only && rm static-only/lib/liblimber.so*
PKG_CONFIG_PATH=$work/static-only/lib/pkgconfig
$cc $flags program.c $(pkg-config --static --cflags --libs limber) -o with-static
./with-static || fail "the program built with pkg-config --static does not run"
uses_shared with-static && fail "pkg-config --static linked the shared library"

cat >CMakeLists.txt <<'LISTS'
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C)
find_package(limber 0.1 REQUIRED COMPONENTS shared static)
foreach(kind shared static limber)
	add_executable(with_${kind} program.c)
	target_link_libraries(with_${kind} PRIVATE limber::${kind} m)
endforeach()
LISTS
{ cmake -S . -B cmake -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" && cmake --build cmake; } >cmake.log 2>&1 ||
	{ cat cmake.log; fail "find_package(limber) does not work"; }
for kind in shared static limber; do
	cmake/with_$kind || fail "the program linked with limber::$kind does not run"
done
uses_shared cmake/with_shared || fail "limber::shared is not shared"
uses_shared cmake/with_static && fail "limber::static is not static"
uses_shared cmake/with_limber || fail "limber::limber is not the shared library"
echo "install: all ways work"
