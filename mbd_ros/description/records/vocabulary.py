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
Every element and attribute of URDF 1.0 to 1.2, and whether it is read.

This is data: the strict pass walks a file and this table side by side, and what is in the file but
not in the table becomes a finding.

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

NAMESPACE = 'urn:mbd_ros'
"""The XML namespace of this package's own annotations: ``xmlns:mbd="urn:mbd_ros"``."""

ARMATURE = f'{{{NAMESPACE}}}armature'
QUADRATIC_DAMPING, CUBIC_DAMPING = (
    f'{{{NAMESPACE}}}{power}_damping' for power in ('quadratic', 'cubic'))
"""Attributes of ``<dynamics>``: viscous friction that grows with the speed."""
SERIES_ELASTIC = f'{{{NAMESPACE}}}series_elastic'
SPRING = f'{{{NAMESPACE}}}spring'
GRAVITY_COMPENSATION = f'{{{NAMESPACE}}}gravity_compensation'
POLYNOMIAL = f'{{{NAMESPACE}}}polynomial_mimic'
GENERATION = f'{{{NAMESPACE}}}generation'
"""Attribute of ``<robot>``: number of a robot among those that take each other's place."""
AS_PUBLISHED = f'{{{NAMESPACE}}}as_published'
"""Attribute of ``<inertial>``: ``true`` where moments that no body has are quoted on purpose."""
COUPLED = f'{{{NAMESPACE}}}coupled'
GRAVITY = f'{{{NAMESPACE}}}gravity'
"""Attribute of ``<robot>``: gravity in world axes [m/s^2]."""


class Attribute(NamedTuple):
    """An attribute; ``numbers`` is how many numbers it holds, 0 for text."""

    numbers: int = 0
    required: bool = False
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """
    What may stand in an element.

    Attributes
    ----------
    attributes : mapping of str to Attribute
        By name.
    children : mapping of str to Child
        By tag.
    drawn : bool
        Whether this is for viewers only, so that mistakes in it are no errors of the mechanism.

    """

    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    children: Mapping[str, Child] = field(default_factory=dict)
    drawn: bool = False


class Child(NamedTuple):
    """
    A child element: what stands in it, how often it may come, and why it is not used, if so.

    Of an unused element nothing inside is looked at.
    """

    element: Element = Element()
    many: bool = False
    required: bool = False
    unused: str = ''


_TEXT = Attribute()
_NAME = Attribute(required=True)
_NUMBER = Attribute(1)
_VALUE = Attribute(1, required=True)

