#!/usr/bin/env bash
# Builds the wheel and installs it, with what its tests need, in a virtual environment of its own:
#   install.sh PYTHON FOLDER      FOLDER/venv, FOLDER/wheels
# What has not changed since the last time is not done again.
set -euo pipefail

python=$1 folder=$2
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
venv=$folder/venv wheels=$folder/wheels requirements=$folder/requirements.txt
export CCACHE_BASEDIR=$root CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

die() {
  printf 'python/install: %s\n' "$*" >&2
  exit 1
}

# The tests' requirements and those of the build, which runs in the same environment: it finds nanobind where it was the
# last time, and compiles only what has changed.
wanted() {
  grep -v '^#' "$root/python/tests/requirements.txt"
  "$venv/bin/python" -c 'import sys, tomllib; print(*tomllib.load(sys.stdin.buffer)["build-system"]["requires"], sep="\n")' \
    <"$root/pyproject.toml"
}

# By uv, which takes seconds where pip takes a minute; by pip where uv is not to be had or does not know the way.
install_requirements() {
  local packages=(--quiet --requirement "$requirements.new")
  if "$venv/bin/pip" install --quiet uv && "$venv/bin/uv" pip install --python "$venv/bin/python" "${packages[@]}" ||
    "$venv/bin/pip" install "${packages[@]}"; then
    mv "$requirements.new" "$requirements"
  else
    die "could not install: $(tr '\n' ' ' <"$requirements.new"); is there a network?"
  fi
}

build_wheel() {
  rm -rf "$wheels"
  CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) "$venv/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$wheels" "$root" ||
    die "could not build the wheel"
}

mkdir -p "$folder"
if [[ ! -x $venv/bin/python ]]; then "$python" -m venv "$venv" || die "could not make $venv; is python3-venv installed?"; fi
wanted >"$requirements.new"
if ! cmp --silent "$requirements.new" "$requirements"; then install_requirements; fi
build_wheel
"$venv/bin/pip" install --quiet --no-deps --force-reinstall "$wheels"/*.whl || die "could not install the wheel"
