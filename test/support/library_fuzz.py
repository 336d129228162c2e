# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.


"""
Exported libraries called from C with wild arguments, under AddressSanitizer and UBSan.

The program hands arrays of the right size, filled with numbers of any kind, in memory that ends
where the array ends: by turns from ``malloc``, which AddressSanitizer watches, and beside pages
that nobody may touch, which stop machine code that no sanitizer has looked through. Now and then a
pointer is null, the result is one of the arguments, or the number of states is odd. Codes have to
be those of the header, results finite where the code says that they are right, and arguments as
they were.

"""

from collections import Counter
from collections.abc import Iterator
import contextlib
from pathlib import Path
import re
import shutil
import subprocess
from unittest import mock

from mbd_ros.export import modules, stack, target
from mbd_ros.export.entry_ir import CODES
from mbd_ros.export.write import ExportedLibrary

SANITIZED = ('-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all')
CLANG = next(filter(None, map(shutil.which, ('clang-19', 'clang-20', 'clang-21'))), None)
"""A clang that reads what LLVM prints here, if there is one."""
LONGEST = 600.0
"""Longest time that a program may take [s]."""
PROGRAM = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "@LIBRARY@.h"

typedef @REAL@ real;
typedef struct {
  const char *name;
  int inputs, sizes[9], world, result, before;   /* world: the last input is it */
  int (*one)(real **a, real *result, real *work);
  int (*many)(int64_t count, real **a, real *result, real *work);
} Function;
@WRAPPERS@
static const Function functions[] = {
@TABLE@
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], MOST = 9, SLOTS = 11, PAGE = 4096 };

static uint64_t seed;
static uint64_t next(void) {
  seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
  return seed;
}
static unsigned below(unsigned n) {return (unsigned)((next() >> 20) % n);}
static real usual(void) {return (real)((double)(next() >> 11) / 4503599627370496.0 - 1.0);}
static real strange(void) {
  static const double known[] = {0.0, -0.0, 1.0, -1.0, 1e-3, 1e6, -1e9, 1e30, -1e38, 1e154, 1e300,
    1.7976931348623157e308, 5e-324, -1e-300, 2.2250738585072014e-308, 1.1754943508222875e-38,
    3.141592653589793, 1.5707963267948966, 1e5, 123456.789, 1e16};
  union {real x; unsigned char bytes[sizeof(real)];} any;
  size_t k;
  switch (below(8)) {
    case 0: return (real)NAN;
    case 1: return (real)INFINITY;
    case 2: return (real)-INFINITY;
    case 3:
      for (k = 0; k < sizeof any.bytes; ++k) any.bytes[k] = (unsigned char)next();
      return any.x;
    default: {
      const double x = known[below(sizeof known / sizeof known[0])];
      if (sizeof(real) == 4 && fabs(x) > 3e38) return (real)3e38;
      return (real)x;
    }
  }
}

