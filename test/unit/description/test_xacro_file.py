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

"""Xacro without ROS."""

from pathlib import Path

import pytest

from mbd_ros.description import read
from mbd_ros.description.records import budget
from mbd_ros.description.xml import xacro_bounds
from mbd_ros.description.xml.xacro_arguments import argument_words
from mbd_ros.description.xml.xacro_file import _yaml_size, expand_xacro, xacro_arguments
from mbd_ros.errors import DescriptionError, InvalidValueError

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


def test_urdf_with_elements_of_xacro_is_expanded(tmp_path):
    """Vendors name files so, and call xacro in their launch files."""
    body = ('<xacro:arg name="n" default="b"/><xacro:property name="m" value="2"/>'
            '<link name="$(arg n)"/>')
    path = written(tmp_path, body, 'robot.urdf')
    assert [link.name for link in read(path, arguments={'n': 'c'}).links] == ['c']
    assert read(path).file == f'{path} (expanded)'
    assert read(path).links[0].name == read(written(tmp_path, body)).links[0].name == 'b'


@pytest.mark.parametrize('body', [
    '<link name="${a}"/>', '<!-- <xacro:property name="m" value="2"/> --><link name="${a}"/>',
    '<!-- a --><link name="${a}"/><!-- <!-- <xacro:arg/> -->'])
def test_what_is_left_of_an_expansion_is_no_xacro(tmp_path, body):
    path = written(tmp_path, body, 'robot.urdf')
    assert [link.name for link in read(path).links] == ['${a}']
    with pytest.raises(InvalidValueError, match='arguments of a xacro file only'):
        read(path, arguments={'a': 1})


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
    assert str(caught.value) == (
        f"{path}:2: xacro cannot expand this: package 'no_such_parts' is neither in the ament "
        f'index nor in the folders of ROS_PACKAGE_PATH ({tmp_path}), nor is it that of the file; '
        "allowed, too: load(..., packages={'no_such_parts': FOLDER})")


@pytest.mark.parametrize(('body', 'message'), [
    ('<link name="${nothing}"/>',
     "name 'nothing' is not defined, when evaluating expression 'nothing'"),
    ('<xacro:no_such_macro/>', 'unknown macro name: xacro:no_such_macro'),
    ('<link name="${1/0}"/>', "division by zero, when evaluating expression '1/0'"),
    ('<link name="$(arg what)"/>', 'the file uses $(arg what) without a default; give it as '
     "load(..., arguments={'what': ...}), 'what:=VALUE' after the file on the command line of "
     "mbd_ros, or xacro_args:='what:=VALUE' of a launch file"),
    ('<xacro:include filename="not_there.xacro"/>', 'there is no file /'),
])
def test_what_cannot_be_expanded(tmp_path, body, message):
    path = written(tmp_path, body)
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{path}:2: xacro cannot expand this: {message}')


@pytest.mark.parametrize('expression', [
    '1 + 2', 'n * 2', 'pi / e', "kind == 'arm'", "kind == 'arm' and on", "'x' if on else 'y'",
    'e', 'true', 'not false', 'half * 2', 'kind', '[n, half][0]', 'n in [1, 3]'])
def test_eval_is_what_xacro_makes_of_it(tmp_path, expression):
    """Arguments are numbers, booleans or text there; mathematics comes before them."""
    path = written(tmp_path, ''.join(
        f'<xacro:arg name="{name}" default="{value}"/>' for name, value in (
            ('n', 3), ('kind', 'arm'), ('on', 'true'), ('e', 5), ('half', 0.5)))
        + f'<link name="$(eval {expression})"/>')
    assert expand_xacro(str(path)) == expand_xacro(str(path), trusted=True)


@pytest.mark.parametrize('expression', [
    'n.__class__', 'lambda: 1', '[c for c in n.real]', '10 ** 10 ** 10', "'a' * 10 ** 9", 'open',
    '__builtins__', 'sin', 'n(1)'])
