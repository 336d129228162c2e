#!/bin/sh
# Install what rosless and its tools need: scripts/install_rosless.sh .venv/bin/pip
# Of the DDS library a wheel is wanted, which PyPI has for some machines and Pythons only; elsewhere
# two lines say so, and all that needs no wire is there.
set -u
pip=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
scripts/pip_install.sh "$pip" --prefer-binary --only-binary=cyclonedds,cyclonedds-nightly \
  rosless rosless-tools 2> "$log" && exit 0
if grep -q 'Retrying' "$log" || ! grep -q 'No matching distribution found for cyclonedds' "$log"
then
  cat "$log" >&2
  exit 1
fi
echo "PyPI has no wheel of Cyclone DDS for $(uname -m) with $("${pip%/*}/python" --version): no" \
  'nodes; all that needs none is installed.'
echo "'make cyclone' builds it from its C sources (docs/distributions.md); 'make demo' shows a run" \
  'without nodes until then.'
