#!/bin/sh
# Run pip, naming each package while it is fetched; after an error, show all that pip said.
#   scripts/pip_install.sh .venv/bin/pip PACKAGE...
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pip=$1
shift
{
  "$pip" install --progress-bar off --use-pep517 --no-build-isolation "$@" 2>&1
  echo $? > "$folder/status"
} | tee "$folder/log" | sed -un 's/^ *Collecting \([^ (;<>=!~]*\).*/  \1/p'
status=$(cat "$folder/status")
[ "$status" = 0 ] || cat "$folder/log" >&2
exit "$status"