def test_eval_runs_no_code(tmp_path, expression):
    path = written(tmp_path, (
        f'<xacro:arg name="n" default="1"/><link name="$(eval {expression})"/>'))
    with pytest.raises(DescriptionError) as caught:
        expand_xacro(str(path))
    assert str(caught.value).startswith(f'{path}:2: xacro cannot expand this: ')


def test_eval_asks_for_arguments(tmp_path):
    path = written(tmp_path, '<link name="$(eval what + 1)"/>')
    with pytest.raises(DescriptionError, match=r'uses \$\(arg what\) without a default'):
        expand_xacro(str(path))


@pytest.mark.parametrize('expression', [
    '(lambda: ().__class__.__base__.__subclasses__())()',
    '().__class__',
    '[c for c in ().__class__.__base__.__subclasses__()]',
    "'a'.format(1)",
    'python.type(1)', 'python.vars(xacro)',
    '10 ** 10 ** 10', '1 &lt;&lt; 10 ** 9', "'a' * 10 ** 9", '[0] * 10 ** 9', "'%999999999d' % 1",
    'range(10 ** 9)', 'list(range(10 ** 9))', 'factorial(10 ** 7)', "'a'.ljust(10 ** 9)",
    "('a' * 90000).replace('a', 'b' * 90000)", "('a' * 9000).join(['b'] * 9000)",
    'str([[[0] * 900] * 900] * 900)', '[[0] * 900] * 900', 'str([[0] * 900 for a in range(900)])',
    '[a for a in range(1000) for b in range(1000)]', '(x := 1)',
    '1' + ' + 1' * 2000,
])
def test_expressions_that_are_no_arithmetic(tmp_path, expression):
    path = written(tmp_path, f'<link name="${{{expression}}}"/>')
    with pytest.raises(DescriptionError, match=' not allowed') as caught:
        read(path)
    assert str(caught.value).startswith(f'{path}:2: xacro cannot expand this: ')


def test_what_robots_use_of_expressions(tmp_path):
    (tmp_path / 'values.yaml').write_text('arm: {length: 0.5, names: [a, b]}\n')
    path = written(tmp_path, """
      <xacro:property name="values" value="${xacro.load_yaml('values.yaml')}"/>
      <link name="${values.arm.names[1]}">
        <inertial><mass value="${2**3 * 0.5 if len(values['arm']['names']) == 2 else 0}"/>
          <origin xyz="${values['arm']['length'] / 2} ${sin(radians(30))} ${max(1, -pi)}"/>
          <inertia ixx="${sum([i for i in range(3)])}" iyy="3" izz="3" ixy="0" ixz="0" iyz="0"/>
        </inertial></link>""".replace('sum(', 'python.sum('))
    inertia = read(path).links[0].inertia
    assert (inertia.mass, inertia.tensor[0][0]) == (4.0, 3.0)
    assert inertia.center == pytest.approx((0.25, 0.5, 1.0))


@pytest.mark.parametrize('body', [
    '<xacro:include filename="{secret}"/>', '<xacro:include filename="../../secret.xacro"/>',
    '<link name="${{xacro.load_yaml(\'{secret}\')}}"/>',
    '<link name="${{load_yaml(\'../../secret.xacro\')}}"/>',
])
def test_files_outside_of_the_package(tmp_path, body):
    secret = tmp_path / 'secret.xacro'
    secret.write_text('<robot/>')
    inner = tmp_path / 'package' / 'urdf'
    inner.mkdir(parents=True)
    path = written(inner, body.format(secret=secret))
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert (f'the file {secret} is outside of the folders this description may read from: '
            f'{inner.parent};') in str(caught.value)


def test_other_folders_of_the_package(tmp_path):
    (tmp_path / 'package.xml').write_text('<package/>')
    (tmp_path / 'urdf').mkdir()
    written(tmp_path, '<link name="part"/>', 'part.xacro')
    path = written(tmp_path / 'urdf', '<xacro:include filename="../part.xacro"/>')
    assert read(path).root == 'part'


