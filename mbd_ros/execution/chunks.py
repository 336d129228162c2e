"""
Segments of one long chain in the lanes of a vector.

A chain is laid out as ``lead, segment 0, between, segment 1, between, ...``: W segments of equal
shape, single bodies between them, and one or more in front. The steps of a segment are swept in W
lanes by rolled code; what happens at the bodies between is straight-line code of one function,
which calls the sweeps. ``Segmented`` says which steps these are for a program.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import functools
import math
from typing import Any, cast, NamedTuple

import numpy as np

from mbd_ros.execution.machine_code import address_ir, MachineCode, vector_lanes
from mbd_ros.execution.origin import origin_of
from mbd_ros.execution.rolled import chain_code, RolledCode
from mbd_ros.execution.sincos import sincos_ir
from mbd_ros.execution.species import BODY_SIZE, flatten, Kind, mapped
from mbd_ros.execution.straight_line import declarations_ir, SCALAR, StraightLine, Width
from mbd_ros.execution.sweeps import Inward, Outward, Program, World
from mbd_ros.execution.trace import Operand, Trace
from mbd_ros.execution.tree import joints_of, sizes, tree_of
from mbd_ros.execution.workspace import DECLARATIONS, give_ir, take_ir
from mbd_ros.model import Model
from mbd_ros.spatial import Joint, Vector3

SHORTEST = 16
"""Bodies of a segment below which it is not worth the work at its ends."""


@dataclass(frozen=True)
class Segmented:
    """
    How a program runs on segments of a chain.

    Attributes
    ----------
    plain : Program
        The program, of three sweeps outward, inward, outward, for the bodies in front.
    sweeps : tuple of Outward and Inward
        Its form for a segment: a survey outward, then sweeps as in ``plain``. The second hands on
        what the first of ``plain`` does; the last is handed ``(what plain's is, what else)``.
    passing : callable
        ``(body, joint, handed to the segment, surveyed) -> (handed on, kept)``, outward.
    join : callable
        ``(body, joint, handed from beyond, segment's, kept) -> (handed on, kept)``, inward.
    part : callable
        ``(body, joint, handed to the segment, segment's, kept) -> (what else the segment's bodies
        are handed, handed on, results)``, outward.
    last : record
        What else the bodies of the last segment are handed.

    """

    plain: Program
    sweeps: tuple[Outward, Outward, Inward, Outward]
    passing: Callable[..., Any]
    join: Callable[..., Any]
    part: Callable[..., Any]
    last: Any

    @property
    def segment(self) -> Program:
        """The sweeps of a segment as a program."""
        return Program(f'{self.plain.name} of segments', self.plain.inputs, self.sweeps)

    @property
    def lead(self) -> tuple[Outward, Inward, Outward]:
        """The sweeps of the bodies in front."""
        return cast(tuple[Outward, Inward, Outward], self.plain.sweeps)


_KNOWN: dict[str, Segmented] = {}


def register(segmented: Segmented) -> None:
    """Make the segmented form of a program known to the executors."""
    _KNOWN[segmented.plain.name] = segmented


class Plan(NamedTuple):
    """Where the segments are: bodies in front, bodies of a segment, number of segments."""

    lead: int
    length: int
    lanes: int

    def first(self, lane: int) -> int:
        """Return the first body of a segment."""
        return self.lead + lane * (self.length + 1)


def plan_of(program: Program, model: Model, lanes: int) -> Plan | None:
    """Return how a chain is cut into segments of equal shape; None if it cannot be."""
    length = (model.nb - lanes) // lanes
    if (program.name not in _KNOWN or length < SHORTEST
            or model.parents != tuple(range(-1, model.nb - 1))):
        return None
    plan = Plan(model.nb - lanes * (length + 1) + 1, length, lanes)
    shapes = {tuple(model.joint_types[plan.first(k):plan.first(k) + length])
              for k in range(lanes)}
    between = [plan.first(k) - 1 for k in range(1, lanes)]
    solid = all(model.masses[i] > 0.0 and np.linalg.eigvalsh(model.inertias[i])[0] > 0.0
                for i in between)
    alike = len(shapes) == 1 and len({model.joint_types[i] for i in between}) == 1
    return plan if alike and solid else None


def chunked_code(program: Program, model: Model, plan: Plan) -> tuple[MachineCode, object]:
    """Return ``void kernel(argument..., gravity, result)`` for one state, and what it needs."""
    segmented, width = _KNOWN[program.name], Width(plan.lanes)
    bodies = range(plan.lead, plan.lead + plan.length)
    joints = tuple(sorted({model.joint_types[i].pair for i in bodies},
                          key=lambda joint: joint.__name__))
    rolled, shared = _sweeps(segmented.segment, joints, width)
    constants, topology = _tables(model, plan, joints)
    code = MachineCode(
        lambda: _Driver(segmented, model, plan, rolled).ir(),
        origin=origin_of(program, model, 'segments', plan), addresses=[
            constants.ctypes.data, topology.ctypes.data,
            *(shared.address(f'sweep{k}') for k in range(4))])
    return code, (shared, constants, topology)


@functools.lru_cache(maxsize=64)
def _sweeps(program: Program, joints: tuple[type[Joint], ...], width: Width
            ) -> tuple[RolledCode, MachineCode]:
    rolled = chain_code(program, tuple(map(Kind, joints)), width)
    return rolled, MachineCode(rolled.ir, optimization=2)


def _tables(model: Model, plan: Plan, joints: Sequence[type[Joint]]) -> tuple[Any, Any]:
    """Return constants (length, BODY_SIZE, lanes) and topology of the segments."""
    constants = _aligned((plan.length, BODY_SIZE, plan.lanes))
    for lane in range(plan.lanes):
        for place in range(plan.length):
            scalars = np.array(flatten(tree_of(model).bodies[plan.first(lane) + place][:3]))
            constants[place, :scalars.size, lane] = scalars
    bodies = range(plan.lead, plan.lead + plan.length)
    topology = [*range(-1, plan.length - 1),
                *(joints.index(model.joint_types[i].pair) for i in bodies),
                *(model.q_offsets[i] - model.q_offsets[plan.lead] for i in bodies),
                *(model.v_offsets[i] - model.v_offsets[plan.lead] for i in bodies)]
    return constants, np.array(topology, dtype=np.int64)


def _aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Return zeros that begin at a cache line, as vectors should."""
    size = 8 * math.prod(shape)
    memory = np.zeros(size + 64, dtype=np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first:first + size].view(np.float64).reshape(shape)


class _Driver:
    """Writes the function that runs the sweeps and what is between the segments."""

    def __init__(self, segmented: Segmented, model: Model, plan: Plan, rolled: RolledCode) -> None:
        self._segmented, self._plan, self._model = segmented, plan, model
        self._width, self._rolled = Width(plan.lanes), rolled
        self._inputs = segmented.plain.inputs
        self._trace = Trace()
        count = len(self._inputs)
        self._block = StraightLine('s', {
            **{k: f'%a{k}' for k in range(count)}, count: '%gravity', 'surveyed': '%work',
            'segments': '%work'})
        coordinates = {name: [self._trace.input(k, entry) for entry in range(size)]
                       for k, (name, size) in enumerate(
                           zip(self._inputs, sizes(model, self._inputs)))}
        self._joints = joints_of(model, coordinates)
        self._bodies = tree_of(model).bodies
        self._world = World(Vector3(*(self._trace.input(count, k) for k in range(3))))
        self._kept: dict[int, Any] = {}

    def ir(self) -> str:
        """Return the text."""
        plan, segmented = self._plan, self._segmented
        vector = Width(vector_lanes())
        spans = [self._span('q' if name == 'q' else 'v') for name in (*self._inputs, 'v')]
        names = [f'a{k}' for k in range(len(self._inputs))]
        size = 8 * plan.lanes * (self._rolled.work_size(plan.length, 0)
                                 + sum(extent for _, extent, _ in spans))
        parameters = ', '.join(f'ptr %{name}' for name in (*names, 'gravity', 'result'))
        lines = [DECLARATIONS, sincos_ir(SCALAR, vector), declarations_ir(SCALAR),
                 f'define void @kernel({parameters}) nounwind {{', 'entry:',
                 *take_ir('%work', size, 'entry'),
                 *(address_ir(name, k) for k, name in enumerate((
                     '%constants', '%topology', *(f'%sweep{k}' for k in range(4)))))]
        offset, label = self._rolled.work_size(plan.length, 0), 'taken'
        for name, span in zip((*names, 'result'), spans):
            lines.append(f'  %{name}.lanes = getelementptr {self._width.type}, ptr %work, '
                         f'i64 {offset}')
            offset += span[1]
        for name, span in zip(names, spans):
            lines += self._moved(name, span, label, pack=True)
            label = f'{name}.done'
        sweeps = segmented.sweeps
        lines += self._handed([flatten(sweeps[0].start(self._world))] * plan.lanes)
        lines += self._call(0)
        lines += self._handed([flatten(record) for record in self._outward()], vector)
        lines += self._call(1)
        lines += self._handed([flatten(sweeps[2].zero)] * plan.lanes)
        lines += self._call(2)
        handed, results = self._inward_and_out()
        lines += self._handed([flatten(record) for record in handed],
                              others=list(results.values()))
        for entry, value in results.items():
            lines += self._block.store(value, '%result', entry)
        lines += self._call(3)
        lines += self._moved('result', spans[-1], label, pack=False)
        return '\n'.join([*lines, *give_ir(), '  ret void', '}'])

    def _span(self, kind: str) -> tuple[int, int, int]:
        """Return first entry and number of entries of segment 0, and the step to the next."""
        offsets = self._model.q_offsets if kind == 'q' else self._model.v_offsets
        total = self._model.nq if kind == 'q' else self._model.nv
        first, last = self._plan.first(0), self._plan.first(1)
        return (offsets[first], offsets[last - 1] - offsets[first],
                (offsets[last] if last < len(offsets) else total) - offsets[first])

    def _moved(self, name: str, span: tuple[int, int, int], label: str, pack: bool) -> list[str]:
        """Return the loop that puts the segments' entries of an array into lanes, or back."""
        (first, count, step), kind = span, self._width.type
        lines = [f'  br label %{name}.loop', f'{name}.loop:',
                 f'  %{name}.k = phi i64 [0, %{label}], [%{name}.k1, %{name}.loop]',
                 f'  %{name}.v = getelementptr {kind}, ptr %{name}.lanes, i64 %{name}.k']
        vector = 'poison'
        if not pack:
            lines.append(f'  %{name}.x = load {kind}, ptr %{name}.v, align 8')
        for lane in range(self._plan.lanes):
            place = f'%{name}.{lane}'
            lines += [f'  {place}o = add i64 %{name}.k, {first + lane * step}',
                      f'  {place}p = getelementptr double, ptr %{name}, i64 {place}o']
            if pack:
                lines += [f'  {place}e = load double, ptr {place}p',
                          f'  {place}x = insertelement {kind} {vector}, double {place}e, '
                          f'i64 {lane}']
                vector = f'{place}x'
            else:
                lines += [f'  {place}e = extractelement {kind} %{name}.x, i64 {lane}',
                          f'  store double {place}e, ptr {place}p']
        if pack:
            lines.append(f'  store {kind} {vector}, ptr %{name}.v, align 8')
        return [*lines, f'  %{name}.k1 = add i64 %{name}.k, 1',
                f'  %{name}.more = icmp slt i64 %{name}.k1, {count}',
                f'  br i1 %{name}.more, label %{name}.loop, label %{name}.done', f'{name}.done:']

    def _call(self, k: int) -> list[str]:
        packed = ', '.join(f'ptr %a{k}.lanes' for k in range(len(self._inputs)))
        return [f'  call void %sweep{k}({packed}, ptr %gravity, ptr %constants, ptr %topology, '
                f'ptr %result.lanes, i64 {self._plan.length}, ptr %work)']

    def _handed(self, lanes: Sequence[Sequence[Operand]], together: Width = SCALAR,
                others: Sequence[Operand] = ()) -> list[str]:
        """Return the code that puts records, one for each lane, where sweeps are handed them."""
        kept = flatten(tuple(self._kept.values()))
        scalars = [scalar for record in lanes for scalar in record]
        lines = self._block.compute(self._trace, [*scalars, *others, *kept], together)
        for lane, record in enumerate(lanes):
            for slot, scalar in enumerate(record):
                lines += self._block.store(scalar, '%work', slot * self._plan.lanes + lane)
        return lines

    def _found(self, phase: str, template: Any, lane: int) -> Any:
        """Return what a sweep has handed on in a lane."""
        slots = iter(range(len(flatten(template))))
        return mapped(template, lambda _: self._trace.input(
            phase, next(slots) * self._plan.lanes + lane))

    def _outward(self) -> list[Any]:
        """Return what each segment is handed in the first sweep of the plain program."""
        sweep = self._segmented.lead[0]
        handed = sweep.start(self._world)
        for i in range(self._plan.lead):
            step = sweep.step(self._bodies[i], self._joints[i], handed)
            handed, self._kept[i] = step.hand, step.keep
        lanes = [handed]
        template = self._segmented.sweeps[0].start(self._world)
        for lane in range(self._plan.lanes - 1):
            i = self._plan.first(lane + 1) - 1
            handed, self._kept[i] = self._segmented.passing(
                self._bodies[i], self._joints[i], handed,
                self._found('surveyed', template, lane))
            lanes.append(handed)
        return lanes

    def _inward_and_out(self) -> tuple[list[Any], dict[int, Operand]]:
        """Return what each segment is handed in the last sweep, and the other bodies' results."""
        plan, segmented = self._plan, self._segmented
        _, inward, outward = segmented.lead
        template = segmented.sweeps[2].zero
        segments = [self._found('segments', template, lane) for lane in range(plan.lanes)]
        beyond, joined = segments[-1].carried, {}
        for lane in reversed(range(plan.lanes - 1)):
            i = plan.first(lane + 1) - 1
            beyond, joined[i] = segmented.join(
                self._bodies[i], self._joints[i], beyond, segments[lane], self._kept[i])
        pivots = {}
        for i in reversed(range(plan.lead)):
            step = inward.step(self._bodies[i], self._joints[i], beyond, self._kept[i])
            beyond, pivots[i] = step.hand, step.keep
        results: dict[int, Operand] = {}
        handed = outward.start(self._world)
        for i in range(plan.lead):
            step = outward.step(self._bodies[i], self._joints[i], handed, self._kept[i], pivots[i])
            handed = step.hand
            results.update(enumerate(step.out, self._model.v_offsets[i]))
        lanes = []
        for lane in range(plan.lanes - 1):
            i = plan.first(lane + 1) - 1
            wrench, behind, rates = segmented.part(
                self._bodies[i], self._joints[i], handed, segments[lane], joined[i])
            lanes.append((handed, wrench))
            results.update(enumerate(rates, self._model.v_offsets[i]))
            handed = behind
        return [*lanes, (handed, segmented.last)], results
