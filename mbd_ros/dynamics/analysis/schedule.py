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

"""Lengths of schedules on several processors, operations taken by their critical paths."""

from __future__ import annotations

import heapq

from mbd_ros.dynamics.analysis.counting import Graph


def schedule_length(graph: Graph, places: list[int], processors: int, communication: int = 0
                    ) -> int:
    """
    Return how many steps a list schedule takes.

    At each step the operations that can run are taken in the order of the longest paths that
    begin with them.

    Parameters
    ----------
    graph : Graph
        Operations, one step each.
    places : list of int
        Those that are needed, in order.
    processors : int
        How many run at a time.
    communication : int
        Steps until a result is on other processors than that which computed it.

    Returns
    -------
    int
        The number of steps.

    """
    wanted = set(places)
    waits = {place: [one for one in graph.waits[place] if one in wanted] for place in places}
    followers: dict[int, list[int]] = {place: [] for place in places}
    for place in places:
        for one in waits[place]:
            followers[one].append(place)
    ahead: dict[int, int] = {}
    for place in reversed(places):
        ahead[place] = 1 + max((ahead[one] for one in followers[place]), default=0)
    left = {place: len(waits[place]) for place in places}
    ready = [(-ahead[place], place) for place in places if not left[place]]
    heapq.heapify(ready)
    end: dict[int, tuple[int, int]] = {}   # step, processor
    step = 0
    while len(end) < len(places):
        idle, begun, later = set(range(processors)), [], []
        while ready and idle:
            entry = heapq.heappop(ready)
            late = {end[one][1] for one in waits[entry[1]]
                    if end[one][0] + communication > step}
            if len(late) > 1 or late - idle:   # two results, or one, are still on their way
                later.append(entry)
                continue
            processor = late.pop() if late else min(idle)
            idle.remove(processor)
            begun.append((entry[1], processor))
        step += 1
        for place, processor in begun:
            end[place] = step, processor
            for one in followers[place]:
                left[one] -= 1
                if not left[one]:
                    heapq.heappush(ready, (-ahead[one], one))
        for entry in later:
            heapq.heappush(ready, entry)
    return step