@pytest.mark.parametrize('name', ['../secret', '..', '/etc', '.'])
def test_names_of_packages_lead_nowhere_else(tmp_path, monkeypatch, name):
    (tmp_path / 'packages').mkdir()
    (tmp_path / 'secret').mkdir()
    written(tmp_path / 'secret', '<link name="part"/>', 'part.xacro')
    inner = tmp_path / 'robot'
    inner.mkdir()
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path / 'packages'))
    path = written(inner, f'<xacro:include filename="$(find {name})/part.xacro"/>')
    with pytest.raises(DescriptionError, match=f"'{name}' is no name of a package; allowed: lett"):
        read(path)


def test_the_environment_stays_where_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv('MBD_SECRET', 'sesame')
    monkeypatch.delenv('MBD_TOOL', raising=False)
    assert read(written(tmp_path, '<link name="$(optenv MBD_TOOL gripper)"/>')).root == 'gripper'
    for command in ('env', 'optenv'):
        path = written(tmp_path, f'<link name="$({command} MBD_SECRET)"/>')
        with pytest.raises(DescriptionError) as caught:
            read(path)
        assert 'the environment variable MBD_SECRET is not read' in str(caught.value)
        assert 'sesame' not in str(caught.value)
        assert read(path, xacro='trusted').root == 'sesame'


def test_the_working_directory_stays_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, '<link name="$(cwd)"/>')
    with pytest.raises(DescriptionError, match=r'\$\(cwd\) is not allowed') as caught:
        read(path)
    assert str(tmp_path) not in str(caught.value).removeprefix(str(path))
    assert read(path, xacro='trusted').root == str(tmp_path)


def test_a_link_to_a_file_outside_is_seen_through(tmp_path):
    inner = tmp_path / 'package' / 'urdf'
    inner.mkdir(parents=True)
    (tmp_path / 'secret.xacro').write_text('<robot/>')
    (inner / 'link.xacro').symlink_to(tmp_path / 'secret.xacro')
    with pytest.raises(DescriptionError, match='is outside of the folders'):
        read(written(inner, '<xacro:include filename="link.xacro"/>'))


def test_macros_that_multiply(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, 'ELEMENTS', 1000)
    levels = '<xacro:macro name="m0"><a/></xacro:macro>' + ''.join(
        f'<xacro:macro name="m{k + 1}">{f"<xacro:m{k}/>" * 10}</xacro:macro>' for k in range(9))
    with pytest.raises(DescriptionError, match='has more than 1000 elements'):
        read(written(tmp_path, levels + '<xacro:m9/>'))


def test_time_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, 'SECONDS', 0.0)
    with pytest.raises(DescriptionError, match='takes more than 0 s'):
        read(written(tmp_path, '<link name="${1}"/>'))


def test_entities(tmp_path):
    path = tmp_path / 'bomb.xacro'
    path.write_text('<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>')
    with pytest.raises(DescriptionError, match=r'a document type .* is not allowed'):
        read(path)


def test_trusted_files_may_do_all(tmp_path):
    path = written(tmp_path, '<link name="${(lambda: str(().__class__.__name__))()}"/>')
    assert read(path, xacro='trusted').root == 'tuple'


def test_broken_xml_in_an_included_file(tmp_path):
    broken = tmp_path / 'broken.xacro'
    broken.write_text('<robot>\n<link>\n</robot>')
    path = written(tmp_path, '<xacro:include filename="broken.xacro"/>')
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{broken}:3: this is not well-formed XML: ')


def test_errors_behind_xacro_name_file_and_line_of_the_source(tmp_path):
    path = written(tmp_path, '<link name="a"/>\n<link name="a"/>')
    with pytest.raises(DescriptionError, match=f'^{path}:3: link .a. is '):
        read(path)


def test_findings_have_the_place_of_the_macro_that_made_their_element(tmp_path):
    macro = written(tmp_path, '<xacro:macro name="rod" params="name">\n\n  <link name="${name}">'
                    '\n    <nothing/></link></xacro:macro>', 'rods.xacro')
    path = written(tmp_path, '<xacro:include filename="rods.xacro"/>\n<xacro:rod name="a"/>\n'
                   '<joint name="j" type="fixed"><parent link="a"/><child link="b"/>\n<odd/>'
                   '</joint>\n<xacro:rod name="b"/>')
    mechanism = read(path)
    assert sorted((one.file, one.line) for one in mechanism.findings) == [
        (str(path), 5), (str(macro), 5), (str(macro), 5)]
    assert [(link.source.file, link.source.line) for link in mechanism.links] == [
        (str(macro), 4), (str(macro), 4)]


