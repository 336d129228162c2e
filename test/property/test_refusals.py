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
Which functions take which robots: docs/refusals.md is what the program does.

A refusal comes before anything is computed. So each call ends here where the first kernel would
be made, which is an answer; ``--whole`` computes them all, for some minutes.
"""

import functools
import inspect
from pathlib import Path
import re
import sys
import warnings

import numpy as np
import pytest

import mbd_ros
from mbd_ros import control
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.dynamics.loops.closure import leading_joints
from mbd_ros.errors import MbdError
from mbd_ros.execution import Compiled, Interpreted
from mbd_ros.execution.program.array_program import ArrayProgram

PAGE = Path(__file__).parents[2] / 'docs' / 'refusals.md'
INERTIAL = ('<inertial><origin xyz="0.2 0.01 0"/><mass value="1"/><inertia ixx="0.02" ixy="0" '
            'ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial>')
BEAM = ('<mbd:flexible><beam length="0.5" linear_density="0.3" bending_stiffness="40 60" '
        'modes="1 1 0"/></mbd:flexible>')
WATER = '<mbd:fluid><volume value="0.001"/><fluid_added_mass xx="0.1" yy="1" zz="1"/></mbd:fluid>'
CUT = ('<loop_joint name="cut" type="{}"><link1 link="l4" xyz="0.3 0 0"/>'
       '<link2 link="l0" xyz="0.5 0.2 0"/></loop_joint>')
NO_ROBOT = ('discretize', 'load', 'load_trajectory')
NEEDS = {'static_deflection': 'links that bend', 'estimate_fluid': 'a mesh',
         'draw_robot': 'a figure',
         'export_library': 'a compiler', 'contact_forces': 'a ground',
         **dict.fromkeys(('casadi', 'jax', 'stream', 'sweep', 'torch'), 'those of its function')}
"""Functions that are not called, and what they need besides."""


class Begun(BaseException):
    """A call has gone on to compute: no error, and nothing is to catch it."""


def begun(*arguments):
    """Stand for what makes a kernel."""
    raise Begun


def robot(kinds='revolute revolute revolute revolute', inside='', bends=(), last='', mimic=False,
          **options):
    """Return a chain of bars, each with what is given."""
    text = '<robot name="any" xmlns:mbd="urn:mbd_ros">'
    for i in range(len(kinds.split()) + 1):
        text += f'<link name="l{i}">{INERTIAL}{inside}{BEAM if i in bends else ""}</link>'
    for i, kind in enumerate(kinds.split(), 1):
        axis = '0 0 1' if i % 2 or last else '0 1 0'
        follows = '<mimic joint="j1" multiplier="0.5"/>' if mimic and i == 3 else ''
        text += (f'<joint name="j{i}" type="{kind}"><origin xyz="{0.5 if i > 1 else 0.0} 0 0"/>'
                 f'<parent link="l{i - 1}"/><child link="l{i}"/><axis xyz="{axis}"/>'
                 '<limit lower="-2" upper="2" velocity="3" effort="50"/>' + follows + '</joint>')
    return mbd_ros.load(text + last + '</robot>', mimic=mimic, **options)


ROBOTS = {
    'tree': lambda: robot(),
    'ball, plane': lambda: robot('revolute spherical planar revolute'),
    'afloat': lambda: robot(floating_base=True),
    'loop': lambda: robot(last=CUT.format('spherical')),
    'mimic': lambda: robot(mimic=True),
    'in water': lambda: robot(inside=WATER),
    'bends': lambda: robot(bends=(2, 4)),
    'bends, afloat': lambda: robot(bends=(2, 4), floating_base=True),
    'bends, loop': lambda: robot(bends=(2,), last=CUT.format('spherical'))}


def tracked(model, q, v, flexible):
    """Return a controller of a robot, of its rigid twin if it is to foresee bending."""
    link = model.body_names[-1]
    if model.elastic is not None and flexible:
        model = mbd_ros.model.lock.rebuilt(model, model.mechanism, flexible=False)
        q, v = q[:model.nq], v[:model.nv]
        q, v = mbd_ros.close_loops(model, q, v)
    place = mbd_ros.pose(model, q, link)[:3, 3]
    task = control.Task(flexible=flexible, link=link, start='as_given', path={
        'kind': 'line', 'start': place.tolist(), 'end': [*place[:2].tolist(), place[2]],
        'duration': 1.0} if not flexible else {})
    return Tracker(mbd_ros.compile(model), task, q, v)


def of_control(model, q, v, tau):
    """Return what control does with a robot, by name."""
    dyn = mbd_ros.compile(model, executor='interpreted')
    coupling = control.JointCoupling(model, {'j1': 1.0}, 0.1)
    return {
        'control.ConstrainedMotion': lambda: control.ConstrainedMotion(
            dyn, coupling).solve(0.0, q, v),
        'control.TrackingLaw': lambda: control.TrackingLaw(dyn),
        'control.ServoEfforts': lambda: control.ServoEfforts(dyn, coupling),
        'control.Adaptation': lambda: control.Adaptation(dyn, model.body_names[-1], 1.0),
        'control.internal_dynamics': lambda: control.internal_dynamics(
            model, q, coupling.matrix(q, v, 0.0)),
        'Task(flexible=True)': lambda: tracked(model, q, v, True)}


def of_robots(model, q, v, tau):
    """Return a call of each public function with a robot, by name."""
    link, joint = model.body_names[-1], 'j1'
    known = {'model': model, 'old': model, 'new': model, 'q': q, 'v': v, 'tau': tau, 'qdd': tau,
             'link': link, 'dt': 0.01, 'q0': q, 'q1': q, 'v0': v, 'dv': v, 'duration': 0.002,
             'efforts': tau[None], 'step': 0.001, 'weights': tau,
             'A': np.eye(model.nv)[:1], 'b': np.zeros(1), 'given': [joint], 'mass': 0.5,
             'positions': {'j4': float(q[model.q_offsets[model.joint_index('j4')]])},
             'targets': {link: mbd_ros.pose(model, q, link)[:3, 3]}}
    more = {'inverse_kinematics': {'q0': q}, 'analyse': {'processors': (1,)},
            'excitation_trajectory': {'period': 5.0, 'harmonics': 2, 'candidates': 2}}
    calls = {}
    for name in sorted(mbd_ros.__all__):
        function = getattr(mbd_ros, name)
        if not inspect.isfunction(function) or name in NO_ROBOT or name in NEEDS:
            continue
        parameters = inspect.signature(function).parameters
        needed = [one for one in parameters.values() if one.default is one.empty]
        missing = [one.name for one in needed if one.name not in known]
        assert not missing, f'{name} takes {missing}: values for `known`, or a reason in NEEDS'
        arguments = [known[one.name] for one in needed if one.kind is not one.KEYWORD_ONLY]
        options = {one.name: known[one.name] for one in needed
                   if one.kind is one.KEYWORD_ONLY} | more.get(name, {})
        if 'executor' in parameters:
            options['executor'] = 'interpreted'
        if name == 'identify':
            rows = np.random.default_rng(1).normal(size=(20, model.nv))
            places = mbd_ros.close_loops(model, mbd_ros.integrate(model, q, 0.1 * rows))[0]
            arguments, options = [model, places, rows, rows], {'qdd': rows}
            if model.loops:
                options['actuated'] = leading_joints(model, q)
        calls[name] = functools.partial(function, *arguments, **options)
    return calls | of_control(model, q, v, tau)


def outcome(call, whole=False):
    """Return nothing where a call is answered, else the message."""
    try:
        with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
            warnings.simplefilter('ignore')
            for one in () if whole else (Interpreted, Compiled, ArrayProgram):
                patch.setattr(one, 'kernel', begun)
            call()
    except MbdError as error:
        return f'{type(error).__name__}: {error}'
    except Begun:
        pass
    return ''


def calls_of(kind):
    """Return the calls with a robot of a class, by function."""
    model, rng = ROBOTS[kind](), np.random.default_rng(2)
    q = mbd_ros.integrate(model, mbd_ros.neutral(model), np.append(
        0.2 * rng.normal(size=model.nv - len(model.elastic_names)),
        np.zeros(len(model.elastic_names))))
    q, v = mbd_ros.close_loops(model, q, 0.1 * rng.normal(size=model.nv))
    return of_robots(model, q, v, rng.normal(size=model.nv))


def lines(refused):
    """Return the page's table for the classes {function: those that refuse}."""
    rows = ['| function | ' + ' | '.join(ROBOTS) + ' |', '|---' * (len(ROBOTS) + 1) + '|']
    rows += ['| `' + name + '` | ' + ' | '.join(
        'refused' if kind in kinds else 'yes' for kind in ROBOTS) + ' |'
        for name, kinds in refused.items() if kinds]
    free = [f'`{name}`' for name, kinds in refused.items() if not kinds]
    return [*rows, '', f'Taken with all of these robots: {", ".join(free)}.']


