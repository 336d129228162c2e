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

"""A robot as a library: header, archive, shared library, and what builds with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import hashlib
import importlib.metadata
import math
import os
from pathlib import Path
import shutil
import subprocess
import tempfile
from typing import Any, TypeAlias

import llvmlite.binding as llvm
import numpy as np

from mbd_ros.control.tasks.task import Task
from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.load import LoadLaw
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import InvalidValueError, MbdError, UnknownNameError, UnsupportedError
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.ir.model_digest import model_digest, NotKnownError
from mbd_ros.execution.program.tree import world_of
from mbd_ros.export import c_text
from mbd_ros.export.archive import archive
from mbd_ros.export.casadi_ir import casadi_ir
from mbd_ros.export.control import control_functions
from mbd_ros.export.cpp_text import cpp_header
from mbd_ros.export.entry_ir import entry_ir, first_free, words
from mbd_ros.export.functions import addresses_of, Exported, exported, tips, USUAL
from mbd_ros.export.identifiers import (
    bytes_ir, checked_name, checked_package, distinct, identifier)
from mbd_ros.export.jax_ir import jax_ir, name_of as jax_name
from mbd_ros.export.js_text import javascript
from mbd_ros.export.modules import ALIGNED, Modules
from mbd_ros.export.plugin_text import (
    has_plugin, plugin_cmake, plugin_description, plugin_source)
from mbd_ros.export.real import DOUBLE, Real, real_named
from mbd_ros.export.stack import BESIDE, calls_of, deepest, emit_measured
from mbd_ros.export.target import NATIVE, Target, target_named
from mbd_ros.export.wasm import linked, runnable
from mbd_ros.export.x86_levels import dispatch_ir
from mbd_ros.model import Model, state

JOINTS = 'joint_control_step'
MARK = '.mbd_ros_export'
"""The file that tells a folder of ours; it lists the others."""
DIFFERENTIABLE = ('forward_dynamics', 'inverse_dynamics')
"""Functions of vectors that other libraries may have with their derivatives."""
LINKING = 120.0
"""Longest time that a linker may take [s]."""


@dataclass(frozen=True)
class ExportedLibrary:
    """
    What was written.

    Attributes
    ----------
    folder : Path
        Where everything is.
    header, static : Path
        ``include/NAME_dynamics.h`` and ``lib/libNAME_dynamics.a``.
    shared : Path or None
        ``lib/libNAME_dynamics.so``; None where nothing here links it, and for WebAssembly, which
        has ``lib/NAME_dynamics.wasm`` and ``.mjs`` instead.
    name : str
        Begins all names in C.
    functions : tuple of (str, Exported)
        Symbols and what they compute.
    work : int
        Numbers of the workspace.
    real : Real
        The numbers.
    missing : tuple of str
        Of what was asked for as ``'all'``, what cannot be exported and why; and why there is no
        shared library.

    """

    folder: Path
    header: Path
    static: Path
    shared: Path | None
    name: str
    functions: tuple[tuple[str, Exported], ...]
    work: int
    real: Real
    missing: tuple[str, ...]


_Code: TypeAlias = tuple[list[tuple[str, bytes, list[str]]], int, dict[str, int]]


def export_library(
    model: Model, folder: str | os.PathLike[str], *, name: str | None = None,
    functions: Sequence[str] = USUAL, links: Sequence[str] | None = None, target: str = NATIVE,
    real: str = DOUBLE, package: str | None = None, parameters: bool = False,
    payload: str | None = None, gravity: Sequence[float] | None = None,
    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
    stabilization: float = 0.0, task: Task | Mapping[str, Any] | None = None,
    bindings: Sequence[str] = (), version: str | None = None,
) -> ExportedLibrary:
    """
    Write the dynamics of a robot as a C library that needs neither Python nor a compiler.

    Parameters
    ----------
    model : Model
        The robot.
    folder : path
        Where to write; a new or empty folder, or one that this function wrote.
    name : str, optional
        Begins all names in C; made of the robot's name if left out.
    functions : sequence of str
        Names of ``export.functions.QUANTITIES``, or ``'all'``.
    links : sequence of str, optional
        Of which links Jacobians, poses and motions are; the last ones if left out.
    target : str
        The processor, one of ``export.target.TARGETS``. ``'native'`` uses all that this one can.
    real : {'double', 'float'}, optional
        Type of all numbers. In single precision values agree with those in double precision to
        some 1e-6 of the largest entry, times the condition of the system that is solved.
    package : str, optional
        Name of a ROS package (ament_cmake) that the folder becomes.
    parameters : bool
        Whether functions take gravity and what force laws read as one more argument, ``world``.
    payload : str, optional
        A link whose load is part of ``world``, which the functions take then: mass, first moment
        and inertia about the link's origin, in the link's axes; nothing unless told otherwise.
    gravity, fluid, ground
        As in ``compile_model``.
    stabilization : float
        At which rate s [1/s] forward dynamics and steps close loops that are open:
        ``A qdd + bias = -2 s phi_dot - s^2 phi`` (Baumgarte). 0: loops stay as they are, and
        drift.
    task : Task or mapping, optional
        What a controller does: adds ``control_start``, ``control_step`` and, where configurations
        just add, ``control_step_from_afar``.
    bindings : sequence of str
        ``'casadi'``: ``casadi.external`` finds functions ``NAME_..._casadi`` in the shared
        library, those of ``DIFFERENTIABLE`` that are exported with their derivatives;
        ``'jax'``: ``jax.ffi`` finds ``NAME_..._jax``, one for each function.
    version : str, optional
        Of what wrote it, for the header; that of this package if left out.

    Returns
    -------
    ExportedLibrary
        What was written.

    Raises
    ------
    MbdError
        If the folder is not ours or cannot be written, there is no such function, link or
        target, a name is no identifier of C, or a function has no machine code of its own.

    """
    where = Path(folder)
    version = installed_version() if version is None else version
    chosen = identifier(model.name) if name is None else checked_name(name)
    if package is not None:
        checked_package(package)
    numbers = real_named(real)
    processor = target_named(target, numbers)
    if bindings and numbers.bytes != 8:
        raise UnsupportedError(f"{' and '.join(bindings)} with '--real {real}'",
                               'they compute in double precision')
    if not model.nv:
        raise InvalidValueError('robot', model.name, 'one with at least one joint that moves')
    if not 0.0 <= stabilization < math.inf:
        raise InvalidValueError('stabilization', stabilization, 'a rate of 0 or more [1/s]')
    _check_folder(where)
    if payload is not None:
        if payload not in model.links:
            raise UnknownNameError('link', payload, list(model.links))
        model, parameters = model.with_laws(*model.laws, LoadLaw(payload)), True
    dyn = compile_model(model, gravity=gravity, executor=Compiled(), fluid=fluid, ground=ground)
    plain = [one for one in functions if one != JOINTS]
    found, missing = exported(
        dyn, plain, tips(model) if links is None else links, stabilization)
    steps, gains = control_functions(dyn, JOINTS in functions, Task.from_data(task) if isinstance(
        task, Mapping) else task)
    if steps and (parameters or numbers.bytes != 8):
        raise UnsupportedError(
            'export of a controller', 'it has gravity and payload of its own, and decides ranks '
            "in double precision: leave out '--parameters' and '--real float'")
    found += steps
    if not found:
        raise UnsupportedError(f"export of robot '{model.name}'", '; '.join(missing))
    symbols = _symbols(chosen, found)
    objects, work, stack = _objects(
        chosen, dyn, symbols, processor, numbers, parameters, gains, version)
    objects += _bound(bindings, symbols, processor, work, parameters)
    if not processor.elf:
        objects = [('whole', linked([code for _, code, _ in objects], processor.machine(1)),
                    [name for _, _, defined in objects for name in defined])]
    library = c_text.Library(
        chosen, version, _digest(dyn), model, processor, numbers, symbols, gains, work, stack,
        dyn.gravity.tolist(), _names_of_world(dyn), parameters,
        sum(len(code) for _, code, _ in objects))
    files = _files(library, objects, package)
    try:
        shared = _write(where, files, library, objects, missing)
    except OSError as error:
        raise MbdError(f'{where} cannot be written: {error.strerror}') from None
    return ExportedLibrary(
        where, where / f'include/{library.library}.h', where / f'lib/lib{library.library}.a',
        shared, chosen, tuple(symbols), work, numbers, tuple(missing))


def installed_version() -> str:
    """Return the version of this package as it is installed."""
    try:
        return importlib.metadata.version('mbd_ros')
    except importlib.metadata.PackageNotFoundError:
        return '0.0.0'


def _check_folder(where: Path) -> None:
    """Raise ``InvalidValueError`` if a folder has something in it that is not ours."""
    if where.exists() and not where.is_dir():
        raise InvalidValueError('--to', str(where), 'a folder')
    if where.is_dir() and any(where.iterdir()) and not (where / MARK).is_file():
        raise InvalidValueError('--to', str(where), 'a new or empty folder, or one that mbd_ros '
                                f'export wrote, with a file {MARK}')


def _symbols(name: str, found: Sequence[Exported]) -> list[tuple[str, Exported]]:
    links = distinct(one.link for one in found if one.link)
    ends = {(one.name, one.link): f'_{links[one.link]}' if one.link else '' for one in found}
    return [(f'{name}_{one.name}{ends[one.name, one.link]}', one) for one in found]


def _objects(name: str, dyn: PreparedDynamics, symbols: Sequence[tuple[str, Exported]],
             target: Target, real: Real, parameters: bool, gains: Sequence[float], version: str
             ) -> _Code:
    """Return object files, how many numbers of workspace functions take, and their stack."""
    if target.levels:
        objects, work, stack = _every_level(name, dyn, symbols, target, real, parameters)
    else:
        objects, work, stack = _code(f'{name}__', dyn, symbols, target, real, parameters)
    texts, defined = _facts(name, dyn, parameters, gains, version)
    objects.append(('facts', target.code(llvm.parse_assembly(real.text(texts)), 1, False),
                    defined))
    return objects, work, stack


def _code(prefix: str, dyn: PreparedDynamics, symbols: Sequence[tuple[str, Exported]],
          target: Target, real: Real, parameters: bool, hidden: bool = False
          ) -> _Code:
    """Return the object files of the functions for one processor, workspace and stack."""
    modules, control = Modules(prefix, real), Modules(f'{prefix}c_', real, own_memory=True)
    names, stack = [], dict[str, int]()
    for symbol, function in symbols:
        used = control if function.places else modules
        kernel, batch = (used.symbol(address, symbol) for address in addresses_of(function))
        names.append((kernel, batch if function.batches is not None else ''))
    objects = [*modules.objects(target), *(
        (f'c{member}', code, defined) for member, code, defined in control.objects(target))]
    world = dyn.world_array.tolist()
    work = 0
    for _, function in symbols:
        lanes = 0 if function.batches is None else function.batches.lanes
        row = function.size + sum(size for _, size in function.inputs)
        most = 0 if function.places else max(
            modules.memory((address,)) for address in addresses_of(function))
        work = max(work, first_free(len(world), real) + real.bytes * lanes * row + most)
    work = -(-(work + ALIGNED) // real.bytes)
    units = [(joint.unit.start, joint.unit.stop) for joint in state.curved_joints(dyn.model)]
    for number, ((symbol, function), (kernel, batch)) in enumerate(zip(symbols, names)):
        text = entry_ir(symbol, function, kernel, batch, units, world, work, parameters, real)
        defined = [symbol, f'{symbol}_many']

        def hide(module: Any, names: Sequence[str] = defined if hidden else ()) -> None:
            for one in names:
                module.get_function(one).visibility = 'hidden'
        code, frames = emit_measured(text, target, 2, True, hide)
        objects.append((f'f{number}', code, defined))
        used, calls = control if function.places else modules, calls_of(text)
        for one, address in zip((kernel, batch), addresses_of(function)):
            frames[one], calls[one] = used.stack(address), ()
        stack[symbol] = max(deepest(one, frames, calls) for one in defined)
    return objects, work, stack


def _every_level(name: str, dyn: PreparedDynamics, symbols: Sequence[tuple[str, Exported]],
                 target: Target, real: Real, parameters: bool
                 ) -> _Code:
    """Return the object files of all levels and of what chooses among them."""
    objects, work, stack = [], 0, dict[str, int]()
    tags = [f'{name}__l{k}_' for k in range(len(target.levels))]
    for k, (tag, level) in enumerate(zip(tags, target.levels)):
        named = [(f'{tag}{symbol}', function) for symbol, function in symbols]
        code, needed, deep = _code(
            tag, dyn, named, target_named(level, real), real, parameters, True)
        objects += [(f'l{k}{member}', data, defined) for member, data, defined in code]
        work = max(work, needed)
        for symbol, _ in symbols:   # and the call of the level
            stack[symbol] = max(stack.get(symbol, 0), 2 * BESIDE + deep[f'{tag}{symbol}'])
    functions = []
    for symbol, function in symbols:
        types = ', '.join(['ptr'] * (len(function.inputs) + 2 + parameters))
        for end, kinds in (('', types), ('_many', f'i64, {types}')):
            functions.append((f'{symbol}{end}', kinds, [f'{tag}{symbol}{end}' for tag in tags]))
    level = f'{name}__level'
    objects.append(('levels', target.code(
        llvm.parse_assembly(dispatch_ir(level, functions)), 2, False),
        [level, *(symbol for symbol, _, _ in functions)]))
    return objects, work, stack


def _bound(bindings: Sequence[str], symbols: Sequence[tuple[str, Exported]], target: Target,
           work: int, parameters: bool) -> list[tuple[str, bytes, list[str]]]:
    """Return the objects that other libraries look for."""
    known = {function.name: symbol for symbol, function in symbols}
    objects = []
    for number, (symbol, function) in enumerate(symbols):
        derivatives = known.get(f'{function.name}_derivatives')
        texts = []
        if 'casadi' in bindings and function.name in DIFFERENTIABLE and derivatives is not None:
            texts.append(('c', *casadi_ir(symbol, derivatives, function.inputs, function.size,
                                          work, parameters)))
        if 'jax' in bindings:
            texts.append(('j', jax_ir(symbol, function.inputs, function.size, parameters),
                          [jax_name(symbol)]))
        objects += [(f'{kind}{number}', target.code(
            llvm.parse_assembly(text), 1, False), defined)
            for kind, text, defined in texts]
    return objects


def _facts(name: str, dyn: PreparedDynamics, parameters: bool, gains: Sequence[float],
           version: str) -> tuple[str, list[str]]:
    """Return the module of names, version and numbers of the robot."""
    model, lines = dyn.model, []
    for what, texts in (('joint', model.joint_names), ('body', model.body_names)):
        pointers = ', '.join(f'ptr @{what}{k}' for k in range(len(texts)))
        lines += [f'@{what}{k} = private constant {bytes_ir(text)}'
                  for k, text in enumerate(texts)]
        lines.append(f'@{name}_{what}_names = constant [{len(texts)} x ptr] [{pointers}]')
    lines += [f'@{name}_body_axes = constant {words(_body_axes(model))}',
              f'@{name}_neutral = constant {words(state.neutral(model).tolist())}',
              f'@{name}_hash = constant {bytes_ir(_digest(dyn))}',
              f'@{name}_version = constant {bytes_ir(version)}']
    ends = ['joint_names', 'body_names', 'body_axes', 'neutral', 'hash', 'version']
    if parameters:
        lines.append(f'@{name}_world = constant {words(dyn.world_array.tolist())}')
        ends.append('world')
    if gains:
        lines.append(f'@{name}_gains = constant {words(gains)}')
        ends.append('gains')
    return '\n'.join(lines), [f'{name}_{end}' for end in ends]


def _body_axes(model: Model) -> list[float]:
    """Return the rotation from the axes of each body's link to those that it is computed in."""
    return [float(entry) for name in model.body_names
            for entry in np.ravel(model.links[name].rotation if name in model.links
                                  else np.eye(3))]


