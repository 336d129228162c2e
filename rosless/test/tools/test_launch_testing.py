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

"""launch_testing: tests as users write them, by ``launch_test`` and by pytest."""

from io import BytesIO
import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

from launch.actions import ExecuteProcess
from launch_testing import asserts
from launch_testing import IoHandler
from launch_testing import post_shutdown_test
from launch_testing import tools
from launch_testing import util
from launch_testing.launch_test import report
from launch_testing.loader import TestRun
from launch_testing.markers import retry_on_failure
from launch_testing.test_result import FailResult
import pytest

HEAD = """
import sys, time, unittest
import launch, launch_testing, launch_testing.actions, launch_testing.asserts
import launch_testing.event_handlers, launch_testing.markers, launch_testing.util
import pytest
from launch.actions import (
    DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, RegisterEventHandler, TimerAction)
from launch.substitutions import LaunchConfiguration
from launch_testing.actions import ReadyToTest

COUNTS = '''
import sys, time
print('Starting Up', flush=True)
try:
    for k in range(10000):
        print(f'Loop {k}', *sys.argv[1:], flush=True)
        print(f'[INFO] \\x1b[0mlog {k}', file=sys.stderr, flush=True)
        time.sleep(0.02)
except KeyboardInterrupt:
    print('Shutting Down')
'''
"""
GOOD = HEAD + """
@pytest.mark.launch_test
@launch_testing.parametrize('word', ['one', 'two'])
def generate_test_description(word):
    counts = ExecuteProcess(
        cmd=[sys.executable, '-c', COUNTS, word, LaunchConfiguration('end')])
    return launch.LaunchDescription([
        DeclareLaunchArgument('end', default_value='.', description='What lines end with'),
        counts,
        RegisterEventHandler(launch_testing.event_handlers.StdoutReadyListener(
            target_action=counts, ready_txt='Loop 2', actions=[ReadyToTest()])),
    ]), {'counts': counts}

class TestBeside(unittest.TestCase):
    @classmethod
    def setUpClass(cls, counts):
        cls.before = counts

    def setUp(self, proc_info, counts):
        proc_info.assertWaitForStartup(counts, timeout=10)

    def test_output(self, proc_output, counts, word, test_args):
        assert counts is self.before
        end = test_args.get('end', '.')
        proc_output.assertWaitFor(f'Loop 4 {word} {end}', counts, stream='stdout', timeout=10)
        self.proc_output.assertWaitFor('[INFO] log 5')
        assert not proc_output.waitFor('never', timeout=0.1)

    def test_another_process(self, launch_service, proc_info, proc_output):
        action = ExecuteProcess(cmd=[sys.executable, '-c', 'print("hi"); exit(3)'])
        with launch_testing.tools.launch_process(
                launch_service, action, proc_info, proc_output) as process:
            assert process.wait_for_output(lambda text: 'hi' in text, timeout=10)
            assert process.wait_for_shutdown(timeout=10)
        assert (process.stdout, process.stderr, process.exit_code) == ('hi\\n', '', 3)
        proc_info.assertWaitForShutdown(action)

@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info, counts):
        launch_testing.asserts.assertExitCodes(proc_info, process=counts)
        launch_testing.asserts.assertExitCodes(proc_info, [0, 3])
        with self.assertRaisesRegex(AssertionError, 'exited with code 3'):
            launch_testing.asserts.assertExitCodes(self.proc_info)

    def test_order(self, proc_output, counts):
        with launch_testing.asserts.assertSequentialStdout(proc_output, counts) as checker:
            for text in ('Starting Up', 'Loop 1', 'Loop 3', 'Shutting Down'):
                checker.assertInStdout(text)
            with self.assertRaisesRegex(AssertionError, "'Loop 2' not found"):
                checker.assertInStdout('Loop 2')
"""
KEPT_ALIVE = HEAD + """
def generate_test_description(ready_fn):
    return launch.LaunchDescription([
        ExecuteProcess(cmd=[sys.executable, '-c', 'print("done")'], name='short'),
        launch_testing.util.KeepAliveProc(),
        OpaqueFunction(function=lambda context: ready_fn())])

class TestBeside(unittest.TestCase):
    def test_end(self, proc_info, proc_output):
        proc_info.assertWaitForShutdown('short')
        launch_testing.asserts.assertExitCodes(proc_info, process='short')
        launch_testing.asserts.assertInStdout(proc_output, 'done', 'short')
"""
ALL_GONE = HEAD + """
@launch_testing.markers.keep_alive
def generate_test_description():
    return launch.LaunchDescription([
        ExecuteProcess(cmd=[sys.executable, '-c', '']), ReadyToTest()])

class TestBeside(unittest.TestCase):
    def test_slow(self):
        time.sleep(0.5)
"""
WRONG = HEAD + """
@pytest.mark.launch_test
def generate_test_description():
    return launch.LaunchDescription([
        ExecuteProcess(cmd=[sys.executable, '-c', COUNTS]), ReadyToTest()])

class TestBeside(unittest.TestCase):
    def test_right(self):
        pass

    def test_wrong(self):
        self.assertEqual(1, 2)

@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_also_wrong(self):
        raise ValueError('as it is')
"""
DEAD = HEAD + """
def generate_test_description():
    return launch.LaunchDescription([
        ExecuteProcess(cmd=[sys.executable, '-c', 'exit("why it died")']), ReadyToTest()])

class TestBeside(unittest.TestCase):
    def test_slow(self):
        time.sleep(60)
"""

