#!/usr/bin/env bash
# Fuzzes every parser, or those named, one after the other:  tests/fuzz/run.sh [--runs N] [--seconds S] [NAME...]
# Each ends after N inputs (of up to 1024 bytes) or S seconds, whichever comes first (0: no limit; by default 20 seconds). A
# crash, a leak, an input that takes more than 10 seconds or 2 GiB fails it, and the input is kept in build/fuzz/findings. What
# is learnt is kept in build/fuzz/corpus, where the next run starts.
set -euo pipefail

root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
source "$root/scripts/build.sh"
cd "$root"

runs=0 seconds=20
while [[ ${1:-} == --* ]]; do
  case $1 in
    --runs) runs=$2 ;;
    --seconds) seconds=$2 ;;
    *) die "unknown option '$1'" ;;
  esac
  shift 2
done

build_preset fuzz fuzz_targets
names=("$@")
if ((${#names[@]} == 0)); then
  for source in tests/fuzz/*_fuzz.cpp; do names+=("$(basename "$source" _fuzz.cpp)"); done
fi

# fuzz NAME: one line, "NAME: N inputs in S s".
fuzz() {
  local name=$1 start=$SECONDS status=0
  local learnt=build/fuzz/corpus/$name findings=build/fuzz/findings/$name log=build/fuzz/$name.log
  mkdir -p "$learnt" "$findings"
  local options=(-max_len=1024 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=$findings/")
  if ((runs > 0)); then options+=("-runs=$runs"); fi
  if ((seconds > 0)); then options+=("-max_total_time=$seconds"); fi
  if [[ -f tests/fuzz/dictionaries/$name.dict ]]; then options+=("-dict=tests/fuzz/dictionaries/$name.dict"); fi
  "build/fuzz/fuzz/$name" "${options[@]}" "$learnt" "tests/fuzz/corpus/$name" >"$log" 2>&1 || status=$?
  printf '%s: %s inputs in %d s%s\n' "$name" "$(inputs_of "$log")" $((SECONDS - start)) \
    "$( ((status == 0)) || echo ": FAILED, see $log")"
  return "$status"
}

inputs_of() { sed -n 's/^stat::number_of_executed_units: *//p' "$1"; }

failed=0
for name in "${names[@]}"; do fuzz "$name" || failed=1; done
exit "$failed"
