"""Xacro without ROS."""

from pathlib import Path

import pytest

from mbd_ros.description import read
from mbd_ros.errors import DescriptionError

PENDULUM = Path(__file__).resolve().parents[3] / 'urdf' / 'pendulum.urdf.xacro'
NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


def written(folder: Path, body: str, name: str = 'robot.urdf.xacro') -> Path:
    """Write a xacro file."""
    path = folder / name
    path.write_text(f'<robot name="r" {NAMESPACE}>\n{body}\n</robot>')
    return path


def test_the_pendulum_expands_with_its_default_arguments():
    mechanism = read(PENDULUM)
    assert [joint.name for joint in mechanism.joints] == ['joint1']
    assert mechanism.file == f'{PENDULUM} (expanded)'
    assert 'xacro:' not in mechanism.text.partition('<robot')[2]
    assert mechanism.findings == ()


def test_more_rods(tmp_path):
    text = PENDULUM.read_text().replace('name="rods" default="1"', 'name="rods" default="3"')
    path = tmp_path / 'chain.xacro'
    path.write_text(text)
    assert [link.name for link in read(path).links] == ['ceiling', 'rod1', 'rod2', 'rod3']


def test_packages_are_found_without_ros(tmp_path, monkeypatch):
    share = tmp_path / 'packages' / 'some_parts'
    share.mkdir(parents=True)
    written(share, '<xacro:macro name="part"><link name="part"/></xacro:macro>', 'part.xacro')
    path = written(tmp_path, '<xacro:include filename="$(find some_parts)/part.xacro"/>'
                   '<xacro:part/>')
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path / 'packages'))
    assert read(path).root == 'part'
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(share))
    assert read(path).root == 'part'


def test_a_package_that_is_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path))
    path = written(tmp_path, '<xacro:include filename="$(find no_such_parts)/part.xacro"/>')
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{path}: xacro cannot expand this: ')
    assert "package 'no_such_parts' is neither in the ament index" in str(caught.value)


@pytest.mark.parametrize(('body', 'message'), [
    ('<link name="${nothing}"/>', 'xacro cannot expand this: '),
    ('<xacro:no_such_macro/>', 'xacro cannot expand this: unknown macro name: '
                               'xacro:no_such_macro'),
    ('<link name="${1/0}"/>', 'xacro cannot expand this: '),
    ('<link name="$(arg what)"/>', 'xacro cannot expand this: Undefined substitution argument '),
    ('<xacro:include filename="not_there.xacro"/>', 'xacro cannot expand this: '),
])
def test_what_cannot_be_expanded(tmp_path, body, message):
    path = written(tmp_path, body)
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{path}: {message}')


def test_broken_xml_in_an_included_file(tmp_path):
    broken = tmp_path / 'broken.xacro'
    broken.write_text('<robot>\n<link>\n</robot>')
    path = written(tmp_path, '<xacro:include filename="broken.xacro"/>')
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{broken}:3: this is not well-formed XML: ')


def test_errors_behind_xacro_name_the_expanded_file(tmp_path):
    path = written(tmp_path, '<link name="a"/>\n<link name="a"/>')
    with pytest.raises(DescriptionError, match=r'robot.urdf.xacro \(expanded\):\d+: link .a. is '):
        read(path)


def test_xacro_is_left_as_it_was(tmp_path):
    from xacro import substitution_args
    before = substitution_args._eval_find
    with pytest.raises(DescriptionError):
        read(written(tmp_path, '<xacro:nothing/>'))
    assert substitution_args._eval_find is before
