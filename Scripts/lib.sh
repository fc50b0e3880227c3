# Functions for the other scripts, which source this file.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*" >&2; }

fail() {
  printf '\n%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Prints the command that failed, because `set -e` alone prints nothing.
trap 'status=$?; printf "\n%s: line %s failed (exit code %s): %s\n" "${0##*/}" "$LINENO" "$status" "$BASH_COMMAND" >&2' ERR

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "'$1' needs root: run this as root, or install sudo"
  fi
}

need_swift() {
  command -v swift >/dev/null || fail "no 'swift' on the PATH: install the Swift 6.3 toolchain (https://www.swift.org/install/linux/)"
  local version
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' | head -n 1)
  # shellcheck disable=SC2086
  set -- ${version:-0 0}
  if [ "$1" -lt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -lt 3 ]; }; then
    fail "Swift 6.3 or later is needed, this is $1.$2"
  fi
}

# Installs the Debian packages that are missing. Needs no network if all packages are installed.
need_packages() {
  local package missing=()
  command -v dpkg-query >/dev/null || fail "this is not Debian: install what these packages contain, then build with 'swift build': $*"
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 || fail "apt-get update failed; is there a network?"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 ||
    fail "apt-get could not install: ${missing[*]}"
}

# Builds programs that are released or measured, with these options:
# - lld packs the 160,000 relative relocations of a program, which are read at each start, from 4 MB into 32 kB. This
#   needs glibc 2.36 (2022) or later, which Debian 12 has.
# - Programs do not export the symbols of static libraries. Together with the packed relocations, this saves 7 MiB of
#   resident memory.
# - The C++ library is linked statically, because loading the dynamic library takes more than half a millisecond at each
#   start.
static_libraries=$root/.build/static-libraries
swift_release() {
  # The linker searches this folder, which contains only the static C++ library. In the compiler's own folder, it would
  # prefer the dynamic one.
  mkdir -p "$static_libraries"
  ln -sfn "$(clang -print-file-name=libstdc++.a)" "$static_libraries/libstdc++.a"
  # SALLYPORT_RELEASE makes Package.swift set a compiler flag with which `sallyport` starts faster.
  SALLYPORT_RELEASE=1 swift build -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic \
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now -Xlinker "-L$static_libraries" "$@"
}

# The packages for the build, and for the demo and the browser tests.
build_packages=(git pkg-config libargon2-dev libsqlite3-dev zlib1g-dev)
browser_packages=(chromium chromium-driver)
# The packages for a cluster on this machine. Scripts/cluster starts their programs itself, and not as system services.
cluster_packages=(postgresql patroni etcd-server haproxy curl python3 python3-yaml)
# The packages that check the configuration of a cluster.
packaging_packages=(pgbouncer prometheus systemd openssl)
