#!/usr/bin/env bash
# Unpack a Debian to run in, for make platforms: scripts/debian_root.sh ARCHITECTURE SUITE [FOLDER]
#   scripts/debian_root.sh arm64 trixie    aarch64, by qemu-user where the machine is another one
#   scripts/debian_root.sh amd64 sid       the newest Python
# Needs root and 1.5 GB; two minutes, and for another processor half an hour: the programs of its
# packages run under qemu, too. scripts/in_root.sh runs commands there.
set -euo pipefail
architecture=${1:?ARCHITECTURE, such as arm64}
suite=${2:?SUITE, such as trixie}
folder=${3:-build/roots/$architecture-$suite}
handler=/proc/sys/fs/binfmt_misc
certificates=etc/ssl/certs/ca-certificates.crt

if [ "$(id -u)" != 0 ]; then
  echo 'debian_root: run this as root' >&2
  exit 1
fi
missing=()
command -v debootstrap >/dev/null || missing+=(debootstrap)
emulated=false
if [ "$architecture" = arm64 ] && [ "$(uname -m)" != aarch64 ]; then
  emulated=true
  command -v qemu-aarch64-static >/dev/null || missing+=(qemu-user-static)
fi
if [ "${#missing[@]}" != 0 ]; then
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y "${missing[@]}" >/dev/null
fi
if "$emulated"; then
  # The kernel hands programs for aarch64 to qemu, also within the folder; until the next start.
  [ -e "$handler/register" ] || mount -t binfmt_misc binfmt_misc "$handler"
  [ -e "$handler/qemu-aarch64" ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > "$handler/register"
fi
mkdir -p "$folder"
debootstrap --arch="$architecture" --variant=minbase \
  --include=python3-venv,python3-dev,ca-certificates,make,git,gcc,g++,cmake,procps,libgomp1 \
  "$suite" "$folder" ${MIRROR:-}
# It trusts whom this machine trusts: its registries may be behind a proxy with a certificate.
if [ -e "/$certificates" ]; then
  cp "/$certificates" "$folder/$certificates"
fi
