#!/bin/sh
# The linters that users of ROS 2 run on a package, themselves: ament_copyright, ament_flake8,
# ament_pep257 and ament_xmllint, on what git knows or would add. ROS 2 has them as
# ros-DISTRO-ament-*; without one, Debian and Ubuntu have them as python3-ament-*.
set -eu
cd "$(dirname "$0")/.."

missing=''
for linter in copyright flake8 pep257 xmllint; do
  command -v "ament_$linter" >/dev/null || missing="$missing python3-ament-$linter"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing$missing with apt ..."
    apt-get -qq update
    # shellcheck disable=SC2086  # a list
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null
  else
    echo "install these first: sudo apt install$missing" >&2
    exit 1
  fi
fi

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git ls-files -z --cached --others --exclude-standard | tar --null -T - -c | tar -x -C "$tree"
mkdir "$tree/.git"   # or ament_copyright does not look for LICENSE
cd "$tree"
for linter in copyright flake8 pep257 xmllint; do
  echo "ament_$linter"
  if ! "ament_$linter" . > "$tree/said" 2>&1; then
    grep -vE '^(checking |\* )' "$tree/said" >&2
    exit 1
  fi
done
