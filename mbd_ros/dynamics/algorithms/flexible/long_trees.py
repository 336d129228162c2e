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
Dynamics of long robots with flexible links as machine code that loops over segments.

These are forward dynamics, the middle of a step of ``midpoint.py``, which is forward dynamics with
other modal rows, and inverse dynamics.

The steps of the recursion are traced once for each class of segments: those with the same joint
and the same numbers of elastic coordinates, here and in the parent. What all segments of a species
have alike, zeros mostly, is a number of the code; the rest is in a table. A segment keeps a record
in a workspace::

    upper triangle of its mass matrix, bias, x = (A; a''), twist, what later steps read of earlier

Parents come first in the tree, so that three loops do: outward how segments move, inward what
joints feel, outward accelerations. The code does not grow with the robot, the time by a segment
each.

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.algorithms.flexible.link_inertia import Array, implicit_terms, stiffened
from mbd_ros.dynamics.algorithms.flexible.loads import loads_of
from mbd_ros.dynamics.algorithms.flexible.motion import (
    deformed_by, joint_drift, joint_motion, joint_of, joint_rates, Placed, segment_on,
    tree_of_segments)
from mbd_ros.dynamics.algorithms.flexible.recursion import carried_by, driven_by, without_bending
from mbd_ros.execution.ir.machine_code import address_ir, address_of, MachineCode
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import declarations_ir, StraightLine, Width
from mbd_ros.execution.ir.trace import Symbol, Trace
from mbd_ros.execution.ir.workspace import DECLARATIONS, give_ir, take_ir
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.stacks.stacks import apply
from mbd_ros.model import JointType, Model
from mbd_ros.model.caches import owned
from mbd_ros.model.flexible.modal_data import Shape
from mbd_ros.model.flexible.segments import Segment
from mbd_ros.model.flexible.shape_integrals import ElasticBody

MOST_CLASSES = 24
"""Each takes a quarter of a second to compile."""
ELASTIC = ('first_moments', 'couplings', 'second_couplings', 'rotations', 'rotation_changes',
           'mass', 'stiffness', 'damping', 'second_stiffness')
COLUMNS = ('species', 'c', 'q', 'v', 'qa', 'va', 'pva', 'P', 'R')
"""Of the table: the class of the segment, and where these begin."""
FORWARD = {
    'c': ('constants', 'c'), 'q': ('q', 'q'), 'v': ('v', 'v'), 't': ('tau', 'v'),
    'qa': ('q', 'qa'), 'va': ('v', 'va'), 'ta': ('tau', 'va'), 'pqa': ('q', 'pqa'),
    'pva': ('v', 'pva'), 'P': ('work', 'P'), 'R': ('work', 'R'), 'o': ('rates', 'v'),
    'oa': ('rates', 'va')}
"""
Pointers of a step, and into which array at which place: constants, the joint's q, v and tau, a, a'
and modal forces, a and a' of the parent, the parent's record and its own, and where v' and a'' go.
"""
MIDPOINT = {
    **{name: ({'q': 'q_m', 'v': 'v_m'}.get(array, array), place)
       for name, (array, place) in FORWARD.items()},
    'q0': ('q', 'q'), 'v0': ('v', 'v'), 'qa0': ('q', 'qa'), 'va0': ('v', 'va'), 'h': ('step', ''),
    'oq': ('result', 'q'), 'oqa': ('result', 'qa')}
"""The same in the middle of a step; then the start, the step, and where a better middle goes."""
INVERSE = {**FORWARD, 't': ('qdd', 'v'), 'ta': ('qdd', 'va')}
BIAS = {name: place for name, place in INVERSE.items() if name not in ('t', 'ta')}


class SegmentClass(NamedTuple):
    """What segments have in common."""

    kind: JointType | None
    root: bool
    attached: bool
    own: tuple[bytes, int]   # products of coordinates, and how many coordinates there are
    parent: tuple[bytes, int]


class Layout(NamedTuple):
    """Where things begin in the record of a segment with n elastic coordinates."""

    n: int

    @property
    def load(self) -> int:
        """Where the bias begins."""
        return (6 + self.n) * (7 + self.n) // 2

    @property
    def x(self) -> int:
        """Where A and a'' begin."""
        return self.load + 6 + self.n

    @property
    def twist(self) -> int:
        """Where the twist begins."""
        return self.x + 6 + self.n

    @property
    def kept(self) -> int:
        """Where the rest begins."""
        return self.twist + 6

    def read_mass(self, trace: Trace, source: str) -> Array:
        """Return the mass matrix (1, 6 + n, 6 + n) in a record."""
        rows, columns = np.triu_indices(6 + self.n)
        mass = np.zeros((1, 6 + self.n, 6 + self.n), object)
        mass[0, rows, columns] = [trace.input(source, k) for k in range(len(rows))]
        mass[0, columns, rows] = mass[0, rows, columns]
        return mass

    def upper(self, mass: Array) -> list[tuple[int, Any]]:
        """Return what to store of a mass matrix."""
        return list(enumerate(mass[0][np.triu_indices(6 + self.n)].tolist()))


