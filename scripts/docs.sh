#!/usr/bin/env bash
# Builds the documentation site in build/docs/site; index.html there opens without a server.
#   scripts/docs.sh [arguments of mkdocs build]
set -euo pipefail

root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/..
source "$root/scripts/build.sh"
cd "$root"

folder=build/docs
export PIP_DISABLE_PIP_VERSION_CHECK=1 NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true

# What has not changed since the last time is not installed again.
install_requirements() {
  if cmp --silent docs/requirements.txt $folder/requirements.txt; then return; fi
  if [[ ! -x $folder/venv/bin/python ]]; then
    python3 -m venv $folder/venv || die "could not make $folder/venv; is python3-venv installed?"
  fi
  run_logged docs-packages $folder/venv/bin/pip install --requirement docs/requirements.txt
  cp docs/requirements.txt $folder/requirements.txt
}

mkdir -p $folder
install_requirements
$folder/venv/bin/mkdocs build --strict "$@"
say "the site is in $folder/site: open $folder/site/index.html"
