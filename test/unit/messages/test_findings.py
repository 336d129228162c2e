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

"""The service CheckModel: what is read from a request and written into an answer."""

from described import bare, joint, link, robot
from mbd_msgs.srv import CheckModel
import pytest

from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.diagnostics.findings import diagnose
from mbd_ros.model import load

GOOD = robot(bare('base'), link('arm', moments=(0.01,) * 3),
             joint('j', 'continuous', 'base', 'arm'))
WRONG = GOOD.replace('ixx="0.01"', 'ixx="0.09"')


def ask(text, model=None):
    return diagnose(CheckModel.Request(robot_description=text), CheckModel.Response(), model)


def test_a_description():
    answer = ask(WRONG)
    assert (answer.success, answer.readable, answer.model_generation) == (True, True, 0)
    (finding,) = answer.findings
    assert (finding.severity, finding.file, finding.line) == ('warning', '<string>', 3)
    assert "link 'arm' has the principal moments" in finding.message
    assert finding.remedy.startswith('take the moments from the CAD program')


def test_the_robot_in_use():
    answer = ask('', load(GOOD))
    assert (answer.readable, list(answer.findings), answer.model_generation) == (True, [], 1)


def test_what_cannot_be_read_is_an_answer():
    answer = ask('<robot name="r"/>')
    assert answer.success
    assert not answer.readable
    assert answer.findings[0].severity == 'error'


@pytest.mark.parametrize('text', ['/etc/passwd', 'robot.urdf'])
def test_files_are_not_read_for_others(text):
    with pytest.raises(InvalidValueError, match=f"robot_description is '{text}'; allowed: XML "
                       'text; no file is opened for what a topic or service brings'):
        ask(text)


def test_no_text_and_no_robot():
    with pytest.raises(InvalidValueError, match=r'allowed: XML text, or empty for the robot in '
                                                r'use, but there is none'):
        ask('')
