"""No message and no parameter ends in anything but an answer or one clear line."""

import fuzz_messages
import fuzz_parameters


def test_no_message_does_harm():
    assert fuzz_messages.run(320, 20261122) == (320, [])


def test_no_parameter_does_harm():
    assert fuzz_parameters.run(60, 20261122) == (60, [])
