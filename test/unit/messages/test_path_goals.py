"""What the result of a path that could not begin says."""

from mbd_msgs.action import FollowPath

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.messages.path_goals import refused


def test_a_path_out_of_reach_has_a_code_of_its_own():
    start = InvalidValueError('start', [0.0], 'a state from which the constraint can be met')
    assert refused(start).error_code == FollowPath.Result.OUT_OF_REACH
    for other in (InvalidValueError('task', '3', 'a mapping'), UnknownNameError('link', 'x', ())):
        assert refused(other).error_code == FollowPath.Result.INVALID_GOAL