def _names_of_world(dyn: PreparedDynamics) -> list[str]:
    """Return what each number of the world is."""
    names = [f'gravity {axis} [m/s^2]' for axis in 'xyz']
    places = world_of(dyn.model).own
    for law, own in zip(dyn.model.laws, places):
        names += [f'{law.name}{end}' for end in _paths(own)]
    return names


def _paths(record: Any) -> list[str]:
    """Return how each scalar of a record of records is called in it."""
    if not isinstance(record, tuple):
        return ['']
    fields = getattr(record, '_fields', range(len(record)))
    return [f'.{field}{end}' for field, part in zip(fields, record) for end in _paths(part)]


def _digest(dyn: PreparedDynamics) -> str:
    try:
        content = model_digest(dyn.model)
    except NotKnownError:   # of a force law of the user's
        content = model_digest(dyn.model.with_laws()) + repr(dyn.model.laws).encode()
    digest = hashlib.blake2b(content, digest_size=16)
    digest.update(np.ascontiguousarray(dyn.world_array).tobytes())
    return digest.hexdigest()


def _files(library: c_text.Library, objects: Sequence[tuple[str, bytes, list[str]]],
           package: str | None) -> dict[str, bytes]:
    """Return the files by their places, but for the shared library."""
    name = library.library
    texts: dict[str, str] = {
        f'include/{name}.h': c_text.header(library),
        f'include/{name}.hpp': cpp_header(library),
        'example.c': c_text.example(library),
        f'lib/cmake/{name}/{name}Config.cmake': c_text.cmake_config(library),
        f'lib/pkgconfig/{name}.pc': c_text.pkg_config(library)}
    engine = {}
    if not library.target.elf:
        texts[f'lib/{name}.mjs'] = javascript(library)
        engine[f'lib/{name}.wasm'] = runnable(objects[0][1], [
            f'{symbol}{end}' for symbol, _ in library.functions for end in ('', '_many')])
    if package is not None:
        texts['package.xml'] = c_text.package_xml(library, package)
        plugin = ''
        if has_plugin(library):
            solver, plugin = f'{library.name}_inverse_dynamics_solver', plugin_cmake(library)
            texts[f'src/{solver}.cpp'] = plugin_source(library)
            texts[f'{solver}.xml'] = plugin_description(library)
        texts['CMakeLists.txt'] = c_text.cmake_lists(library, package, plugin)
    return {**{place: text.encode() for place, text in texts.items()}, **engine,
            f'lib/lib{name}.a': archive([(f'{one}.o', code, defined)
                                         for one, code, defined in objects])}


