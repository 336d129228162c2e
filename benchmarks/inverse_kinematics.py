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
Inverse kinematics beside TRAC-IK and pink, default settings.

``python -m benchmarks.inverse_kinematics ROBOT.urdf LINK ...`` draws reachable poses and prints,
for each robot and link, how many are found and in which processor time; without arguments, of the
robots in the wheel example-robot-data. TRAC-IK runs if ``pip install pytracik`` did.
"""

from collections.abc import Callable, Iterator
import contextlib
from pathlib import Path
import sys
import time
from typing import Any

from lxml import etree
import numpy as np

from benchmarks.robots import FOLDER
import mbd_ros

POSES, SINGLE, NEAR, LOOPED = 10_000, 1000, 0.05, 500
ARMS = (('panda_description/urdf/panda.urdf', 'panda_hand'),
        ('ur_description/urdf/ur5_robot.urdf', 'tool0'),
        ('xarm_description/urdf/xarm7.urdf', 'link_eef'),
        ('talos_data/robots/talos_left_arm.urdf', 'arm_left_7_link'),
        ('g1_description/urdf/g1_29dof_rev_1_0.urdf', 'left_rubber_hand'))
LOOPS = (('stewart.urdf.xacro', 'platform', True), ('delta.urdf.xacro', 'platform', False),
         ('five_bar.urdf', 'tool', False), ('four_bar.urdf', 'rocker', True))
HEAD = ('| robot, link | joints | found of 10,000 | batch, one thread [us a pose] | poses/s | '
        'alone: median, mean [us] | 0.05 rad away: median, mean [us] | '
        'TRAC-IK: found, median, mean [us] |\n|---|---|---|---|---|---|---|---|')
LOOPED_HEAD = ('| robot, link | rates | found of 500 | batch [us a pose] | alone: median [us] |'
               '\n|---|---|---|---|---|')


def rows() -> Iterator[str]:
    """Yield the table of arms in the wheel."""
    yield from arms([(str(FOLDER / path), link) for path, link in ARMS])


def arms(robots: list[tuple[str, str]]) -> Iterator[str]:
    """Yield a row for each robot and link."""
    yield HEAD
    yield from (_arm(path, link) for path, link in robots)


def _arm(path: str, link: str) -> str:
    """Return the row of a robot."""
    model, rng = mbd_ros.load(path), np.random.default_rng(0)
    q = mbd_ros.random_configuration(model, rng, POSES)
    poses = mbd_ros.pose(model, q, link)
    near = q + rng.uniform(-NEAR, NEAR, q.shape)
    mbd_ros.inverse_kinematics(model, {link: poses[:8]})
    start = time.process_time()
    found = mbd_ros.inverse_kinematics(model, {link: poses})
    batch = (time.process_time() - start) / POSES
    alone = _times(lambda k: mbd_ros.inverse_kinematics(model, {link: poses[k]}).converged)
    beside = _times(lambda k: mbd_ros.inverse_kinematics(
        model, {link: poses[k]}, near[k]).converged)
    peer = '-'
    with contextlib.suppress(ImportError):
        peer = '{:.1f} %, {:.0f}, {:.0f}'.format(*_times(_trac_ik(model, path, link, poses)))
    share = 100.0 * found.converged.mean()
    return (f'| {Path(path).name}, `{link}` | {_moving(model, link)} | {share:.2f} % | '
            f'{1e6 * batch:.1f} | {1.0 / batch:,.0f} | {alone[1]:.0f}, {alone[2]:.0f} | '
            f'{beside[1]:.0f}, {beside[2]:.0f} | {peer} |')


def _times(solve: Callable[[int], Any]) -> tuple[float, float, float]:
    """Return the share [%] that is found, and median and mean of processor times [us]."""
    times, found = [], 0
    solve(0)
    for k in range(SINGLE):
        start = time.process_time()   # of all threads: TRAC-IK has two of its own
        found += bool(solve(k))
        times.append(time.process_time() - start)
    return 100.0 * found / SINGLE, 1e6 * np.median(times), 1e6 * np.mean(times)


def _moving(model: mbd_ros.Model, link: str) -> int:
    """Return the number of joints on the way to a link."""
    body, count = model.links[link].body, 0
    while body >= 0:
        body, count = model.parents[body], count + model.joint_types[body].nv
    return count


def _trac_ik(model: mbd_ros.Model, path: str, link: str, poses: np.ndarray
             ) -> Callable[[int], Any]:
    """Return a function that solves by TRAC-IK from zero; it gives up after 0.1 s, not 5 ms."""
    from trac_ik import TracIK
    root = etree.parse(path).getroot()
    children = {joint.find('child').get('link') for joint in root.findall('joint')}
    base, = {one.get('name') for one in root.findall('link')} - children
    solver = TracIK(base, link, path, timeout=0.1)   # of wall time, for busy machines
    # Its base is the URDF's root, whose pose in the world ours are given in.
    poses = np.linalg.inv(mbd_ros.pose(model, mbd_ros.neutral(model), base)) @ poses
    middle = np.clip(np.zeros(solver.dof), *solver.joint_limits)
    return lambda k: solver.ik(poses[k, :3, 3], poses[k, :3, :3], middle) is not None


def loops() -> Iterator[str]:
    """Yield the table of robots with closed loops, within their limits."""
    yield LOOPED_HEAD
    for name, link, pose in LOOPS:
        model, rng = mbd_ros.load(f'package://mbd_ros/urdf/{name}'), np.random.default_rng(3)
        closed, _ = mbd_ros.close_loops(model, mbd_ros.neutral(model))
        entries = [k for k, kind in zip(model.q_offsets, model.joint_types) if kind.nv == 1]
        rates = [k for k, kind in zip(model.v_offsets, model.joint_types) if kind.nv == 1]
        wanted: list[np.ndarray] = []
        while len(wanted) < LOOPED:
            one = mbd_ros.integrate(model, closed, rng.choice((0.1, 0.4)) * rng.normal(
                size=model.nv))
            with contextlib.suppress(mbd_ros.MbdError):
                one, _ = mbd_ros.close_loops(model, one)
                if (one[entries] >= model.lower[rates]).all() and (
                        one[entries] <= model.upper[rates]).all():
                    wanted.append(one)
        poses = mbd_ros.pose(model, np.array(wanted), link)
        targets = poses if pose else poses[:, :3, 3]
        mbd_ros.inverse_kinematics(model, {link: targets[:8]}, closed)
        start = time.process_time()
        found = mbd_ros.inverse_kinematics(model, {link: targets}, closed)
        batch = (time.process_time() - start) / LOOPED
        times = []
        for k in range(LOOPED):
            start = time.thread_time()
            mbd_ros.inverse_kinematics(model, {link: targets[k]}, closed)
            times.append(time.thread_time() - start)
        yield (f'| {name}, `{link}` | {model.nv} | {100.0 * found.converged.mean():.2f} % | '
               f'{1e6 * batch:.0f} | {1e6 * np.median(times):.0f} |')


def steps() -> Iterator[str]:
    """Yield the table of differential steps, one frame, beside pink."""
    import pink
    import pinocchio as pin
    path = str(FOLDER / 'panda_description/urdf/panda.urdf')
    model, peer, rng = mbd_ros.load(path), pin.buildModelFromUrdf(path), np.random.default_rng(0)
    data = peer.createData()
    q = mbd_ros.random_configuration(model, rng)
    target = mbd_ros.pose(model, q + rng.uniform(-NEAR, NEAR, model.nv), 'panda_hand')
    task = pink.tasks.FrameTask('panda_hand', position_cost=1.0, orientation_cost=1.0)
    task.set_target(pin.SE3(target))
    at = pink.Configuration(peer, data, q)

    def theirs(k: int) -> bool:
        at.update(q)
        pink.solve_ik(at, [task], 0.01, solver='quadprog', safety_break=False)
        return True

    def ours(k: int) -> bool:
        mbd_ros.differential_inverse_kinematics(model, q, {'panda_hand': target}, 0.01)
        return True

    found = {name: _times(one) for name, one in (('pink', theirs), ('mbd_ros', ours))}
    yield '| a step of the Panda, one pose | median [us] | mean [us] |\n|---|---|---|'
    for name, (_, median, mean) in found.items():
        yield f'| {name} | {median:.0f} | {mean:.0f} |'


if __name__ == '__main__':
    given = sys.argv[1:]
    if len(given) % 2:
        sys.exit(str(__doc__).strip())
    for line in (arms(list(zip(given[::2], given[1::2]))) if given else rows()):
        print(line, flush=True)
