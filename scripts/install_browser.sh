#!/bin/sh
# Chromium for the one test that looks at the viewer's page, where it may be installed.
set -eu

for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo 'installing chromium with apt for the test of the browser page ...'
  if apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends chromium >/dev/null 2>&1; then
    exit 0
  fi
fi
echo 'no chromium on this machine: the test of the browser page will be skipped' \
  '(install it with: sudo apt install chromium)'