@dataclass
class Kept:
    """What later steps read of earlier ones."""

    first: int
    count: int = 0

    def keep(self, arrays: Sequence[Array]) -> tuple[list[tuple[int, Any]], list[Array]]:
        """Return what to store of arrays, and for each entry its place (k,), or its value."""
        places: dict[int, int] = {}
        stored: list[tuple[int, Any]] = []
        found = []
        for array in arrays:
            where = np.zeros(array.shape, object)
            for index, value in np.ndenumerate(array):
                if isinstance(value, Symbol) and value.number not in places:
                    places[value.number] = self.first + self.count
                    stored.append((self.first + self.count, value))
                    self.count += 1
                where[index] = (places[value.number],) if isinstance(value, Symbol) else value
            found.append(where)
        return stored, found


def again(trace: Trace, kept: Array) -> Array:
    """Return an array that was kept, in a later trace."""
    result = np.zeros(kept.shape, object)
    for index, value in np.ndenumerate(kept):
        result[index] = trace.input('R', value[0]) if isinstance(value, tuple) else value
    return result


class Code(NamedTuple):
    """A traced step, and where its results go: pointer, entry and value of each."""

    trace: Trace
    results: list[tuple[str, int, Any]]


def constants_of(model: Model, segment: Segment) -> Array:
    """Return all numbers of a segment and its joint."""
    joint = joint_of(model, segment)[2]
    parts: list[Any] = [segment.mass, segment.first_moment, segment.inertia, segment.rotation,
                        segment.translation, model.armature[joint]]
    parts += segment.attachment or ()
    if segment.elastic is not None:
        parts += [getattr(segment.elastic, name) for name in ELASTIC]
    return np.concatenate([np.ravel(part) for part in parts]).astype(np.float64)


def symbolic(model: Model, segment: Segment, values: Sequence[Any]) -> tuple[Segment, Array]:
    """Return a segment and the armature of its joint with other constants."""
    left = iter(values)

    def like(array: Any) -> Array:
        result = np.empty(np.shape(array), object)
        for index in np.ndindex(result.shape):
            result[index] = next(left)
        return result

    mass = next(left)
    parts = [like(part) for part in (segment.first_moment, segment.inertia, segment.rotation,
                                     segment.translation)]
    armature = like(model.armature[joint_of(model, segment)[2]])
    shape = segment.attachment and Shape(*map(like, segment.attachment))
    changed: dict[str, Any] = {} if segment.elastic is None else {
        name: like(getattr(segment.elastic, name)) for name in ELASTIC}
    elastic = segment.elastic and replace(segment.elastic, **changed)
    return replace(segment, mass=mass, first_moment=parts[0], inertia=parts[1],
                   rotation=parts[2], translation=parts[3], attachment=shape,
                   elastic=elastic), armature


def structure(body: ElasticBody | None) -> tuple[bytes, int]:
    """Return which coordinates are multiplied, and how many there are."""
    return (b'', 0) if body is None else (body.pairs.tobytes(), body.count)


def segment_classes(model: Model) -> dict[SegmentClass, list[int]]:
    """Return the numbers of the segments of each class."""
    segments = tree_of_segments(model).segments
    found: dict[SegmentClass, list[int]] = {}
    for i, segment in enumerate(segments):
        above = None if segment.parent < 0 else segments[segment.parent].elastic
        one = SegmentClass(joint_of(model, segment)[0], segment.parent < 0,
                           segment.attachment is not None, structure(segment.elastic),
                           structure(above))
        found.setdefault(one, []).append(i)
    return found


def rolls(model: Model) -> bool:
    """Return whether the segments of a robot are of few classes, and nothing else acts on them."""
    return (not model.loops and loads_of(model).none
            and 0 < len(segment_classes(model)) <= MOST_CLASSES)


