# Sets up and builds Quasar: the functions shared by ./quasar, ./test and .ci/run, which set $root and source this file.
# shellcheck shell=bash disable=SC2154  # root comes from the caller

root=$(cd -- "$root" && pwd -P)
source "$root/scripts/packages.sh"
export CCACHE_BASEDIR=$root  # clones in different places share what they compiled
# Where headers are precompiled ccache asks for both of these, and the third spares it to read them for every source.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1

say() { printf 'quasar: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# build_release TARGET...: packages, configuration and build of build/release. Several at once take turns, and the later
# ones find the work done.
build_release() {
  local stamp=$root/build/cli.stamp packages=$root/scripts/packages.sh
  mkdir -p "$root/build" 2>/dev/null || die "cannot write to $root/build"
  {
    flock 9
    if [[ ! -e $stamp || $packages -nt $stamp ]]; then require_packages build; fi
    # A source that changes while the compiler runs must count as changed afterwards: the stamp is as old as the start.
    touch "$stamp.new"
    build_preset release "$@"
    mv "$stamp.new" "$stamp"
  } 9>"$root/build/lock"
}

# build_preset PRESET TARGET...
build_preset() {
  local preset=$1 log=$root/build/build-$1.log
  shift
  configure_preset "$preset"
  disable_unwritable_ccache
  cmake --build "$root/build/$preset" --parallel "$(nproc)" --target "$@" 2>&1 </dev/null 9>&- |
    keep_log_and_show_progress "$log" || fail_with_log "$log" "the build failed"
}

configure_preset() {
  local preset=$1 folder=$root/build/$1
  if is_of_another_checkout "$folder"; then rm -rf "$folder"; fi
  if [[ -f $folder/build.ninja && ! $root/CMakePresets.json -nt $folder/build.ninja ]]; then return; fi
  run_logged "configure-$preset" env -C "$root" cmake --preset "$preset"
}

# CMake refuses a cache whose source folder was moved or copied.
is_of_another_checkout() {
  [[ -f $1/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt"
}

# ccache fails every compilation when it cannot write its cache, as with a read-only home.
disable_unwritable_ccache() {
  local cache
  cache=$(ccache --get-config cache_dir 2>/dev/null) || return 0
  if ! mkdir -p "$cache" 2>/dev/null || [[ ! -w $cache ]]; then export CCACHE_DISABLE=1; fi
}

# Ninja's lines go to the log; its count of steps is shown in place on a terminal, elsewhere four times a build.
keep_log_and_show_progress() {
  local log=$1 line step total quarter=-1
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ ! $line =~ ^\[([0-9]+)/([0-9]+)\]\ (Building|Linking) ]]; then continue; fi
    step=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [[ -t 2 ]]; then
      printf '\rquasar: building %s/%s' "$step" "$total" >&2
    elif ((4 * (step - 1) / total > quarter)); then
      say "building $step/$total"
      quarter=$((4 * (step - 1) / total))
    fi
  done >"$log"
  if [[ -t 2 && -n ${total:-} ]]; then printf '\r\033[K' >&2; fi
}

# run_logged NAME COMMAND...: its output goes to build/NAME.log, the end of which is shown when it fails.
run_logged() {
  local log=$root/build/$1.log
  shift
  "$@" >"$log" 2>&1 </dev/null 9>&- || fail_with_log "$log" "'$*' failed"
}

fail_with_log() {
  tail -n 40 "$1" >&2
  die "$2; the whole log is in $1"
}
