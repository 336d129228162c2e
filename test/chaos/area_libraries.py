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


"""Exported libraries of every shipped robot, called with wild arguments under sanitizers."""

from __future__ import annotations

from collections import Counter
import contextlib
import json
from pathlib import Path
import re
import shutil
import subprocess
from typing import Any

from emulated import built_for, emulated
from exported import answers, build, COMPILERS, ours, state_of, strange_state
from library_fuzz import CLANG, fuzzed, instrumented, recorded, SANITIZED, sanitizing
import numpy as np
from object_files import outside
from score import Score

import mbd_ros
from mbd_ros.control.tasks.task import TASKS
from mbd_ros.errors import UnsupportedError
from mbd_ros.export.entry_ir import CODES
from mbd_ros.export.functions import tips
from mbd_ros.export.target import TARGETS, WEB
from mbd_ros.export.write import export_library, ExportedLibrary

URDF = Path(__file__).resolve().parents[2] / 'urdf'
SOME = ('forward_dynamics', 'inverse_dynamics_derivatives', 'rk4_step')
SHORT = ('four_bar', 'panda', 'three_link_arm')
NODE = """
import { readFileSync } from 'node:fs';
const [stem, calls] = process.argv.slice(1);
const { load } = await import(`${stem}.mjs`);
const dynamics = await load(readFileSync(`${stem}.wasm`));
const found = {};
for (const [name, given] of Object.entries(JSON.parse(calls)))
  found[name] = [...dynamics[name](...given)];
console.log(JSON.stringify(found));
"""
EXAMPLES = 20
"""Runs of the example with strange numbers, for each compiler."""


def run(score: Score) -> None:
    """Export every robot in every way, call what was written, and look at every target."""
    codes: Counter[str] = Counter()
    for path in sorted(URDF.glob('*.urdf*')):
        name = path.name.partition('.')[0]
        if score.short and name not in SHORT:
            continue
        model = mbd_ros.load(path)
        for way, given in _ways(model, name, score.short).items():
            try:
                with score.trial(f'{name}, {way}', first=True):
                    codes += _called(score, model, f'{name}_{way}'.replace(' ', '_'), given)
            except UnsupportedError as error:   # which the export says before it writes
                print(f'  {name}, {way}: {error}')
        for target in () if score.short else TARGETS[1:]:
            for real in ('double', 'float'):
                with score.trial(f'{name} for {target}, {real}'):
                    _written(score, model, target, real)
    print('  codes: ' + ', '.join(f'{name} {count}' for name, count in codes.most_common()))


def _ways(model: mbd_ros.Model, name: str, short: bool) -> dict[str, dict[str, Any]]:
    functions = SOME if short else ('all',)
    ways: dict[str, dict[str, Any]] = {'double': {'functions': functions},
                                       'float': {'functions': functions, 'real': 'float'}}
    if name in TASKS:
        ways['task'] = {'functions': ('bias_forces',),
                        'task': {**TASKS[name], 'start': 'as_given'}}
    if name in ('panda', 'three_link_arm'):
        ways['joint step'] = {'functions': ('joint_control_step',)}
        ways['payload'] = {'functions': functions, 'payload': tips(model)[0]}
    if name == 'rov':
        ways['world'] = {'functions': functions, 'parameters': True}
    return ways


def _called(score: Score, model: mbd_ros.Model, name: str, given: dict[str, Any]
            ) -> Counter[str]:
    """Call one library in every way; return how often it returned each code."""
    folder, calls = score.folder / name, score.cases(2000, 50_000)
    checked = CLANG is not None and not score.short
    with recorded() if checked else contextlib.nullcontext([]) as texts:
        library = export_library(model, folder, name='robot', **given)
    compilers = sanitizing()
    seed, codes = score.rng.randrange(1, 2**31), Counter[str]()
    for compiler in compilers:
        codes += fuzzed(library, calls, seed, compiler)
        score.tried += calls
    if checked:
        assert CLANG is not None
        archive = instrumented(texts, folder)
        codes += fuzzed(library, calls, seed, CLANG, archive)
        score.tried += calls
    for command in COMPILERS:
        if command[0].replace('++', 'cc').replace('clangcc', 'clang') not in compilers:
            continue
        program = build(library, command, SANITIZED)
        for _ in range(score.cases(3, EXAMPLES)):
            found = answers(program, library, strange_state(library, score.rng.randrange(2**31)))
            score.tried += 1
            for symbol, (code, numbers) in found.items():
                assert 0 <= code < len(CODES) and (code == 0) == (numbers.size > 0), symbol
    shutil.rmtree(folder)
    return codes


def _written(score: Score, model: mbd_ros.Model, target: str, real: str) -> None:
    """Write a library for a target and see what its objects need of others."""
    folder = score.folder / f'{target}_{real}'
    library = export_library(model, folder, functions=('all',), target=target, real=real,
                             name='robot')
    names = {symbol for symbol, _ in library.functions}
    header = library.header.read_text(encoding='utf-8')
    assert all(f'#define {one.upper()}_STACK ' in header for one in names)
    assert re.search(r'Objects: \d+ bytes', header)
    given = state_of(model, 1)
    if model.loops:
        given['q'], given['v'] = mbd_ros.close_loops(
            model, mbd_ros.neutral(model), 0.1 * given['v'])
    if target == WEB:
        if shutil.which('node'):
            _near(model, library, _in_node(library, given), given)
    else:
        defined, missing = outside(library.static)
        assert names <= defined and {f'{one}_many' for one in names} <= defined, names - defined
        assert not missing, f'undefined: {sorted(missing)}'
        if emulated(target, real):
            found = answers(built_for(library, target), library, given)
            assert set(found) == {*names, *(f'{one}_many' for one in names)}
            _near(model, library, found, given)
    shutil.rmtree(folder)


def _in_node(library: ExportedLibrary, given: dict[str, Any]) -> dict[str, tuple[int, Any]]:
    """Return what the functions of a module of WebAssembly give."""
    calls = {symbol.removeprefix('robot_'): [given[name].tolist() for name, _ in one.inputs]
             for symbol, one in library.functions}
    stem = library.static.parent / library.static.stem.removeprefix('lib')
    done = subprocess.run(
        ['node', '--input-type=module', '-e', NODE, str(stem), json.dumps(calls)],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    return {f'robot_{name}': (0, np.array(one)) for name, one in json.loads(done.stdout).items()}


def _near(model: mbd_ros.Model, library: ExportedLibrary,
          found: dict[str, tuple[int, Any]], given: dict[str, Any]) -> None:
    """Compare what another processor computes with what this one does."""
    for symbol, function in library.functions:
        right = np.ravel(ours(model, function, given))
        code, numbers = found[symbol]
        error = np.abs(numbers - right).max() / max(1.0, np.abs(right).max())
        # Products and sums may be fused or not, which the condition of systems makes larger:
        # thousands for mass matrices, squared in what corrects loops; floats have 7 digits.
        bound = 1e-10 if library.real.bytes == 8 else 2e-3
        assert code == 0 and error < bound, f'{symbol}: code {code}, {error}'
