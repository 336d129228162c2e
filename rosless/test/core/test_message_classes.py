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

"""Message classes behave like those that ROS 2 generates."""

import array
import copy
import pickle

from diagnostic_msgs.msg import DiagnosticStatus
from example_interfaces.action import Fibonacci
from geometry_msgs.msg import Point, PoseWithCovariance, Quaternion
import numpy as np
import pytest
from sensor_msgs.msg import Image, JointState
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Bool, Empty, Float64, Header, Int8, String, UInt8MultiArray
from std_srvs.srv import SetBool
from unique_identifier_msgs.msg import UUID


def test_constructor_takes_keywords() -> None:
    message = JointState(name=['a'], position=[1.0], header=Header(frame_id='base'))
    assert message.name == ['a']
    assert message.position == array.array('d', [1.0])
    assert message.header.frame_id == 'base'
    assert message.velocity == array.array('d')


def test_constructor_refuses_unknown_names() -> None:
    with pytest.raises(AssertionError, match='Invalid arguments passed to constructor: nmae'):
        JointState(nmae=['a'])


def test_defaults_of_the_text_are_honoured() -> None:
    assert Quaternion().w == 1.0
    assert Quaternion.W__DEFAULT == 1.0


def test_every_message_has_its_own_defaults() -> None:
    one, other = JointState(), JointState()
    one.position.append(1.0)
    one.header.frame_id = 'x'
    assert len(other.position) == 0
    assert other.header.frame_id == ''


def test_arrays_are_what_rclpy_gives() -> None:
    assert isinstance(JointState().position, array.array)
    assert isinstance(Image().data, array.array)
    covariance = PoseWithCovariance().covariance
    assert isinstance(covariance, np.ndarray)
    assert covariance.dtype == np.float64
    assert covariance.shape == (36,)
    assert UUID().uuid.dtype == np.uint8


@pytest.mark.parametrize(
    ('cls', 'field', 'value', 'text'),
    [
        (Float64, 'data', 1, "The 'data' field must be of type 'float'"),
        (Int8, 'data', 1.0, "The 'data' field must be of type 'int'"),
        (Int8, 'data', 200, "The 'data' field must be an integer in [-128, 127]"),
        (Bool, 'data', 1, "The 'data' field must be of type 'bool'"),
        (String, 'data', b'x', "The 'data' field must be of type 'str'"),
        (JointState, 'position', [1], "The 'position' field must be a set or sequence"),
        (JointState, 'position', np.zeros(2), "The 'position' field must be a set or sequence"),
        (JointState, 'position', 'ab', "The 'position' field must be a set or sequence"),
        (JointState, 'name', ['a', 1], "each value of type 'str'"),
        (JointState, 'header', 'x', "must be a sub message of type 'Header'"),
        (
            JointState,
            'position',
            array.array('f', [1.0]),
            "The 'position' array.array() must have the type code of 'd'",
        ),
        (DiagnosticStatus, 'level', 1, "must be of type 'bytes' or 'ByteString' with length 1"),
        (
            PoseWithCovariance,
            'covariance',
            np.zeros(35),
            "The 'covariance' numpy.ndarray() must have a size of 36",
        ),
        (
            PoseWithCovariance,
            'covariance',
            np.zeros(36, np.float32),
            "must have the dtype of 'numpy.float64'",
        ),
        (SolidPrimitive, 'dimensions', [1.0] * 4, 'with length <= 3'),
    ],
)
def test_assignment_is_checked(cls: type, field: str, value: object, text: str) -> None:
    message = cls()
    with pytest.raises(AssertionError) as caught:
        setattr(message, field, value)
    assert text in str(caught.value)


def test_assignment_converts_sequences() -> None:
    message = JointState()
    message.position = (1.0, 2.0)
    assert message.position == array.array('d', [1.0, 2.0])
    image = UInt8MultiArray(data=b'\x01\x02')
    assert image.data == array.array('B', [1, 2])
    pose = PoseWithCovariance()
    pose.covariance = [0.5] * 36
    assert pose.covariance.dtype == np.float64


def test_constructor_takes_numpy_where_assignment_does_not() -> None:
    # as in the generated classes, whose constructor converts before it assigns
    assert JointState(position=np.array([1.0, 2.0])).position.tolist() == [1.0, 2.0]


def test_special_numbers_are_allowed() -> None:
    message = Float64(data=float('inf'))
    message.data = float('nan')
    assert message.data != message.data


def test_there_are_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        Point().w = 1.0


def test_equality_and_repr() -> None:
    assert Point(x=1.0) == Point(x=1.0)
    assert Point(x=1.0) != Point(x=2.0)
    assert PoseWithCovariance() == PoseWithCovariance()
    changed = PoseWithCovariance()
    changed.covariance[3] = 1.0
    assert changed != PoseWithCovariance()
    assert Point() != 3
    assert repr(Point(x=1.0)) == 'geometry_msgs.msg.Point(x=1.0, y=0.0, z=0.0)'
    assert 'position=[1.0]' in repr(JointState(position=[1.0]))
    with pytest.raises(TypeError):
        hash(Point())


def test_copies() -> None:
    message = JointState(name=['a'], position=[1.0])
    assert copy.deepcopy(message) == message
    assert pickle.loads(pickle.dumps(message)) == message


def test_fields_and_types() -> None:
    types = JointState.get_fields_and_field_types()
    assert types['header'] == 'std_msgs/Header'
    assert types['position'] == 'sequence<double>'
    assert Empty.get_fields_and_field_types() == {}


def test_constants() -> None:
    assert DiagnosticStatus.ERROR == b'\x02'
    assert DiagnosticStatus().WARN == b'\x01'
    assert SolidPrimitive.BOX == 1


def test_services_and_actions() -> None:
    assert SetBool.Request(data=True).data is True
    assert type(SetBool.Request()).__name__ == 'SetBool_Request'
    with pytest.raises(NotImplementedError, match='Service classes can not be instantiated'):
        SetBool()
    request = Fibonacci.Impl.SendGoalService.Request(goal=Fibonacci.Goal(order=3))
    assert request.goal.order == 3
    assert Fibonacci.Impl.FeedbackMessage().feedback == Fibonacci.Feedback()
    assert Fibonacci.Impl.CancelGoalService.Response.ERROR_REJECTED == 1
