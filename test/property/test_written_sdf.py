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

"""What is written as SDF is read back as the same robot."""

from pathlib import Path

from described import bare, joint, link, robot
import numpy as np
from odd_mechanisms import odd_mechanism
import pytest

from mbd_ros.description.read import read
from mbd_ros.description.records.mechanism import Inertia
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.errors import UnsupportedError

SHIPPED = sorted((Path(__file__).resolve().parents[2] / 'urdf').iterdir())

REFUSED = {
    'delta.urdf.xacro': "xacro:75: writing the floating joint 'platform_joint' as SDF",
    'five_bar.urdf': "five_bar.urdf:128: writing the loop joint 'tool' as SDF is not supported in "
                     'this version; SDFormat wants other names for joints than for links, and '
                     'there is a link of that name; rename one',
    'flexible_arm.urdf': "writing the bending of link 'upper_arm' as SDF",
    'rov.urdf': "writing the fluid around link 'hull' as SDF",
    'stewart.urdf.xacro': "xacro:76: writing the floating joint 'platform_joint' as SDF",
}


def assert_read_back(mechanism):
    again = read(sdf_text(mechanism))
    old = {one.name: one.inertia or Inertia() for one in mechanism.links if one.name != 'world'}
    new = {one.name: one.inertia for one in again.links}
    assert new.keys() - old.keys() == {'world'}
    for name, inertia in old.items():
        for found, wanted in ((new[name].mass, inertia.mass), (new[name].center, inertia.center),
                              (new[name].tensor, inertia.tensor)):
            # Rounding: the reader adds moments and subtracts them again.
            scale = 1e-14 * (1.0 + inertia.mass * np.dot(inertia.center, inertia.center)
                             + np.abs(inertia.tensor).max())
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=scale)
    joints = {one.name: one for one in again.joints}
    for wanted in mechanism.joints:
        found = joints[wanted.name]
        assert (found.parent, found.child) == (wanted.parent, wanted.child)
        np.testing.assert_allclose(found.origin.translation, wanted.origin.translation,
                                   rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(found.origin.rotation, wanted.origin.rotation,
                                   rtol=0.0, atol=1e-12)
        if wanted.kind in ('revolute', 'continuous', 'prismatic'):
            np.testing.assert_allclose(found.axis, wanted.axis, rtol=0.0, atol=1e-12)
    assert [one.name for one in again.loop_joints] == [one.name for one in mechanism.loop_joints]


@pytest.mark.parametrize('file', SHIPPED, ids=lambda file: file.name)
def test_shipped_robots(file):
    mechanism = read(file)
    if file.name not in REFUSED:
        assert_read_back(mechanism)
        return
    with pytest.raises(UnsupportedError) as error:
        sdf_text(mechanism)
    assert REFUSED[file.name] in str(error.value)
    assert '\n' not in str(error.value)


def test_odd_robots_are_read_back_or_refused():
    written, refusals = 0, []
    for seed in range(300):
        mechanism = odd_mechanism(seed)
        try:
            sdf_text(mechanism)
        except UnsupportedError as error:
            refusals.append(str(error))
            continue
        assert_read_back(mechanism)
        written += 1
    assert written > 90   # 122 of 300: the others have something that SDF has no words for
    assert not any('\n' in text for text in refusals)


@pytest.mark.parametrize('name', ['world', '__model__', 'a::b'])
def test_reserved_names(name):
    text = robot(bare('base'), link(name), joint('i', 'revolute', 'base', name))
    with pytest.raises(UnsupportedError, match=(
            f"<string>:.* writing the link '{name}' as SDF is not supported in this version; "
            'SDFormat reserves world, __names__ and :: for itself; rename the link')):
        sdf_text(read(text))


@pytest.mark.parametrize('name', ['__a', 'a__', 'a:b'])
def test_names_that_are_nearly_reserved(name):
    text = robot(bare('base'), link(name), joint('i', 'revolute', 'base', name))
    assert f'<link name="{name}">' in sdf_text(read(text))


def test_a_root_called_world_is_the_world():
    text = sdf_text(read(robot(bare('world'), link('a'), joint('i', 'revolute', 'world', 'a'))))
    assert '<link name="world"' not in text
    assert '<parent>world</parent>' in text
    assert 'relative_to="world"' not in text   # the world has no frame inside a model


def test_links_without_mass_stay_without():
    text = robot(bare('base'), link('a'), bare('flange'), joint('i', 'revolute', 'base', 'a'),
                 joint('f', 'fixed', 'a', 'flange'))
    (flange,) = (one for one in read(sdf_text(read(text))).links if one.name == 'flange')
    assert flange.inertia == Inertia(source=flange.inertia.source)
