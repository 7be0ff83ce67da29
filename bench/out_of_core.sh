#!/usr/bin/env bash
# Samples from a packed table of 4 GB and prints the most memory that the process ever held (VmHWM), which must stay below
# 300 MB:  bench/out_of_core.sh [SAMPLER] [option of quasar sample ...]      QUASAR_MEGABYTES=4000 sets the size of the table.
set -euo pipefail

root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/..
source "$root/scripts/build.sh"

sampler=${1:-sgld}
megabytes=${QUASAR_MEGABYTES:-4000}
most_kilobytes=300000
build_preset bench make_packed quasar_cli
folder=$(mktemp -d "$root/build/out-of-core-XXXXXX")
trap 'rm -rf "$folder"' EXIT

cd "$folder"

"$root/build/bench/bench/make_packed" table.qpk "$megabytes"
"$root/build/bench/quasar" sample --model logistic --data table.qpk --sampler "$sampler" --chains 2 --warmup 2 --draws 10 \
  "${@:2}" >summary 2>log &
pid=$!
peak=0
while read -r kilobytes < <(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null); do
  peak=$kilobytes
  sleep 0.05
done
wait "$pid" || {
  cat log >&2
  exit 1
}
head -n 1 summary
printf 'VmHWM: %d MB; the bound is %d MB\n' $((peak / 1000)) $((most_kilobytes / 1000))
((peak < most_kilobytes))
