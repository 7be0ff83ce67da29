#!/usr/bin/env bash
# run.sh BUILD_FOLDER CMAKE CXX_COMPILER: installs the build, then builds and runs the consumer against that copy alone.
set -euo pipefail

build=$1 cmake=$2 compiler=$3
source=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A package is often staged in one place and used in another: nothing in it may remember where it was installed first.
"$cmake" --install "$build" --prefix "$work/staged" >/dev/null
mv "$work/staged" "$work/prefix"

# The program that docs/reference/cpp.md shows is a second one.
# shellcheck disable=SC2016  # fences, not commands
sed -n '/^```cpp$/,/^```$/{/^```/!p}' "$source/../../docs/reference/cpp.md" >"$work/shown.cpp"

"$cmake" -S "$source" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DSHOWN_PROGRAM="$work/shown.cpp"
"$cmake" --build "$work/consumer"
"$work/consumer/consumer"
"$work/consumer/shown"
"$work/prefix/bin/quasar" version
grep -q '^\.TH QUASAR 1 ' "$work/prefix/share/man/man1/quasar.1"
cmp "$work/prefix/share/bash-completion/completions/quasar" <("$work/prefix/bin/quasar" completion bash)
cmp "$work/prefix/share/zsh/site-functions/_quasar" <("$work/prefix/bin/quasar" completion zsh)
cmp "$work/prefix/share/fish/vendor_completions.d/quasar.fish" <("$work/prefix/bin/quasar" completion fish)