def test_xacro_is_left_as_it_was(tmp_path):
    from xacro import substitution_args
    before = substitution_args._eval_find
    with pytest.raises(DescriptionError):
        read(written(tmp_path, '<xacro:nothing/>'))
    assert substitution_args._eval_find is before


def test_a_wildcard_includes_all_files_of_one_folder(tmp_path):
    for name in ('b', 'a', 'c'):
        written(tmp_path, f'<link name="{name}"/>', f'{name}.part.xacro')
    joints = ''.join(f'<joint name="j{child}" type="fixed"><parent link="a"/>'
                     f'<child link="{child}"/></joint>' for child in 'bc')
    path = written(tmp_path, '<xacro:include filename="*.part.xacro"/>' + joints)
    assert [link.name for link in read(path).links] == ['a', 'b', 'c']
    path = written(tmp_path, f'<xacro:include filename="{tmp_path.parent}/*/a.part.xacro"/>')
    with pytest.raises(DescriptionError, match=r"the pattern '.*' is not allowed; allowed"):
        read(path)


@pytest.mark.parametrize(('short', 'full'), [
    ('[&x [1, 22], *x, *x]', '[[1, 22], [1, 22], [1, 22]]'),
    ('{a: 333, b: &x {c: [4, 5]}, d: *x}', '{a: 333, b: {c: [4, 5]}, d: {c: [4, 5]}}'),
    ('[&x four, *x]', '[four, four]'),
    ('[0, &y [&x [1], *x], *y]', '[0, [[1], [1]], [[1], [1]]]')])
def test_aliases_count_as_what_they_stand_for(short, full):
    assert _yaml_size(short.encode()) == _yaml_size(full.encode())


def test_the_clock_is_looked_at_while_operations_are_counted(monkeypatch):
    """Soon after the time is over, and not at each operation."""
    now, looks = [0.0], []
    monkeypatch.setattr(budget.time, 'thread_time', lambda: looks.append(1) or now[0])
    counts = xacro_bounds.Budget()

    def go_on():
        for _ in range(10_000):
            counts.step()
    with budget.reading():
        go_on()
        assert 2 < len(looks) < 1000
        now[0] = 1.1 * budget.SECONDS
        with pytest.raises(DescriptionError, match='takes more than 30 s'):
            go_on()


def test_arguments_of_a_file():
    assert len(read(PENDULUM, arguments={'rods': 3, 'length': 0.2}).joints) == 3
    assert read(PENDULUM, arguments={'mass': '2.5'}).links[1].inertia.mass == 2.5


def test_a_false_argument_is_false(tmp_path):
    path = written(tmp_path, '<xacro:arg name="more" default="true"/><link name="a"/>'
                   '<xacro:if value="$(arg more)"><link name="b"/></xacro:if>')
    with pytest.raises(DescriptionError):   # two roots
        read(path)
    assert read(path, arguments={'more': False}).root == 'a'


@pytest.mark.parametrize(('path', 'arguments', 'error', 'message'), [
    (PENDULUM, {'rod': 3}, DescriptionError, f"{PENDULUM}: there is no <xacro:arg name='rod'>; "
     "did you mean 'rods'?; allowed: length, mass, rods"),
    (PENDULUM, {'rods': [1]}, InvalidValueError,
     "argument 'rods' of xacro is [1]; allowed: text or a number"),
    (PENDULUM.with_name('puma560.urdf'), {'a': 1}, InvalidValueError,
     "arguments is {'a': 1}; allowed: arguments of a xacro file only")])
def test_arguments_that_are_none(path, arguments, error, message):
    with pytest.raises(error) as caught:
        read(path, arguments=arguments)
    assert str(caught.value) == message


