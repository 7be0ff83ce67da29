#!/bin/sh
# Makes sure that R and rstan are here, the peer that stan_gradients.R measures.
# Installs Debian's r-cran-rstan when it is missing; says so; stops with one line when it cannot be had.
set -eu

package=r-cran-rstan

stop() {
  echo "setup_stan: $1" >&2
  exit 1
}

has_rstan() {
  Rscript -e 'quit(status = !requireNamespace("rstan", quietly = TRUE))' >/dev/null 2>&1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

if has_rstan; then
  exit 0
fi

command -v apt-get >/dev/null 2>&1 || stop "rstan is missing and there is no apt-get here; install R and rstan by hand"
[ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
  stop "rstan is missing and installing $package needs root or passwordless sudo"

echo "setup_stan: rstan is missing; installing $package with apt-get" >&2
if ! as_root apt-get install -y --no-install-recommends "$package" >&2; then
  as_root apt-get update >&2 || stop "the package lists cannot be renewed (is there a network?)"
  as_root apt-get install -y --no-install-recommends "$package" >&2 || stop "apt-get could not install $package"
fi
has_rstan || stop "$package was installed, but R cannot load rstan"
