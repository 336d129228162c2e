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
Slots of loop rows in the lanes of a node.

A lane carries the rows of its own loops only. Each lane counts them from zero on, so that the legs
of a platform, whose rows have different slots in the tree, use the same few slots side by side.
An *order* says for each slot of a lane which slot of the tree it is, -1 for none.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbd_ros.execution.program.sweeps import Tree
from mbd_ros.execution.unrolled.bundles import Node

Order = tuple[int, ...]


def in_slots(record: Any, order: Order) -> Any:
    """Return a record whose slot k is slot ``order[k]`` of one that carries rows."""
    if order == tuple(range(len(order))) or not hasattr(record, 'in_slots'):
        return record
    return record.in_slots(order)


def inverse(order: Order) -> Order:
    """Return the order that leads back."""
    return tuple(order.index(slot) if slot in order else -1 for slot in range(len(order)))


class LaneSlots:
    """
    The orders of all nodes.

    Parameters
    ----------
    tree : Tree
        Bodies, and the rows that they carry.
    nodes : sequence of Node
        Bodies that run at the same time, parents first.
    above : sequence of int or None
        The node that holds a node's parents in the same lanes, if there is one: both have the
        same orders.

    """

    def __init__(self, tree: Tree, nodes: Sequence[Node], above: Sequence[int | None]) -> None:
        self._tree, self._nodes = tree, nodes
        self._tops: list[int] = []
        for number, straight in enumerate(above):
            self._tops.append(number if straight is None else self._tops[straight])
        carried: dict[tuple[int, int], set[int]] = {}
        for number, node in enumerate(nodes):
            for k, i in enumerate(node.bodies):
                carried.setdefault((self._tops[number], k), set()).update(
                    slot for slot, row in enumerate(tree.rows[i + 1]) if row >= 0)
        self._orders = {place: (*sorted(slots), *(-1,) * (tree.slots - len(slots)))
                        for place, slots in carried.items()}
        for number, node in enumerate(nodes):
            if node.lanes == 1 or len({self._closed(number, k) for k in range(node.lanes)}) > 1:
                self._orders.update({(self._tops[number], k): tuple(range(tree.slots))
                                     for k in range(node.lanes)})

    def order(self, number: int, k: int) -> Order:
        """Return the order of a lane of a node."""
        return self._orders[self._tops[number], k]

    def common(self, number: int) -> bool:
        """Return whether all lanes of a node have the same order."""
        return len({self.order(number, k) for k in range(self._nodes[number].lanes)}) == 1

    def closes(self, number: int) -> Order:
        """Return the slots of a node's lanes that end there."""
        return self._closed(number, 0)

    def _closed(self, number: int, k: int) -> Order:
        order = self.order(number, k)
        return tuple(order.index(slot)
                     for slot in self._tree.bodies[self._nodes[number].bodies[k]].closes)
