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

"""Section 8 of the theory's page: each edge case moves, each bad input is one clear message."""

import warnings

from modules import docked, document
import numpy as np
import pytest

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.description.modules import attach, detach, move, read_module_graph
from mbd_ros.errors import (
    ContactWarning, DescriptionError, DivergedError, DockingError, InvalidValueError, MbdError,
    SingularMassError)

ADDED = 'xx="1" yy="2" zz="2" pp="0.1" qq="0.2" rr="0.2"'
DRAG = '<linear_drag force="1 2 2"/><quadratic_drag force="1 2 2" moment="1 1 1"/>'
TOUCHING = ('<mbd:contact><point xyz="0 0 0" radius="0.1"/><stiffness value="{stiffness}"/>'
            '<damping value="{damping}"/><friction value="0.5"/></mbd:contact>')


def fluid(volume='0.001', added=ADDED, more=DRAG):
    return (f'<mbd:fluid><volume value="{volume}"/><fluid_added_mass {added}/>{more}'
            '</mbd:fluid>')


def link(name, extra='', mass='1'):
    inertia = '' if mass is None else (
        f'<inertial><mass value="{mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" '
        'iyz="0"/></inertial>')
    return f'<link name="{name}">{inertia}{extra}</link>\n'


def joint(parent, child, name='', kind='continuous', extra=''):
    return (f'<joint name="{name or child}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="0 0 1"/>{extra}</joint>\n')


def robot(*parts):
    """Return a model; the first part is in line 2."""
    return mbd_ros.load('<robot name="r" xmlns:mbd="urn:mbd_ros">\n' + ''.join(parts) + '</robot>',
                        floating_base=True)


def ball(stiffness=1e4, damping=10.0):
    return robot(link('a', TOUCHING.format(stiffness=stiffness, damping=damping)))


def placed(model, z=0.0, attitude=(0.0, 0.0, 0.0, 1.0)):
    q = mbd_ros.neutral(model)
    q[2], q[3:7] = z, attitude
    return q


QUARTER = float(np.sqrt(0.5))
AFLOAT = {
    'single module': (link('a', fluid()),),
    'no volume': (link('a', fluid('0')),),
    'no added mass': (link('a', fluid(added='xx="0"')),),
    'neutral, centre of buoyancy at that of mass': (link('a', fluid('0.001')),),
    'a point mass without inertia on a link': (
        link('a', fluid()), link('b', fluid('0'), None), joint('a', 'b', kind='fixed')),
    'not numbered from the root': (
        joint('b', 'c'), link('c', fluid()), joint('a', 'b'), link('b', fluid()),
        link('a', fluid())),
}


@pytest.mark.parametrize('case', AFLOAT)
@pytest.mark.parametrize('water', [
    Fluid(), Fluid(surface=0.0), Fluid(surface=-5.0), Fluid(current=lambda point, t: (
        [0.1 * point[2], 0.0, 0.2 * t], [[0, 0, 0.1], [0, 0, 0], [0, 0, 0]], [0.0, 0.0, 0.2]))],
    ids=['deep', 'at the surface', 'in the air', 'a gradient'])
@pytest.mark.parametrize('attitude', [(0.0, 0.0, 0.0, 1.0), (0.0, QUARTER, 0.0, QUARTER)],
                         ids=['level', 'pitched by 90 degrees'])
def test_edge_cases_move(case, water, attitude):
    """At rest, where the direction of drag is none, and moving: Kane, recursion, derivatives."""
    model = robot(*AFLOAT[case])
    q, tau = placed(model, 0.02, attitude), np.zeros(model.nv)
    for v in (np.zeros(model.nv), np.linspace(0.3, -0.5, model.nv)):
        found, kane = (mbd_ros.forward_dynamics(model, q, v, tau, fluid=water, formulation=by)
                       for by in ('recursive', 'kane'))
        # Two formulations in float64; 1e-9 is what users are promised.
        np.testing.assert_allclose(found, kane, rtol=0.0, atol=1e-9 * max(1.0, np.abs(kane).max()))
        for matrix in mbd_ros.forward_dynamics_derivatives(model, q, v, tau, fluid=water):
            assert np.isfinite(matrix).all()


def test_it_passes_through_a_pitch_of_90_degrees():
    """Where Euler angles have no rates: energy and momentum know nothing of it."""
    model = robot(link('a', fluid(more='')))
    v = np.array([0.0, 0.0, 0.0, 0.0, 2.0, 0.0])
    run = mbd_ros.simulate(model, placed(model), v, 1.5)
    assert np.abs(np.diff(run.v, axis=0)).max() < 1e-2   # nothing jumps
    assert np.abs(run.balance).max() < 1e-9   # RK4 with 1 ms at 2 rad/s: h^4 = 1e-12 of 2 J


