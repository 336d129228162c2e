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

"""Finding and importing interface packages."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
from typing import Any

import pytest
from rosless import interfaces
from rosless.idl.errors import InterfaceError, InterfaceNotFound
from rosless.idl.resolve import interface_class

WANTED = [
    'builtin_interfaces',
    'std_msgs',
    'geometry_msgs',
    'sensor_msgs',
    'nav_msgs',
    'trajectory_msgs',
    'visualization_msgs',
    'tf2_msgs',
    'diagnostic_msgs',
    'rosgraph_msgs',
    'rcl_interfaces',
    'std_srvs',
    'example_interfaces',
    'unique_identifier_msgs',
    'action_msgs',
    'lifecycle_msgs',
    'control_msgs',
    'rmw_dds_common',
    'shape_msgs',
]


@pytest.fixture
def user_package(tmp_path: Path) -> Path:
    """Return a prefix with an interface package of the user."""
    share = tmp_path / 'prefix' / 'share' / 'my_msgs'
    for kind, name, text in (
        ('msg', 'Reading', 'float64[] values\nstd_msgs/Header header\n'),
        ('srv', 'Ask', 'Reading reading\n---\nbool fine\n'),
        ('action', 'Measure', 'int32 count\n---\nReading[] readings\n---\nReading last\n'),
    ):
        (share / kind).mkdir(parents=True)
        (share / kind / f'{name}.{kind}').write_text(text)
    return tmp_path / 'prefix'


def test_bundled_packages() -> None:
    assert set(WANTED) <= set(interfaces.bundled_package_names())
    assert interfaces.share_directory('std_msgs').parts[-2:] == ('share', 'std_msgs')
    assert interfaces.interface_text('std_srvs/srv/SetBool').split('---')[0].strip() == 'bool data'
    assert 'msg/Header' in interfaces.interface_names('std_msgs')


def test_unknown_names_are_explained() -> None:
    with pytest.raises(
        InterfaceNotFound, match=r"no package 'no_msgs' with interfaces; searched: "
    ):
        interfaces.interface_text('no_msgs/msg/X')
    with pytest.raises(InterfaceNotFound, match=r"no interface 'std_srvs/srv/SetBol'; .* SetBool"):
        interfaces.interface_text('std_srvs/srv/SetBol')
    with pytest.raises(InterfaceError, match="'Header' is not the name of an interface"):
        interfaces.interface_text('Header')


def test_wrong_attribute_is_an_import_error() -> None:
    with pytest.raises(ImportError, match='JointStat'):
        from sensor_msgs.msg import JointStat  # noqa: F401
    with pytest.raises(ImportError):
        import sensor_msgs.action  # noqa: F401


def test_star_import_and_dir() -> None:
    import std_msgs.msg

    assert 'Header' in dir(std_msgs.msg)
    assert 'Header' in std_msgs.msg.__all__


def test_packages_of_the_user(user_package: Path, run_program: Callable[..., Any]) -> None:
    source = """
import rclpy
from my_msgs.msg import Reading
from my_msgs.srv import Ask
from my_msgs.action import Measure
from rosless import interfaces
print(Reading(values=[1.0]).values[0], Ask.Request().reading == Reading(),
      Measure.Feedback().last == Reading(), 'my_msgs' in interfaces.package_names())
"""
    program = run_program(source, AMENT_PREFIX_PATH=str(user_package))
    assert program.finish()[:2] == (0, '1.0 True True True\n')


def test_a_folder_of_that_name_is_no_package(
    user_package: Path, tmp_path: Path, run_program: Callable[..., Any]
) -> None:
    (tmp_path / 'work' / 'my_msgs' / 'msg').mkdir(parents=True)
    source = f"""
import sys
sys.path.insert(0, {str(tmp_path / 'work')!r})
import rosless
from my_msgs.msg import Reading
print(Reading.__name__)
"""
    program = run_program(source, AMENT_PREFIX_PATH=str(user_package))
    assert program.finish()[:2] == (0, 'Reading\n')


def test_a_python_package_of_that_name_keeps_its_code(
    user_package: Path, tmp_path: Path, run_program: Callable[..., Any]
) -> None:
    (tmp_path / 'code' / 'my_msgs').mkdir(parents=True)
    (tmp_path / 'code' / 'my_msgs' / '__init__.py').write_text('answer = 42\n')
    source = f"""
