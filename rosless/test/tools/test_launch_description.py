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

"""Arguments, substitutions, conditions, groups, includes and events."""

import asyncio
import importlib
import re
import sys

import pytest


def run(ros2, path, *words):
    launched = ros2('launch', path, *words)
    launched.status = launched.finish()
    launched.said = [line.removeprefix('[INFO] [launch.user]: ') for line in launched.lines
                     if line.startswith('[INFO] [launch.user]: ')]
    return launched


def say(*parts):
    return f"LogInfo(msg=[{', '.join(parts)}])"


ARGUMENT = "DeclareLaunchArgument('robot', default_value='arm', choices=['arm', 'puma560'], " \
           "description='Which robot')"
VALUE = "LaunchConfiguration('robot')"


def test_argument_given_and_default(ros2, launch_file):
    path = launch_file(ARGUMENT, say(VALUE))
    assert run(ros2, path).said == ['arm']
    assert run(ros2, path, 'robot:=puma560').said == ['puma560']
    assert run(ros2, path, 'robot:=arm', 'robot:=puma560').said == ['puma560']


def test_value_that_is_no_choice(ros2, launch_file):
    launched = run(ros2, launch_file(ARGUMENT), 'robot:=puma')
    assert launched.status == 1
    assert ('[ERROR] [launch]: Caught exception in launch (see debug for traceback): Argument '
            '"robot" provided value "puma" is not valid. Valid options are: '
            "['arm', 'puma560']. Did you mean \"puma560\"?") in launched.lines


def test_required_argument_missing(ros2, launch_file):
    path = launch_file("DeclareLaunchArgument('path', description='Where to')")
    launched = run(ros2, path)
    assert launched.status == 1
    assert "missing required argument 'path' (description: 'Where to')" in launched.text


def test_unknown_argument_is_warned_of(ros2, launch_file):
    launched = run(ros2, launch_file(ARGUMENT), 'robto:=puma560')
    assert launched.status == 0
    assert ("[WARNING] [launch]: unknown launch argument 'robto', did you mean 'robot'? "
            '(declared: robot; see --show-args)') in launched.lines


def test_malformed_argument(ros2, launch_file):
    launched = run(ros2, launch_file(ARGUMENT), 'robot=arm')
    assert launched.status == 1
    assert launched.text == "malformed launch argument 'robot=arm', expected format " \
                            "'<name>:=<value>'"


def test_show_args(ros2, launch_file):
    path = launch_file(
        ARGUMENT, "DeclareLaunchArgument('rate')",
        "GroupAction([DeclareLaunchArgument('deep', default_value=['a', LaunchConfiguration("
        "'robot')])], condition=IfCondition('true'))")
    launched = run(ros2, path, '--show-args')
    assert launched.status == 0
    assert launched.text == (
        "Arguments (pass arguments as '<name>:=<value>'):\n\n"
        "    'robot':\n        Which robot. Valid choices are: ['arm', 'puma560']\n"
        "        (default: 'arm')\n\n"
        "    'rate':\n        no description given\n\n"
        "    'deep':*\n        no description given\n"
        "        (default: 'a' + LaunchConfig('robot'))\n\n"
        '* argument(s) which are only used if specific conditions occur')


@pytest.mark.parametrize(('expression', 'text'), [
    ("TextSubstitution(text='x')", 'x'),
    ("PathJoinSubstitution(['/a', 'b', ['c', '.txt']])", '/a/b/c.txt'),
    ("EnvironmentVariable('NOT_SET', default_value='d')", 'd'),
    ("EnvironmentVariable('COLOR')", 'blue'),
    ("PythonExpression(['2 * ', '3 + int(pi)'])", '9'),
    ("Command('echo hello')", 'hello\n'),
    ("Command(['echo ', \"'two  blanks'\"])", 'two  blanks\n'),
    ("LaunchConfiguration('absent', default='d')", 'd'),
    ("EqualsSubstitution('1.0', 1)", 'true'),
    ("NotEqualsSubstitution('a', 'b')", 'true'),
    ("AndSubstitution('true', NotSubstitution('false'))", 'true'),
    ("OrSubstitution('false', '0')", 'false'),
])
def test_substitution(expression, text, monkeypatch):
    import launch.substitutions
    monkeypatch.setenv('COLOR', 'blue')
    substitution = eval(expression, vars(launch.substitutions))
    assert substitution.perform(launch.LaunchContext()) == text