def told():
    """Return what the page says: {function: classes that refuse}."""
    text = PAGE.read_text()
    rows = [[cell.strip(' `') for cell in row.strip('|').split('|')]
            for row in re.findall(r'^\| `.*', text, re.M)]
    result = {name: {kind for kind, cell in zip(ROBOTS, cells) if cell == 'refused'}
              for name, *cells in rows}
    return result | {name: set() for name in re.findall(
        '`(.*?)`', re.search(r'^Taken with all.*?(?=\n\n|\Z)', text, re.M | re.S)[0])}


@pytest.mark.parametrize('kind', ROBOTS)
def test_the_page_is_what_the_program_does(kind):
    page, calls = told(), calls_of(kind)
    assert page.keys() == calls.keys()
    assert {name for name, call in calls.items() if outcome(call)} == {
        name for name, kinds in page.items() if kind in kinds}


if __name__ == '__main__':
    said: dict[str, set[str]] = {}
    for one in ROBOTS:
        for function, wanted in calls_of(one).items():
            message = outcome(wanted, '--whole' in sys.argv)
            said.setdefault(function, set()).update([one] if message else [])
            if message:
                print(f'{function}, {one}: {message}', flush=True)
    if '--write' in sys.argv:
        page_text = PAGE.read_text()
        begin = page_text.index('| function |')
        end = (page_text + '\n\n').index('\n\n', page_text.index('Taken with all'))
        PAGE.write_text(page_text[:begin] + '\n'.join(lines(said)) + page_text[end:])
    elif said != told():
        sys.exit(f'{PAGE} differs; --write')