def steps_of(model: Model, i: int, values: Sequence[Any], parent: ElasticBody | None,
             inputs: Sequence[str]) -> tuple[list[Code], int]:
    """
    Return the steps of a class, by its segment i, and the size of its record.

    The second is inward. Inverse dynamics, whose inputs have no efforts, have no third.
    """
    midpoint = 'step' in inputs
    kind, own_q, joint = joint_of(model, tree_of_segments(model).segments[i])
    own = tree_of_segments(model).segments[i]
    layout = Layout(0 if own.elastic is None else own.elastic.count)
    above = Layout(0 if parent is None else parent.count)
    kept = Kept(layout.kept)

    def begin() -> tuple[Trace, Segment, Array, Any]:
        trace = Trace()

        def vector(source: str, count: int, first: int = 0) -> Array:
            result = np.zeros((1, count), object)
            result[0, :] = [trace.input(source, first + k) for k in range(count)]
            return result
        return (trace, *symbolic(model, own, [
            trace.input('c', value[0]) if isinstance(value, tuple) else value
            for value in values]), vector)

    trace, segment, _, vector = begin()
    ground = np.eye(4)[None] + np.zeros((1, 4, 4), object)
    below, mine = (deformed_by(body, vector(a, size), vector(rates, size)) for body, a, rates, size
                   in ((parent, 'pqa', 'pva', above.n), (segment.elastic, 'qa', 'va', layout.n)))
    placed = segment_on(
        segment, (ground, vector('P', 6, above.twist)), below, mine,
        joint_motion(kind, vector('q', own_q.stop - own_q.start)),
        vector('v', joint.stop - joint.start))
    terms = placed.terms
    if 'tau' not in inputs:
        return _inverse(kept, layout, above, placed, (trace, vector), begin, (
            joint.stop - joint.start, own.parent >= 0, 'qdd' in inputs)), kept.first + kept.count
    if midpoint and segment.elastic is not None:
        half, start = 0.5 * vector('h', 1), (vector('qa0', layout.n), vector('va0', layout.n))
        terms = implicit_terms(stiffened(terms, segment.elastic, half), segment.elastic, start,
                               (mine.a, mine.rates), half)
    stored, (transfer, bias) = kept.keep([placed.transfer, placed.bias])
    stored += layout.upper(terms.mass)
    stored += enumerate(terms.bias[0].tolist(), layout.load)
    stored += enumerate(placed.twist[0].tolist(), layout.twist)
    outward = Code(trace, [('R', *one) for one in stored])

    trace, _, armature, vector = begin()
    inertia, load, modal = without_bending(
        layout.read_mass(trace, 'R'), vector('R', 6 + layout.n, layout.load)[:, :, None],
        vector('ta', layout.n)[:, :, None])
    seen = load + inertia @ again(trace, bias)[:, :, None]
    count = joint.stop - joint.start
    drive = vector('t', count) - armature * joint_drift(placed.axes, vector('v', count))
    driven = driven_by(inertia, seen, placed.axes, armature, drive[:, :, None])
    stored, (modal_there, driven_there) = kept.keep([modal, driven])
    results = [('R', *one) for one in stored]
    if own.parent >= 0:
        more, heavier = carried_by(inertia, seen, driven, placed.axes, again(trace, transfer))
        results += [('P', *one) for one in above.upper(above.read_mass(trace, 'P') + more)]
        results += [('P', *one) for one in enumerate(
            (vector('P', 6 + above.n, above.load) + heavier[:, :, 0])[0].tolist(), above.load)]
    inward = Code(trace, results)

    trace, _, _, vector = begin()
    carried = again(trace, transfer) @ vector('P', 6 + above.n, above.x)[:, :, None]
    driven, modal = again(trace, driven_there), again(trace, modal_there)
    moved = -(driven[:, :, :6] @ carried) - driven[:, :, 6:]
    A = carried + again(trace, bias)[:, :, None] + placed.axes @ moved
    bent = -(modal[:, :, :6] @ A) - modal[:, :, 6:]
    x = np.concatenate([A, bent], axis=1)[0, :, 0].tolist()
    results = [('R', *one) for one in enumerate(x, layout.x)]
    out = {'o': moved[:, :, 0], 'oa': bent[:, :, 0]}
    if midpoint:
        half = 0.5 * vector('h', 1)
        out = {name: vector(start, size) + half * out[name] for name, start, size in (
            ('o', 'v0', joint.stop - joint.start), ('oa', 'va0', layout.n))}
        out['oqa'] = vector('qa0', layout.n) + half * out['oa']
        if kind is not None:
            out['oq'] = vector('q0', kind.nq) + half * joint_rates(
                kind, vector('q', kind.nq), out['o'])
    results += [(where, *one) for where, values in out.items()
                for one in enumerate(values[0].tolist())]
    return [outward, inward, Code(trace, results)], kept.first + kept.count