import sys
sys.path.insert(0, {str(tmp_path / 'code')!r})
import rosless
import my_msgs
from my_msgs.msg import Reading
print(my_msgs.answer, Reading.__name__)
"""
    program = run_program(source, AMENT_PREFIX_PATH=str(user_package))
    assert program.finish()[:2] == (0, '42 Reading\n')


def test_wrong_text_is_an_error_with_file_and_line(tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / 'share' / 'wrong_msgs' / 'msg'
    folder.mkdir(parents=True)
    (folder / 'Wrong.msg').write_text('int32 fine\nint33 wrong\n')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    with pytest.raises(InterfaceError, match="wrong_msgs/msg/Wrong:2: 'int33' is neither"):
        from wrong_msgs.msg import Wrong  # noqa: F401


def test_refuses_beside_a_real_rclpy(tmp_path: Path, run_program: Callable[..., Any]) -> None:
    (tmp_path / 'rclpy').mkdir()
    (tmp_path / 'rclpy' / '__init__.py').write_text('')
    path = os.pathsep.join([str(Path(interfaces.__file__).parents[1]), str(tmp_path)])
    code, _, errors = run_program('import rclpy', PYTHONPATH=path).finish()
    assert code == 1
    assert 'ImportError: a ROS 2 installation is on the path' in errors
    assert str(tmp_path) in errors


def test_start_is_light(run_program: Callable[..., Any]) -> None:
    source = "import sys, rosless; print('numpy' in sys.modules, 'cyclonedds' in sys.modules)"
    assert run_program(source).finish()[:2] == (0, 'False False\n')


def test_texts_are_those_of_humble() -> None:
    from rosbags.typesys import get_typestore, Stores

    def number(value: Any) -> Any:
        return value[0] if isinstance(value, bytes) else value

    seen = 0
    for name, (constants, fields) in get_typestore(Stores.ROS2_HUMBLE).fielddefs.items():
        if name.startswith('rosbag2_interfaces/'):
            continue
        definition = interface_class(name)._definition
        names = [field.name for field in definition.fields]
        assert (names or ['structure_needs_at_least_one_member']) == [f[0] for f in fields], name
        found = {each.name: number(each.value) for each in definition.constants}
        assert found == {constant: value for constant, _, value in constants}, name
        seen += 1
    assert seen > 140


def test_control_msgs() -> None:
    from control_msgs.action import FollowJointTrajectory, GripperCommand, PointHead
    from control_msgs.msg import JointJog, JointTolerance, PidState
    from control_msgs.srv import QueryTrajectoryState

    def fields(cls: Any) -> list[str]:
        return [field.name for field in cls._definition.fields]

    assert fields(FollowJointTrajectory.Goal) == [
        'trajectory',
        'multi_dof_trajectory',
        'path_tolerance',
        'component_path_tolerance',
        'goal_tolerance',
        'component_goal_tolerance',
        'goal_time_tolerance',
    ]
    result = FollowJointTrajectory.Result
    assert fields(result) == ['error_code', 'error_string']
    assert (result.SUCCESSFUL, result.INVALID_GOAL, result.INVALID_JOINTS) == (0, -1, -2)
    assert result.OLD_HEADER_TIMESTAMP == -3
    assert (result.PATH_TOLERANCE_VIOLATED, result.GOAL_TOLERANCE_VIOLATED) == (-4, -5)
    assert fields(GripperCommand.Goal) == ['command']
    assert fields(GripperCommand.Result) == ['position', 'effort', 'stalled', 'reached_goal']
    assert fields(PointHead.Feedback) == ['pointing_angle_error']
    assert fields(JointJog)[1:] == ['joint_names', 'displacements', 'velocities', 'duration']
    assert fields(JointTolerance) == ['name', 'position', 'velocity', 'acceleration', 'effort']
    assert fields(PidState)[-3:] == ['i_max', 'i_min', 'output']
    assert fields(QueryTrajectoryState.Response)[:2] == ['success', 'message']
