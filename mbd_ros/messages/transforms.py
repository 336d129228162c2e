"""Floating bases as transforms."""

from __future__ import annotations

from geometry_msgs.msg import TransformStamped
import numpy as np
from numpy.typing import NDArray

from mbd_ros.messages.times import to_stamp
from mbd_ros.model import JointType, Model

Vector = NDArray[np.float64]


def base_transforms(model: Model, nanoseconds: int, q: Vector, world: str
                    ) -> list[TransformStamped]:
    """
    Return the transforms of the floating joints of a model.

    Parameters
    ----------
    model : Model
        The robot.
    nanoseconds : int
        Time of the state.
    q : Vector
        (nq,).
    world : str
        Frame in which a joint without a parent body is given.

    Returns
    -------
    list of TransformStamped
        One for each floating joint, from the link it hangs on to the link it moves.

    """
    transforms = []
    for joint, kind in enumerate(model.joint_types):
        if kind is not JointType.FLOATING:
            continue
        x, y, z, *quaternion = q[model.q_offsets[joint]:model.q_offsets[joint] + 7].tolist()
        parent = model.parents[joint]
        transform = TransformStamped()
        transform.header.stamp = to_stamp(nanoseconds)
        transform.header.frame_id = world if parent < 0 else model.body_names[parent]
        transform.child_frame_id = model.body_names[joint]
        shift, turn = transform.transform.translation, transform.transform.rotation
        shift.x, shift.y, shift.z = x, y, z
        turn.x, turn.y, turn.z, turn.w = quaternion
        transforms.append(transform)
    return transforms


def put_base(model: Model, transforms: list[TransformStamped], q: Vector) -> None:
    """
    Put the transforms of floating joints into a configuration.

    Parameters
    ----------
    model : Model
        The robot.
    transforms : list of TransformStamped
        Any; those that move no floating joint are passed over.
    q : Vector
        (nq,), changed.

    """
    for joint, kind in enumerate(model.joint_types):
        if kind is not JointType.FLOATING:
            continue
        for transform in transforms:
            if transform.child_frame_id == model.body_names[joint]:
                shift, turn = transform.transform.translation, transform.transform.rotation
                first = model.q_offsets[joint]
                q[first:first + 7] = (shift.x, shift.y, shift.z, turn.x, turn.y, turn.z, turn.w)
