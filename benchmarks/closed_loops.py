"""Closed loops: planar rings of links and parallel robots, against Pinocchio and MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
import math
from pathlib import Path
import time
from typing import Any

from lxml import etree
import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.timing import interleaved, Timing
import mbd_ros
from mbd_ros.description.write_mjcf import mjcf_text
from mbd_ros.model import state

URDF = Path(__file__).resolve().parents[1] / 'urdf'
SIZES = (15, 51, 101, 151, 251, 1001)
LARGEST_MUJOCO = 1001
GRAVITY = (0.0, -9.81, 0.0)


def ring(size: int) -> str:
    """Return a ring of rods of 1 m and 1 kg in a plane; one of them is the ground."""
    lines = ['<robot name="ring"><link name="base"/>']
    half = (size - 1) // 2
    for side in ('a', 'b'):
        for k in range(half):
            name, parent = f'{side}{k:04}', f'{side}{k - 1:04}' if k else 'base'
            x = 1.0 if side == 'b' or k else 0.0
            lines.append(
                f'<link name="{name}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
                f'<inertia ixx="1e-3" iyy="{1 / 12}" izz="{1 / 12}" ixy="0" ixz="0" iyz="0"/>'
                f'</inertial></link><joint name="j{name}" type="revolute">'
                f'<parent link="{parent}"/><child link="{name}"/><origin xyz="{x} 0 0"/>'
                '<axis xyz="0 0 1"/><limit effort="1" velocity="1" lower="-9" upper="9"/>'
                '</joint>')
    return ''.join([*lines, '<loop_joint name="cut" type="revolute">'
                    f'<link1 link="a{half - 1:04}" xyz="1 0 0"/>'
                    f'<link2 link="b{half - 1:04}" xyz="1 0 0"/></loop_joint></robot>'])


def regular(size: int) -> np.ndarray:
    """Return the joint angles of the regular polygon below the base."""
    turn, half = 2.0 * math.pi / size, (size - 1) // 2
    return np.array([math.pi + turn] + [turn] * (half - 1) + [-turn] * half)


def rings() -> Iterator[str]:
    """Yield the table of rings."""
    yield ('| links | this [us] | first call [s] | Pinocchio constraintDynamics | MuJoCo '
           'mj_forward | Pinocchio / this | MuJoCo / this |')
    yield '|---|---|---|---|---|---|---|'
    found: list[tuple[int, float]] = []
    for size in SIZES:
        text, q = ring(size), regular(size)
        model = mbd_ros.load(text)
        zero = np.zeros(model.nv)
        begin = time.perf_counter()
        executor = 'unrolled' if size > 300 else None
        ours = mbd_ros.compile(model, gravity=GRAVITY, executor=executor).forward_dynamics
        ours(q, zero, zero)
        first = time.perf_counter() - begin
        times = interleaved({
            'this': (ours, (q, zero, zero)), 'Pinocchio': pinocchio(text, model, q),
            'MuJoCo': mujoco_call(model, q)}, rounds=9, fewest=5)
        found.append((size, times['this'].median))
        yield row(f'{size}', times, f' {first:.1f} |')
    long = [one for one in found if 51 <= one[0] <= 251]
    slope = np.polyfit(np.log([n for n, _ in long]), np.log([t for _, t in long]), 1)[0]
    yield ''
    yield f'Growth from 51 to 251 links: time ~ n^{slope:.2f}.'


def robots() -> Iterator[str]:
    """Yield the table of parallel robots."""
    yield '| robot | this [us] | Pinocchio | MuJoCo | Pinocchio / this | MuJoCo / this |'
    yield '|---|---|---|---|---|---|'
    for name in ('stewart', 'delta'):
        model = mbd_ros.load(URDF / f'{name}.urdf.xacro')
        q, zero = state.neutral(model), np.zeros(model.nv)
        times = interleaved({
            'this': (mbd_ros.compile(model).forward_dynamics, (q, zero, zero)),
            'Pinocchio': pinocchio(model.mechanism.text, model, q),
            'MuJoCo': mujoco_call(model, q)}, rounds=9)
        yield row(name, times)


def row(name: str, times: dict[str, Timing], more: str = '') -> str:
    """Return one line of a table."""
    this = times['this']
    ratios = [f'{times[peer].ratio_to(this)[1]:.1f}' for peer in ('Pinocchio', 'MuJoCo')]
    return (f'| {name} | {this.median:.2f} |{more} {times["Pinocchio"].median:.1f} | '
            f'{times["MuJoCo"].median:.1f} | {" | ".join(ratios)} |')


def pinocchio(text: str, model: Any, q: np.ndarray) -> tuple[Any, tuple[Any, ...]]:
    """Return Pinocchio's constraint dynamics of the same robot, and arguments."""
    peer = pin.buildModelFromXML(text)
    peer.gravity.linear = np.array(GRAVITY)
    constraints = pin.StdVec_RigidConstraintModel()
    for joint in model.mechanism.loop_joints:
        places: list[Any] = []
        for link, pose in ((joint.link1, joint.frame1), (joint.link2, joint.frame2)):
            frame = peer.frames[peer.getFrameId(link)]
            places += [frame.parentJoint,
                       frame.placement * pin.SE3(np.eye(3), np.array(pose.translation))]
        constraints.append(pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, peer, *places, pin.ReferenceFrame.LOCAL))
    data, datas = peer.createData(), pin.StdVec_RigidConstraintData()
    datas.extend(one.createData() for one in constraints)
    pin.initConstraintDynamics(peer, data, constraints, datas)
    settings = pin.ProximalSettings(1e-10, 1e-10, 3)
    there = q if peer.nq == len(q) else pin.neutral(peer)
    zero = np.zeros(peer.nv)
    return pin.constraintDynamics, (
        peer, data, there, zero, zero, constraints, datas, settings)


def mujoco_call(model: Any, q: np.ndarray) -> tuple[Any, tuple[Any, ...]]:
    """Return MuJoCo's forward dynamics of the same robot, and arguments."""
    loops = tuple(replace(joint, kind='spherical') for joint in model.mechanism.loop_joints)
    tree = etree.fromstring(mjcf_text(replace(model.mechanism, loop_joints=loops)).encode())
    world = tree.find('worldbody')
    for body in world.findall('.//body'):
        if body.find('freejoint') is not None or body.find("joint[@type='free']") is not None:
            world.append(body)  # there alone it may move freely
    peer = mujoco.MjModel.from_xml_string(etree.tostring(tree, encoding='unicode'))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(peer)
    if peer.nq == len(q):
        for joint, first in zip(model.joint_names, model.q_offsets):
            data.qpos[peer.joint(joint).qposadr[0]] = q[first]
    return mujoco.mj_forward, (peer, data)
