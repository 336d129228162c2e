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
Change lines of the numeric rooms one by one and count the changes that no test notices.

``make mutants ARGS='--minutes 30 --seed 2 --rooms control dynamics'``. The changes are those of
the operators of cosmic-ray; this script samples them, evenly over the lines of each room, and runs
each in a copy of the tree, first with the quickest tests that run the changed line (found by
coverage, kept in build/), then with others that run the changed file, up to a limit of time.
scripts/mutants.toml says what is changed and what tests it.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import hashlib
from itertools import zip_longest
import json
import os
from pathlib import Path
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.config import load_config
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from cosmic_ray.testing import run_tests
from cosmic_ray.util import restore_contents
from cosmic_ray.work_item import TestOutcome
from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
CONFIG = load_config(Path(__file__).with_suffix('.toml'))
PYTEST = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider']
# As tests take under coverage, some three times what they take else.
QUICK = 4.0    # s of tests that run the changed line
LONG = 60.0    # s of tests that run the changed file, if those pass
DURATION = re.compile(r'^([0-9.]+)s (?:call|setup|teardown) +(test\S+?::[^\s\[]+)', re.MULTILINE)
MEMORY = 8 << 30   # bytes that a changed program may take


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the line, and what stands there before and after."""

    room: str
    path: str       # from the root of the tree
    line: int       # from 1
    operator: str
    before: str
    after: str
    code: str       # of the whole file


@dataclass
class Tests:
    """What the unchanged tests of a room do: their time, and the lines each of them runs."""

    seconds: dict[str, float]                 # test function -> s, over all its parameters
    lines: dict[str, dict[str, list[str]]]    # file -> line -> test functions

    def rounds(self, mutant: Mutant) -> Iterator[tuple[list[str], float]]:
        """Yield tests to run for a change, quickest first, and their seconds."""
        of_file = self.lines.get(mutant.path, {})
        of_line = of_file.get(str(mutant.line), [])
        others = {test for tests in of_file.values() for test in tests} - set(of_line)
        if not any(of_file.values()):   # is compiled as text
            others = set(self.seconds)
        # A line that runs at the import is noted for the test that happens to import it first: a
        # constant matters most to tests that run other lines of its file.
        elif runs_at_import(mutant):
            of_line = sorted({*of_line, *others}, key=self._time)
            others = set(self.seconds) - set(of_line)
        yield self._within(of_line, QUICK)
        # A line that runs while programs are traced runs once for many tests: try others, too.
        yield self._within([*of_line, *sorted(others, key=self._time)], LONG)

    def _time(self, test: str) -> float:
        return self.seconds.get(test, 0.0)

    def _within(self, names: list[str], limit: float) -> tuple[list[str], float]:
        chosen, total = [], 0.0
        for test in names:
            if chosen and total + self._time(test) > limit:
                break
            total += self._time(test)
            chosen.append(test)
        return chosen, total


def copy_of_tree(target: Path) -> Path:
    """Copy what git knows or would add, as it stands in the working tree."""
    listed = subprocess.run(['git', 'ls-files', '-coz', '--exclude-standard'], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split('\0')):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def untouched_lines(source: str) -> set[int]:
    """Return the lines whose change no test should notice: annotations, texts of errors."""
    lines = {number for number, text in enumerate(source.splitlines(), 1)
             if any(re.search(pattern, text) for pattern in CONFIG['excluded-lines'])}
    for node in ast.walk(ast.parse(source)):
        spared: list[ast.AST | None] = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            spared = [node.returns, *(argument.annotation for argument in (
                *node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs,
                node.args.vararg, node.args.kwarg) if argument)]
        elif isinstance(node, ast.AnnAssign):
            spared = [node.annotation]
        elif isinstance(node, ast.Raise) or (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                and node.func.attr == 'fail'):   # raises the error of a text
            spared = [node]
        for part in filter(None, spared):
            lines.update(range(part.lineno, part.end_lineno + 1))
    return lines


def places_of(source: str) -> dict[int, list[tuple[str, int]]]:
    """Return the changes possible in each line: an operator, and the number of its place."""
    chosen = {name: get_operator(name)() for name in operator_names()
              if any(re.fullmatch(f'core/{pattern}', name) for pattern in CONFIG['operators'])}
    places: dict[int, list[tuple[str, int]]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for node in ast_nodes(get_ast(source)):
        for name, operator in chosen.items():
            for (line, _), _ in operator.mutation_positions(node):
                places[line].append((name, counts[name]))
                counts[name] += 1
    return places


def mutants_of(tree: Path, room: str, randomness: random.Random) -> Iterator[Mutant]:
    """Yield changes of a room in a random order, at most one for each line."""
    sources = {path: path.read_text() for path in sorted((tree / 'mbd_ros' / room).rglob('*.py'))}
    lines = [(path, line) for path, source in sources.items()
             for line in range(1, 1 + len(source.splitlines()))]
    places: dict[Path, dict[int, list[tuple[str, int]]]] = {}
    for path, line in randomness.sample(lines, len(lines)):
        source = sources[path]
        if path not in places:
            spared = untouched_lines(source)
            places[path] = {at: found for at, found in places_of(source).items()
                            if at not in spared}
        if line not in places[path]:
            continue
        name, occurrence = randomness.choice(places[path][line])
        code = mutate_code(source, get_operator(name)(), occurrence)
        after = changed_line(source, code)
        if after is not None:
            yield Mutant(room, str(path.relative_to(tree)), line, name.removeprefix('core/'),
                         source.splitlines()[line - 1].strip(), after, code)


def runs_at_import(mutant: Mutant) -> bool:
    """Return whether a change is outside of the bodies of functions."""
    return not any(node.body[0].lineno <= mutant.line <= (node.end_lineno or 0)
                   for node in ast.walk(ast.parse(mutant.code))
                   if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def changed_line(before: str, after: str) -> str | None:
    """Return the first line that differs, None where the program is the same or is none."""
    try:
        if ast.dump(ast.parse(before)) == ast.dump(ast.parse(after)):
            return None
    except SyntaxError:   # the star of ``f(*arguments)`` taken for a product
        return None
    pairs = zip(before.splitlines(), [*after.splitlines(), ''])
    return next((new.strip() for old, new in pairs if old != new), '')


def unchanged(room: str, tree: Path) -> Tests:
    """Run the unchanged tests of a room, and keep their durations and the lines they run."""
    targets = CONFIG['rooms'][room]
    same = digest(tree, [f'mbd_ros/{room}', *targets])
    kept = ROOT / 'build' / 'mutants' / f'{room}-{same}.json'
    if kept.exists():
        return Tests(**json.loads(kept.read_text()))
    data, settings = tree / f'{room}.coverage', tree / f'{room}.coveragerc'
    settings.write_text(f'[run]\ndata_file = {data}\nrelative_files = true\n')
    done = subprocess.run(
        [*PYTEST, *targets, '--durations=0', '-vvv', f'--cov=mbd_ros.{room}', '--cov-report=',
         f'--cov-config={settings}', '--cov-context=test'], cwd=tree, text=True,
        capture_output=True, check=False, env={
            **os.environ, 'PYTHONPATH': str(tree),
            'MBD_ROS_CACHE': str(tree / 'cache')})   # what is kept on disk is not traced
    if done.returncode:
        raise SystemExit(f'the unchanged tests of {room} fail:\n{done.stdout[-4000:]}')
    seconds: dict[str, float] = defaultdict(float)
    for duration, name in DURATION.findall(done.stdout):
        seconds[name] += float(duration)
    found = CoverageData(str(data))
    found.read()
    lines = {}
    for name in found.measured_files():
        lines[name] = {
            str(line): sorted({context.split('|')[0].split('[')[0] for context in contexts
                               if context}, key=lambda test: seconds.get(test, 0.0))
            for line, contexts in found.contexts_by_lineno(name).items()}
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({'seconds': seconds, 'lines': lines}))
    return Tests(seconds, lines)


def digest(tree: Path, folders: list[str]) -> str:
    """Return a short name of all that stands in some folders."""
    whole = hashlib.blake2b(digest_size=8)
    for folder in folders:
        files = (tree / folder).rglob('*.py') if (tree / folder).is_dir() else [tree / folder]
        for path in sorted(files):
            whole.update(str(path.relative_to(tree)).encode() + path.read_bytes())
    return whole.hexdigest()


def survives(mutant: Mutant, tests: Tests, tree: Path) -> bool:
    """Return whether the tests that run this file pass with this change."""
    path = tree / mutant.path
    with restore_contents(path):
        path.write_text(mutant.code)
        for names, seconds in tests.rounds(mutant):
            if not names:
                continue
            # Processor time: a busy machine must not look like an endless loop.
            command = (f'cd {tree} && ulimit -t {int(15 + 3 * seconds)} && exec '
                       + shlex.join(['env', f'PYTHONPATH={tree}', *PYTEST, '-x', *names]))
            outcome, output = run_tests(shlex.join(['bash', '-c', command]), 600 + 30 * seconds)
            if 'ERROR: not found' in output:
                raise SystemExit(output)
            if outcome != TestOutcome.SURVIVED:
                return False
    return True


def table(counts: dict[str, list[int]]) -> str:
    """Return the table of CONTRIBUTING.md."""
    rows = ['| room | mutants | caught | survived | share |', '|---|---:|---:|---:|---:|']
    for room, (caught, survived) in counts.items():
        total = caught + survived
        share = f'{100.0 * caught / total:.0f} %' if total else '-'
        rows.append(f'| `{room}/` | {total} | {caught} | {survived} | {share} |')
    return '\n'.join(rows)


def alternate(streams: list[Iterator[Mutant]]) -> Iterator[Mutant]:
    """Yield from each stream in turn until all are at their end."""
    for row in zip_longest(*streams):
        yield from filter(None, row)


def main() -> None:
    """Sample, test and count until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--minutes', type=float, default=10.0, help='in all [10]')
    parser.add_argument('--seed', type=int, default=1, help='of the sample [1]')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1, help='[processors]')
    parser.add_argument('--rooms', nargs='+', default=list(CONFIG['rooms']),
                        choices=list(CONFIG['rooms']), metavar='ROOM', help='[all]')
    arguments = parser.parse_args()
    end = time.monotonic() + 60.0 * arguments.minutes
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ['PYTHONDONTWRITEBYTECODE'] = '1'   # a change within a second must be seen
    counts: dict[str, list[int]] = {room: [0, 0] for room in arguments.rooms}
    one_at_a_time, stop = threading.Lock(), threading.Event()

    def work(tree: Path) -> None:
        while time.monotonic() < end and not stop.is_set():
            with one_at_a_time:
                mutant = next(chosen, None)
            if mutant is None:
                return
            survived = survives(mutant, tests[mutant.room], tree)
            counts[mutant.room][survived] += 1
            print('x' if survived else '.', end='', file=sys.stderr, flush=True)
            if survived:
                print(f'survived: {mutant.path}:{mutant.line}: {mutant.operator}\n'
                      f'    {mutant.before}\n    {mutant.after}', flush=True)

    for number in (signal.SIGINT, signal.SIGTERM):   # what was found by then is told
        signal.signal(number, lambda *_: stop.set())
    with tempfile.TemporaryDirectory(prefix='mutants_') as folder, \
            ThreadPoolExecutor(arguments.jobs) as workers:
        trees = [copy_of_tree(Path(folder) / str(job)) for job in range(arguments.jobs)]
        tests = dict(zip(arguments.rooms, workers.map(
            lambda room: unchanged(room, trees[0]), arguments.rooms)))
        # All sources are read before the first is changed: with the first of each stream.
        chosen = alternate([
            mutants_of(trees[-1], room, random.Random(f'{arguments.seed} {room}'))
            for room in arguments.rooms])
        list(workers.map(work, trees))
    print(f'\nseed {arguments.seed}, {arguments.minutes:g} minutes\n\n{table(counts)}')


if __name__ == '__main__':
    main()
