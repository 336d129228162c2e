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

"""What comes by a topic or service is text: whatever stands in it, no file is opened for it."""

from pathlib import Path
import sys
from types import SimpleNamespace

from described import robot
from hypothesis import given, settings, strategies as st
from modules import CUBE, document
import pytest

from mbd_ros.description.modules import read_module_graph, read_module_graph_file
from mbd_ros.dynamics.loops.diagnosis import check_text
from mbd_ros.errors import DescriptionError, InvalidValueError, MbdError
from mbd_ros.model import load_text
from mbd_ros.nodes.every_node.robot_source import RobotSource

OPENED: list[str] = []
WATCHING = []
ROBOT = robot('<link name="secret"/>')


def note(event, arguments):
    """Note the files that are opened while a test watches."""
    if WATCHING and event == 'open':
        OPENED.append(str(arguments[0]))


sys.addaudithook(note)


@pytest.fixture(scope='module')
def secrets(tmp_path_factory):
    """Return a folder with files that can be read, one of each kind."""
    folder = tmp_path_factory.mktemp('folder with a space')
    for name in ('r.urdf', 'r.xacro', 'r.xml', 'r.sdf', 'mesh.stl', '<string>'):
        (folder / name).write_text(ROBOT)
    return folder


def by_topic(text: str) -> str:
    """Return why a source of robots refuses what comes on its topic."""
    ears = []
    logger = SimpleNamespace(info=print, warning=print,
                             error=lambda text, throttle_duration_sec: print(text))
    source = RobotSource(SimpleNamespace(
        get_logger=lambda: logger,
        create_subscription=lambda kind, topic, callback, *_, **__: ears.append(callback)),
        '', lambda robot: None)
    ears[0](SimpleNamespace(data=text))
    return source.problem


def opened_by(read, text: str) -> list[str]:
    """Return the files that are opened while a text is read or refused."""
    OPENED.clear()
    WATCHING.append(True)
    try:
        read(text)
    except MbdError:
        pass
    finally:
        WATCHING.clear()
    return [name for name in OPENED if '/__pycache__/' not in name and not name.endswith('.py')]


FORMS = st.sampled_from([
    '{file}', ' {file}', 'file://{file}', '\ufeff{file}', '~/{file}', './{file}\n',
    'package://{file}',
    '<robot name="r"><xacro:include filename="{file}"/><link name="a"/></robot>',
    '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include '
    'filename="{file}"/><link name="${{xacro.load_yaml(\'{file}\')}}"/></robot>',
    '<mujoco><include file="{file}"/></mujoco>',
    '<mujoco><compiler meshdir="/"/><asset><mesh file="{file}"/></asset><worldbody/></mujoco>',
    '<sdf version="1.9"><model name="m"><include><uri>{file}</uri></include></model></sdf>',
    '<sdf version="1.9"><include><uri>file://{file}</uri></include></sdf>',
    '<!DOCTYPE robot SYSTEM "{file}"><robot name="r"><link name="a"/></robot>',
    '<!DOCTYPE robot [<!ENTITY x SYSTEM "{file}">]><robot name="r"><link name="&x;"/></robot>',
    '<robot name="r"><link name="a"><visual><geometry><mesh filename="{file}"/></geometry>'
    '</visual></link></robot>',
    '<?xml-stylesheet href="{file}"?><robot name="r"><link name="a"/></robot>',
    '<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{file}"/>'
    '<link name="a"/></robot>',
])


@settings(max_examples=150, deadline=None)
@given(form=FORMS, file=st.sampled_from(['r.urdf', 'r.xacro', 'r.xml', 'r.sdf', 'mesh.stl',
                                         '<string>']), where=st.sampled_from(['', 'absolute']))
@pytest.mark.parametrize('read', [load_text, check_text, by_topic])
def test_no_file_is_opened(secrets, read, form, file, where):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(secrets)
        patch.setenv('HOME', str(secrets))
        patch.setenv('ROS_PACKAGE_PATH', str(secrets))
        name = str(secrets / file) if where else file
        assert not opened_by(read, form.format(file=name))


def test_a_topic_with_the_name_of_a_file_says_so(secrets):
    problem = by_topic(str(secrets / 'r.urdf'))
    assert problem.startswith("robot_description is '/")
    assert problem.endswith('; allowed: XML text; no file is opened for what a topic or service '
                            'brings')


def test_a_module_graph_of_a_service_has_only_parts_that_are_in_use(tmp_path):
    (tmp_path / 'arm.urdf').write_text(robot('<link name="a"/>'))
    (tmp_path / 'other.urdf').write_text(robot('<link name="b"/>'))
    types = CUBE + '  arm:\n    part: arm.urdf\n    ports:\n      hand: {body: a}\n'
    text = document('a: cube', types=types)
    file = tmp_path / 'graph.yaml'
    file.write_text(text)
    graph = read_module_graph_file(file)
    again = read_module_graph(text, '<request>', types=graph.types)
    assert again.types['arm'].bodies == graph.types['arm'].bodies
    for part in ('other.urdf', str(Path(tmp_path, 'other.urdf')), 'package://mbd_ros/urdf/x.urdf'):
        with pytest.raises(DescriptionError, match=r'allowed: parts of the robot in use, as no '
                           'file is opened for a service'):
            read_module_graph(text.replace('arm.urdf', part), '<request>', types=graph.types)


def test_a_file_name_is_refused_by_all():
    for read in (load_text, check_text):
        with pytest.raises(InvalidValueError, match=r"is 'robot\.urdf'; allowed"):
            read('robot.urdf')
