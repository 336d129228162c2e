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

"""Models of other files in their places: the same robot as written in one file."""

from dataclasses import replace

import numpy as np
import pytest

import mbd_ros
from mbd_ros.description import read
from mbd_ros.errors import DescriptionError

BODY = ('<inertial><pose>0.1 0.2 0.3 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx>'
        '<iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>')
HAND = ('<model name="hand"><pose>0 0 9 0 0 0</pose><frame name="grip"><pose>0 0.1 0 0.3 0 0'
        '</pose></frame><link name="palm">' + BODY + '</link><link name="tip"><pose>0.3 0 0 0 0.5 '
        '0</pose>' + BODY + '</link><joint name="bend" type="revolute"><parent>palm</parent>'
        '<child>tip</child><axis><xyz{}>0 0.6 0.8</xyz></axis></joint></model>')
ARM = ('<sdf version="1.10"><model name="arm"><link name="base">' + BODY + '</link>'
       '<frame name="end"><pose>1 2 3 0.1 0.2 0.3</pose></frame>{}<joint name="hold" '
       'type="revolute"><parent>base</parent><child>{}palm</child><axis><xyz>1 0 0</xyz></axis>'
       '</joint></model></sdf>')
PLACED = '<pose relative_to="end">0 0 1 0 0 0.7</pose>'


def sdf(text, version='1.10'):
    return f'<sdf version="{version}">{text}</sdf>'


PLAIN = HAND.format('')


def nested(name='hand', pose=PLACED, hand=PLAIN):
    """Return the hand as a nested model, as an <include> places it."""
    return hand.replace('name="hand"', f'name="{name}"').replace(
        '<pose>0 0 9 0 0 0</pose>', pose)


def same(found, expected):
    """Check that two robots have the same dynamics, whatever their joints are called."""
    first, second = mbd_ros.load(found), mbd_ros.load(expected)
    assert first.nv == second.nv == 2
    rng = np.random.default_rng(3)
    for _ in range(3):
        q, v, a = rng.normal(size=(3, 2))
        ours, theirs = (mbd_ros.inverse_dynamics(model, q, v, a, executor='interpreted')
                        for model in (first, second))
        # Some ten roundings of poses of the order 10.
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    return first


@pytest.fixture
def arm(tmp_path):
    """Return a function that writes an arm with a hand from another file."""
    def written(include, prefix='hand::', hand=None, version='1.10', folder='hand'):
        place = tmp_path / 'models' / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / 'hand.sdf').write_text(sdf(hand or HAND.format(''), version))
        (place / 'model.config').write_text(
            '<model><name>hand</name><sdf version="1.4">old.sdf</sdf><sdf version="1.10">hand.sdf'
            '</sdf></model>')
        (tmp_path / 'robot').mkdir(exist_ok=True)
        path = tmp_path / 'robot' / 'arm.sdf'
        path.write_text(ARM.format(include, prefix))
        return str(path)

    return written


@pytest.mark.parametrize('uri', ['../models/hand/hand.sdf', '../models/hand', 'model://hand',
                                 'model://hand/hand.sdf', 'package://hand'])
@pytest.mark.parametrize('variable', ['GZ_SIM_RESOURCE_PATH', 'SDF_PATH',
                                      'IGN_GAZEBO_RESOURCE_PATH'])
def test_ways_to_name_a_file(arm, tmp_path, monkeypatch, uri, variable):
    monkeypatch.setenv(variable, f'/nowhere:{tmp_path / "models"}')
    path = arm(f'<include><uri>{uri}</uri>{PLACED}</include>')
    model = same(path, ARM.format(nested(), 'hand::'))
    assert model.joint_names == ('hold', 'hand::bend')


def test_packages_of_the_file_and_of_the_user(arm, tmp_path):
    """As ``$(find NAME)``: by the name in package.xml, whatever the folder is called."""
    path = arm(f'<include><uri>package://mine/models/hand</uri>{PLACED}</include>')
    with pytest.raises(DescriptionError, match=r"no model or package 'mine'.*packages=\{\.\.\.\}"):
        read(path)
    expected = ARM.format(nested(), 'hand::')
    same_as = mbd_ros.load(path, packages={'mine': tmp_path})
    assert same_as.nv == mbd_ros.load(expected).nv
    (tmp_path / 'package.xml').write_text('<package><name>mine</name></package>')
    same(path, expected)


def test_folders_that_the_user_names(arm, tmp_path, monkeypatch):
    path = arm('<include><uri>model://hand</uri></include>')
    with pytest.raises(DescriptionError, match=r"arm.sdf:1: <include> of 'model://hand': there is "
                       "no model or package 'hand' in the folders of GZ_SIM_RESOURCE_PATH"):
        read(path)
    assert len(read(path, folders=[tmp_path / 'models']).joints) == 2


