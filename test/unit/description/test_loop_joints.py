"""Closed loops are refused in every dialect, and never ignored."""

from described import bare, robot
import pytest

from mbd_ros.description import read
from mbd_ros.errors import UnsupportedError

DRAKE = ' xmlns:drake="http://drake.mit.edu"'


@pytest.mark.parametrize(('part', 'named'), [
    ('<loop_joint name="cut" type="spherical"><link1 link="a"/><link2 link="a"/></loop_joint>',
     "<loop_joint> 'cut'"),
    ('<constraint name="c" type="revolute"><parent link="a"/><child link="a"/></constraint>',
     "<constraint> 'c'"),
    ('<drake:ball_constraint/>', '<drake:ball_constraint>'),
    ('<drake:distance_constraint/>', '<drake:distance_constraint>'),
    ('<drake:linear_bushing_rpy/>', '<drake:linear_bushing_rpy>'),
    ('<gazebo><joint name="g" type="revolute"><parent>a</parent><child>a</child></joint></gazebo>',
     "<joint> 'g'"),
])
def test_loop_elements(part, named):
    with pytest.raises(UnsupportedError) as caught:
        read(robot(bare('a'), part, attributes=DRAKE))
    assert str(caught.value) == (
        f'<string>:3: the closed loop of {named} is not supported in this version; remove it to '
        'load the spanning tree without it')


def test_a_loop_of_drake_without_namespace():
    with pytest.raises(UnsupportedError, match='<string>:3: the closed loop of <drake:ball_con'):
        read(robot(bare('a'), '<drake:ball_constraint/>'))


def test_a_joint_named_by_a_gazebo_plugin_is_no_loop():
    plugin = '<gazebo><plugin><joint>j</joint></plugin></gazebo>'
    assert [f.severity for f in read(robot(bare('a'), plugin)).findings] == ['info']