@pytest.mark.parametrize(('expression', 'message'), [
    ("LaunchConfiguration('robt')",
     "launch configuration 'robt' does not exist (did you mean 'robot'?)"),
    ("EnvironmentVariable('NOT_SET')", "environment variable 'NOT_SET' does not exist"),
    ("PythonExpression('1 +')", "the Python expression '1 +' cannot be evaluated: SyntaxError"),
    ("Command('/no/program x')", "the program '/no/program' of the command '/no/program x' "
     'cannot be run: No such file or directory'),
    ("Command('sh -c \"echo bad >&2; exit 4\"')", 'Captured stderr output: bad'),
    ("Command('sh -c \"echo remark >&2\"')", 'executed command showed stderr output'),
    ("FindExecutable(name='no-such-program')", "executable 'no-such-program' not found"),
    ('ThisLaunchFileDir()', 'outside of a launch file'),
])
def test_substitution_failure(expression, message):
    import launch.substitutions
    context = launch.LaunchContext()
    context.launch_configurations['robot'] = 'arm'
    with pytest.raises(launch.substitutions.SubstitutionFailure) as raised:
        eval(expression, vars(launch.substitutions)).perform(context)
    assert message in str(raised.value)


def test_conditions(ros2, launch_file):
    cases = {'IfCondition("True")': 'a', 'IfCondition("0")': 'b', 'UnlessCondition("0")': 'c',
             'LaunchConfigurationEquals("robot", "arm")': 'd',
             'LaunchConfigurationNotEquals("robot", "arm")': 'e'}
    path = launch_file(ARGUMENT, *(
        f"LogInfo(msg='{name}', condition={condition})" for condition, name in cases.items()))
    assert run(ros2, path).said == ['a', 'c', 'd']


def test_invalid_condition(ros2, launch_file):
    launched = run(ros2, launch_file("LogInfo(msg='x', condition=IfCondition('maybe'))"))
    assert launched.status == 1
    assert ('invalid condition expression, expected one of '
            "['true', '1', 'false', '0'] but got 'maybe'") in launched.text


def test_groups_have_a_scope(ros2, launch_file):
    show = say("LaunchConfiguration('x', default='none')", "' '",
               "EnvironmentVariable('Y', default_value='none')")
    path = launch_file(
        show,
        "GroupAction([SetLaunchConfiguration('x', '1'), SetEnvironmentVariable('Y', '2'), "
        f'{show}, GroupAction([{show}], forwarding=False)])',
        show,
        "GroupAction([SetLaunchConfiguration('x', '3')], scoped=False)",
        show)
    assert run(ros2, path).said == ['none none', '1 2', 'none none', 'none none', '3 none']


def test_the_environment_of_a_group_holds_for_its_processes(ros2, launch_file):
    path = launch_file("GroupAction([SetEnvironmentVariable('Y', '2'), ExecuteProcess("
                       "cmd=['printenv', 'Y'], output='screen')])")
    launched = run(ros2, path)
    assert '[printenv-1] 2' in launched.lines


def test_the_launch_file_is_known_in_timers_and_to_event_handlers(ros2, launch_file, tmp_path):
    launch_file('TimerAction(period=0.01, actions=[LogInfo(msg=ThisLaunchFileDir())])',
                'RegisterEventHandler(OnShutdown(on_shutdown=[LogInfo(msg=ThisLaunchFile())]))',
                name='inner.launch.py')
    path = launch_file("IncludeLaunchDescription([ThisLaunchFileDir(), '/inner.launch.py'])")
    assert run(ros2, path).said == [str(tmp_path), f'{tmp_path}/inner.launch.py']


