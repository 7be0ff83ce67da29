# The Debian and Ubuntu packages Quasar needs, and how the missing ones are installed. Sourced by build.sh.
# shellcheck shell=bash disable=SC2034  # the lists are looked up by name

build_packages=(
  g++ cmake ninja-build pkg-config ccache python3 python3-dev python3-venv
  libeigen3-dev libopenblas-dev librandom123-dev libboost-math-dev libhwy-dev
  libnetcdf-dev libhdf5-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev zlib1g-dev libgtest-dev
  libsndfile1-dev libfftw3-dev
  libopenmpi-dev openmpi-bin
)
ci_packages=(clang clang-format clang-tidy libbenchmark-dev shellcheck chromium chromium-driver python3-selenium)

# require_packages LIST...: installs what is missing of the named lists; silent when nothing is.
require_packages() {
  local list wanted=() missing=()
  for list in "$@"; do
    local -n packages=${list}_packages
    wanted+=("${packages[@]}")
  done
  if ! command -v dpkg-query >/dev/null; then
    require_tools
    return
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
}

# Without dpkg the libraries are the user's business: CMake names the one it cannot find.
require_tools() {
  local tool
  for tool in cmake ninja pkg-config python3; do
    command -v "$tool" >/dev/null || die "'$tool' is not installed; scripts/packages.sh lists what Quasar needs"
  done
}

missing_packages() {
  local -A installed=()
  local name status
  while read -r name status; do
    if [[ $status == installed ]]; then installed[$name]=1; fi
  done < <(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
  for name in "$@"; do
    if [[ -z ${installed[$name]:-} ]]; then echo "$name"; fi
  done
}

install_packages() {
  local as_root=()
  if ((EUID != 0)); then
    as_root=(sudo)
    # Without a terminal sudo cannot ask for a password.
    if ! command -v sudo >/dev/null || { [[ ! -t 2 ]] && ! sudo -n true 2>/dev/null; }; then
      die "packages are missing; as root, run:  apt-get install $*"
    fi
  fi
  say "installing packages: $*"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  run_logged package-lists "${apt[@]}" update
  run_logged packages "${apt[@]}" install --yes --no-install-recommends "$@"
}
