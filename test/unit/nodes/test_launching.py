"""What launch files make of their arguments."""

import pytest

from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes import launching


@pytest.mark.parametrize('text', ['abc', '', '9', '2001', 'nan', 'inf'])
def test_what_is_no_number_within_its_bounds_is_named(text):
    with pytest.raises(InvalidValueError, match=(
            f"argument 'rate' is '{text}'; allowed: a number from 10 to 2000")):
        launching.number({'rate': text}, 'rate', 10.0, 2000.0)
    assert launching.number({'rate': '250'}, 'rate', 10.0, 2000.0) == 250.0


def test_robots_are_found_by_name_and_by_path(tmp_path):
    file = tmp_path / 'robot.urdf'
    with pytest.raises(InvalidValueError, match=r"argument 'description' is '.*robot.urdf'; "
                       r'allowed: the path of a file'):
        launching.robot_file({'description': str(file), 'robot': 'puma560'})
    file.write_text('<robot name="r"><link name="a"/></robot>')
    assert launching.robot_file({'description': str(file), 'robot': 'puma560'}) == file
    assert launching.robot_file({'description': '', 'robot': 'delta'}).name == 'delta.urdf.xacro'
    assert launching.robot_file({'description': '', 'robot': 'panda'}).name == 'panda.urdf'
