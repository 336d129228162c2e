#!/bin/sh
# Make a virtual environment: make_venv.sh PYTHON FOLDER
# A plain Debian or Ubuntu has python3 without ensurepip; root gets it with apt, others are told.
set -eu
python=$1
folder=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  echo "$python is $("$python" --version); needed is Python 3.10 or newer." \
    'Name another one with: make PYTHON=...' >&2
  exit 1
fi

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo 'installing python3-venv with apt ...'
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y python3-venv >/dev/null
  else
    echo "$python cannot make virtual environments;" \
      'install its venv module first: sudo apt install python3-venv' >&2
    exit 1
  fi
fi

echo "making the virtual environment $folder ..."
"$python" -m venv "$folder"