def _inverse(kept: Kept, layout: Layout, above: Layout, placed: Placed,
             tracing: tuple[Trace, Any], begin: Any, which: tuple[int, bool, bool]) -> list[Code]:
    """
    Return the steps of inverse dynamics; the record has forces in place of the bias.

    ``which``: coordinates of the joint, and whether there are a parent, and accelerations.
    """
    (trace, vector), (count, carried, moves) = tracing, which

    def given(vector: Any) -> tuple[Array, Array]:
        return ((vector('t', count), vector('ta', layout.n)) if moves else
                (np.zeros((1, count)), np.zeros((1, layout.n))))

    rates, bent = given(vector)
    x = np.hstack([apply(placed.transfer, vector('P', 6 + above.n, above.x)) + placed.bias
                   + rates @ placed.axes.T, bent])
    force = apply(placed.terms.mass, x) + placed.terms.bias
    stored, (transfer,) = kept.keep([placed.transfer])
    for first, values in ((layout.load, force), (layout.x, x), (layout.twist, placed.twist)):
        stored += enumerate(values[0].tolist(), first)
    outward = Code(trace, [('R', *one) for one in stored])

    trace, _, armature, vector = begin()
    rates, _ = given(vector)
    rates = rates + joint_drift(placed.axes, vector('v', count))
    force = vector('R', 6 + layout.n, layout.load)
    out = {'o': force[:, :6] @ placed.axes + armature * rates, 'oa': force[:, 6:]}
    results = [(name, *one) for name, values in out.items()
               for one in enumerate(values[0].tolist())]
    if carried:
        more = apply(again(trace, transfer).transpose(0, 2, 1), force[:, :6])
        results += [('P', *one) for one in enumerate(
            (vector('P', 6 + above.n, above.load) + more)[0].tolist(), above.load)]
    return [outward, Code(trace, results)]


def step_ir(name: str, code: Code, names: Iterable[str], width: Width) -> list[str]:
    """Return a step as a function of pointers."""
    block = StraightLine('s', {one: f'%{one}' for one in names}, width, common=('c',))
    parameters = ', '.join(f'ptr %{one}' for one in names)
    lines = [f'define private void @{name}({parameters}) noinline nounwind '
             f'alignstack({8 * width.lanes}) {{',
             *block.compute(code.trace, [value for *_, value in code.results])]
    for pointer, entry, value in code.results:
        lines += block.store(value, f'%{pointer}', entry)
    return [*lines, '  ret void', '}']


def loop_ir(stage: int, inward: bool, species: int, pointers: Mapping[str, tuple[str, str]],
            width: Width) -> Iterator[str]:
    """Yield the loop of a stage over all segments."""
    n, kind = f's{stage}', width.type
    before = 'start' if stage == 0 else f's{stage - 1}.done'
    yield from (f'  br label %{n}.loop', f'{n}.loop:',
                f'  %{n}.k = phi i64 [0, %{before}], [%{n}.next, %{n}.ended]')
    if inward:
        yield f'  %{n}.back = sub i64 %last, %{n}.k'
    yield f'  %{n}.row = mul i64 %{n}.{"back" if inward else "k"}, {len(COLUMNS)}'
    for column, name in enumerate(COLUMNS):
        yield from (f'  %{n}.{name}.i = add i64 %{n}.row, {column}',
                    f'  %{n}.{name}.p = getelementptr i64, ptr %table, i64 %{n}.{name}.i',
                    f'  %{n}.{name}.n = load i64, ptr %{n}.{name}.p')
    yield f'  %{n}.pqa.n = add i64 %{n}.pva.n, %shift'
    for pointer, (base, offset) in pointers.items():
        yield (f'  %{n}.{pointer} = getelementptr {"double" if pointer == "c" else kind}, '
               f'ptr %{base}, i64 ' + (f'%{n}.{offset}.n' if offset else '0'))
    arguments = ', '.join(f'ptr %{n}.{pointer}' for pointer in pointers)
    yield (f'  switch i64 %{n}.species.n, label %{n}.ended ['
           + ' '.join(f'i64 {k}, label %{n}.{k}' for k in range(species)) + ']')
    for k in range(species):
        yield from (f'{n}.{k}:', f'  call void @step{stage}_{k}({arguments})',
                    f'  br label %{n}.ended')
    yield from (f'{n}.ended:', f'  %{n}.next = add i64 %{n}.k, 1',
                f'  %{n}.more = icmp slt i64 %{n}.next, %count',
                f'  br i1 %{n}.more, label %{n}.loop, label %{n}.done', f'{n}.done:')


