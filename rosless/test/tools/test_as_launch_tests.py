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

"""What users' own tests see of launch, where launch's tests found a difference."""

from __future__ import annotations

import asyncio
import io
import logging
import signal
from typing import Any
from unittest.mock import Mock, NonCallableMock

from launch import (
    Action,
    Condition,
    LaunchContext,
    LaunchDescription,
    LaunchDescriptionEntity,
    LaunchService,
    SomeActionsType_types_tuple,
)
from launch import logging as launch_logging
from launch.actions import (
    AppendEnvironmentVariable,
    ExecuteProcess,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.event_handler import EventHandler
from launch.event_handlers import (
    OnIncludeLaunchDescription,
    OnProcessExit,
    OnProcessIO,
    OnShutdown,
)
from launch.events import ExecutionComplete
from launch.events import IncludeLaunchDescription as IncludeEvent
from launch.events import Shutdown as ShutdownEvent
from launch.events.process import ProcessExited, ProcessIO
from launch.frontend import Parser
from launch.frontend.expose import expose_substitution
from launch.frontend.parse_substitution import parse_if_substitutions, parse_substitution
from launch.launch_description_source import LaunchDescriptionSource
from launch.launch_description_sources import load_python_launch_file_as_module
from launch.substitutions import (
    EqualsSubstitution,
    IfElseSubstitution,
    PythonExpression,
    SubstitutionFailure,
)
from launch.utilities import (
    AsyncSafeSignalManager,
    create_future,
    visit_all_entities_and_collect_futures,
)
from launch.utilities.type_utils import (
    coerce_list,
    coerce_to_type,
    get_typed_value,
    is_instance_of,
    normalize_typed_substitution,
    perform_typed_substitution,
)
import launch_testing
from launch_testing import ReadyAggregator
from launch_testing.loader import TestRun
from launch_testing.tools import expect_output
import pytest

XML = """<launch deprecated="old">
  <timer period="5"><log message="late"/></timer>
  <append_env name="A" value="b" prepend="yes"/>
  <executable cmd="ls -l" cwd="/" name="list"><env name="x" value="1"/></executable>
</launch>"""
YAML = 'launch:\n- log: {message: hello}\n'
PROCESS = {'name': 'a', 'cmd': ['a'], 'cwd': None, 'env': None, 'pid': 1}


def test_launch_files_are_read_from_streams(tmp_path):
    root, parser = Parser.load(io.StringIO(XML))
    description = parser.parse_description(root)
    timer, variable, process = description.entities
    assert description.deprecated_reason == 'old'
    assert isinstance(timer, TimerAction) and timer.period == 5.0
    assert isinstance(variable, AppendEnvironmentVariable) and variable.prepend is True
    assert isinstance(process, ExecuteProcess)
    assert [part[0].text for part in process.cmd] == ['ls', '-l']
    assert process.cwd[0].text == '/' and process.name[0].text == 'list'
    assert process.additional_env[0][0][0].text == 'x'
    root, parser = Parser.load(io.StringIO(YAML))
    (log,) = parser.parse_description(root).entities
    assert isinstance(log, LogInfo)
    (tmp_path / 'a.launch.xml').write_text('<launch><bad/></launch>')
    with open(tmp_path / 'a.launch.xml', encoding='utf-8') as file:
        root, parser = Parser.load(file)
        with pytest.raises(ValueError, match=r"a\.launch\.xml:1: Unrecognized .*'bad'"):
            parser.parse_description(root)
    assert Parser.is_extension_valid('xml') and 'yaml' in Parser.get_available_extensions()


def test_exposed_parsers_may_return_a_class_and_its_arguments():
    @expose_substitution('twice')
    def twice(data: Any) -> Any:
        return type(data[0][0]), {'text': data[0][0].text * 2}

    assert parse_substitution('$(twice ab)')[0].perform(None) == 'abab'
    with pytest.raises(RuntimeError, match='parser for number is not a callable'):
        expose_substitution('number')(5)
    assert parse_if_substitutions('plain') == 'plain'
    assert parse_if_substitutions(['plain', 1]) == ['plain', 1]
    with pytest.raises(ValueError, match='several types'):
        parse_if_substitutions(['$(twice a)', 1, 1.0])


def test_handlers_take_what_looks_like_an_entity():
    context = Mock(spec=LaunchContext)
    action = NonCallableMock(spec=Action)
    assert isinstance([action], SomeActionsType_types_tuple)
    exited = ProcessExited(action=action, returncode=0, **PROCESS)
    handler = OnProcessExit(target_action=action, on_exit=action, handle_once=True)
    assert handler.matches(exited) and handler.handle(exited, context) == [action]
    context.extend_locals.assert_called_once_with({'event': exited})
    context.unregister_event_handler.assert_called_once_with(handler)
    callback = Mock()
    OnShutdown(on_shutdown=callback).handle(ShutdownEvent(), context)
    assert callback.call_count == 1
    read = Mock()
    event = ProcessIO(action=action, text=b'x', fd=0, **PROCESS)
    OnProcessIO(on_stdin=read).handle(event, context)
    read.assert_called_once_with(event)
    description = LaunchDescription()
    event = IncludeEvent(description)
    assert OnIncludeLaunchDescription().handle(event, context) is description
    with pytest.raises(TypeError, match='expects an action, a callable or None'):
        OnProcessExit(target_action='a', on_exit=action)
    assert EventHandler(matcher=bool, entities=[LaunchDescriptionEntity]).entities


def test_contexts_without_a_service():
    context = LaunchContext()
    assert context.asyncio_loop is None
    Shutdown(reason='enough').visit(context)
    assert context._event_queue.qsize() == 1
    assert context._event_queue.get_nowait().reason == 'enough'
    with pytest.raises(asyncio.QueueEmpty):
        context._event_queue.get_nowait()
    with pytest.raises(AttributeError):
        context.locals.place = 3
    with pytest.raises(RuntimeError, match='more _pop_locals'):
        context._pop_locals()
    assert Action().visit(context) is None
    assert not Condition().evaluate(context)
    description = LaunchDescription()
    included = IncludeLaunchDescription(LaunchDescriptionSource(description, '<here>'))
    assert included.visit(context) == [description]
    assert context.locals.current_launch_file_directory == '<here>'


def test_a_second_shutdown_is_told_too_and_stdin_is_open():
    told: list[str] = []
    codes: list[int] = []
    script = 'import sys; sys.stdin.read()'
    process = ExecuteProcess(cmd=['python3', '-S', '-c', script],
                             on_exit=lambda event, _: codes.append(event.returncode))
    service = LaunchService()
    service.include_launch_description(LaunchDescription([
        process,
        TimerAction(period=0.5, actions=[Shutdown(reason='first')]),
        TimerAction(period=0.6, actions=[Shutdown(reason='second')], cancel_on_shutdown=False),
        # This is registered last, so it is asked first.
        IncludeLaunchDescription(LaunchDescriptionSource(LaunchDescription([]))),
    ]))
    service.context.register_event_handler(
        OnShutdown(on_shutdown=lambda event, _: told.append(event.reason)))
    assert service.run() == 0
    assert told[:2] == ['first', 'second']
    assert codes == [-signal.SIGINT]


def test_a_service_runs_again_after_a_shutdown_and_ends_by_another() -> None:
    """Each run has a shutdown of its own, that of idleness too."""
    service, heard = LaunchService(), []
    service.include_launch_description(LaunchDescription([RegisterEventHandler(EventHandler(
        matcher=lambda event: isinstance(event, ShutdownEvent),
        entities=OpaqueFunction(
            function=lambda context: heard.append(context.locals.event.reason))))]))
    service.shutdown()
    assert service.run(shutdown_when_idle=False) == 0
    assert service.run() == 0
    assert heard == ['LaunchService.shutdown() called', 'idle']


def test_logs_are_configured_and_reset(tmp_path, capsys):
    launch_logging.reset()
    config = launch_logging.launch_config
    assert isinstance(config, launch_logging.LaunchConfig)
    with pytest.raises(ValueError, match='does not exist'):
        config.log_dir = str(tmp_path / 'nowhere')
    with pytest.raises(ValueError, match='keys in braces'):
        config.set_screen_format('default', screen_style='%')
    config.log_dir = str(tmp_path)
    logger = launch_logging.get_logger('part')
    logger.addHandler(launch_logging.get_screen_handler())
    logger.addHandler(launch_logging.get_log_file_handler())
    logger.error('broken')
    launch_logging.log_launch_config(logger=logger)
    out, err = launch_logging.get_output_loggers('part', {'stdout': 'own_log', 'both': 'own_log'})
    out.info('one')
    err.info('two')
    assert capsys.readouterr().out.splitlines()[0] == '[ERROR] [part]: broken'
    assert '[ERROR] [part]: broken' in (tmp_path / 'launch.log').read_text()
    assert (tmp_path / 'part-stdout.log').read_text() == 'one\n'
    assert (tmp_path / 'part.log').read_text() == 'one\ntwo\n'
    written: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(record.getMessage())

    launch_logging.reset()
    config.log_dir = str(tmp_path)
    config.log_handler_factory = lambda path, encoding=None: Kept()
    logger.addHandler(config.get_log_file_handler())
    logger.error('kept')
    assert written == ['kept'] and issubclass(launch_logging.handlers.RotatingFileHandler,
                                              logging.Handler)
    launch_logging.reset()
    assert logger.getEffectiveLevel() == logging.INFO


def test_signals_in_a_loop():
    loop = asyncio.new_event_loop()
    got: list[int] = []
    manager = AsyncSafeSignalManager(loop)
    assert manager.handle(signal.SIGUSR1, got.append) is None
    before = signal.signal(signal.SIGUSR1, lambda *_: got.append(0))
    with manager:
        loop.call_soon(signal.raise_signal, signal.SIGUSR1)
        loop.run_until_complete(asyncio.sleep(0.1))
    signal.raise_signal(signal.SIGUSR1)
    assert got == [signal.SIGUSR1, 0]
    signal.signal(signal.SIGUSR1, before)
    loop.close()


def test_futures_and_entities():
    class Busy(LaunchDescriptionEntity):
        def get_asyncio_future(self) -> Any:
            return create_future(None)

    description = LaunchDescription([Busy(), LaunchDescriptionEntity()])
    found = visit_all_entities_and_collect_futures(description, LaunchContext())
    assert [type(entity) for entity, _ in found] == [Busy]


def test_a_launch_file_as_a_module(tmp_path):
    (tmp_path / 'a.py').write_text('NUMBER = 3\n')
    assert load_python_launch_file_as_module(str(tmp_path / 'a.py')).NUMBER == 3
    with pytest.raises(FileNotFoundError):
        load_python_launch_file_as_module(str(tmp_path / 'b.py'))


@pytest.mark.parametrize(('text', 'kind', 'value'), [
    ('1', None, 1), ('1.5', None, 1.5), ('on', None, True), ('a', None, 'a'), ("'1'", None, '1'),
    ('[1, 2]', None, [1, 2]), ('1', float, 1.0), ("'1'", str, "'1'"), ('no', bool, False)])
def test_values_of_texts(text, kind, value):
    found = coerce_to_type(text, kind)
    assert (type(found), found) == (type(value), value)
    assert is_instance_of(found, kind)


def test_values_of_the_wrong_type():
    for text, kind in (('1', bool), ('', int), ('1.5', int), ('[1, 2.0]', None), ('{1}', None)):
        with pytest.raises(ValueError, match=r'is not of|no YAML'):
            coerce_to_type(text, kind)
    with pytest.raises(TypeError):
        get_typed_value(['1'], int)
    assert coerce_list(['1', '2'], int) == [1, 2]
    parts = normalize_typed_substitution([*parse_substitution('$(var a 3)')], int)
    context = LaunchContext()
    assert perform_typed_substitution(context, parts, int) == 3
    with pytest.raises(TypeError):
        normalize_typed_substitution('a', int)


def test_several_things_are_ready():
    done: list[int] = []
    ready = ReadyAggregator(lambda: done.append(1), 2)
    for expected in ([], [1], [1]):
        ready.ready_fn()
        assert done == expected


def test_output_as_expected():
    lines = ['one', 'two', 'three']
    assert expect_output(expected_lines=['one', 'three'], lines=lines)
    assert not expect_output(expected_lines=['one', 'three'], lines=lines, strict=True)
    assert expect_output(expected_text='two\nthree', lines=lines)
    with pytest.raises(ValueError, match='give one of'):
        expect_output(text='a')


@pytest.mark.parametrize(('expression', 'value'), [
    ("'ceil(1.5)'", '2'), ("'math.ceil(1.5)'", '2'), ("'sys.maxsize > 0' 'sys'", 'True'),
    ("'math.floor(1.5) + len(sys.path) * 0' 'sys, math'", '1')])
def test_expressions_name_their_modules(expression: str, value: str) -> None:
    (found,) = parse_substitution(f'$(eval {expression})')
    assert found.perform(LaunchContext()) == value


def test_a_name_that_is_not_known_is_a_name_error() -> None:
    with pytest.raises(NameError, match=r'sys\.maxsize'):
        PythonExpression('sys.maxsize').perform(LaunchContext())


@pytest.mark.parametrize(('left', 'right', 'equal'), [
    (None, '', True), (True, '1', True), (10, 10 + 1e-10, True), (10, 10.1, False),
    ('nan', 'nan', False), ('inf', float('inf'), True), ('wow', 1, False)])
def test_what_equals_what(left: Any, right: Any, equal: bool) -> None:
    for pair in ((left, right), (right, left)):
        assert EqualsSubstitution(*pair).perform(LaunchContext()) == str(equal).lower()


def test_truth_values_are_those_of_yaml() -> None:
    assert IfElseSubstitution('on', else_value='b').perform(LaunchContext()) == ''
    assert IfElseSubstitution('off', else_value='b').perform(LaunchContext()) == 'b'
    with pytest.raises(RuntimeError, match='must be specified'):
        IfElseSubstitution('true')
    with pytest.raises(SubstitutionFailure, match='expected true, false'):
        IfElseSubstitution('perhaps', 'a').perform(LaunchContext())


@pytest.mark.parametrize(('text', 'fine'), [('shutdown', True), ('respawn', False)])
def test_what_a_process_of_a_file_may_do_at_its_end(text: str, fine: bool) -> None:
    file = io.StringIO(f'<launch><executable cmd="true" on_exit="{text}"/></launch>')
    entity, parser = Parser.load(file)
    if not fine:
        with pytest.raises(Exception, match="can be 'shutdown', found 'respawn'"):
            parser.parse_description(entity)
        return
    (process,) = parser.parse_description(entity).entities
    service = LaunchService(noninteractive=True)
    service.include_launch_description(LaunchDescription([process, TimerAction(
        period=60.0, actions=[])]))
    assert service.run() == 0  # at once: nothing else ends it


def test_how_long_a_test_waits_for_ready_to_test() -> None:
    @launch_testing.ready_to_test_action_timeout(3)
    def describe() -> Any:
        """Describe."""

    assert TestRun('a', describe, {}, [], []).timeout == 3.0
    assert TestRun('a', lambda: None, {}, [], []).timeout == 15.0


def test_a_handler_does_not_hear_of_the_description_that_brings_it() -> None:
    heard: list[str] = []
    service = LaunchService(noninteractive=True)
    service.include_launch_description(LaunchDescription([RegisterEventHandler(EventHandler(
        matcher=lambda event: not isinstance(event, ExecutionComplete),
        entities=OpaqueFunction(function=lambda context: heard.append(
            type(context.locals.event).__name__))))]))
    assert service.run() == 0
    assert heard == ['Shutdown']
