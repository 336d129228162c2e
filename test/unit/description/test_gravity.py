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

"""The gravity that a description gives: of the model, of what is computed and what is written."""

from dataclasses import replace

import numpy as np
import pytest

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import DescriptionError
from mbd_ros.model.lock import lock

DOWN = (0.0, 0.0, -9.81)
MOON = (0.1, 0.0, -1.62)
BODY = ('<worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom name="g" pos="1 0 0" '
        'size="0.1" mass="2"/></body></worldbody>')


def mjcf(option: str) -> str:
    return f'<mujoco>{option}{BODY}</mujoco>'


def sdf(before: str, within: str = '', after: str = '') -> str:
    return (f'<sdf version="1.9">{before}{within}<model name="m"><link name="a"/><joint name="j" '
            'type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis>'
            f'</joint></model>{after}</sdf>')


@pytest.mark.parametrize(('text', 'gravity'), [
    (mjcf(''), DOWN), (mjcf('<option gravity="0.1 0 -1.62"/>'), MOON),
    (mjcf('<option gravity="0.1 0 -1.62"/><option timestep="1"/>'), MOON),
    (mjcf('<option><flag gravity="disable"/></option>'), (0.0, 0.0, 0.0)),
    (sdf(''), DOWN),
    (sdf('<world name="w">', '<gravity>0.1 0 -1.62</gravity>', '</world>'), MOON),
    (sdf('<world name="w">', '<physics><gravity>0.1 0 -1.62</gravity></physics>', '</world>'),
     MOON),
    (sdf('<world name="w">', '', '</world>'), (0.0, 0.0, -9.8)),
    ('<robot name="r" xmlns:mbd="urn:mbd_ros" mbd:gravity="0.1 0 -1.62"><link name="a"/></robot>',
     MOON),
    ('<robot name="r"><link name="a"/></robot>', DOWN)])
def test_what_a_description_gives(text, gravity):
    mechanism = read(text)
    assert mechanism.gravity == mbd_ros.load(text).gravity == gravity
    assert not [finding for finding in mechanism.findings if finding.severity == 'warning']
    assert read(mechanism.text).gravity == gravity    # what nodes publish


@pytest.mark.parametrize('write', [urdf_text, mjcf_text, sdf_text])
def test_what_is_written(write):
    mechanism = read(mjcf('<option gravity="0.1 0 -1.62"/>'))
    assert read(write(mechanism)).gravity == MOON
    assert 'gravity' not in write(replace(mechanism, gravity=DOWN))


def test_it_is_the_default_of_what_is_computed():
    model = mbd_ros.load(mjcf('<option gravity="0.1 0 -1.62"/>'))
    earth = replace(model, gravity=DOWN)
    assert mbd_ros.compile(model).gravity.tolist() == list(MOON)
    assert lock(earth, {'j': 0.1}).gravity == DOWN
    for call in (mbd_ros.bias_forces, mbd_ros.energy):
        given = call(earth, [0.3], [0.5], gravity=MOON)
        np.testing.assert_array_equal(call(model, [0.3], [0.5]), given)
        assert np.any(np.not_equal(call(earth, [0.3], [0.5]), given))
    for call in (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics):
        np.testing.assert_array_equal(call(model, [0.3], [0.5], [0.2]),
                                      call(earth, [0.3], [0.5], [0.2], gravity=MOON))
    paths = [mbd_ros.simulate(one, [0.0], [0.0], 0.2, **how).q for one, how in (
        (model, {}), (earth, {'gravity': MOON}))]
    np.testing.assert_array_equal(*paths)


def test_numbers_that_are_none():
    text = '<robot name="r" xmlns:mbd="urn:mbd_ros" mbd:gravity="0 1"><link name="a"/></robot>'
    with pytest.raises(DescriptionError, match='has 2 words; allowed: 3 finite numbers'):
        read(text)