def _write(where: Path, files: dict[str, bytes], library: c_text.Library,
           objects: Sequence[tuple[str, bytes, list[str]]], missing: list[str]) -> Path | None:
    where.mkdir(parents=True, exist_ok=True)
    (where / MARK).write_text('')
    for place, data in files.items():
        path = where / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    shared = where / f'lib/lib{library.library}.so'
    shared.unlink(missing_ok=True)
    reason = ''
    if library.target.elf:
        reason = link_shared(shared, [code for _, code, _ in objects], library.target)
        missing += [reason] if reason else []
    found = shared if library.target.elf and not reason else None
    (where / 'README.md').write_text(c_text.readme(library, found is not None), encoding='utf-8')
    names = [*files, 'README.md', *([] if found is None else [str(found.relative_to(where))])]
    (where / MARK).write_text('\n'.join([*names, '']))
    return found


def link_shared(shared: Path, objects: Sequence[bytes], target: Target) -> str:
    """Link a shared library; return why there is none, or an empty text."""
    commands = _linkers(target)
    if not commands:
        return f"no shared library: nothing here links for target '{target.name}'"
    said = ''
    for command in commands:
        with tempfile.TemporaryDirectory() as scratch:
            places = []
            for k, code in enumerate(objects):
                places.append(str(Path(scratch) / f'{k}.o'))
                Path(places[-1]).write_bytes(code)
            whole = Path(scratch) / shared.name
            try:
                done = subprocess.run(
                    [*command, '-o', str(whole), *places, '-lm'], capture_output=True, text=True,
                    timeout=LINKING, stdin=subprocess.DEVNULL, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                said = str(error)
                continue
            if done.returncode == 0:
                shutil.copyfile(whole, shared)
                shared.chmod(0o755)
                return ''
            said = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'it failed'
    return f'no shared library: {commands[-1][0]}: {said}'


def _linkers(target: Target) -> list[list[str]]:
    """Return commands that link shared libraries for a target, as far as they are here."""
    if target.name.startswith('thumb'):
        return []
    host = target.name == NATIVE or target.triple.split('-')[0] == (
        llvm.get_default_triple().split('-')[0])
    if host:
        names = ['cc', 'gcc', 'clang', 'ld', 'ld.lld']
    else:
        processor, *_, system = target.triple.split('-')
        processor = {'armv7': 'arm'}.get(processor, processor)
        names = [f'{processor}-linux-{system}-gcc', f'{processor}-linux-{system}-ld']
    return [[name, '-shared'] for name in names if shutil.which(name)]