@pytest.mark.parametrize(('include', 'inner', 'prefix'), [
    ('<name>left</name>' + PLACED, nested('left'), 'left::'),
    ('', nested(pose='<pose>0 0 9 0 0 0</pose>'), 'hand::'),
    ('<placement_frame>grip</placement_frame>' + PLACED,
     nested().replace('<model ', '<model placement_frame="grip" '), 'hand::')])
def test_what_an_include_says_of_the_model(arm, include, inner, prefix):
    path = arm(f'<include><uri>../models/hand</uri>{include}</include>', prefix)
    same(path, ARM.format(inner, prefix))


@pytest.mark.parametrize('placed', ['', '<placement_frame>grip</placement_frame>'])
def test_merged(arm, placed):
    path = arm(f'<include merge="true"><uri>../models/hand</uri>{placed}{PLACED}</include>', '')
    inner = nested().replace('<model ', '<model placement_frame="grip" ') if placed else nested()
    model = same(path, ARM.format(inner, 'hand::'))
    assert model.joint_names == ('hold', 'bend')


@pytest.mark.parametrize(('here', 'there'), [('1.4', '1.10'), ('1.10', '1.4'), ('1.4', '1.4')])
def test_axes_are_those_of_the_version_of_their_file(arm, here, there):
    """Below 1.5 they are in the frame of their model, then in that of the joint."""
    path = arm(f'<include><uri>../models/hand</uri>{PLACED}</include>', version=there)
    with open(path) as file:
        text = file.read()
    with open(path, 'w') as file:
        file.write(text.replace('1.10', here))
    expected = ARM.format(nested(hand=HAND.format(
        ' expressed_in="__model__"' if there == '1.4' else ' expressed_in="bend"')), 'hand::')
    if here == '1.4':
        expected = expected.replace('<xyz>', '<xyz expressed_in="__model__">')
    same(path, expected)


def test_errors_and_findings_are_of_the_file_they_stand_in(arm):
    path = arm('<include><uri>../models/hand</uri></include>',
               hand=HAND.format('').replace('<mass>2', '\n<mass>two'))
    with pytest.raises(DescriptionError, match=r"hand.sdf:2: link 'hand::palm': <mass>two"):
        read(path)
    path = arm('<include><uri>../models/hand</uri></include>',
               hand=HAND.format('').replace('<mass>2', '\n<maas/><mass>2'))
    (finding, *_) = (one for one in read(path).findings if 'maas' in one.message)
    assert finding.file.endswith('hand.sdf')
    assert finding.line == 2


@pytest.mark.parametrize(('include', 'why'), [
    ('<include/>', 'it has no <uri>'),
    ('<include><uri>https://fuel.gazebosim.org/1.0/x/models/y</uri></include>',
     'https:// is not read; allowed: model://, package://, file:// and paths'),
    ('<include><uri>../../../hand.sdf</uri></include>', 'is outside of the folders'),
    ('<include><uri>file:///etc/passwd</uri></include>', 'is outside of the folders'),
    ('<include><uri>model://../secret</uri></include>', "'..' is no name of a model"),
    ('<include><uri>arm.sdf</uri></include>', 'includes itself'),
    ('<include><uri>../models/hand</uri><placement_frame>grip</placement_frame></include>',
     'it has a <placement_frame> and no <pose>')])
def test_what_cannot_be_included(arm, include, why):
    with pytest.raises(DescriptionError, match='<include> of') as raised:
        read(arm(include))
    assert why in str(raised.value)


def test_text_opens_no_file():
    with pytest.raises(DescriptionError, match='came as text opens no files'):
        read(ARM.format('<include><uri>/etc/passwd</uri></include>', 'hand::'))


def test_scenery_of_a_world_that_is_not_there(arm, tmp_path):
    arm('')
    path = tmp_path / 'robot' / 'world.sdf'
    world = ('<world name="w"><gravity>0 0 -3</gravity><include><uri>model://sun</uri></include>'
             '<include><uri>https://fuel/x/tree</uri><name>tree</name></include>{}</world>')
    path.write_text(sdf(world.format('<include><uri>../models/hand</uri></include>')))
    mechanism = read(path)
    assert (mechanism.name, mechanism.gravity) == ('hand', (0.0, 0.0, -3.0))
    said = [one.message for one in mechanism.findings if one.severity == 'warning']
    assert [one[:17] for one in said] == ["<include> of 'mod", "<include> of 'htt"]
    assert all('taken to be no part of the robot' in one for one in said)
    with pytest.raises(DescriptionError, match='https:// is not read'):
        read(path, model='tree')
    path.write_text(sdf(world.format('')))
    with pytest.raises(DescriptionError, match="no model or package 'sun'"):
        read(path)
    static = '<include><uri>../models/hand</uri><name>floor</name><static>1</static></include>'
    path.write_text(sdf(world.format(
        static + '<include><uri>../models/hand</uri></include>')))
    assert replace(read(path), findings=()).name == 'hand'
