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

"""Node controller: makes a robot follow constraints, with a nominal model after Udwadia-Kalaba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib
from dataclasses import replace
from functools import partial
import sys
import time

from control_msgs.msg import JointTrajectoryControllerState
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import SetPayload
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState

from mbd_ros.control import Payload, Task
from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.control_step.thrust_allocation import ThrustAllocation
from mbd_ros.control.tasks.feasibility import check_task
from mbd_ros.control.tasks.goal_check import precompile
from mbd_ros.control.tasks.goal_watch import FollowingWatch
from mbd_ros.control.tasks.tracker import Mode, Tracker
from mbd_ros.control.tracking.payload import carrier, reloaded
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, MbdError, NoModelError
from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import JointStateReader, Measured
from mbd_ros.messages.trajectories.controller_states import idle_state, tracking_state
from mbd_ros.messages.trajectories.path_goals import read_payload
from mbd_ros.messages.trajectories.trajectories import standard_state
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import floating_base
from mbd_ros.nodes.controlling.background_work import DefaultGroupQueue, run_in_thread
from mbd_ros.nodes.controlling.controller_drawings import ControllerDrawings
from mbd_ros.nodes.controlling.controller_goals import Controlled, ControllerGoals, IDLE
from mbd_ros.nodes.controlling.drag_targets import DragTargets
from mbd_ros.nodes.controlling.hardware import Hardware
from mbd_ros.nodes.controlling.live_gains import change_task
from mbd_ros.nodes.controlling.modes import mode_text, MODES, SENDING
from mbd_ros.nodes.controlling.state_senders import StateSenders
from mbd_ros.nodes.controlling.state_stream import StateStream
from mbd_ros.nodes.controlling.state_synchronizer import CompletedJoints, StateSynchronizer
from mbd_ros.nodes.controlling.task_parameters import posture_of, task_from_parameters, with_gains
from mbd_ros.nodes.controlling.timeout_counter import CHECK_PERIOD, TimeoutCounter
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.fluid_and_ground import gravity_of, into_fluid, VectorTopic
from mbd_ros.nodes.every_node.health import (
    Durations, Health, HealthPublisher, OK, rivals, WARNING)
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.robot_source import Robot, RobotSource
from mbd_ros.nodes.every_node.run import run

REPLACED = 'the robot was replaced'


class Controller(ManagedNode):
    """
    Makes a robot follow paths and other constraints.

    Every joint state is answered with efforts: the nominal model is advanced to the state's stamp
    and compared with it, so that a late message costs no accuracy.

    ==============================  ==================  ===========================================
    entity                          callback group      why
    ==============================  ==================  ===========================================
    joint_states, companions        the node's default  one control step after the other
    robot_description               the node's default  a robot is never changed within a step
    ~/joint_trajectory, ~/gravity   the node's default  they change what the next step follows
    actions, ~/set_payload          one of their own    they wait for a compiler while steps go on;
                                                        what they change, they change in a turn of
                                                        the node's default group
    watch, drawing and              the node's default  they read what a step writes
    /diagnostics timers
    ==============================  ==================  ===========================================

    """

    NAME = 'controller'
    _source: RobotSource

    def reset_state(self) -> None:
        """Have no robot and nothing to follow."""
        self._computing, self._answering, self._computed = Durations(), Durations(), 0.0
        self._commands: EffortCommands | None = None
        self._reader: JointStateReader | None = None
        self._following: FollowingWatch | None = None
        self._task: Task | None = None
        self._tracker: Tracker | None = None
        self._measured: Measured | None = None
        self._missing = 'joint_states'
        self._payload: Payload | None = None
        self._wish: SetPayload.Request | None = None
        self._gravity: list[float] = []
        self._mode, self._why, self._replaced = (
            ControllerState.MODE_WAITING, 'no joint states yet', '')
        self._steps = self._misses = self._begin = 0
        self._stamp, self._timeout, self._stands = -1, TimeoutCounter(), False

    def configure(self) -> None:
        """Take the robot and listen for joint states."""
        self._period = round(SECOND / self._settings.rate)
        self._state_every = max(1, round(self._settings.rate / self._settings.state_rate))
        self._hardware = Hardware(self, self._settings)
        self._states = self.create_publisher(ControllerState, '~/state', qos.RELIABLE)
        self._standard = self.create_publisher(
            JointTrajectoryControllerState, '~/controller_state', qos.RELIABLE)
        self._completed = CompletedJoints(self, self._state_every * self._period)
        self._drawings = ControllerDrawings(self)
        self._patient, self._default_group = ReentrantCallbackGroup(), DefaultGroupQueue(self)
        self._goals = ControllerGoals(
            self, self, self._settings, self._patient, self._default_group)
        self._targets = DragTargets(self, self, self._settings, self._drawings.frame)
        self._synchronizer = StateSynchronizer(self, self._answer, self._settings.lockstep)
        self._source = RobotSource(
            self, self._settings.robot_description, self._on_robot,
            floating_base=self._settings.floating_base, adapt=into_fluid(self._settings.fluid))
        self._senders = StateSenders(self, StateStream(
            self._period, self._settings.lockstep, round(self._settings.state_timeout * SECOND)),
            self._on_joint_states, self._hardware.topic_name)
        self.create_service(SetPayload, '~/set_payload', self._on_payload,
                            callback_group=self._patient)
        VectorTopic(self, '~/gravity', ('controller', 'gravity'), self._change_gravity)
        VectorTopic(self, '~/current', ('controller', 'fluid.current'), self._change_current)
        self._watch = self.create_timer(
            CHECK_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._health = HealthPublisher(self, self._diagnostics)

    def deactivate(self) -> None:
        """Leave the robot with the efforts that carry its weight; a task begins anew."""
        if self._mode in SENDING:
            self._send_gravity_compensation()
        self._wait('the controller was deactivated')
        self._tracker = self._measured = None
        self._stamp = -1
        self._replaced = ''
        self._senders.stream.reset()
        self._say_idle(self._source.robot)

    def _on_robot(self, robot: Robot) -> None:
        """Prepare for a robot; tracking begins with its first joint state."""
        model, settings = robot.model, self._settings
        commands = EffortCommands(model, settings.joints)
        posture = posture_of(vars(settings), commands)
        driven = commands.driven(settings.actuated)
        task = task_from_parameters({
            **vars(settings), 'path': vars(settings.path), 'actuated': driven}, posture)
        q = commands.configuration('', []) if posture is None else posture
        v = commands.velocities('', [])
        payload = None if self._payload is None else self._payload.check(model)
        dynamics = carrier(model, payload, task.link, gravity_of(settings, model))
        self._hardware.check(commands)
        thrust = ThrustAllocation(dynamics, commands.thrusters)
        if thrust.finding:
            self.get_logger().warning(thrust.finding)
        idle = replace(task, path={}, constraints=())
        try:   # refuses what is wrong
            first = Tracker(dynamics, replace(task, start='as_given'), q, v)
        except InvalidValueError as error:
            if floating_base(model) is None or error.argument != 'actuated':
                raise
            first = Tracker(dynamics, idle, q, v)   # it cannot from here, which may be singular
        with contextlib.suppress(MbdError):   # to compile; the path may be out of reach from here
            precompile(Tracker(dynamics, task, q, v), commands.joints, q, v,
                       self._period / SECOND)
            check_task(dynamics, task, q)
        self._commands = commands
        self._reader = JointStateReader(model, first.bending.elastic_names)
        self._task = task
        self._hardware.use(model, commands, thrust, driven)
        self._synchronizer.use(model, self._drawings.frame(model))
        self._completed.use(model)
        self._following = FollowingWatch(model)
        self._dynamics, self._gravity = dynamics, list(settings.gravity)
        if self._tracker is not None and self._tracker.mode is not Mode.WEIGHTLESS:
            self._replaced = REPLACED
        self._goals.drop(REPLACED)
        self._tracker = self._measured = None
        self._stamp = -1
        self._drawings.show_path(first, self.get_clock().now().nanoseconds)

    def _on_joint_states(self, message: JointState, sender: bytes | None = None) -> None:
        """Answer a measured state with efforts, if it is the robot's."""
        if self._senders.takes(to_nanoseconds(message.header.stamp), sender):
            self._answer(message)

    def _answer(self, message: JointState) -> None:
        robot = self._source.robot
        if robot is None or self._reader is None or self._synchronizer.awaits(message):
            return
        begin = time.perf_counter()
        stamp = to_nanoseconds(message.header.stamp)
        if stamp == self._stamp and self._hardware.send_again():   # it came again: the answer was
            self._timeout.heard()   # lost, or time stands still
            if self._stands and self._mode == ControllerState.MODE_LOST:   # and no state was
                self._set_mode(self._told.mode, self._told.message)
                self._states.publish(self._told)
            return
        measured = self._state(stamp, message)
        if measured is None:
            return
        self._completed.publish(stamp, measured)
        before = self._stamp, self._measured
        try:
            step = self._step(robot, stamp, measured)
        except Exception:
            self._stamp, self._measured = before   # a state of the same time may still come
            raise
        if step is not None:
            self._senders.stream.used(stamp)
            self._send(stamp, measured, self._goals.fed(step), begin)

    def _state(self, stamp: int, message: JointState) -> Measured | None:
        """Return the measured state, None without a companion of the joint state."""
        assert self._reader is not None
        place = self._synchronizer.state(stamp, self._settings.state_timeout * SECOND)
        if place is not None:
            self._missing = 'joint_states'
            return self._reader.read(message, others=place)
        self._missing = missing = self._synchronizer.missing
        if self._mode == ControllerState.MODE_WAITING:
            self._wait(f'no {missing}'
                       + (' of the floating base' if missing == 'odometry' else ''))
        return None

    def _step(self, robot: Robot, stamp: int, measured: Measured) -> Step | None:
        """Return the control step for a measured state, None while nobody takes the efforts."""
        missing = self._hardware.missing()
        if missing:
            self._wait(missing)
            return None
        if stamp < self._stamp - self._settings.state_timeout * SECOND:
            why = 'the stamps of joint_states went back'
            count = self.count_publishers(self._senders.topic_name)
            if count > 1:
                why += (f', {count} nodes publish it; allowed: one for each robot, others in a '
                        'namespace or a ROS_DOMAIN_ID of their own')
            self.get_logger().warning(f'{why}: the path restarts', throttle_duration_sec=1.0)
            self._tracker = None
            self._goals.drop(why)
        if self._gravity != self._settings.gravity:
            self._change_gravity(self._settings.gravity)
        if self._tracker is None:
            self._begin = stamp
            self._tracker = self._new_tracker(measured)
            self.begun()
        elif self._mode != ControllerState.MODE_LOST:
            self._misses += max(0, round((stamp - self._stamp) / self._period) - 1)
        if self._stands and stamp - self._stamp > self._settings.state_timeout * SECOND:
            self._abandon_task('joint states were left out')
        tracker, self._stands = self._tracker, False
        self._stamp, self._measured = stamp, measured
        self._timeout.heard()
        state = (stamp - self._begin) / SECOND, measured.q, measured.v
        if self._mode == ControllerState.MODE_LOST and tracker.mode is Mode.WEIGHTLESS:
            self._take_up(tracker)
        if self._hardware.holds and tracker.mode is Mode.WEIGHTLESS:
            tracker.stop(*state, IDLE)
        assert self._following is not None and self._reader is not None
        tracker.bending.measured = self._reader.elastic
        begin = time.perf_counter()
        try:
            step = tracker.step(*state)
        except MbdError as error:
            tracker.stop(*state, f'the path cannot be followed: {error}')
            step = tracker.step(*state)
        self._computed = time.perf_counter() - begin
        off = self._following.look(state[0], step.efforts.error,
                                   self._settings.following_tolerance,
                                   self._settings.following_time)
        if off:
            self._set_mode(ControllerState.MODE_NOT_FOLLOWING, off)
        else:
            self._set_mode(MODES[tracker.mode], tracker.problem)
        return step

    def _new_tracker(self, measured: Measured) -> Tracker:
        """
        Return a tracker that begins with the task of the parameters.

        One that holds the robot where it is if that fails, or if the robot took the place of one
        that followed or held something.
        """
        assert self._task is not None
        why, self._replaced = self._replaced, ''
        if not why:
            try:
                return Tracker(self._dynamics, self._task, measured.q, measured.v)
            except MbdError as error:
                why = f'the path cannot be followed: {error}'
                self.get_logger().error(why)
        tracker = Tracker(self._dynamics, replace(self._task, path={}, constraints=()),
                          measured.q, measured.v)
        tracker.stop(0.0, measured.q, measured.v, why)
        return tracker

    def use_settings(self) -> None:
        """Take gains from the parameters; they act while the robot moves, without a leap."""
        before, tracker, commands = self._task, self._tracker, self._commands
        if before is None or commands is None:
            return
        task = with_gains(before, vars(self._settings), commands)
        if tracker is not None and self._measured is not None:
            change_task(tracker, before, task, self._measured, self._default_group, self.guard,
                        lambda: self._task if tracker is self._tracker else None)
        self._task = task

    def _take_up(self, tracker: Tracker) -> None:
        """Begin the task of the parameters again, after joint states were lost."""
        controlled, task = self.controlled(), self._task
        if controlled is None or task is None or not (task.path or task.constraints):
            return
        with contextlib.suppress(MbdError):
            tracker.follow(task, controlled.time, controlled.measured.q, controlled.measured.v)
            self.begun()

    def controlled(self) -> Controlled | None:
        """Return what goals begin from, None before the first joint state."""
        if (self._tracker is None or self._commands is None or self._measured is None
                or self._task is None):
            return None
        return Controlled(self._tracker, self._commands, self._task, self._measured, self._stamp,
                          (self._stamp - self._begin) / SECOND)

    def begun(self) -> None:
        """Show the path that is followed from now on."""
        if self._tracker is not None:
            self._drawings.show_path(self._tracker, self.get_clock().now().nanoseconds)

    async def _on_payload(self, request: SetPayload.Request, response: SetPayload.Response
                          ) -> SetPayload.Response:
        """Take what the robot carries from now on; control steps do not wait for a compiler."""
        self._wish = request

        def ask() -> tuple[Robot, Payload, PreparedDynamics, Callable[[], None] | None]:
            robot, tracker, measured = self._source.robot, self._tracker, self._measured
            if robot is None or self._task is None:
                raise NoModelError(self._source.problem)
            payload = read_payload(request.link or self._task.link, request.payload)
            dynamics = reloaded(self._dynamics, payload)
            if dynamics is self._dynamics or tracker is None or measured is None:
                return robot, payload, dynamics, None
            return robot, payload, dynamics, partial(
                tracker.prepare, dynamics, measured.q, measured.v)

        def use() -> None:
            if self._wish is not request or self._source.robot is not robot:
                raise InvalidValueError('payload', f'{payload.mass:g} kg on {payload.link}',
                                        'the newest one: another, or a robot, came meanwhile')
            before = self._payload or Payload(payload.link, 0.0)
            if dynamics is not self._dynamics:
                dynamics.change_gravity(self._gravity or dynamics.model.gravity)
            self._use(dynamics, lambda: reloaded(self._dynamics, before))
            controlled = None if payload.is_less_than(before) else self.controlled()
            joints = controlled and controlled.tracker.overloaded(controlled.measured.q)
            if joints:
                self._use(reloaded(self._dynamics, before), lambda: self._dynamics)
                raise InvalidValueError('payload', f'{payload.mass:g} kg on {payload.link}', (
                    'what the robot can hold where it is; more than the effort limit of '
                    f'{", ".join(joints)} would be needed'))
            self._payload = payload
        robot, payload, dynamics, preparation = await self._default_group.take(ask)
        if preparation is not None:
            await run_in_thread(preparation)
        await self._default_group.take(use)
        self.get_logger().info(f'payload: {payload.mass:g} kg on {payload.link}')
        response.success, response.model_generation = True, robot.model.generation
        return response

    def _change_gravity(self, gravity: list[float]) -> None:
        """Go on under another gravity, that of a base that moves in the axes of the root link."""
        if self._source.robot is None:
            return

        def pulled(along: Sequence[float]) -> PreparedDynamics:
            self._dynamics.change_gravity(along or self._dynamics.model.gravity)
            return self._dynamics
        self._settings.gravity = self._gravity   # unless the other one can be used
        self._use(pulled(gravity), lambda: pulled(self._gravity))
        self._gravity = self._settings.gravity = list(gravity)

    def _change_current(self, velocity: list[float]) -> None:
        """Go on in another current, in world axes."""
        if self._source.robot is None or 'fluid' not in self._dynamics.world:
            return

        def flowing(current: Sequence[float]) -> PreparedDynamics:
            self._dynamics.change_world(fluid={'velocity': current})
            return self._dynamics
        before = tuple(self._dynamics.world['fluid'].velocity)
        self._use(flowing(velocity), lambda: flowing(before))

    def _use(self, dynamics: PreparedDynamics, before: Callable[[], PreparedDynamics]) -> None:
        """Go on under other dynamics, or those before if no motion follows from these."""
        self._dynamics = dynamics
        if self._tracker is None:
            return
        try:
            self._tracker.set_dynamics(dynamics)
        except MbdError:
            self._dynamics = before()
            self._tracker.set_dynamics(self._dynamics)
            raise

    def _send(self, stamp: int, measured: Measured, step: Step, begin: float) -> None:
        """Publish efforts, and the state when it is time."""
        assert self._tracker is not None
        self._hardware.send(stamp, measured, step, self._tracker)
        self._steps += 1
        self._computing.add(self._computed)
        self._answering.add(time.perf_counter() - begin)
        tools = self._tracker.tools(step, measured.q)
        self._drawings.keep(self._tracker, stamp, measured, step, tools)
        report = not (self._steps - 1) % self._state_every
        self._goals.look(stamp, measured, step, tools, report=report)
        if not report and self._steps > self._state_every:
            return
        model = self._tracker.dyn.model
        state = tracking_state(stamp, self._drawings.frame(model), model, measured, step, tools,
                               self._tracker.rows)
        state.mode, state.message = self._mode, self._why
        state.model_generation, state.step = model.generation, self._steps
        state.energy = self._tracker.energy(measured.q, measured.v)
        state.computation_time, state.deadline_misses = self._computed, self._misses
        self._told = state
        self._states.publish(state)
        self._standard.publish(standard_state(stamp, model, measured, step))

    def _look(self) -> None:
        """Notice when joint states stop."""
        robot = self._source.robot
        if robot is None:
            self._wait(f'no robot: {self._source.problem}', say=False)
        elif (self._mode in SENDING or self._stands) and self._timeout.is_over(
                self._settings.state_timeout):
            self._lose()
        if self._mode not in SENDING:
            self._say_idle(robot)

    def _say_idle(self, robot: Robot | None) -> None:
        names = () if robot is None else simple_joints(robot.model)
        self._states.publish(idle_state(
            self.get_clock().now().nanoseconds, self._mode, self._why, names,
            generation=self._source.generation, step=self._steps))

    def _lose(self) -> None:
        """Say that joint states are lost; in lockstep those who publish them may be slow."""
        lost = f'{self._missing} stopped coming'
        self._stands = self._settings.lockstep and self.count_publishers(
            self._senders.topic_name) > 0
        if not self._stands:
            self._abandon_task(lost)
        self._set_mode(ControllerState.MODE_LOST, f'{lost} '
                       f'{self._settings.state_timeout:g} s ago: no efforts are sent')

    def _abandon_task(self, why: str) -> None:
        """Leave the robot with the efforts that carry its weight, and end what it followed."""
        self._send_gravity_compensation()
        if self._tracker is not None and self._task is not None and (
                self._task.start == 'approach' or self._tracker.task is not self._task):
            self._tracker.release()
        self._goals.drop(why)

    def _send_gravity_compensation(self) -> None:
        """Send the efforts that carry the weight of the robot where it is."""
        controlled = self.controlled()
        if controlled is None:
            return
        try:
            self._hardware.carry(self._stamp, controlled.measured, controlled.tracker)
        except MbdError as error:   # the last state was none that a robot can be in
            self.get_logger().error(f'the weight of the robot is not known: {error}')

    def _wait(self, why: str, *, say: bool = True) -> None:
        self._goals.drop(why)
        self._stands = False
        self._set_mode(ControllerState.MODE_WAITING, why, say=say)

    def _set_mode(self, mode: int, why: str, *, say: bool = True) -> None:
        """Change the mode and say so."""
        if (mode, why) == (self._mode, self._why):
            return
        self._mode, self._why = mode, why
        text = mode_text(mode, why)
        if say and text:
            self.get_logger().info(text)
        elif say:
            self.get_logger().warning(why)

    def _diagnostics(self) -> Health:
        """Return the health of the node."""
        values = {
            'model generation': self._source.generation, 'steps': self._steps,
            'deadline misses': self._misses, **self._computing.figures('control step'),
            **self._answering.figures('message to efforts'), **self._senders.figures()}
        if self._source.robot is None:
            return self._source.without_robot(values)
        fine = mode_text(self._mode, self._why)
        if fine and self._mode != ControllerState.MODE_WAITING:
            if self._source.problem:
                return Health(WARNING, f'new description refused: {self._source.problem}', values)
            rival = rivals(self, self._hardware.topic_name) or self._senders.problem()
            return Health(WARNING, rival, values) if rival else Health(OK, fine, values)
        return Health(WARNING, self._why, values)


def main() -> None:
    """Run the node."""
    sys.exit(run(Controller))


if __name__ == '__main__':
    main()
