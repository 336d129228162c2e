#!/bin/sh
# Run pip, naming each package and its size while it is fetched, and how much is unpacked then,
# which takes longest; after an error, show all that pip said.
#   scripts/pip_install.sh .venv/bin/pip [--OPTION=VALUE...] PACKAGE...
# Of our own packages, which are installed already, what they need is installed (needed.py).
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pip=$1
shift
for word; do
  shift
  case $word in
    -*) set -- "$@" "$word" ;;
    *) echo "$word" >> "$folder/names" ;;
  esac
done
"${pip%/*}/python" "${0%/*}/needed.py" < "$folder/names" > "$folder/needed" || exit

tell() {   # from what pip says: "Collecting NAME ...", "Downloading FILE (15.7 MB)"
  open='' kilobytes=0
  while IFS= read -r line; do
    line=${line#"${line%%[! ]*}"}
    case $line in
      'Collecting '*)
        name=${line#Collecting }
        printf '%s  %s' "$open" "${name%%[ (;<>=!~[]*}"
        open='
' ;;
      'Downloading '*' kB)' | 'Using cached '*' kB)')
        size=${line##*(}
        size=${size% kB)}
        kilobytes=$((kilobytes + ${size%.*})) ;;
      'Downloading '*' MB)' | 'Using cached '*' MB)')
        size=${line##*(}
        size=${size% MB)}
        printf ' (%s MB)' "$size"
        fraction=${size#*.}
        kilobytes=$((kilobytes + ${size%.*} * 1000 + ${fraction%"${fraction#?}"} * 100)) ;;
      'Installing collected packages: '*)
        [ "$kilobytes" -ge 1000 ] || continue
        count=$(printf '%s' "$line" | tr -cd , | wc -c)
        printf '%s  unpacking %s packages of %s MB, which takes longest ...' "$open" \
          $((count + 1)) $(((kilobytes + 500) / 1000))
        open='
' ;;
    esac
  done
  printf '%s' "$open"
}

{
  "$pip" install --progress-bar off --use-pep517 --no-build-isolation "$@" \
    --requirement "$folder/needed" 2>&1
  echo $? > "$folder/status"
} | tee "$folder/log" | tell
status=$(cat "$folder/status")
[ "$status" = 0 ] || cat "$folder/log" >&2
exit "$status"