def test_include_passes_arguments_and_knows_its_directory(ros2, launch_file, tmp_path):
    launch_file("DeclareLaunchArgument('speed')",
                say("LaunchConfiguration('speed')", "' '", 'ThisLaunchFileDir()'),
                name='inner.launch.py')
    path = launch_file(
        "DeclareLaunchArgument('fast', default_value='9')",
        'IncludeLaunchDescription(PythonLaunchDescriptionSource(PathJoinSubstitution(['
        "ThisLaunchFileDir(), 'inner.launch.py'])), "
        "launch_arguments={'speed': LaunchConfiguration('fast')}.items())",
        say("'after'"))
    assert run(ros2, path).said == [f'9 {tmp_path}', 'after']
    shown = run(ros2, tmp_path / 'inner.launch.py', '-s')
    assert "'speed':" in shown.text


def test_include_without_a_required_argument(ros2, launch_file, tmp_path):
    launch_file("DeclareLaunchArgument('speed')", name='inner.launch.py')
    path = launch_file(
        "DeclareLaunchArgument('file')", "IncludeLaunchDescription(LaunchConfiguration('file'))")
    launched = run(ros2, path, f'file:={tmp_path}/inner.launch.py')
    assert launched.status == 1
    assert "Included launch description missing required argument 'speed'" in launched.text
    assert f"in '{tmp_path}/inner.launch.py'" in launched.text


def test_events(ros2, launch_file):
    path = launch_file(
        'RegisterEventHandler(OnProcessStart(target_action=p, on_start=['
        "LogInfo(msg='started')]))",
        'RegisterEventHandler(OnProcessExit(target_action=p, on_exit=lambda event, context: '
        "[LogInfo(msg=f'exited {event.returncode}'), TimerAction(period=0.1, actions=["
        "LogInfo(msg='timer'), EmitEvent(event=ShutdownEvent(reason='enough'))])]))",
        "RegisterEventHandler(OnShutdown(on_shutdown=[LogInfo(msg=['shutdown: ', "
        "LocalSubstitution('event.reason')])]))",
        "ExecuteProcess(cmd=['sleep', '60'], name='other')",
        'p',
        before="p = ExecuteProcess(cmd=['sh', '-c', 'sleep 0.1; exit 7'], name='p')")
    launched = run(ros2, path)
    assert launched.said == ['started', 'exited 7', 'timer', 'shutdown: enough']
    assert "[INFO] [other-1]: sending signal 'SIGINT' to process[other-1]" in launched.text


def test_process_output_event(ros2, launch_file):
    path = launch_file(
        'RegisterEventHandler(OnProcessIO(on_stdout=lambda event: '
        "LogInfo(msg='heard ' + event.text.decode().strip())))",
        "ExecuteProcess(cmd=['echo', 'word'], name='p')")
    assert run(ros2, path).said == ['heard word']


class Reads(asyncio.SubprocessProtocol):
    """What asyncio hands on for each read; Humble's launch makes one event of that."""

    def __init__(self, told, ended):
        self.told, self.ended, self.found = told, ended, []

    def pipe_data_received(self, fd, data):
        self.found.append(data.decode())
        self.told.touch()

    def connection_lost(self, exc):   # the process and its pipes
        self.ended.set_result(None)


def test_every_read_of_an_output_is_one_event(ros2, launch_file, tmp_path):
    told, again = tmp_path / 'told', tmp_path / 'again'
    program = ('import os, sys, time\n'
               'os.write(1, b"two")\n'
               'while not os.path.exists(sys.argv[1]): time.sleep(0.01)\n'
               'os.write(1, b"parts")')   # of one line, written when the first has been read

    async def read():
        loop = asyncio.get_running_loop()
        ended = loop.create_future()
        _, protocol = await loop.subprocess_exec(
            lambda: Reads(told, ended), sys.executable, '-c', program, str(told))
        await ended
        return protocol.found

    path = launch_file(
        'RegisterEventHandler(OnProcessIO(on_stdout=heard))',
        f'ExecuteProcess(cmd=[PY, "-c", {program!r}, {str(again)!r}], name="p")',
        before='def heard(event):\n'
               f'    open({str(again)!r}, "w").close()\n'
               '    return LogInfo(msg=event.text.decode())\n')
    assert run(ros2, path).said == asyncio.run(read()) == ['two', 'parts']


def test_on_exit_shutdown_ends_the_rest(ros2, launch_file):
    path = launch_file("ExecuteProcess(cmd=['sleep', '60'], name='other')",
                       "ExecuteProcess(cmd=['true'], name='p', on_exit=Shutdown())")
    launched = run(ros2, path)
    assert launched.status == 0
    assert '[INFO] [launch]: process[p-2] was required: shutting down launched system' \
        in launched.text


