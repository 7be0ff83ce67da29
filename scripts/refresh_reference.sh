#!/usr/bin/env bash
# Writes docs/reference/command-line.md from the program's own options. QUASAR_BIN names the program; default: ./quasar.
set -euo pipefail

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
mkdir -p "$root/docs/reference"
"${QUASAR_BIN:-$root/quasar}" manual --format markdown >"$root/docs/reference/command-line.md"
