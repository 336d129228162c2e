#!/bin/sh
# For the tests of exported libraries, where they may be installed: clang beside gcc, compilers for
# other processors, and what emulates these. Tests of what is missing are left out.
set -eu

missing=
for pair in clang:clang gcc:gcc g++:g++ aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu \
  arm-linux-gnueabihf-gcc:gcc-arm-linux-gnueabihf riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu \
  arm-none-eabi-gcc:gcc-arm-none-eabi qemu-aarch64:qemu-user qemu-system-arm:qemu-system-arm; do
  command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
done
for pair in arm-linux-gnueabihf:armhf aarch64-linux-gnu:arm64 riscv64-linux-gnu:riscv64; do
  [ -d "/usr/${pair%%:*}/include" ] || missing="$missing libc6-dev-${pair#*:}-cross"
done
[ -d /usr/lib/arm-none-eabi/newlib ] || missing="$missing libnewlib-arm-none-eabi"
rt=
if command -v clang >/dev/null; then   # the sanitizers' library, a package of its own
  rt="libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
  [ -z "$(find "$(clang -print-resource-dir)/lib" -name 'libclang_rt.asan*' 2>/dev/null | head -1)" ] ||
    rt=
fi
[ -n "$missing$rt" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing$missing with apt for the tests of exported libraries ..."
  # shellcheck disable=SC2086
  if apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends $missing >/dev/null 2>&1; then
    # In newer systems with the compiler, in others of this name.
    rt=${rt:-libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev}
    apt-get -qq install -y --no-install-recommends "$rt" >/dev/null 2>&1 || true
    exit 0
  fi
fi
echo "without$missing some tests of exported libraries are left out" \
  "(install with: sudo apt install$missing)"
