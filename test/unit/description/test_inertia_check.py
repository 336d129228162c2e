"""Mass properties no body can have."""

from described import link, robot
import pytest

from mbd_ros.description import read
from mbd_ros.errors import DescriptionError

IMPOSSIBLE = [
    (link('a', mass=-2), "link 'a' has the mass -2 kg; allowed: 0 or more"),
    (link('a', moments=(1.0, -0.1, 1.0)),
     "link 'a' has the principal moments of inertia -0.1, 1 and 1 kg m^2; allowed: 0 or more"),
]


@pytest.mark.parametrize(('part', 'message'), IMPOSSIBLE)
def test_what_is_refused(part, message):
    with pytest.raises(DescriptionError) as caught:
        read(robot(part))
    assert str(caught.value) == f'<string>:2: {message}'


@pytest.mark.parametrize(('part', 'message'), IMPOSSIBLE)
def test_unchecked_it_is_a_finding(part, message):
    (finding,) = read(robot(part), inertia='unchecked').findings
    assert str(finding) == f'<string>:2: error: {message}'


def test_the_triangle_inequality_is_a_warning():
    (finding,) = read(robot(link('a', moments=(1.0, 0.1, 0.1)))).findings
    assert str(finding) == (
        "<string>:2: warning: link 'a' has the principal moments of inertia 0.1, 0.1 and 1 "
        'kg m^2; of a rigid body none is larger than the sum of the others')


def test_off_diagonal_entries_count():
    text = robot(link('a', moments=(1.0, 1.0, 1.0)).replace('ixy="0"', 'ixy="2"'))
    with pytest.raises(DescriptionError, match='principal moments of inertia -1, 1 and 3 kg'):
        read(text)


def test_a_moment_without_mass_is_a_warning():
    (finding,) = read(robot(link('a', mass=0))).findings
    assert str(finding) == (
        "<string>:2: warning: link 'a' has a moment of inertia but no mass")


@pytest.mark.parametrize('part', [
    link('a', moments=(0.0, 0.0, 0.0)),                  # a point
    link('a', moments=(0.1, 0.1, 0.0)),                  # a thin rod
    link('a', moments=(0.1, 0.1, 0.2)),                  # a plate
    link('a', moments=(0.1, 0.2, 0.1 + 0.2)),            # a plate, rounded
    link('a', mass=0, moments=(0.0, 0.0, 0.0)),          # nothing
])
def test_what_bodies_can_have(part):
    assert read(robot(part)).findings == ()