def test_opaque_function(ros2, launch_file):
    path = launch_file(
        ARGUMENT, "OpaqueFunction(function=choose, args=['extra'])",
        before='def choose(context, extra):\n'
               "    name = LaunchConfiguration('robot').perform(context)\n"
               "    return [LogInfo(msg=name + ' ' + extra)]\n")
    assert run(ros2, path).said == ['arm extra']


def test_error_in_a_launch_file_names_the_line(ros2, tmp_path):
    path = tmp_path / 'bad.launch.py'
    path.write_text('def generate_launch_description():\n    return undefined_name\n')
    launched = run(ros2, path)
    assert launched.status == 1
    assert f"{path}:2: NameError: name 'undefined_name' is not defined" in launched.text
    path.write_text('def generate_launch_description(:\n')
    assert f'{path}:1: SyntaxError' in run(ros2, path).text
    path.write_text('x = 1\n')
    assert f"launch file at '{path}' does not contain the required function " \
           "'generate_launch_description()'" in run(ros2, path).text


def test_missing_file_and_package(ros2, launch_file):
    assert run(ros2, './none.launch.py').text == "file './none.launch.py' was not found"
    assert "Package 'no_pkg' not found" in run(ros2, 'no_pkg', 'a.launch.py').text
    launched = run(ros2, 'std_msgs', 'a.launch.py')
    assert launched.status == 1
    assert "file 'a.launch.py' was not found in the share directory of package 'std_msgs'" \
        in launched.text


def test_coroutines_run_and_end_with_the_launch(ros2, launch_file):
    path = launch_file(
        'OpaqueCoroutine(coroutine=brief)', 'OpaqueCoroutine(coroutine=endless)',
        "TimerAction(period=0.3, actions=[Shutdown(reason='enough')])",
        before='import asyncio\n'
               'async def brief(context):\n    print("brief")\n'
               'async def endless(context):\n    await asyncio.sleep(60)\n')
    launched = run(ros2, path)
    assert launched.status == 0
    assert 'brief' in launched.lines


def test_an_error_in_a_coroutine_ends_the_launch(ros2, launch_file):
    path = launch_file(
        "ExecuteProcess(cmd=['sleep', '60'], name='other')",
        'OpaqueCoroutine(coroutine=fail)',
        before='async def fail(context):\n    raise ValueError("no luck")\n')
    launched = run(ros2, path)
    assert launched.status == 1
    assert 'Caught exception in launch (see debug for traceback): no luck' in launched.text


@pytest.mark.parametrize(('line', 'message'), [
    ('from launch.substitutions import ForEachVar', 'launch.substitutions.ForEachVar is not '
     'available in rosless: used in XML and YAML files only'),
    ('from launch_ros.actions import LoadComposableNodes', 'launch_ros.actions.LoadComposableNodes'
     ' is not available in rosless: composable nodes are shared libraries'),
    ('from launch_ros.descriptions import ComposableNode', 'launch_ros.descriptions.ComposableNode'
     ' is not available in rosless: composable nodes are shared libraries'),
])
def test_what_is_absent_says_so(line, message):
    with pytest.raises(ImportError, match=message):
        exec(line)


def test_loops(ros2, launch_file):
    path = launch_file(
        "ForLoop(LaunchConfiguration('n', default='2'), function=lambda i: [LogInfo(msg=str(i))])",
        "ForEach(\"{a: x, b: 1}; {a: y, b: 2}\", function=lambda a, b: [LogInfo(msg=f'{a}{b}')])")
    assert run(ros2, path).said == ['0', '1', 'x1', 'y2']


@pytest.mark.parametrize(('entity', 'message'), [
    ("ForLoop('x', function=lambda i: [])", "must be a whole number of at least 0, found 'x'"),
    ("ForEach('[1]', function=lambda: [])", 'must be mappings, separated by semicolons'),
    ("ForEach('{a: 1}; {b: 1}', function=lambda: [])", "does not have ['a']"),
    ("Log(msg='x', level='LOUD')", "Invalid log level 'LOUD', expected: DEBUG"),
])
def test_wrong_loops_and_levels(ros2, launch_file, entity, message):
    launched = run(ros2, launch_file(entity))
    assert launched.status == 1
    assert message in launched.text


