#!/usr/bin/env bash
# A Debian for aarch64 to run in by qemu-user, for make platforms: scripts/arm64_root.sh [FOLDER]
# Needs root, 1.5 GB and half an hour: programs of its packages run under qemu, too.
set -euo pipefail
folder=${1:-build/arm64}
handler=/proc/sys/fs/binfmt_misc

if [ "$(id -u)" != 0 ]; then
  echo 'arm64_root: run this as root' >&2
  exit 1
fi
if [ "$(uname -m)" != aarch64 ]; then
  if ! command -v qemu-aarch64-static >/dev/null || ! command -v debootstrap >/dev/null; then
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y qemu-user-static debootstrap >/dev/null
  fi
  # The kernel hands programs for aarch64 to qemu, also within the folder; until the next start.
  [ -e "$handler/register" ] || mount -t binfmt_misc binfmt_misc "$handler"
  [ -e "$handler/qemu-aarch64" ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > "$handler/register"
fi
debootstrap --arch=arm64 --variant=minbase \
  --include=python3-venv,python3-dev,ca-certificates,make,git,gcc,g++,cmake,procps \
  "${SUITE:-trixie}" "$folder" ${MIRROR:-}