_ORIGIN = Element({'xyz': Attribute(3), 'rpy': Attribute(3), 'quat_xyzw': Attribute(4)})
_INERTIAL = Element({AS_PUBLISHED: _TEXT}, {
    'origin': Child(_ORIGIN),
    'mass': Child(Element({'value': _VALUE}), required=True),
    'inertia': Child(Element(dict.fromkeys(('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), _VALUE)),
                     required=True),
})

FLUID, FLEXIBLE = f'{{{NAMESPACE}}}fluid', f'{{{NAMESPACE}}}flexible'
CONTACT, THRUSTER = f'{{{NAMESPACE}}}contact', f'{{{NAMESPACE}}}thruster'
ADDED_MASS = tuple(f'{a}{b}' for i, a in enumerate('xyzpqr') for b in 'xyzpqr'[i:])
"""The entries of SDFormat's ``<fluid_added_mass>``: the upper triangle by rows."""

_DRAG = Child(Element({'force': Attribute(3), 'moment': Attribute(3)}))
_FLUID = Element(children={
    'origin': Child(_ORIGIN),
    'volume': Child(Element({'value': _VALUE})),
    'fluid_added_mass': Child(Element(dict.fromkeys(ADDED_MASS, _NUMBER))),
    'linear_drag': _DRAG,
    'quadratic_drag': _DRAG,
    'lift': Child(Element({'force': Attribute(2, required=True)})),
})
_CONTACT = Element(children={
    'point': Child(Element({'xyz': Attribute(3, required=True), 'radius': _NUMBER}), many=True,
                   required=True),
    'stiffness': Child(Element({'value': _VALUE}), required=True),
    'damping': Child(Element({'value': _VALUE})),
    'friction': Child(Element({'value': _VALUE, 'slip_speed': _NUMBER})),
})
_THRUSTER = Element({'name': _NAME}, {
    'origin': Child(Element({'xyz': Attribute(3)})),
    'axis': Child(Element({'xyz': Attribute(3, required=True)}), required=True),
    'curve': Child(Element({'forward': _VALUE, 'reverse': _VALUE})),
    'time_constant': Child(Element({'value': _VALUE})),
    'limit': Child(Element({'lower': _VALUE, 'upper': _VALUE})),
})
_MODAL = {'xyz': Attribute(3, required=True), 'shape': _NAME}
BEAM = Element({
    'length': _VALUE, 'linear_density': _NUMBER, 'bending_stiffness': Attribute(2),
    'torsional_stiffness': _NUMBER, 'torsional_inertia': _NUMBER, 'modes': Attribute(3),
    'damping_ratio': _NUMBER, 'rayleigh': Attribute(2), 'rotary_inertia': Attribute(2),
    'shear_stiffness': Attribute(2), 'taper': _NUMBER, 'tip_mass': _NUMBER, 'boundary': _TEXT,
    'stiffening': _TEXT, 'theory': _TEXT, 'section': _TEXT, 'material': Attribute(3)})
_FLEXIBLE = Element(children={
    'origin': Child(_ORIGIN),
    'beam': Child(BEAM),
    'point': Child(Element(_MODAL | {'mass': _VALUE}), many=True),
    'interface': Child(Element(_MODAL | {'joint': _NAME, 'rotation': _NAME}), many=True),
    'stiffness': Child(Element({'values': _NAME})),
    'damping': Child(Element({'values': _NAME})),
    'integrals': Child(Element(dict.fromkeys(
        ('mass', 'first_moments', 'couplings', 'second_couplings'), _NAME) | dict.fromkeys(
        ('pairs', 'second_stiffness'), _TEXT))),
    'modal': Child(Element({'file': _NAME})),
})

_ROUND = Element({'radius': _VALUE, 'length': _VALUE})
_GEOMETRY = Element(children={
    'box': Child(Element({'size': Attribute(3, required=True)})),
    'cylinder': Child(_ROUND),
    'capsule': Child(_ROUND),
    'sphere': Child(Element({'radius': _VALUE})),
    'mesh': Child(Element({'filename': _NAME, 'scale': Attribute(3)})),
})
_MATERIAL = Element({'name': _TEXT}, {
    'color': Child(Element({'rgba': Attribute(4)})),
    'texture': Child(Element({'filename': _TEXT})),
}, drawn=True)
_SHAPE = Element({'name': _TEXT}, {
    'origin': Child(_ORIGIN),
    'geometry': Child(_GEOMETRY, required=True),
    'material': Child(_MATERIAL),
    'verbose': Child(unused='it is obsolete'),
}, drawn=True)

_LINK = Element({'name': _NAME}, {
    'inertial': Child(_INERTIAL),
    'visual': Child(_SHAPE, many=True),
    'collision': Child(_SHAPE, many=True),
    'contact': Child(unused='it is for Bullet'),
    FLUID: Child(_FLUID),
    FLEXIBLE: Child(_FLEXIBLE),
    CONTACT: Child(_CONTACT, many=True),
    THRUSTER: Child(_THRUSTER, many=True),
    GRAVITY_COMPENSATION: Child(Element({'value': _VALUE})),
})

_JOINT = Element({'name': _NAME, 'type': _NAME}, {
    'parent': Child(Element({'link': _NAME}), required=True),
    'child': Child(Element({'link': _NAME}), required=True),
    'origin': Child(_ORIGIN),
    'axis': Child(Element({'xyz': Attribute(3, required=True)})),
    'limit': Child(Element(dict.fromkeys((
        'lower', 'upper', 'velocity', 'effort', 'acceleration', 'deceleration', 'jerk'),
        Attribute(1, infinite=True)))),
    'dynamics': Child(Element({'damping': _NUMBER, 'friction': _NUMBER,
                               QUADRATIC_DAMPING: _NUMBER, CUBIC_DAMPING: _NUMBER})),
    'mimic': Child(Element({'joint': _NAME, 'multiplier': _NUMBER, 'offset': _NUMBER,
                            COUPLED: _TEXT})),
    'safety_controller': Child(unused='it sets up a controller, not the mechanism'),
    'calibration': Child(unused='it sets up the encoders, not the mechanism'),
    ARMATURE: Child(Element({'value': _VALUE})),
    POLYNOMIAL: Child(Element({'joint': _NAME, 'coefficients': Attribute(5, required=True)})),
    SERIES_ELASTIC: Child(Element({'stiffness': _VALUE, 'damping': _NUMBER})),
    SPRING: Child(Element({
        'stiffness': _NUMBER, 'quadratic_stiffness': _NUMBER, 'cubic_stiffness': _NUMBER,
        'reference': _TEXT, 'slack': _NUMBER}), many=True),
})

_END = Element({'link': _NAME, 'xyz': Attribute(3), 'rpy': Attribute(3),
                'quat_xyzw': Attribute(4)})
_AXIS = Child(Element({'xyz': Attribute(3, required=True)}))
_LOOP_JOINT = Element({'name': _NAME, 'type': _NAME, 'distance': _NUMBER}, {
    'link1': Child(_END, many=True, required=True),
    'link2': Child(_END),
    'axis': _AXIS,
})
_CONSTRAINT = Element({'name': _NAME, 'type': _NAME}, {
    'parent': Child(Element({'link': _NAME}), required=True),
    'parent_origin': Child(_ORIGIN),
    'parent_axis': _AXIS,
    'child': Child(Element({'link': _NAME}), required=True),
    'child_origin': Child(_ORIGIN),
    'child_axis': _AXIS,
})
_SPRING_DAMPER = Element({'name': _NAME, 'stiffness': _NUMBER, 'damping': _NUMBER,
                          'length': _NUMBER, 'slack': _NUMBER}, {
    'link1': Child(Element({'link': _NAME, 'xyz': Attribute(3)}), required=True),
    'link2': Child(Element({'link': _NAME, 'xyz': Attribute(3)}), required=True),
})

DRAKE = ('{http://drake.mit.edu}', 'drake:')
"""How the tags of Drake begin, with its namespace declared and, as in most files, without."""


def _drake(prefix: str, tag: str, numbers: dict[str, int]) -> Element:
    """Return an element of Drake: two bodies, and values, each in a child of its own."""
    parts = {f'{prefix}{tag}_body_{body}': Child(Element({'name': _NAME}), required=True)
             for body in 'AB'}
    parts |= {f'{prefix}{tag}_{name}': Child(Element({'value': Attribute(count, required=True)}),
                                             required=name not in ('stiffness', 'damping'))
              for name, count in numbers.items()}
    return Element({'name': _TEXT}, parts)


_POINTS = {'p_AP': 3, 'p_BQ': 3}
_DRAKE = {f'{prefix}{tag}': Child(_drake(prefix, tag, numbers), many=True)
          for prefix in DRAKE for tag, numbers in (
              ('ball_constraint', _POINTS),
              ('distance_constraint', _POINTS | {'distance': 1, 'stiffness': 1, 'damping': 1}),
              ('linear_spring_damper',
               _POINTS | {'free_length': 1, 'stiffness': 1, 'damping': 1}))}

SPRING_DAMPER = f'{{{NAMESPACE}}}spring_damper'

ROBOT = Element({'name': _TEXT, 'version': _TEXT, GENERATION: _TEXT, GRAVITY: Attribute(3)}, {
    'link': Child(_LINK, many=True),
    'joint': Child(_JOINT, many=True),
    'loop_joint': Child(_LOOP_JOINT, many=True),
    'constraint': Child(_CONSTRAINT, many=True),
    **_DRAKE,
    SPRING_DAMPER: Child(_SPRING_DAMPER, many=True),
    'material': Child(_MATERIAL, many=True),
    'transmission': Child(unused='efforts are those of the joints; rotor inertia is given by '
                                 '<mbd:armature>'),
    'gazebo': Child(unused='it is for Gazebo, but for joints in it, which are read'),
    'ros2_control': Child(unused='it is for ros2_control'),
    'sensor': Child(unused='sensors are not part of the mechanism'),
})
