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
