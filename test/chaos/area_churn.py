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

"""Much of the same: goals, requests, nodes and robots by the thousand leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import sys
import threading
import time

from area_clients import memory, SUPPORT
from demo import ARM, Demo, NODES, ROOT, stage
from graphs import Graph
from mbd_msgs.action import FollowPath
from mbd_msgs.srv import MassMatrix
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from score import Score
from sound import PATH, question
from std_msgs.msg import String

HERE = Path(__file__).resolve().parent
LOOKS = 5
MEGABYTES = 4.0   # of the second half; what grows with each of a thousand grows by more
FILES, THREADS = 3, 2   # a connection or pool that is just open
GOALS_TIME = 240.0      # s: 1,500 goals on a machine that is busy with other programs
Left = tuple[float, int, int]


def left(process: int) -> Left:
    """Return memory [MB], threads and open files of a process."""
    folder = Path(f'/proc/{process}')
    return (memory(process) / 1e6, len(list((folder / 'task').iterdir())),
            len(list((folder / 'fd').iterdir())))


def flat(demo: Demo, what: str, count: int, do: Callable[[int], None]) -> None:
    """Do something many times; memory, threads and files of the nodes stay as they become."""
    curves: dict[str, list[Left]] = {name: [] for name in NODES}
    for look in range(LOOKS):
        do(count // LOOKS)
        time.sleep(3.0)   # what is still on its way, and what waits for a client that has gone
        for name in NODES:
            curves[name].append(left(demo.process_of(name)))
        del look
    for name, curve in curves.items():
        print(f'    {count} {what}, {name}: ' + '; '.join(
            f'{size:.1f} MB {threads} threads {files} files' for size, threads, files in curve))
    for name, curve in curves.items():
        middle, end = curve[LOOKS // 2], curve[-1]
        assert end[0] - middle[0] < MEGABYTES, f'{name} grows: {curve}'
        assert end[1] - middle[1] <= THREADS and end[2] - middle[2] <= FILES, f'{name}: {curve}'


def run(score: Score) -> None:
    """Count what is left after each."""
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        with score.trial('as many goals at once: all get an answer'):
            goals_at_once(graph, score.cases(200, 1500))
            demo.tracks_again(60.0)
            demo.sound()
        with score.trial('requests one after the other'):
            flat(demo, 'requests', score.cases(2000, 20_000), lambda n: requests(graph, n))
        with score.trial('goals one after the other'):
            flat(demo, 'goals', score.cases(100, 1000), lambda n: goals(graph, n))
            demo.tracks_again(60.0)
        with score.trial('robots one after the other'):
            flat(demo, 'robots', score.cases(10, 50), lambda n: robots(graph, n))
            demo.tracks_again(60.0)
            demo.sound()
        with score.trial('nodes one after the other'):
            count = score.cases(100, 1000)
            flat(demo, 'nodes beside', count, lambda n: nodes(start, graph, n))
            demo.sound()


def goals_at_once(graph: Graph, count: int) -> None:
    """Send goals without waiting for any."""
    client = ActionClient(graph.node, FollowPath, 'controller/follow_path')
    assert client.wait_for_server(60.0)
    begin = time.monotonic()
    answers = [client.send_goal_async(FollowPath.Goal(task=PATH)) for _ in range(count)]
    graph.wait_until(lambda: all(one.done() for one in answers), 'every goal has an answer',
                     GOALS_TIME)
    accepted = sum(one.result().accepted for one in answers)
    print(f'    {count} goals answered in {time.monotonic() - begin:.1f} s, {accepted} accepted')
    assert accepted >= 1
    client.destroy()


def requests(graph: Graph, count: int) -> None:
    """Ask, with some requests open at a time."""
    client = graph.node.create_client(MassMatrix, 'dynamics_server/mass_matrix')
    assert client.wait_for_service(60.0)
    free, wrong = threading.Semaphore(50), []

    def done(future: object) -> None:
        free.release()
        if not future.result().success:
            wrong.append(future)
    for _ in range(count):
        assert free.acquire(timeout=60.0), 'no answer within 60 s'
        client.call_async(question()).add_done_callback(done)
    for _ in range(50):
        assert free.acquire(timeout=60.0), 'no answer within 60 s'
    assert not wrong
    graph.node.destroy_client(client)


def goals(graph: Graph, count: int) -> None:
    """Send goals, each of which takes the place of the one before."""
    client = ActionClient(graph.node, FollowPath, 'controller/follow_path')
    assert client.wait_for_server(60.0)
    for _ in range(count):
        sent = client.send_goal_async(FollowPath.Goal(task=PATH))
        graph.wait_until(sent.done, 'a goal has its answer')
    client.destroy()


def robots(graph: Graph, count: int) -> None:
    """Publish descriptions of robots that differ by a mass, and in the end the right one."""
    text = (ROOT / 'urdf' / f'{ARM}.urdf').read_text()
    publisher = graph.node.create_publisher(String, 'robot_description', QoSProfile(
        depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    for turn in range(count):
        publisher.publish(String(data=text.replace('<mass value="', f'<mass value="1.{turn}', 1)))
        time.sleep(1.0)
    publisher.publish(String(data=text))
    time.sleep(3.0)
    graph.node.destroy_publisher(publisher)


def nodes(start: Callable[..., object], graph: Graph, count: int) -> None:
    """Make and remove nodes in a process beside; it, too, has nothing left."""
    other = start(sys.executable, HERE / 'cycles.py', str(count), environment=SUPPORT)
    graph.wait_until(lambda: not other.up, 'they are made', 600.0)
    assert other.process.returncode == 0, other.output


if __name__ == '__main__':
    print(left(os.getpid()))