BESIDE = HEAD + """
@pytest.mark.launch_test
def generate_test_description():
    return launch.LaunchDescription([
        ExecuteProcess(cmd=[sys.executable, '-c', COUNTS]), ReadyToTest()])

class TestBeside(unittest.TestCase):
    %s
    def test_it(self):
        %s
"""
UNEXPECTED = BESIDE % ('@unittest.expectedFailure', 'pass')
SKIPPED = HEAD + """
@pytest.mark.launch_test
def generate_test_description():
    raise unittest.SkipTest('no such robot here')
"""
CASE_SKIPPED = BESIDE % ('@unittest.skip("not today")', 'pass')
COLOURS = r'\x1b[31mred\x1b[0m \x1b]0;title\x07\x00\x0b\uffff ä'
COLOURED = BESIDE % ('', f"self.fail('{COLOURS}')")


@pytest.fixture
def launch_test(start, tmp_path):
    """Run a launch test to its end."""
    def run(text, *words):
        (tmp_path / 'counts_launch_test.py').write_text(text)
        command = start(sys.executable, '-m', 'launch_testing.launch_test',
                        'counts_launch_test.py', *words)
        command.status = command.finish()
        return command
    return run


def test_a_good_launch_test_passes(launch_test, tmp_path):
    command = launch_test(GOOD, 'end:=!', '--junit-xml', 'report.xml')
    assert command.status == 0, command.text
    assert command.text.count('\nOK') == 4  # beside and afterwards, of two parameters
    suites = ElementTree.parse(tmp_path / 'report.xml').getroot()
    assert [(suite.get('tests'), suite.get('failures')) for suite in suites] == [('4', '0')] * 2


@pytest.mark.parametrize('text', [KEPT_ALIVE, ALL_GONE], ids=['KeepAliveProc', 'keep_alive'])
def test_a_launch_can_outlive_its_processes(launch_test, text):
    command = launch_test(text)
    assert command.status == 0, command.text


def test_failures_are_told(launch_test, tmp_path):
    command = launch_test(WRONG, '--junit-xml', 'report.xml')
    assert command.status == 1
    assert '1 != 2' in command.text
    assert 'ValueError: as it is' in command.text
    (suite,) = ElementTree.parse(tmp_path / 'report.xml').getroot()
    assert [suite.get(name) for name in ('tests', 'failures', 'errors')] == ['3', '1', '1']


def test_processes_that_die_end_the_test(launch_test):
    command = launch_test(DEAD)
    assert command.status == 1
    assert 'Processes under test stopped before tests completed' in command.text
    assert 'why it died' in command.text


def test_the_command_shows_arguments_and_says_what_is_wrong(launch_test, start):
    assert "'end':" in launch_test(GOOD, '-s').text
    assert launch_test('x = 1').status == 2
    missing = start(sys.executable, '-m', 'launch_testing.launch_test', 'nowhere.py')
    assert missing.finish() == 2
    assert 'does not exist' in missing.text


@pytest.mark.parametrize(('text', 'status', 'failures', 'skipped'), [
    (UNEXPECTED, 1, '1', '0'), (SKIPPED, 0, '0', '1'), (CASE_SKIPPED, 0, '0', '1'),
    (COLOURED, 1, '1', '0')])
def test_the_report_tells_what_came_of_each_test(launch_test, tmp_path, text, status, failures,
                                                 skipped):
    assert launch_test(text, '--junit-xml', 'report.xml').status == status
    (suite,) = ElementTree.parse(tmp_path / 'report.xml').getroot()
    assert [suite.get(name) for name in ('tests', 'failures', 'skipped')] == [
        '1', failures, skipped]
    if text is COLOURED:
        assert 'AssertionError: red  ä' in suite[0][0].text
    elif status == 0:
        assert suite[0][0].get('message') in ('no such robot here', 'not today')


@pytest.mark.parametrize('code', [*range(32), 0x7f, 0x9b, 0xd800, 0xdfff, 0xfffe, 0xffff, 0x1f600])
def test_reports_are_xml_whatever_tests_print(code):
    run = TestRun('a', print, {}, [], [])
    result = FailResult(run, f'a{chr(code)}[31mb')
    written = BytesIO()
    report({run: result}, f'a{chr(code)}').write(written, encoding='utf-8', xml_declaration=True)
    text = ElementTree.fromstring(written.getvalue())[0][0][0].text
    assert (text[0], text[-1]) == ('a', 'b')
    assert ('[31m' in text) == (code != 0x1b)