REFUSED = {
    'no mass': (lambda: robot(link('a', fluid(), None)), SingularMassError,
                "joint 'floating_base' moves no inertia: link 'a' (<string>:2)"),
    'no mass at a leaf': (
        lambda: robot(link('a', fluid()), link('b', fluid(), None), joint('a', 'b')),
        SingularMassError, "joint 'b' moves no inertia: link 'b' (<string>:3)"),
    'negative added mass': (
        lambda: robot(link('a', fluid(added='xx="-1"'))), DescriptionError,
        "<string>:2: link 'a' has an added mass with the eigenvalue -1; allowed: 0 or more"),
    'indefinite added mass': (
        lambda: robot(link('a'), link('b', fluid(added='xx="1" yy="1" xy="2"')), joint('a', 'b')),
        DescriptionError,
        "<string>:3: link 'b' has an added mass with the eigenvalue -1; allowed: 0 or more"),
    'added mass that is no number': (
        lambda: robot(link('a', fluid(added='xx="nan"'))), DescriptionError,
        "<string>:2: link 'a': xx=\"nan\" of <fluid_added_mass> holds 'nan'; allowed: 1 finite"),
    'negative volume': (
        lambda: robot(link('a', fluid('-1'))), DescriptionError,
        "<string>:2: link 'a': <mbd:fluid> has the volume -1; allowed: 0 or more"),
    'negative drag': (
        lambda: robot(link('a', fluid(more='<linear_drag force="1 -2 3"/>'))), DescriptionError,
        "<string>:2: link 'a': <mbd:fluid> has the linear_drag -2; allowed: 0 or more"),
    'unreachable link': (
        lambda: robot(link('a'), link('b')), DescriptionError,
        "<string>:3: the links 'a', 'b' are no joint's child; allowed: one root link, to which "
        'all others are connected'),
    'link joined to itself': (
        lambda: robot(link('a'), joint('a', 'a')), DescriptionError,
        "<string>:3: joint 'a' connects link 'a' with itself; allowed: two links"),
    'cycle without a root': (
        lambda: read_module_graph(document(
            'a: cube, b: cube, c: cube', docked('b.front', 'c.start'), docked('c.front', 'b.rigid')
        ), 'r.yaml'), DescriptionError,
        "r.yaml:18: c.front to b.rigid: the modules 'b', 'c' carry each other in a cycle; "),
    'two parents': (
        lambda: read_module_graph(document(
            'a: cube, b: cube, c: cube', docked('a.front', 'b.start'), docked('a.left', 'c.start'),
            docked('b.front', 'c.rigid')), 'r.yaml'), DescriptionError,
        "r.yaml:19: b.front to c.rigid: module 'c' has two parents, the first by "),
    'unreachable module': (
        lambda: read_module_graph(document('a: cube, b: cube'), 'r.yaml'), DescriptionError,
        "r.yaml:15: module 'b' is docked to nothing that the base 'a' carries"),
    'docked to itself': (
        lambda: read_module_graph(document('a: cube', docked('a.front', 'a.start')), 'r.yaml'),
        DescriptionError,
        'r.yaml:17: a.front to a.start: a module cannot be docked to itself'),
    'the base undocked': (lambda: detach(chain(), 'a'), DockingError, "base: module 'a' is"),
    'the base moved': (
        lambda: move(chain(), 'a', parent='c', parent_port='front'), DockingError,
        "base: module 'a' is"),
    'docked to its own descendant': (
        lambda: move(chain(), 'b', parent='c', parent_port='front'), DockingError,
        "descendant: c.front to b.start: module 'b' carries "),
    'docked to a taken port': (
        lambda: attach(chain(), 'd', 'cube', port='start', parent='a', parent_port='front'),
        DockingError, "occupied port: a.front to d.start: port 'front' of module 'a' is"),
    'limits the wrong way round': (
        lambda: robot(link('a'), link('b'), joint('a', 'b', kind='revolute', extra=(
            '<limit lower="1" upper="-1" effort="1" velocity="1"/>'))), DescriptionError,
        "<string>:4: joint 'b': lower=1 of <limit> is above upper=-1"),
    'a soft ground': (lambda: ball(0.0), DescriptionError,
                      "<string>:2: link 'a': <mbd:contact> has the stiffness 0; allowed: more"),
    'a damper that pushes': (
        lambda: ball(damping=-1.0), DescriptionError,
        "<string>:2: link 'a': <mbd:contact> has the damping -1; allowed: 0 or more"),
    'a contact nowhere': (
        lambda: robot(link('a', '<mbd:contact><stiffness value="1"/></mbd:contact>')),
        DescriptionError, "<string>:2: link 'a': <mbd:contact> has no <point>"),
    'no attitude': (
        lambda: mbd_ros.simulate(ball(), np.zeros(7), np.zeros(6), 0.1), InvalidValueError,
        "q of joint 'floating_base', entries 3-6 is [0.0, 0.0, 0.0, 0.0]; allowed: a quaternion"),
    'a current without a gradient': (
        lambda: mbd_ros.simulate(robot(link('a', fluid())), [0, 0, 0, 0, 0, 0, 1], np.zeros(6),
                                 0.1, fluid=Fluid(current=lambda p, t: (p, p, p))),
        InvalidValueError, 'gradient of current(point, t) of the fluid is array([0.'),
    'a field that is infinite on the way': (
        lambda: mbd_ros.simulate(
            robot(link('a', fluid())), [0, 0, 0, 0, 0, 0, 1], np.zeros(6), 0.1,
            fluid=Fluid(current=lambda p, t: (
                p * 0.0 + (np.inf if t > 0.05 else 0.0), np.zeros((3, 3)), np.zeros(3)))),
        DivergedError, 'velocity of current(point, t) of the fluid'),
}


