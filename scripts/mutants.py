"""
Change lines of the numeric rooms one by one and count the changes that no test notices.

``make mutants ARGS='--minutes 30 --seed 2 --rooms control dynamics'``. The changes are those of
the operators of cosmic-ray; this script samples them, evenly over the lines of each room, and runs
each in a copy of the tree, first with the tests that run the changed line (found by coverage),
then with all tests of the room. scripts/mutants.toml says what is changed and what tests it.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest
import os
from pathlib import Path
import random
import re
import resource
import shlex
import shutil
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
FIRST = 10.0   # s of tests that run the changed line, before all tests of the room
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

    targets: list[str]
    seconds: dict[str, float]                 # test function -> s, over all its parameters
    lines: dict[str, dict[int, set[str]]] = field(default_factory=dict)   # file -> line -> tests

    def of(self, mutant: Mutant) -> list[str]:
        """Return the quickest test functions that run the changed line."""
        found = self.lines.get(mutant.path, {}).get(mutant.line, set())
        chosen, total = [], 0.0
        for test in sorted(found, key=lambda name: self.seconds.get(name, 0.0)):
            total += self.seconds.get(test, 0.0)
            if chosen and total > FIRST:
                break
            chosen.append(test)
        return chosen


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
        elif isinstance(node, ast.Raise):
            spared = [node]
        for part in filter(None, spared):
            lines.update(range(part.lineno, part.end_lineno + 1))
    return lines


def mutants_of(tree: Path, room: str, randomness: random.Random) -> Iterator[Mutant]:
    """Yield changes of a room in a random order, at most one for each line."""
    chosen = [name for name in operator_names()
              if any(re.fullmatch(f'core/{pattern}', name) for pattern in CONFIG['operators'])]
    places: dict[tuple[Path, int], list[tuple[str, int]]] = defaultdict(list)
    sources = {path: path.read_text() for path in sorted((tree / 'mbd_ros' / room).rglob('*.py'))}
    for path, source in sources.items():
        nodes, spared = list(ast_nodes(get_ast(source))), untouched_lines(source)
        for name in chosen:
            operator = get_operator(name)()
            positions = (start for node in nodes for start, _ in operator.mutation_positions(node))
            for occurrence, (line, _) in enumerate(positions):
                if line not in spared:
                    places[path, line].append((name, occurrence))
    for path, line in randomness.sample(sorted(places), len(places)):
        name, occurrence = randomness.choice(places[path, line])
        code = mutate_code(sources[path], get_operator(name)(), occurrence)
        after = changed_line(sources[path], code)
        if after is not None:
            yield Mutant(room, str(path.relative_to(tree)), line, name.removeprefix('core/'),
                         sources[path].splitlines()[line - 1].strip(), after, code)


def changed_line(before: str, after: str) -> str | None:
    """Return the first line that differs, or None where the program is the same."""
    if ast.dump(ast.parse(before)) == ast.dump(ast.parse(after)):
        return None
    pairs = zip(before.splitlines(), [*after.splitlines(), ''])
    return next((new.strip() for old, new in pairs if old != new), '')


def environment(tree: Path) -> dict[str, str]:
    """Return the settings under which the tests of a copy import this copy."""
    return {**os.environ, 'PYTHONPATH': str(tree), 'PYTHONDONTWRITEBYTECODE': '1'}


def unchanged(room: str, tree: Path) -> Tests:
    """Run the unchanged tests of a room, and keep their durations and the lines they run."""
    targets, data = CONFIG['rooms'][room], tree / f'{room}.coverage'
    settings = tree / f'{room}.coveragerc'
    settings.write_text(f'[run]\ndata_file = {data}\nrelative_files = true\n')
    done = subprocess.run(
        [*PYTEST, *targets, '--durations=0', '-vv', f'--cov=mbd_ros.{room}', '--cov-report=',
         f'--cov-config={settings}', '--cov-context=test'], cwd=tree, text=True,
        capture_output=True, check=False, env=environment(tree))
    if done.returncode:
        raise SystemExit(f'the unchanged tests of {room} fail:\n{done.stdout[-4000:]}')
    tests = Tests(targets, defaultdict(float))
    for seconds, name in DURATION.findall(done.stdout):
        tests.seconds[name] += float(seconds)
    found = CoverageData(str(data))
    found.read()
    for name in found.measured_files():
        tests.lines[name] = {
            line: {context.split('|')[0].split('[')[0] for context in contexts if context}
            for line, contexts in found.contexts_by_lineno(name).items()}
    return tests


def survives(mutant: Mutant, tests: Tests, tree: Path) -> bool:
    """Return whether all tests of the room pass with this change."""
    path = tree / mutant.path
    with restore_contents(path):
        path.write_text(mutant.code)
        first = tests.of(mutant)
        rounds = [(first, FIRST)] if first else []
        for names, seconds in [*rounds, (tests.targets, sum(tests.seconds.values()))]:
            # Processor time: a busy machine must not look like an endless loop.
            limits = f'cd {tree} && ulimit -t {int(20 + 3 * seconds)} && exec '
            command = limits + shlex.join(['env', f'PYTHONPATH={tree}', *PYTEST, '-x', *names])
            outcome, output = run_tests(shlex.join(['bash', '-c', command]), 60 + 30 * seconds)
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
    one_at_a_time = threading.Lock()

    def work(tree: Path) -> None:
        while time.monotonic() < end:
            with one_at_a_time:
                mutant = next(chosen, None)
            if mutant is None:
                return
            survived = survives(mutant, tests[mutant.room], tree)
            counts[mutant.room][survived] += 1
            if survived:
                print(f'survived: {mutant.path}:{mutant.line}: {mutant.operator}\n'
                      f'    {mutant.before}\n    {mutant.after}', flush=True)

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
