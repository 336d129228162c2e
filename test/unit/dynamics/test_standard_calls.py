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


"""Callables by model: made once for each, found by what was asked, gone with the robot."""

import functools

import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.prepared import standard_calls
from mbd_ros.dynamics.prepared.standard_calls import StandardCalls, StandardLinkCalls

ARM = 'package://mbd_ros/urdf/three_link_arm.urdf'


@functools.cache
def arm():
    return mbd_ros.load(ARM)


def test_they_are_made_once_for_all_equal_robots(monkeypatch):
    made = []
    compiled = standard_calls.compile_model
    monkeypatch.setattr(standard_calls, 'compile_model', lambda model, **more: (
        made.append(more), compiled(model, **more))[1])
    calls = StandardCalls('forward_dynamics')
    first = calls.of(arm())['kane']
    assert calls.of(arm())['kane'] is first
    assert calls.of(mbd_ros.load(ARM))['kane'] is first
    assert [one['formulation'] for one in made] == ['kane']


def test_a_formulation_that_does_not_suit_is_not_kept():
    calls = StandardCalls('forward_dynamics').of(arm())
    with pytest.raises(mbd_ros.MbdError):
        calls['no such']
    assert not calls


def test_links_that_are_not_there_are_not_kept():
    calls = StandardLinkCalls('pose').of(arm())
    with pytest.raises(mbd_ros.MbdError):
        calls['world_aligned']['no such']
    assert not calls
    assert calls['world_aligned']['tool'] is calls['world_aligned']['tool']


@pytest.mark.parametrize('other', [
    {'gravity': (0.0, 0.0, -1.0)}, {'gravity': np.array((0.0, 0.0, -1.0))},
    {'gravity': [0.0, 0.0, -1.0]}, {'links': 'tool'}, {'links': ('tool', 'upper')},
    {'dissipation': True}, {'formulation': 'kane'}])
def test_what_was_asked_before_is_found_and_nothing_else(other):
    """One of the six differs: another callable; the same again, by value: the same one."""
    links = dict(zip(('tool', 'upper'), reversed(arm().links)))
    asked = {'formulation': 'recursive', 'gravity': (0.0, 0.0, -2.0), 'fluid': None,
             'ground': None, 'links': (), 'dissipation': False}

    def found(**changed):
        whole = {**asked, **changed}
        place = whole['links']
        whole['links'] = links[place] if isinstance(place, str) else tuple(map(links.get, place))
        return calls.within(arm(), *whole.values())
    calls = StandardCalls('forward_dynamics')
    first = found()
    assert found() is first
    second = found(**other)
    assert second is not first and second is found(**other)
    assert found() is first


def test_a_list_or_array_that_changes_is_another_gravity():
    q = v = tau = np.zeros(arm().nv)
    for gravity in [0.0, 0.0, -1.0], np.array((0.0, 0.0, -1.0)):
        first = mbd_ros.forward_dynamics(arm(), q, v, tau, gravity=gravity)
        gravity[2] = -2.0
        second = mbd_ros.forward_dynamics(arm(), q, v, tau, gravity=gravity)
        np.testing.assert_allclose(second, 2.0 * first, atol=1e-12)   # linear, but for rounding


def test_one_force_is_not_taken_for_that_on_another_link():
    model = arm()
    q = v = tau = np.zeros(model.nv)
    force, links = np.array((1.0, 2.0, 3.0, 0.1, 0.2, 0.3)), list(model.links)[-2:]
    dyn = mbd_ros.compile(model)
    for link in [*links, *links]:
        expected = dyn.forward_dynamics(q, v, tau + dyn.jacobian(q, link).T @ force)
        found = mbd_ros.forward_dynamics(model, q, v, tau, external_forces={link: force})
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
