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

"""IR of the function that runs the trunk of a tree and has its subtrees run by workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mbd_ros.execution.ir.machine_code import address_ir
from mbd_ros.execution.program.sweeps import Inward, Outward, Program
from mbd_ros.execution.rolled.code import RolledCode
from mbd_ros.execution.rolled.plan import call_ir, phases
from mbd_ros.execution.rolled.ties_in_place import declared

_HELPERS = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define private ptr @obtain(ptr %slot, i64 %size) nounwind {
  %old = atomicrmw xchg ptr %slot, ptr null acquire
  %none = icmp eq ptr %old, null
  br i1 %none, label %make, label %have
have:
  ret ptr %old
make:
  %new = call ptr @malloc(i64 %size)
  ret ptr %new
}
define private void @restore(ptr %slot, ptr %piece) nounwind {
  %old = atomicrmw xchg ptr %slot, ptr %piece acq_rel
  call void @free(ptr %old)
  ret void
}
define private void @accumulate(ptr %sum, ptr %part, i64 %count) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %sp = getelementptr double, ptr %sum, i64 %i
  %pp = getelementptr double, ptr %part, i64 %i
  %s = load double, ptr %sp
  %p = load double, ptr %pp
  %t = fadd double %s, %p
  store double %t, ptr %sp
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


class Bodies(NamedTuple):
    """
    The trunk or a part as the code sees it.

    Attributes
    ----------
    bodies : int
        Number of bodies.
    spans : tuple of (int, int)
        First entry and number of entries in q, and in v.
    row : int
        Row of the trunk on which a part hangs.
    share : int
        The worker that runs it.

    """

    bodies: int
    spans: tuple[tuple[int, int], tuple[int, int]]
    row: int = 0
    share: int = 0


def subtrees_ir(program: Program, rolled: RolledCode, trunk: Bodies, parts: Sequence[Bodies],
                ties: Mapping[int, Sequence[str]], world: int) -> str:
    """
    Return the IR of ``void kernel(argument..., world, result)`` for one state.

    The addresses are: ``claim, post, finish, leave, now``; ``begin0, sweep0, begin1, ...``;
    constants and topology of the trunk and of each part; a worker for each share but the first.
    ``ties`` is the code of each sweep of ties: it finds the trunk in ``%work`` and part k in
    ``%pk.rows``.
    """
    return _Writer(program, rolled, trunk, parts, ties, world).ir()


class _Writer:
    def __init__(self, program: Program, rolled: RolledCode, trunk: Bodies,
                 parts: Sequence[Bodies], ties: Mapping[int, Sequence[str]],
                 world: int) -> None:
        self._program, self._rolled, self._trunk, self._parts = program, rolled, trunk, parts
        self._ties, self._world = ties, world
        self._shares = 1 + max(part.share for part in parts)
        self._phases = phases(program)
        self._swept = program.swept
        self._inputs = ['q' if name == 'q' else 'v' for name in program.inputs]
        self._places, self._sizes = self._layout()

    def _layout(self) -> tuple[list[dict[str, int]], list[int]]:
        """Return where in its job each part has what, and how many values a job holds."""
        sizes, places = [self._world] * self._shares, []
        for part in self._parts:
            rooms = {f'a{k}': part.spans[kind == 'v'][1] for k, kind in enumerate(self._inputs)}
            rooms['result'] = part.spans[1][1]
            rooms.update({f'handed{k}': self._rolled.hands[k] for k, sweep in enumerate(
                self._program.sweeps) if isinstance(sweep, Outward)})
            rooms['rows'] = self._rolled.work_size(part.bodies, 0)
            place = {}
            for name, count in rooms.items():
                place[name] = sizes[part.share]
                sizes[part.share] += count
            places.append(place)
        return places, sizes

    def ir(self) -> str:
        slots = ['@spare', *(f'@job{share}' for share in range(self._shares))]
        lines = [_HELPERS, *declared(self._program),
                 *(f'{slot} = internal global ptr null' for slot in slots),
                 'define void @release() nounwind {']
        for k, slot in enumerate(slots):
            lines += [f'  %p{k} = atomicrmw xchg ptr {slot}, ptr null acquire',
                      f'  call void @free(ptr %p{k})']
        lines += ['  ret void', '}']
        for number, (kind, sweeps) in enumerate(self._phases):
            if kind == 'parts':
                for share in range(self._shares):
                    lines += self._task(number, share, sweeps)
        return '\n'.join([*lines, *self._driver('alone'), *self._driver('kernel')])

    def _function(self, what: str, k: int) -> int:
        return 5 + 2 * self._swept.index(k) + (what == 'sweep')

    def _tables(self, number: int) -> int:
        """Return the address of the constants of the trunk (0) or a part; topology is next."""
        return 5 + 2 * len(self._swept) + 2 * number

    def _worker(self, share: int) -> int:
        return self._tables(len(self._parts) + 1) + share - 1

    def _run(self, name: str, what: str, k: int, number: int, pointers: Sequence[str], count: int
             ) -> list[str]:
        """Return the call of ``begin`` or ``sweep`` k for the trunk (0) or a part."""
        return call_ir(name, self._function(what, k), self._tables(number), pointers, count)

    def _task(self, phase: int, share: int, sweeps: Sequence[int]) -> list[str]:
        """Return the function that runs the parts of a share in a phase."""
        lines = [f'define private void @task{phase}.{share}(ptr %job) nounwind {{']
        for number, (part, place) in enumerate(zip(self._parts, self._places)):
            if part.share != share:
                continue
            p = f'p{number}'
            for name, offset in place.items():
                lines.append(f'  %{p}.{name} = getelementptr double, ptr %job, i64 {offset}')
            pointers = [*(f'%{p}.a{k}' for k in range(len(self._inputs))), '%job',
                        f'%{p}.result', f'%{p}.rows']
            for k in sweeps:
                if isinstance(self._program.sweeps[k], Outward):
                    lines += _copy(f'%{p}.rows', f'%{p}.handed{k}', self._rolled.hands[k])
                else:
                    lines += self._run(f'{p}.b{k}', 'begin', k, number + 1, pointers, part.bodies)
                lines += self._run(f'{p}.s{k}', 'sweep', k, number + 1, pointers, part.bodies)
        return [*lines, '  ret void', '}']

    def _driver(self, name: str) -> list[str]:
        """Return ``kernel``, which has workers, or ``alone``, which has none."""
        helped, others = name == 'kernel', range(1, self._shares)
        arguments = [*(f'%a{k}' for k in range(len(self._inputs))), '%world', '%result']
        parameters = ', '.join(f'ptr {argument}' for argument in arguments)
        private = '' if helped else 'private '
        lines = [f'define {private}void @{name}({parameters}) nounwind {{', 'entry:']
        if helped:
            lines += [address_ir(f'%{call}', k) for k, call in enumerate(
                ('claim', 'post', 'finish', 'leave', 'now'))]
            for share in others:
                refused = [f'  call void %leave(ptr %w{got})' for got in range(1, share)]
                lines += [address_ir(f'%w{share}', self._worker(share)),
                          f'  %got{share} = call i1 %claim(ptr %w{share})',
                          f'  br i1 %got{share}, label %have{share}, label %none{share}',
                          f'none{share}:', *refused, f'  call void @alone({parameters})',
                          '  ret void', f'have{share}:']
        work = 8 * self._rolled.work_size(self._trunk.bodies, 0)
        lines.append(f'  %work = call ptr @obtain(ptr @spare, i64 {work})')
        for share, size in enumerate(self._sizes):
            lines += [f'  %job{share} = call ptr @obtain(ptr @job{share}, i64 {8 * size})',
                      *_copy(f'%job{share}', '%world', self._world)]
        for number, (part, place) in enumerate(zip(self._parts, self._places)):
            for key, offset in place.items():
                lines.append(f'  %p{number}.{key} = getelementptr double, ptr %job{part.share}, '
                             f'i64 {offset}')
            for k, kind in enumerate(self._inputs):
                first, count = part.spans[kind == 'v']
                lines += [f'  %p{number}.from{k} = getelementptr double, ptr %a{k}, i64 {first}',
                          *_copy(f'%p{number}.a{k}', f'%p{number}.from{k}', count)]
            lines.append(f'  %p{number}.row = getelementptr double, ptr %work, '
                         f'i64 {part.row * self._rolled.row}')
        for number, (kind, sweeps) in enumerate(self._phases):
            if kind == 'trunk':
                lines += self._trunk_sweep(sweeps[0], [*arguments, '%work'])
            elif kind == 'ties':
                lines += self._ties[sweeps[0]]
            elif helped:
                lines += self._hand_over(number, parameters)
            else:
                lines += [f'  call void @task{number}.{share}(ptr %job{share})'
                          for share in range(self._shares)]
        for number, part in enumerate(self._parts):
            first, count = part.spans[1]
            lines += [f'  %p{number}.to = getelementptr double, ptr %result, i64 {first}',
                      *_copy(f'%p{number}.to', f'%p{number}.result', count)]
        lines += self._give_back()
        if helped:
            lines += [f'  call void %leave(ptr %w{share})' for share in others]
        return [*lines, '  ret void', '}']

    def _give_back(self) -> list[str]:
        return ['  call void @restore(ptr @spare, ptr %work)',
                *(f'  call void @restore(ptr @job{share}, ptr %job{share})'
                  for share in range(self._shares))]

    def _trunk_sweep(self, k: int, pointers: Sequence[str]) -> list[str]:
        lines = self._run(f't.b{k}', 'begin', k, 0, pointers, self._trunk.bodies)
        hand = self._rolled.hands[k]
        if isinstance(self._program.sweeps[k], Inward):
            for number in reversed(range(len(self._parts))):
                lines.append(f'  call void @accumulate(ptr %p{number}.row, ptr %p{number}.rows, '
                             f'i64 {hand})')
        lines += self._run(f't.s{k}', 'sweep', k, 0, pointers, self._trunk.bodies)
        if isinstance(self._program.sweeps[k], Outward):
            for number in range(len(self._parts)):
                lines += _copy(f'%p{number}.handed{k}', f'%p{number}.row', hand)
        return lines

    def _hand_over(self, phase: int, parameters: str) -> list[str]:
        """Return the code that has all shares run, and gives up if a worker is late."""
        others = range(1, self._shares)
        lines = [f'  %posted{phase} = call i64 %now()']
        lines += [f'  call void %post(ptr %w{share}, ptr @task{phase}.{share}, ptr %job{share})'
                  for share in others]
        lines.append(f'  call void @task{phase}.0(ptr %job0)')
        all_done = 'true'
        for share in others:
            done = f'%done{phase}.{share}'
            lines += [f'  {done} = call i1 %finish(ptr %w{share}, i64 %posted{phase})',
                      f'  {done}.all = and i1 {done}, {all_done}']
            all_done = f'{done}.all'
        lines += [f'  br i1 {all_done}, label %on{phase}, label %late{phase}', f'late{phase}:',
                  '  call void @restore(ptr @spare, ptr %work)',
                  '  call void @restore(ptr @job0, ptr %job0)']
        for share in others:
            label = f'{phase}.{share}'
            lines += [f'  br i1 %done{label}, label %free{label}, label %lost{label}',
                      f'free{label}:', f'  call void %leave(ptr %w{share})',
                      f'  call void @restore(ptr @job{share}, ptr %job{share})',
                      f'  br label %lost{label}', f'lost{label}:']
        return [*lines, f'  call void @alone({parameters})', '  ret void', f'on{phase}:']


def _copy(to: str, source: str, count: int) -> list[str]:
    return [f'  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {8 * count}, '
            'i1 false)']
