#!/bin/sh
# Run a command in a system that scripts/debian_root.sh has unpacked: in_root.sh ROOT COMMAND...
# This clone is there too, under its own path. What is mounted for that ends with the command.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(cd "$1" && pwd)
shift
export here root
exec unshare --mount sh -euc '
  mkdir -p "$root$here"
  mount --rbind /dev "$root/dev"
  mount --rbind /proc "$root/proc"
  mount --bind "$here" "$root$here"
  exec chroot "$root" sh -c '\''cd "$0" && exec "$@"'\'' "$here" "$@"' sh "$@"
