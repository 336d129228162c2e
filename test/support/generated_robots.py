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
Files of loop joints and module graphs that are generated from their grammar, mostly well formed.

Mutations of files (``fuzz_descriptions``) damage one thing; here every value is drawn: right ones,
extreme ones and wrong ones, names that exist and names that do not.
"""

from __future__ import annotations

import json
import random
from typing import Any

from mbd_ros.description.records.loop_joints import KINDS as LOOP_KINDS

WRONG = ('', 'nan', '.inf', '1e400', 'x', [], {}, [1, 2], True, None, -1, '1 deg', 'a.b', 'é',
         '\u202e', 'x' * 5000, '9' * 400, '$(eval 1)', '/etc/passwd', [[[[]]]], {'x': 1})
OUTER = ('outer0', 'outer1', 'outer2')
NUMBERS = (0, 1, -1, 1e-12, 1e12, 1e-300, 1e300, '90 deg')


class Drawn:
    """
    Draws values; a part of them is wrong.

    Parameters
    ----------
    rng : random.Random
        The source.
    wrong : float
        How many of all values are.

    """

    def __init__(self, rng: random.Random, wrong: float) -> None:
        self.rng, self.wrong = rng, wrong

    def of(self, *values: Any) -> Any:
        """Return one of these, seldom a wrong one."""
        return self.rng.choice(WRONG if self.rng.random() < self.wrong else values)

    def number(self) -> Any:
        """Return a number, mostly of usual size."""
        usual = round(self.rng.uniform(-2.0, 2.0), 3)
        return self.of(usual) if self.maybe(0.97) else self.rng.choice(NUMBERS)

    def row(self, count: int = 3) -> Any:
        """Return a list of numbers."""
        return self.of([self.number() for _ in range(count)])

    def some(self, **fields: Any) -> dict[str, Any]:
        """Return fields, of which one may be missing, doubled in another, or unknown."""
        found = dict(fields)
        if found and self.rng.random() < self.wrong:
            del found[self.rng.choice(list(found))]
        if self.rng.random() < self.wrong:
            found[self.rng.choice(('name', 'typ', 'joints', 'x'))] = self.number()
        return found

    def maybe(self, share: float = 0.5) -> bool:
        """Return true in a share of cases."""
        return self.rng.random() < share


def loops_file(rng: random.Random, links: list[str]) -> str:
    """Return the text of a file of loop joints and springs between links of a robot."""
    one = Drawn(rng, rng.choice((0.0, 0.0, 0.005, 0.03)))

    def end(*, turned: bool) -> Any:
        return one.of(one.some(link=one.of(*links), **({'xyz': one.row()} if one.maybe() else {}),
                               **({'rpy': one.row()} if turned and one.maybe() else {})))

    def joint(index: int) -> Any:
        kind = one.of(*LOOP_KINDS)
        return one.some(name=one.of(f'loop{index}'), type=kind, link1=end(turned=True),
                        link2=end(turned=True),
                        **({'distance': one.of(0.5, 2)} if kind == 'distance' else {}))

    def spring(index: int) -> Any:
        return one.some(name=one.of(f'spring{index}'), link1=end(turned=False),
                        link2=end(turned=False),
                        **{name: one.of(0.5, 2, 1e12)
                           for name in ('stiffness', 'damping', 'length') if one.maybe()})
    return json.dumps(one.some(
        version=one.of(1), loop_joints=one.of([joint(k) for k in range(rng.randint(0, 4))]),
        springs=one.of([spring(k) for k in range(rng.randint(0, 3))])))


def graph_file(rng: random.Random, most: int = 12) -> str:
    """Return the text of a module graph; trees with rings, and at times what is neither."""
    one = Drawn(rng, rng.choice((0.0, 0.0, 0.002, 0.02)))
    types = {f'type{k}': _module_type(one) for k in range(rng.randint(1, 3))}
    instances = {f'm{k}': rng.choice(list(types)) for k in range(rng.randint(1, most))}
    free = [f'm0.{port}' for port in OUTER]
    connections = []
    for name in list(instances)[1:]:
        if not free:
            break
        parent = one.of(free.pop(rng.randrange(len(free))))
        connections.append(one.some(
            parent=parent, child=one.of(f'{name}.inner'),
            **({'angle': one.of(0, '90 deg', one.number())} if one.maybe(0.3) else {})))
        free += [f'{name}.{port}' for port in OUTER if one.maybe()]
    for _ in range(rng.choice((0, 0, 0, 1, 3))):   # rings, from free ports or taken ones
        parent, child = (one.of(*free[:9], 'm0.outer0', 'm1.inner') for _ in range(2))
        connections.append(one.some(parent=parent, child=child, closes_loop=one.of('true')))
    names = list(instances)
    return json.dumps(one.some(
        module_graph=one.of(1), name=one.of('robot'), types=types, instances=instances,
        connections=connections, base=one.some(
            module=one.of(names[0]), motion=one.of('fixed', 'floating'))))


def _module_type(one: Drawn) -> Any:
    """Return a type of modules with a tree of bodies, and ports on them."""
    bodies = [f'b{k}' for k in range(one.rng.randint(1, 4))]

    def body() -> Any:
        size = 10.0 ** one.rng.uniform(-2.0, 1.0)
        inertia = one.of([size, size, size], [0.5 * size, size, size],
                         [size, size, size, 0, 0, 0])
        visuals = one.of([{'sphere': 0.1}, {'box': [0.1, 0.2, 0.3]}])
        return one.some(
            mass=one.of(size), center=[0, 0, 0.1] if one.maybe() else one.row(),
            inertia=inertia if one.maybe(0.98) else one.row(6),
            **({'visuals': visuals} if one.maybe(0.2) else {}))

    def moving() -> dict[str, Any]:
        kind = one.of('revolute', 'continuous', 'prismatic', 'planar', 'spherical', 'fixed')
        found: dict[str, Any] = {'type': kind}
        if kind not in ('fixed', 'spherical') and one.maybe():
            found['axis'] = one.row()
        if kind in ('revolute', 'prismatic'):
            found['limits'] = one.some(lower=one.of(-1, '-30 deg') if kind == 'revolute' else
                                       one.of(-1), upper=one.of(1), velocity=one.of(2),
                                       effort=one.of(50))
        return found
    joints = {f'j{k}': one.some(
        parent=one.of(*bodies[:k]), child=one.of(bodies[k]), position=one.row(), **moving())
        for k in range(1, len(bodies))}
    inner = {'inner': one.some(body=one.of(bodies[0]), **({'joint': moving()} if one.maybe(0.6)
                                                          else {}))}
    outer = {name: one.some(
        body=one.of(*bodies), **({'position': one.row()} if one.maybe() else {}),
        **({'orientation': one.row()} if one.maybe() else {})) for name in OUTER}
    return one.some(bodies={name: body() for name in bodies}, joints=joints,
                    ports={**inner, **outer})