typedef struct {char *base; size_t pages; void *heap;} Slot;
static Slot slots[SLOTS];
/* Memory of exactly so many numbers, which touches what must not be touched. */
static real *place(int slot, size_t count) {
  Slot *s = &slots[slot];
  const size_t bytes = count * sizeof(real);
  const unsigned kind = below(3);
  if (kind == 0) return s->heap = malloc(bytes);
  if (s->pages * PAGE < bytes || !s->base) {
    if (s->base) munmap(s->base, (s->pages + 2) * PAGE);
    s->pages = bytes / PAGE + 1;
    s->base = mmap(0, (s->pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->base == MAP_FAILED) exit(3);
    mprotect(s->base + PAGE, s->pages * PAGE, PROT_READ | PROT_WRITE);
  }
  return (real *)(s->base + PAGE + (kind == 1 ? 0 : s->pages * PAGE - bytes));
}
static size_t extent_of(const Function *f, int k, int rows) {
  return (size_t)f->sizes[k] * (f->world && k == f->inputs - 1 ? 1 : (size_t)rows);
}
static void fail(const Function *f, int code, const char *what) {
  printf("FAILED %s: code %d: %s\n", f->name, code, what);
  exit(4);
}
static int finite_all(const real *x, size_t count) {
  size_t k;
  for (k = 0; k < count; ++k) if (!isfinite(x[k])) return 0;
  return 1;
}

int main(int argc, char **argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 100;
  static long counts[16];
  long call;
  seed = 88172645463325252ull ^ (argc > 2 ? strtoull(argv[2], 0, 10) * 2654435761ull : 1);
  for (call = 0; call < calls; ++call) {
    const Function *f = &functions[call % FUNCTIONS];
    static const int numbers[] = {-1, 0, 1, 2, 3, 5, 8, 9, -2147483647};
    const int single = below(3) != 0, count = single ? 1 : numbers[below(MOST)];
    const int rows = count > 0 ? count : 1, wild = (int)below(3), what = (int)below(20);
    const size_t size = (size_t)rows * (size_t)f->result;
    real *a[9], *kept[9], *work = place(10, @MACRO@_WORK);
    real *result = place(9, size), *given = result;
    int k, code, known = 1;
    memset(work, (int)below(256), @MACRO@_WORK * sizeof(real));
    for (k = 0; k < f->inputs; ++k) {
      const size_t extent = extent_of(f, k, rows);
      size_t i;
      a[k] = place(k, extent);
      for (i = 0; i < extent; ++i)
        a[k][i] = wild == 2 && below(4) == 0 ? strange()
          : wild == 1 && below(40) == 0 ? strange() : usual();
      kept[k] = malloc(extent * sizeof(real));
      memcpy(kept[k], a[k], extent * sizeof(real));
      known = known && finite_all(a[k], extent);
    }
@START@
    for (k = 0; k < (int)size; ++k) result[k] = (real)-7;
    if (what == 0) a[below((unsigned)(f->inputs - f->world))] = 0;
    else if (what == 1) given = 0;
    else if (what == 2) {real *none = 0; work = none;}
    else if (what == 3) given = a[below((unsigned)(f->inputs - f->world))];
    code = single ? f->one(a, given, work) : f->many(count, a, given, work);
    if (code < 0 || code > @LAST@) fail(f, code, "no such code");
    ++counts[code];
    if (!single && count < 0 ? code != @MACRO@_COUNT : 0) fail(f, code, "number of states");
    if (!single && count == 0) {
      if (code) fail(f, code, "nothing was asked");
    } else if (single || count > 0) {
      if (what < 3 && code != @MACRO@_NULL) fail(f, code, "a pointer was null");
      if (what == 3 && code != @MACRO@_OVERLAP) fail(f, code, "arrays overlap");
      if (what > 3 && (code == @MACRO@_NULL || code == @MACRO@_OVERLAP || code == @MACRO@_COUNT))
        fail(f, code, "all was in order");
      if (what > 3 && !known && !code) fail(f, code, "an argument is not finite");
      if (code == @MACRO@_OK && !finite_all(result, size)) fail(f, code, "result is not finite");
    }
    if (code == @MACRO@_NULL || code == @MACRO@_OVERLAP || code == @MACRO@_COUNT)
      for (k = 0; k < (int)size; ++k)
        if (result[k] != (real)-7) fail(f, code, "something was written");
    for (k = 0; k < f->inputs; ++k) {
      if (a[k] && memcmp(a[k], kept[k], extent_of(f, k, rows) * sizeof(real)))
        fail(f, code, "an argument has changed");
      free(kept[k]);
    }
    for (k = 0; k < SLOTS; ++k) {free(slots[k].heap); slots[k].heap = 0;}
  }
  for (call = 0; call <= @LAST@; ++call) printf("%ld %ld\n", call, counts[call]);
  for (call = 0; call < SLOTS; ++call)
    if (slots[call].base) munmap(slots[call].base, (slots[call].pages + 2) * PAGE);
  return 0;
}
"""
START = """    if (f->before >= 0 && below(4)) {   /* what a controller begins with, mostly */
      const real now = 0;
      real *state = malloc((size_t)f->result * sizeof(real));
      if (@NAME@_control_start_many(1, &now, a[@Q@], a[@V@], state, work) == 0) {
        for (k = 0; k < rows; ++k)
          memcpy(a[f->before] + k * f->result, state, (size_t)f->result * sizeof(real));
        memcpy(kept[f->before], a[f->before], size * sizeof(real));
        known = 1;
        for (k = 0; k < f->inputs; ++k)
          known = known && finite_all(a[k], extent_of(f, k, rows));
      }
      free(state);
    }"""


def sanitizing() -> list[str]:
    """Return the compilers here that link sanitizers."""
    def links(compiler: str) -> bool:
        return shutil.which(compiler) is not None and subprocess.run(
            [compiler, *SANITIZED, '-x', 'c', '-', '-o', '/dev/null'], text=True,
            input='int main(void) {return 0;}', capture_output=True, check=False).returncode == 0
    return [one for one in ('gcc', 'clang') if links(one)]


def program_text(library: ExportedLibrary) -> str:
    """Return the program that calls a library."""
    wrappers, table, start = [], [], ''
    header = library.header.read_text(encoding='utf-8')
    world = re.search(r'define \w+_WORLD (\d+)', header)
    assert world is not None
    parameters = f'const {library.real.name} *world' in header
    for k, (symbol, function) in enumerate(library.functions):
        names = [name for name, _ in function.inputs]
        given = [f'a[{i}]' for i in range(len(names) + parameters)]
        handed = ', '.join([*given[:len(names)], 'r', *given[len(names):], 'w'])
        wrappers += [f'static int one{k}(real **a, real *r, real *w) '
                     f'{{return {symbol}({handed});}}',
                     f'static int many{k}(int64_t n, real **a, real *r, real *w) '
                     f'{{return {symbol}_many(n, {handed});}}']
        sizes = ', '.join([*(str(size) for _, size in function.inputs),
                           *([world[1]] if parameters else [])])
        before = names.index('before') if 'before' in names else -1
        table.append(f'  {{"{symbol}", {len(given)}, {{{sizes}}}, {int(parameters)}, '
                     f'{function.size}, {before}, '
                     f'one{k}, many{k}}},')
        if before >= 0:
            start = START.replace('@Q@', str(names.index('q'))).replace(
                '@V@', str(names.index('v'))).replace('@NAME@', library.name)
    text = PROGRAM
    for word, value in (
            ('@START@', start), ('@LIBRARY@', library.header.stem), ('@REAL@', library.real.name),
            ('@WRAPPERS@', '\n'.join(wrappers)), ('@TABLE@', '\n'.join(table)),
            ('@MACRO@', library.name.upper()), ('@LAST@', str(len(CODES) - 1))):
        text = text.replace(word, value)
    return text


def fuzzed(library: ExportedLibrary, calls: int, seed: int, compiler: str = 'gcc',
           instead: str = '') -> Counter[str]:
    """
    Call a library; return how often it returned each code.

    Parameters
    ----------
    library : ExportedLibrary
        The library, for this processor.
    calls : int
        How many calls, the functions in turn.
    seed : int
        Of all that is random.
    compiler : str
        That of the program.
    instead : str, optional
        An archive to link instead of the library's.

    Raises
    ------
    AssertionError
        If the program does not compile, a sanitizer says anything, or an answer is wrong.

    """
    source, program = library.folder / 'fuzz.c', library.folder / f'fuzz-{compiler}'
    source.write_text(program_text(library), encoding='utf-8')
    done = subprocess.run(
        [compiler, '-std=gnu99', '-Wall', '-Wextra', '-Werror', *SANITIZED, str(source),
         f'-I{library.folder / "include"}', instead or str(library.static), '-lm', '-o',
         str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    done = subprocess.run([str(program), str(calls), str(seed)], capture_output=True, text=True,
                          check=False, timeout=LONGEST)
    assert done.returncode == 0 and not done.stderr, (
        f'{library.folder.name}, seed {seed}: {done.stdout} {done.stderr[:2000]}')
    names = {number: name for name, (number, _) in CODES.items()}
    found = {int(code): int(count) for code, count in map(str.split, done.stdout.splitlines())}
    assert sum(found.values()) == calls
    return Counter({names[code]: count for code, count in found.items() if count})


@contextlib.contextmanager
def recorded() -> Iterator[list[str]]:
    """Give the IR of all objects that are written meanwhile; the cache is not read."""
    texts: list[str] = []
    emit = stack.emit

    def recording(module, machine, scheduled):
        code = emit(module, machine, scheduled)
        texts.append(str(module))
        return code
    with mock.patch.object(stack, 'emit', recording), \
            mock.patch.object(target, 'emit', recording), \
            mock.patch.object(modules, 'kept', lambda key, made: made()):
        yield texts


def instrumented(texts: list[str], folder: Path) -> str:
    """Return an archive of modules whose every access to memory AddressSanitizer checks."""
    assert CLANG is not None
    places = []
    for k, text in enumerate(texts):
        text = re.sub(r'^attributes #\d+ = .*$', '', text, flags=re.MULTILINE)
        text = re.sub(r' #\d+(?= |$)| captures\(none\)', '', text, flags=re.MULTILINE)
        text = re.sub(r'^(define [^\n]*?) ?\{$', r'\1 sanitize_address {', text,
                      flags=re.MULTILINE)
        place = folder / f'checked{k}.ll'
        place.write_text(text, encoding='utf-8')
        done = subprocess.run(
            [CLANG, '-O1', '-fPIC', '-fsanitize=address', '-Wno-override-module', '-c',
             str(place), '-o', str(place.with_suffix('.o'))], capture_output=True, text=True,
            check=False)
        assert done.returncode == 0, done.stderr[:2000]
        places.append(str(place.with_suffix('.o')))
    archive = folder / 'libchecked.a'
    subprocess.run(['ar', 'rcs', str(archive), *places], check=True)
    assert b'__asan_report' in archive.read_bytes()
    return str(archive)