def chain():
    return read_module_graph(document(
        'a: cube, b: cube, c: cube', docked('a.front', 'b.start'), docked('b.front', 'c.start')),
        'r.yaml')


@pytest.mark.parametrize('case', REFUSED)
def test_bad_input_is_one_clear_error(case):
    make, error, message = REFUSED[case]
    with pytest.raises(error) as caught:
        make()
    assert isinstance(caught.value, MbdError)
    said = str(caught.value)
    assert message in said and '\n' not in said, said


DEEP = ("the contact of link 'a' begins 0.4 m below the ground, whose springs hold 800 J: they "
        'throw the robot out; begin higher')
RK4 = {'step': 1e-3, 'method': 'rk4'}
LONG = ("steps of 0.001 s are long for the contact of link 'a'; allowed: up to {} s, or "
        "method='contact'")


@pytest.mark.parametrize(('model', 'z', 'how', 'messages'), [
    (ball, -0.3, {'method': 'dop853'}, [DEEP]),
    (lambda: ball(1e8), 0.1, RK4, [LONG.format('2e-05')]),     # 0.2 sqrt(m / k)
    (lambda: ball(damping=5e4), 0.1, RK4, [LONG.format('2e-05')]),    # m / c
    # m v_s / (mu N), lightest about its centre: 1 / m = 1 + 0.1^2 / 0.1 times mu N / v_s with
    # N = 1e4 * 0.04 and v_s = 0.01.
    (ball, 0.06, RK4, [DEEP.replace('0.4 m', '0.04 m').replace('800', '8'),
                       LONG.format('4.55e-05')]),
    (ball, 0.1, {'step': 1e-3}, []),
    (lambda: ball(1e8), 0.1, {'method': 'bdf'}, []),
    (lambda: ball(5e7), 0.1, {'step': 1e-3}, []),
    # k h^2 + 10 h = 100 m.
    (lambda: ball(1e9), 0.1, {'step': 1e-3}, [
        "steps of 0.001 s are long for friction at landings of the contact of link 'a'; allowed: "
        'up to 0.000316 s']),
    (ball, 0.1 - 9.81e-4, {}, []),   # as it stands
    (ball, 9.0, {}, [])])
def test_runs_on_the_ground_are_warned_of(model, z, how, messages):
    model = model()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', ContactWarning)
        mbd_ros.simulate(model, placed(model, z), np.zeros(6), 0.002, ground=Ground(), **how)
    said = [str(one.message) for one in caught if one.category is ContactWarning]
    assert said == messages
    assert all(one.filename == __file__ for one in caught)


def test_effective_masses_are_those_of_a_lever():
    """A foot at the end of a rod about a fixed pivot: m = I / l^2."""
    model = mbd_ros.load(
        '<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="o"/>' + joint('o', 'a').replace(
            '0 0 1', '0 1 0') + '<link name="a"><inertial><mass value="1"/><inertia ixx="0.5" '
        'iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial><mbd:contact><point '
        'xyz="2 0 0"/><stiffness value="5e6"/></mbd:contact></link></robot>')
    with pytest.warns(ContactWarning, match=r'up to 3\.16e-05 s'):   # 0.2 sqrt(0.125 / 5e6)
        mbd_ros.simulate(model, [0.0], [0.0], 0.001, ground=Ground(-1.0), method='rk4')
