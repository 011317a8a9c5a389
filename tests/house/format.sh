#!/usr/bin/env bash
# format.sh: our sources are as clang-format leaves them; 77 (skipped) where there is no clang-format.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang-format >/dev/null || { echo "format: no clang-format here"; exit 77; }
# Versions differ in taste; .clang-format is written for 14, Debian 12's.
[[ $(clang-format --version) == *"version 14."* ]] || { echo "format: needs clang-format 14"; exit 77; }
find src include cli gallery bench tests -name '*.[ch]' -print0 | xargs -0 -n 40 -P "$(nproc)" clang-format --dry-run -Werror
# It leaves comments as they are, long ones, too.
long=$(find src include cli gallery bench tests -name '*.[ch]' -print0 | xargs -0 awk '
	{ text = $0; while ((at = index(text, "\t")) > 0) text = substr(text, 1, at - 1) substr("    ", 1, 4 - (at - 1) % 4) substr(text, at + 1) }
	length(text) > 120 { print FILENAME ":" FNR ": longer than 120 columns" }')
[ -z "$long" ] || { echo "$long"; exit 1; }