def ground_ir(width: Width) -> list[str]:
    """Return the code that fills the record of the ground, the first of the workspace."""
    trace, layout = Trace(), Layout(0)
    block = StraightLine('g', {'w': '%world'}, width, common=('w',))
    values: list[Any] = [0.0] * layout.kept
    values[layout.x:layout.x + 3] = [-trace.input('w', k) for k in range(3)]
    return [*block.compute(trace, values), *(line for entry, value in enumerate(values)
                                             for line in block.store(value, '%work', entry))]


@owned(1)
def rolled(program: ArrayProgram, model: Model, width: Width) -> tuple[MachineCode, object]:
    """
    Return ``void kernel(argument..., world, result)`` and what has to stay alive with it.

    Parameters
    ----------
    program : ArrayProgram
        Forward dynamics, or the middle of a step.
    model : Model
        The robot; see ``rolls``.
    width : Width
        How many states the entries of arguments and result hold.

    """
    segments = tree_of_segments(model).segments
    groups = segment_classes(model)
    pointers, stages = (
        (MIDPOINT, 3) if 'step' in program.inputs else (FORWARD, 3) if 'tau' in program.inputs
        else (INVERSE if 'qdd' in program.inputs else BIAS, 2))
    shift, first_v = model.nq - model.nv, model.nv - len(model.elastic_names)
    table = np.zeros((len(segments), len(COLUMNS)), np.int64)
    sizes: NDArray[np.int64] = np.zeros(len(segments), np.int64)
    lines, numbers, used = [], list[Array](), 0
    for k, members in enumerate(groups.values()):
        own = np.array([constants_of(model, segments[i]) for i in members])
        varies = np.flatnonzero((own != own[0]).any(axis=0))
        values: list[Any] = own[0].tolist()
        for place, entry in enumerate(varies.tolist()):
            values[entry] = (place,)
        parent = segments[members[0]].parent
        steps, size = steps_of(model, members[0], values,
                               None if parent < 0 else segments[parent].elastic, program.inputs)
        for stage, step in enumerate(steps):
            lines += step_ir(f'step{stage}_{k}', step, pointers, width)
        table[members, 0], sizes[members] = k, size
        table[members, 1] = used + len(varies) * np.arange(len(members))
        used += own[:, varies].size
        numbers.append(own[:, varies].ravel())
    records = Layout(0).kept + np.concatenate([[0], np.cumsum(sizes)])
    for i, segment in enumerate(segments):
        _, own_q, joint = joint_of(model, segment)
        firsts = [first_v + (0 if body is None else body.first) for body in (
            segment.elastic, None if segment.parent < 0 else segments[segment.parent].elastic)]
        table[i, 2:] = (own_q.start, joint.start, firsts[0] + shift, firsts[0], firsts[1],
                        0 if segment.parent < 0 else records[segment.parent], records[i])
    kept = np.concatenate([*numbers, np.zeros(1)])
    parameters = ', '.join(f'ptr %{name}' for name in (*program.inputs, 'world', 'result'))
    loops = [line for stage in range(stages)
             for line in loop_ir(stage, stage == 1, len(groups), pointers, width)]
    shared = MachineCode('\n'.join([
        sincos_ir(width), declarations_ir(width), *lines,
        f'define void @rolled({parameters}, ptr %constants, ptr %table, i64 %count, i64 %shift, '
        f'ptr %work) nounwind alignstack({8 * width.lanes}) {{', 'start:',
        '  %last = sub i64 %count, 1', f'  %rates = getelementptr {width.type}, ptr %result, i64 '
        f'{model.nq if pointers is MIDPOINT else 0}', *ground_ir(width), *loops, '  ret void',
        '}']))
    code = MachineCode('\n'.join([
        DECLARATIONS, f'define void @kernel({parameters}) nounwind {{', 'entry:',
        *take_ir('%work', 8 * width.lanes * int(records[-1])),
        *(address_ir(name, k) for k, name in enumerate(('%rolled', '%constants', '%table'))),
        f'  call void %rolled({parameters}, ptr %constants, ptr %table, i64 {len(segments)}, '
        f'i64 {shift}, ptr %work)', *give_ir(), '  ret void', '}']),
        addresses=[shared.address('rolled'), address_of(kept), address_of(table)])
    return code, (shared, kept, table)
