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


"""Inertia of motors' rotors from the transmissions of a URDF."""

from described import LIMIT, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.errors import DescriptionError, InvalidValueError
from mbd_ros.model import load

ROS = ('<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
       '<joint name="{joint}"/><actuator name="m"><motorInertia>0.002</motorInertia>'
       '<mechanicalReduction>{ratio}</mechanicalReduction></actuator></transmission>')
DRAKE = ('<transmission name="t"><joint name="{joint}"/><actuator name="m">'
         '<drake:rotor_inertia value="0.002"/><drake:gear_ratio value="{ratio}"/></actuator>'
         '</transmission>')


def arm(*parts, inside='', kind='revolute', spaces=''):
    """Return an arm whose joint j may have something inside, and a further joint k."""
    return robot('<link name="base"/>', link('arm'), link('tool'),
                 f'<joint name="j" type="{kind}"><parent link="base"/><child link="arm"/>{LIMIT}'
                 f'{inside}</joint>',
                 '<joint name="k" type="prismatic"><parent link="arm"/><child link="tool"/>'
                 f'{LIMIT}</joint>', *parts, attributes=' xmlns:mbd="urn:mbd_ros"' + spaces)


def loaded(tmp_path, text, **options):
    """Return a robot of a file, and what it was warned of."""
    (tmp_path / 'r.urdf').write_text(text)
    model = load(tmp_path / 'r.urdf', **options)
    return model, [one for one in model.findings if one.severity == 'warning'
                   and 'transmission ' in one.message]


@pytest.mark.parametrize('form', [ROS, DRAKE])
@pytest.mark.parametrize('spaces', ['', ' xmlns:drake="http://drake.mit.edu"'])
@pytest.mark.parametrize('ratio', [50, -50])
def test_rotors_are_added_on_request(tmp_path, form, spaces, ratio):
    """The ratio counts by its square; nothing else of the mass matrix changes."""
    text = arm(form.format(joint='j', ratio=ratio), spaces=spaces)
    plain, said = loaded(tmp_path, text)
    assert not plain.armature.any()
    assert "rotor_inertia='transmissions'" in said[0].remedy
    model, said = loaded(tmp_path, text, rotor_inertia='transmissions')
    assert not said
    assert model.armature.tolist() == [0.002 * 50.0 * 50.0, 0.0]
    q = np.array([0.3, 0.1])
    assert np.array_equal(mbd_ros.mass_matrix(model, q),
                          mbd_ros.mass_matrix(plain, q) + np.diag(model.armature))
    assert mbd_ros.load(model.mechanism.text).armature.tolist() == model.armature.tolist()


def test_several_motors_on_a_joint_add_up_and_a_ratio_may_be_left_out(tmp_path):
    model, _ = loaded(tmp_path, arm(ROS.format(joint='k', ratio=3), ROS.format(
        joint='k', ratio=3).replace('<mechanicalReduction>3</mechanicalReduction>', '')),
        rotor_inertia='transmissions')
    assert model.armature.tolist() == [0.0, pytest.approx(0.002 * 10.0, rel=1e-15)]


@pytest.mark.parametrize(('text', 'said'), [
    (arm(ROS.format(joint='nobody', ratio=1)), "there is no joint 'nobody'"),
    (arm(ROS.format(joint='j"/><joint name="k', ratio=1)), 'has 2 joints; allowed: one'),
    (arm(ROS.format(joint='j', ratio=1), inside='<mbd:armature value="1"/>'),
     'has <mbd:armature>'),
    (arm(ROS.format(joint='j', ratio=1), kind='fixed'), "joint 'j' is fixed")])
def test_rotors_that_belong_to_no_joint_are_remarked(tmp_path, text, said):
    model, found = loaded(tmp_path, text, rotor_inertia='transmissions')
    assert said in found[0].message
    assert model.armature.sum() in (0.0, 1.0)


@pytest.mark.parametrize(('before', 'after', 'said'), [
    ('0.002', '-1', 'is -1; allowed: 0 or more'), ('0.002', 'much', "'much'"),
    ('>7<', '>1 2<', 'has 2 words')])
def test_wrong_numbers_are_refused(tmp_path, before, after, said):
    with pytest.raises(DescriptionError, match=said):
        loaded(tmp_path, arm(ROS.format(joint='j', ratio=7)).replace(before, after))
    with pytest.raises(InvalidValueError, match="'described' or 'transmissions'"):
        loaded(tmp_path, arm(), rotor_inertia='yes')


def test_rotors_are_written_as_sdf(tmp_path):
    model, _ = loaded(tmp_path, arm(inside='<mbd:armature value="0.3"/>'))
    again = load(sdf_text(model.mechanism))
    assert again.armature.tolist() == model.armature.tolist() == [0.3, 0.0]