def test_paths_of_users_and_packages(tmp_path, monkeypatch):
    share = tmp_path / 'share'
    (share / 'ament_index' / 'resource_index' / 'packages').mkdir(parents=True)
    (share / 'ament_index' / 'resource_index' / 'packages' / 'my_robots').touch()
    (share / 'my_robots').mkdir()
    (share / 'my_robots' / 'one.urdf').write_text('<robot name="r"><link name="a"/></robot>')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    monkeypatch.setenv('HOME', str(share / 'my_robots'))
    assert read('~/one.urdf').root == read('package://my_robots/one.urdf').root == 'a'
    with pytest.raises(DescriptionError, match="package 'your_robots' is neither in the ament"):
        read('package://your_robots/one.urdf')


def packaged(folder: Path, name: str, part: str = 'part') -> Path:
    """Make a package of a name, whatever its folder is called, and return its xacro file."""
    (folder / 'urdf').mkdir(parents=True)
    (folder / 'package.xml').write_text(
        f'<package><!-- <name>other</name> --><name> {name} </name></package>')
    written(folder, f'<xacro:macro name="part"><link name="{part}"/></xacro:macro>', 'part.xacro')
    return written(folder / 'urdf', f'<xacro:include filename="$(find {name})/part.xacro"/>'
                   '<xacro:part/>')


def test_packages_have_the_name_that_package_xml_says(tmp_path, monkeypatch):
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)
    path = packaged(tmp_path / 'clone', 'arm_description', 'own')
    assert read(path).root == 'own'
    user = written(tmp_path, '<xacro:include filename="$(find arm_description)/part.xacro"/>'
                   '<xacro:part/>')
    with pytest.raises(DescriptionError, match='arm_description'):
        read(user)
    assert read(user, packages={'arm_description': tmp_path / 'clone'}).root == 'own'
    packaged(tmp_path / 'deep' / 'in' / 'here', 'arm_description', 'deep')
    packaged(tmp_path / 'more' / 'arm_description', 'another', 'wrong')
    for folders, root in (([tmp_path / 'clone'], 'own'), ([tmp_path / 'deep'], 'deep'),
                          ([tmp_path / 'more', tmp_path / 'deep'], 'deep')):
        monkeypatch.setenv('ROS_PACKAGE_PATH', ':'.join(map(str, folders)))
        assert read(user).root == root
        assert read(path).root == 'own'   # the file's own package comes first
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path / 'more'))
    with pytest.raises(DescriptionError, match='arm_description'):
        read(user)


def test_arguments_that_are_used_without_being_declared_are_taken(tmp_path):
    path = written(tmp_path, '<link name="$(arg what)"/>')
    assert read(path, arguments={'what': 'a'}).root == 'a'
    with pytest.raises(DescriptionError, match="no <xacro:arg name='waht'>; did you mean 'what'"):
        read(path, arguments={'what': 'a', 'waht': 'b'})


def test_the_arguments_of_a_file(tmp_path):
    path = written(tmp_path, '<xacro:arg name="a" default="${1 + 1}"/><link name="$(arg b)"/>'
                   '<xacro:arg name="c" default=""/><link name="$(arg e)"/>')
    assert xacro_arguments(str(path)) == {'a': '2', 'c': '', 'b': None, 'e': None}
    assert xacro_arguments(str(path), arguments={'b': 'x'})['a'] == '2'
    with pytest.raises(DescriptionError, match='nothing'):
        xacro_arguments(str(written(tmp_path, '<link name="${nothing}"/>')))


@pytest.mark.parametrize(('words', 'values'), [
    ('', {}), ("a:=1 b:='x y' c:=", {'a': '1', 'b': 'x y', 'c': ''}),
    (['a:=b:=c', 'u:=package://x'], {'a': 'b:=c', 'u': 'package://x'})])
def test_words(words, values):
    assert argument_words(words) == values


@pytest.mark.parametrize('words', ['a', 'a=1', 'a:=1 a:=2', "a:='", ':=1'])
def test_words_that_are_none(words):
    with pytest.raises(InvalidValueError, match='NAME:=VALUE'):
        argument_words(words)
