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

"""Run a process, report on it, end it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
import functools
import os
import signal
from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.actions.opaque_function import OpaqueFunction
from launch.actions.output_lines import OutputLines
from launch.conditions import evaluate_condition_expression
from launch.event_handler import EventHandler
from launch.event_handlers.on_action_event_base import Reaction
from launch.event_handlers.on_process_exit import OnProcessExit
from launch.event_handlers.on_shutdown import OnShutdown
from launch.events.process import ProcessExited
from launch.events.process import ProcessStarted
from launch.events.process import ProcessStderr
from launch.events.process import ProcessStdout
from launch.events.process import ProcessTargetedEvent
from launch.events.process import SignalProcess
from launch.events.shutdown import Shutdown
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.logging import get_logger
from launch.logging import get_output_loggers
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions.launch_configuration import LaunchConfiguration
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch.utilities.local_process import LocalProcess
from launch.utilities.process_groups import signal_group

if TYPE_CHECKING:
    from launch.descriptions.executable import Executable
    from launch.launch_context import LaunchContext

SIGTERM_TIMEOUT = LaunchConfiguration('sigterm_timeout', default=5)  # s
SIGKILL_TIMEOUT = LaunchConfiguration('sigkill_timeout', default=5)  # s


class ExecuteLocal(Action):
    """
    Run a process on this machine.

    Parameters
    ----------
    process_description : Executable
        What to run.
    shell : bool
        Whether a shell runs the command.
    sigterm_timeout, sigkill_timeout : text with substitutions
        Time from SIGINT to SIGTERM and from there to SIGKILL [s]; by default 5 each, or the
        launch configurations of these names.
    emulate_tty : bool
        Whether the output goes to pseudo-terminals instead of pipes; the launch configuration
        of this name has precedence.
    output : text with substitutions, or mapping
        Where the output goes: see ``launch.logging.get_output_loggers``. The environment
        variable OVERRIDE_LAUNCH_PROCESS_OUTPUT has precedence.
    output_format : str
        Form of a line, with the keys ``line`` and ``this``.
    cached_output : bool
        Whether ``get_stdout`` and ``get_stderr`` can be used.
    log_cmd : bool
        Whether the final command is written to the log.
    on_exit : entities, or callable, optional
        What to visit when the process ends; see ``OnProcessExit``.
    respawn : bool, or text with substitutions
        Whether the process is started again when it ends.
    respawn_delay : float, optional
        Time before that [s].
    respawn_max_retries : int
        How often at most; negative for no limit.

    """

    def __init__(
        self,
        *,
        process_description: Executable,
        shell: bool = False,
        sigterm_timeout: SomeSubstitutionsType = SIGTERM_TIMEOUT,
        sigkill_timeout: SomeSubstitutionsType = SIGKILL_TIMEOUT,
        emulate_tty: bool = False,
        output: SomeSubstitutionsType | Mapping[str, Any] = 'log',
        output_format: str = '[{this.process_description.final_name}] {line}',
        cached_output: bool = False,
        log_cmd: bool = False,
        on_exit: Reaction | None = None,
        respawn: bool | SomeSubstitutionsType = False,
        respawn_delay: float | None = None,
        respawn_max_retries: int = -1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.process_description = process_description
        self._shell = shell
        self._timeouts = (normalize_to_list_of_substitutions(sigterm_timeout),
                          normalize_to_list_of_substitutions(sigkill_timeout))
        self._emulate_tty = emulate_tty
        output = os.environ.get('OVERRIDE_LAUNCH_PROCESS_OUTPUT', output)
        self._output = (output if isinstance(output, Mapping)
                        else normalize_to_list_of_substitutions(output))
        self._output_format = output_format
        self._cached = {'stdout': '', 'stderr': ''} if cached_output else None
        self._log_cmd = log_cmd
        self._on_exit = on_exit
        self._respawn = normalize_to_list_of_substitutions(
            str(respawn) if isinstance(respawn, bool) else respawn)
        self._respawn_delay = respawn_delay
        self._respawns_left = respawn_max_retries
        self._details: dict[str, Any] | None = None
        self._process: LocalProcess | None = None
        self._running = False
        self._ending: asyncio.Future[None] | None = None
        self._completed: asyncio.Future[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def shell(self) -> bool:
        """Whether a shell runs the command."""
        return self._shell

    @property
    def output(self) -> Any:
        """Where the output goes: parts of a text, or a mapping."""
        return self._output

    @property
    def emulate_tty(self) -> bool:
        """Whether the output goes to pseudo-terminals."""
        return self._emulate_tty

    @property
    def sigterm_timeout(self) -> list[Any]:
        """Parts of the time from SIGINT to SIGTERM [s]."""
        return self._timeouts[0]

    @property
    def sigkill_timeout(self) -> list[Any]:
        """Parts of the time from SIGTERM to SIGKILL [s]."""
        return self._timeouts[1]

    @property
    def process_details(self) -> dict[str, Any] | None:
        """Name, cmd, cwd, env and, once it is started, pid; None before."""
        return self._details

    @property
    def return_code(self) -> int | None:
        """Exit status, None while there is none."""
        return None if self._process is None else self._process.returncode

    def get_stdout(self) -> str:
        """Return the standard output so far; only where ``cached_output`` is set."""
        return self._get_cached('stdout')

    def get_stderr(self) -> str:
        """Return the standard error so far; only where ``cached_output`` is set."""
        return self._get_cached('stderr')

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return what is visited when the process ends."""
        return list(self._on_exit) if isinstance(self._on_exit, (list, tuple)) else []

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the process has ended for good."""
        return self._completed

    def execute(self, context: LaunchContext) -> None:
        """
        Start the process.

        Raises
        ------
        RuntimeError
            If this action was executed before.

        """
        if self._completed is not None:
            raise RuntimeError(f'{self.describe()}: an action can be executed only once')
        if context.is_shutdown:
            return
        self.prepare(context)
        description = self.process_description
        name = str(description.final_name)
        self._details = {'action': self, 'name': name, 'cmd': description.final_cmd,
                         'cwd': description.final_cwd, 'env': description.final_env}
        loggers = get_output_loggers(
            name, self._output if isinstance(self._output, Mapping)
            else perform_substitutions(context, self._output))
        timeouts = [float(perform_substitutions(context, text)) for text in self._timeouts]
        respawn = evaluate_condition_expression(context, self._respawn)
        if 'emulate_tty' in context.launch_configurations:
            self._emulate_tty = evaluate_condition_expression(
                context, [LaunchConfiguration('emulate_tty')])
        loop = context.running_loop
        self._completed = loop.create_future()
        self._ending = loop.create_future()
        lines = {stream: OutputLines(logger, self._format_line)
                 for stream, logger in zip(('stdout', 'stderr'), loggers)}
        if self._on_exit is not None:
            context.register_event_handler(
                OnProcessExit(target_action=self, on_exit=self._on_exit))
        handlers = [
            EventHandler(
                matcher=lambda event: (isinstance(event, ProcessTargetedEvent)
                                       and event.process_matcher(self)),
                entities=OpaqueFunction(function=self._react, args=(timeouts,))),
            OnShutdown(
                on_shutdown=lambda event, _: self._begin_to_end(context, timeouts, event))]
        for handler in handlers:
            context.register_event_handler(handler)
            self._completed.add_done_callback(
                functools.partial(_unregister, context, handler))
        self._tasks.append(loop.create_task(self._run(context, lines, respawn)))

    def prepare(self, context: LaunchContext) -> None:
        """Compute the final command, name, working directory and environment."""
        self.process_description.prepare(context, self)

    def _format_line(self, line: str) -> str:
        return self._output_format.format(line=line, this=self)

    def _get_cached(self, stream: str) -> str:
        if self._cached is None:
            raise RuntimeError(f'cached_output must be true to be able to get {stream}')
        return self._cached[stream]

    async def _run(
        self, context: LaunchContext, lines: dict[str, OutputLines], respawn: bool,
    ) -> None:
        assert self._ending is not None and self._completed is not None
        try:
            while not self._ending.done():
                await self._run_once(context, lines)
                if not respawn or self._respawns_left == 0 or self._ending.done():
                    break
                self._respawns_left -= 1
                await asyncio.wait([self._ending], timeout=self._respawn_delay or 0.0)
            self._completed.set_result(None)
        except Exception as error:
            self._completed.set_exception(error)

    async def _run_once(self, context: LaunchContext, lines: dict[str, OutputLines]) -> None:
        assert self._details is not None
        details, logger = self._details, get_logger(self._details['name'])
        cmd = ' '.join(part for part in details['cmd'] if part.strip())
        if self._log_cmd:
            logger.info(f"process details: cmd='{cmd}', cwd='{details['cwd']}', custom_env?=True")
        try:
            self._process = process = LocalProcess(
                details['cmd'], cwd=details['cwd'], env=details['env'], shell=self._shell,
                emulate_tty=self._emulate_tty,
                on_output=lambda stream, data: self._on_output(context, lines, stream, data))
        except (OSError, ValueError) as error:
            logger.error(f"exception occurred while executing process: {error}, cmd '{cmd}'")
            if self._ending is not None and not self._ending.done():
                self._ending.set_result(None)
            return
        details['pid'] = process.pid
        self._running = True
        context.process_groups.add(process.pid)
        logger.info(f'process started with pid [{process.pid}]')
        context.emit_event_sync(ProcessStarted(**details))
        returncode = await process.finished()
        self._running = False
        context.process_groups.leader_exited(process.pid)
        for stream in lines.values():
            stream.flush()
        if returncode == 0:
            logger.info(f'process has finished cleanly [pid {process.pid}]')
        else:
            logger.error(f'process has died [pid {process.pid}, exit code {returncode}, '
                         f"cmd '{cmd}'].")
        context.emit_event_sync(ProcessExited(returncode=returncode, **details))

    def _on_output(
        self, context: LaunchContext, lines: dict[str, OutputLines], stream: str, data: bytes,
    ) -> None:
        text = lines[stream].feed(data)
        if self._cached is not None:
            self._cached[stream] += text
        assert self._details is not None
        kind = ProcessStdout if stream == 'stdout' else ProcessStderr
        event = kind(text=data, **self._details)
        if context.would_handle_event(event):
            context.emit_event_sync(event)

    def _react(self, context: LaunchContext, timeouts: list[float]) -> None:
        event = context.locals.event
        if isinstance(event, SignalProcess):
            self._send(event.signal)
        else:
            self._begin_to_end(context, timeouts, None)

    def _begin_to_end(
        self, context: LaunchContext, timeouts: list[float], event: Shutdown | None,
    ) -> None:
        if self._ending is not None and not self._ending.done():
            self._ending.set_result(None)
            if self._running:
                quiet = event is not None and event.due_to_sigint
                self._tasks.append(
                    context.running_loop.create_task(self._escalate(timeouts, quiet)))

    async def _escalate(self, timeouts: list[float], quiet: bool) -> None:
        assert self._completed is not None and self._details is not None
        logger, name = get_logger(self._details['name']), self._details['name']
        self._send(signal.SIGINT, quiet)
        steps = ((timeouts[0], timeouts[0], signal.SIGINT, signal.SIGTERM),
                 (timeouts[1], sum(timeouts), signal.SIGTERM, signal.SIGKILL))
        for wait, since_begin, last, following in steps:
            await asyncio.wait([self._completed], timeout=wait)
            if self._completed.done():
                return
            logger.error(f"process[{name}] failed to terminate '{since_begin:g}' seconds after "
                         f"receiving '{last.name}', escalating to '{following.name}'")
            self._send(following)

    def _send(self, number: signal.Signals, quiet: bool = False) -> None:
        if self._process is None or not self._running:
            return
        assert self._details is not None
        if not quiet:
            name = self._details['name']
            get_logger(name).info(f"sending signal '{number.name}' to process[{name}]")
        signal_group(self._process.pid, number)


def _unregister(
    context: LaunchContext, handler: EventHandler, _completed: asyncio.Future[None],
) -> None:
    context.unregister_event_handler(handler)
