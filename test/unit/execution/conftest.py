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

"""What tests of calls and batches share."""

import pytest

from mbd_ros.dynamics.prepared.call import Call


@pytest.fixture
def slow_calls(monkeypatch):
    """Count the calls that take the ordinary path."""
    calls = []
    ordinary = Call.__call__

    def counted(self, *arguments, **named):
        calls.append(arguments)
        return ordinary(self, *arguments, **named)
    monkeypatch.setattr(Call, '__call__', counted)
    return calls
