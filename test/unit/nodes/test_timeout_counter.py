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

"""When messages count as lost."""

import pytest

from mbd_ros.nodes.controlling.timeout_counter import TimeoutCounter


@pytest.mark.parametrize(('timeout', 'looks'), [(0.02, 1), (0.5, 6), (2.0, 21)])
def test_as_many_looks_in_a_row_as_last_longer_than_the_timeout(timeout, looks):
    silence = TimeoutCounter()
    for _ in range(2):
        assert [silence.is_over(timeout) for _ in range(looks)] == [*[False] * (looks - 1), True]
        silence.heard()


def test_one_look_after_a_node_was_busy_is_one_look_however_long_that_was():
    """Before it reads what has come meanwhile."""
    silence = TimeoutCounter()
    for _ in range(100):
        assert not silence.is_over(0.5)
        silence.heard()
