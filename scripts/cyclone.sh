#!/usr/bin/env bash
# Build Cyclone DDS from its C sources and its Python binding from PyPI's, where PyPI has no wheel:
#   scripts/cyclone.sh VENV [SOURCES]      SOURCES: a folder with release 11 of the C sources
# They are on no registry of Python packages, and Debian's are of 0.10: git fetches them.
set -euo pipefail
venv=$(cd "$1" && pwd)
release=11.0.1
folder=build/cyclone
sources=${2:-$folder/sources}
prefix=$venv/cyclone
objects=$venv/cyclone-build   # of this system and compiler

if ! command -v cc >/dev/null || ! [ -e "$("$venv/bin/python" -c \
  'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo 'installing a C compiler and the headers of Python with apt ...'
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y build-essential python3-dev >/dev/null
  else
    echo 'cyclone: a C compiler and the headers of Python are needed:' \
      'sudo apt install build-essential python3-dev' >&2
    exit 1
  fi
fi
cmake=$(command -v cmake || true)
if [ -z "$cmake" ]; then
  "$venv/bin/pip" install --quiet cmake
  cmake=$venv/bin/cmake
fi

mkdir -p "$folder" "$objects"
if ! [ -e "$sources/CMakeLists.txt" ]; then
  echo "fetching the sources of Cyclone DDS $release ..."
  if ! command -v git >/dev/null || ! git -c advice.detachedHead=false clone --quiet --depth 1 \
    --branch "$release" https://github.com/eclipse-cyclonedds/cyclonedds "$sources"; then
    echo "cyclone: no sources. Bring those of eclipse-cyclonedds/cyclonedds, release $release," \
      'here by other means; then: make cyclone CYCLONE=FOLDER' >&2
    exit 1
  fi
fi

# Release: without NDEBUG its debug checks end processes that keep types to the end, as ours do.
# The tool idlc is not built: nothing here uses it.
echo 'building Cyclone DDS (some minutes; on small boards half an hour) ...'
"$cmake" -S "$sources" -B "$objects" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DBUILD_DDSPERF=OFF -DBUILD_IDLC=OFF -DENABLE_SSL=OFF \
  -DENABLE_SECURITY=OFF -DENABLE_LTO=OFF > "$objects/log" || { cat "$objects/log"; exit 1; }
"$cmake" --build "$objects" --parallel "$(nproc)" --target install >> "$objects/log" 2>&1 || {
  tail -n 40 "$objects/log"; exit 1; }
mkdir -p "$prefix/bin"   # the binding's build insists on it
echo 'building its Python binding ...'
# For Python 3.14, where the binding of this release cannot be imported, the nightly one after it:
# later ones call functions that the release does not have.
echo "cyclonedds-nightly==2026.4.2" > "$objects/constraints.txt"
# A wheel of PyPI's, or one in pip's cache that was built for another environment, is not it.
"$venv/bin/pip" uninstall --quiet --yes cyclonedds cyclonedds-nightly 2>/dev/null || true
CYCLONEDDS_HOME=$prefix scripts/pip_install.sh "$venv/bin/pip" --no-cache-dir \
  --constraint="$objects/constraints.txt" --no-binary=cyclonedds,cyclonedds-nightly \
  rosless rosless-tools
"$venv/bin/python" -c 'import rosless.dds.library'
rm -rf "$objects"
echo 'Cyclone DDS is installed; now: make demo'
