"""When messages count as lost."""

import pytest

from mbd_ros.nodes.parts.silence import Silence


@pytest.mark.parametrize(('timeout', 'looks'), [(0.02, 1), (0.5, 6), (2.0, 21)])
def test_as_many_looks_in_a_row_as_last_longer_than_the_timeout(timeout, looks):
    silence = Silence()
    for _ in range(2):
        assert [silence.look(timeout) for _ in range(looks)] == [*[False] * (looks - 1), True]
        silence.heard()


def test_one_look_after_a_node_was_busy_is_one_look_however_long_that_was():
    """Before it reads what has come meanwhile."""
    silence = Silence()
    for _ in range(100):
        assert not silence.look(0.5)
        silence.heard()