def test_texts_put_together(ros2, launch_file, tmp_path):
    (tmp_path / 'content').write_text('inside')
    path = launch_file(
        say("IfElseSubstitution('true', 'a', 'b')", "IfElseSubstitution('0', 'a', 'b')"),
        say("AnySubstitution('0', 'true')", "AllSubstitution('0', 'true')"),
        say("StringJoinSubstitution(['x', LaunchConfiguration('n', default='y')], '-')"),
        say("PathSubstitution('a') / 'b' / ['c', 'd']"),
        say(f"FileContent({str(tmp_path / 'content')!r})"),
        say("PythonExpression([AnonName('n'), '==', AnonName('n')])".replace(
            "AnonName('n')", "'\"', AnonName('n'), '\"'")),
        say("PythonExpression(['\"', LaunchLogDir(), '\" != \"\"'])"))
    assert run(ros2, path).said == ['ab', 'truefalse', 'x-y', 'a/b/cd', 'inside', 'True', 'True']


def test_levels_of_messages(ros2, launch_file):
    path = launch_file("LogError(msg='e')", "LogWarning(msg='w')", "LogDebug(msg='d')",
                       "Log(msg='c', level='critical')")
    lines = run(ros2, path).lines
    for line in ('[ERROR] [launch.user]: e', '[WARNING] [launch.user]: w',
                 '[CRITICAL] [launch.user]: c'):
        assert line in lines
    assert '[DEBUG] [launch.user]: d' not in lines


def test_environment_is_replaced(ros2, launch_file):
    path = launch_file("ReplaceEnvironmentVariables({'ONLY': 'this'})",
                       say("EnvironmentVariable('ONLY')",
                           "EnvironmentVariable('HOME', default_value='gone')"))
    assert run(ros2, path).said == ['thisgone']


def test_print_shows_the_tree_and_runs_nothing(ros2, launch_file):
    path = launch_file(
        "GroupAction([LogInfo(msg='x')], scoped=False)",
        "GroupAction([LogInfo(msg='y')], scoped=False, condition=IfCondition('true'))")
    launched = run(ros2, path, '--print')
    assert launched.said == []
    shapes = [re.sub(r"\('\d+'\)|0x\w+", '', line) for line in launched.lines]
    assert shapes == [
        '<launch.launch_description.LaunchDescription object at >',
        '├── GroupAction', '│   └── LogInfo', '└── GroupAction',
        '    └── Conditionally included by GroupAction', '        └── LogInfo']


def test_helpers_for_authors_of_actions():
    from launch import LaunchDescription
    from launch.actions import LogInfo
    from launch.utilities import is_a
    from launch.utilities import is_a_subclass
    from launch.utilities import isclassinstance
    from launch.utilities import normalize_to_list_of_entities
    from launch_ros.utilities import is_namespace_absolute
    from launch_ros.utilities import is_root_namespace

    one, two = LogInfo(msg='1'), LogInfo(msg='2')
    assert normalize_to_list_of_entities([one, [two]]) == [one, two]
    assert normalize_to_list_of_entities(one) == [one]
    with pytest.raises(TypeError, match="found 'x' of type str"):
        normalize_to_list_of_entities(['x'])
    assert is_a(one, LogInfo) and not is_a(one, LaunchDescription)
    assert is_a_subclass(LogInfo, LogInfo) and is_a_subclass(one, LogInfo)
    assert isclassinstance(one) and isclassinstance(1) and not isclassinstance(LogInfo)
    assert is_namespace_absolute('/a') and not is_namespace_absolute('a')
    assert is_root_namespace('/') and not is_root_namespace('/a')


@pytest.mark.parametrize(('module', 'name', 'reason'), [
    ('launch_ros.utilities', 'to_parameters_list', 'it is part of how launch_ros works inside'),
    ('launch.frontend', 'type_utils', 'Entity.get_attr checks'),
])
def test_absent_helpers_say_what_to_use(module, name, reason):
    message = f'{module}.{name} is not available in rosless: {reason}'
    with pytest.raises(ImportError, match=message):
        getattr(importlib.import_module(module), name)
