"""The doctor puts together what reader, model and suspicion say."""

from described import bare, joint, link, robot
import pytest

from mbd_ros.model.diagnosis import check


def test_a_good_robot():
    diagnosis = check(robot(bare('base'), link('arm', moments=(0.01,) * 3),
                            joint('j', 'continuous', 'base', 'arm')))
    assert diagnosis.findings == ()
    assert diagnosis.worst is None
    assert diagnosis.model.joint_names == ('j',)


def test_findings_come_by_line():
    diagnosis = check(robot(
        bare('base'), link('arm', moments=(0.01, 0.01, 0.09)), '<wheel/>',
        joint('j', 'continuous', 'base', 'arm')))
    assert [(finding.line, finding.severity) for finding in diagnosis.findings] == [
        (3, 'warning'), (4, 'warning')]
    assert diagnosis.findings[0].remedy.startswith('take the moments from the CAD program')
    assert diagnosis.worst == 'warning'
    assert diagnosis.count('warning') == 2


def test_all_joints_that_move_nothing():
    """Loading stops at the first; the doctor goes on."""
    parts = [bare('base'), bare('a'), bare('b'), joint('i', 'continuous', 'base', 'a'),
             joint('j', 'prismatic', 'a', 'b')]
    diagnosis = check(robot(*parts))
    errors = [finding for finding in diagnosis.findings if finding.severity == 'error']
    assert [(error.line, error.message[:31]) for error in errors if error.line] == [
        (3, "joint 'i' moves no inertia: link"[:31]), (4, "joint 'j' moves no inertia: link"[:31])]
    assert diagnosis.worst == 'error'


@pytest.mark.parametrize(('parts', 'line', 'message'), [
    ((link('a'), link('b')), 3, "the links 'a', 'b' are no joint's child; allowed: one root "
                                'link, to which all others are connected'),
    ((link('a'), link('a')), 3, "link 'a' is defined twice, first in line 2; names must differ"),
])
def test_what_cannot_be_read(parts, line, message):
    diagnosis = check(robot(*parts))
    assert diagnosis.model is None
    (finding,) = diagnosis.findings
    assert finding == ('error', message, '<string>', line,
                       'nothing can be said of the rest before this is mended')


def test_a_file_that_is_not_there():
    diagnosis = check('no_such_robot.urdf')
    assert diagnosis.model is None
    assert str(diagnosis.findings[0]) == 'no_such_robot.urdf: error: there is no such file'