@pytest.mark.parametrize(('text', 'status', 'said'), [
    (GOOD, 0, '2 passed'), (WRONG, 1, 'AssertionError: 1 != 2'),
    (UNEXPECTED, 1, 'Unexpected success'), (SKIPPED, 0, '1 passed, 1 skipped')])
def test_pytest_runs_what_is_marked(start, tmp_path, text, status, said):
    (tmp_path / 'test_counts_launch.py').write_text(text)
    (tmp_path / 'test_other.py').write_text('def test_plain():\n    pass\n')
    command = start(sys.executable, '-m', 'pytest', '-p', 'rosless_tools.pytest_launch', '-q',
                    '--launch-args', 'end:=!', '--', '.',
                    env={'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1'})
    assert command.finish() == status, command.text
    assert said in command.text
    assert status == 0 or '1 failed, 1 passed' in command.text


@pytest.mark.parametrize('word', ['end', ':=!', 'end:=', 'end=!'])
def test_pytest_refuses_words_that_are_no_launch_arguments(start, tmp_path, word):
    (tmp_path / 'test_other.py').write_text('def test_plain():\n    pass\n')
    command = start(sys.executable, '-m', 'pytest', '-p', 'rosless_tools.pytest_launch', '-q',
                    '--launch-args', word, '--', '.', env={'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1'})
    assert command.finish() == pytest.ExitCode.USAGE_ERROR, command.text
    assert f"malformed launch argument '{word}'" in command.text


def process(name, *arguments):
    return SimpleNamespace(process_details={'name': name, 'cmd': ['program', *arguments]})


def test_processes_are_found_by_name_and_arguments():
    one, other = process('talker-1', '-x'), process('talker-2')
    known = SimpleNamespace(processes=lambda: [one, other])
    find = util.resolveProcesses
    assert find(known) == [one, other]
    assert find(known, process='talker', cmd_args='-x') == [one]
    assert find(known, process='talker', cmd_args=util.NO_CMD_ARGS) == [other]
    assert find(known, process='talker', strict_proc_matching=False) == [one, other]
    with pytest.raises(Exception, match='Found multiple processes'):
        find(known, process='talker')
    with pytest.raises(util.NoMatchingProcessException, match='talker-1 -x'):
        find(known, process='listener')
    with pytest.raises(util.NoMatchingProcessException):
        find(known, process=ExecuteProcess(cmd=['other']))
    with pytest.raises(TypeError):
        find(known, process=5)


def test_forms_of_expected_output():
    output = IoHandler()
    action = process('talker-1')
    for text in (b'a 1\n', b'b 2\nc', b' 3\n'):
        output.append(SimpleNamespace(process_name='talker-1', action=action, text=text,
                                      from_stdout=True, from_stderr=False))
    assert output.process_names() == ['talker-1']
    for good in ('c 3', re.compile(r'b \d'), ['a 1', 'c 3'], [re.compile('a'), re.compile('3')]):
        asserts.assertInStdout(output, good, 'talker')
    for bad in ('d', re.compile('d'), ['c 3', 'a 1'], [re.compile('3'), re.compile('a')]):
        with pytest.raises(AssertionError, match='Did not find'):
            asserts.assertInStdout(output, bad, 'talker')
    with pytest.raises(AssertionError):
        asserts.assertInStderr(output, 'c 3', 'talker')
    for wrong in ({'stream': 'stdin'}, {'output_filter': 5}):
        with pytest.raises(ValueError, match=r'stream|output_filter'):
            asserts.assertInStream(output, 'c', 'talker', **wrong)
    only_b = tools.basic_output_filter(['a'], ['c'])
    asserts.assertInStdout(output, 'b', 'talker', output_filter=only_b)
    assert only_b('a\nb\ncd\n') == 'b\n'


def test_expected_output_from_files(tmp_path):
    (tmp_path / 'one.txt').write_text('a\nb\n')
    (tmp_path / 'two.regex').write_text('a+\n')
    assert tools.expected_output_from_file(str(tmp_path / 'one')) == ['a', 'b']
    assert tools.expected_output_from_file(str(tmp_path / 'two')) == [re.compile('a+')]
    with pytest.raises(RuntimeError, match='could not find'):
        tools.expected_output_from_file(str(tmp_path / 'three'))


def test_marks():
    tries = []

    @retry_on_failure(times=3, delay=0.01)
    def flaky():
        tries.append(1)
        assert len(tries) == 3

    flaky()
    with pytest.raises(TypeError):
        post_shutdown_test()(flaky)
