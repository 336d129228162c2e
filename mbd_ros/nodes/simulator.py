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

"""Node simulator: stands in for a real robot."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
import sys
from typing import Any

from geometry_msgs.msg import WrenchStamped
from mbd_msgs.msg import StateTransfer
from mbd_msgs.srv import SetModel
from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import NDArray
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import Float64MultiArray
from tf2_ros import TransformBroadcaster

import mbd_ros
from mbd_ros.messages.dynamics.loop_wrenches import joint_wrench_messages, loop_wrench_messages
from mbd_ros.messages.fields.times import SECOND, to_stamp
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import JointStateWriter
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.messages.states.odometry import BaseOdometry
from mbd_ros.messages.states.reconfigurations import Change, read_change, state_transfer
from mbd_ros.model import Model
from mbd_ros.model.state import floating_base, neutral
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.fluid_and_ground import (
    fluid_of, gravity_of, ground_of, into_fluid, SurroundingsPublisher, VectorTopic)
from mbd_ros.nodes.every_node.health import Health, HealthPublisher, OK, rivals, WARNING
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.named_topics import NamedTopics
from mbd_ros.nodes.every_node.robot_source import Robot, RobotSource
from mbd_ros.nodes.every_node.run import run
from mbd_ros.nodes.simulating.bending import BendingPublisher
from mbd_ros.nodes.simulating.energy_publisher import EnergyPublisher
from mbd_ros.nodes.simulating.rviz_push_markers import RvizPushMarkers
from mbd_ros.nodes.simulating.shown_states import ShownStates
from mbd_ros.nodes.simulating.simulation_controls import SimulationControls
from mbd_ros.nodes.simulating.simulation_loop import Publish, SimulationLoop, Successor, Timing
from mbd_ros.nodes.simulating.stand_in import StandIn
from mbd_ros.simulation import Stepper
from mbd_ros.simulation.plant import plant
from mbd_ros.simulation.propulsion import matched_commands
from mbd_ros.simulation.stepper import bent_by_weight, whole_steps

Vector = NDArray[np.float64]

NOTHING_KNOWN = Change()


class Simulator(ManagedNode):
    """
    Moves the robot under the efforts it is sent and says where its joints are.

    =================================  ==================  ========================================
    entity                             callback group      why
    =================================  ==================  ========================================
    effort_controller/commands         the node's default  hands efforts to the loop, in no time
    robot_description, ~/set_model     the node's default  a robot is exchanged between two steps
    ~/current, ~/push                  the node's default  numbers that the next step reads
    ~/pause, ~/step, ~/reset,          the node's default  they tell the loop, in no time
    ~/hands, parameters
    /diagnostics timer                 the node's default  once a second, only reads
    joint_states, ~/joint_states,      (a thread)          integration keeps time beside the
    odom, /clock, /tf                                      executor, whatever that is busy with
    =================================  ==================  ========================================

    """

    NAME = 'simulator'
    _source: RobotSource

    def reset_state(self) -> None:
        """Have no robot."""
        self._loop: SimulationLoop | None = None
        self._model: Model | None = None
        self._commands: EffortCommands | None = None
        self._transfer = StateTransfer()
        self._wrench_joints: list[str] = []
        self._plant_used: dict[str, Any] = {}
        self._stops = 0

    def configure(self) -> None:
        """Take the robot and begin to simulate."""
        settings = self._settings
        self._states = self.create_publisher(JointState, 'joint_states', qos.RELIABLE)
        self._odometry = self.create_publisher(Odometry, 'odom', qos.RELIABLE)
        self._others = self.create_publisher(
            MultiDOFJointState, 'multi_dof_joint_states', qos.RELIABLE)
        self._clock_publisher = (
            self.create_publisher(Clock, '/clock', qos.RELIABLE) if settings.publish_clock
            else None)
        self._reactions = NamedTopics(self, WrenchStamped, '~/wrench')
        self._stand_in = StandIn(settings.hardware)
        self._around = SurroundingsPublisher(self, settings)
        self._energy = EnergyPublisher(self, settings, lambda: self._loop)
        self._felt = NamedTopics(self, WrenchStamped, '~/joint_wrench')
        self._broadcaster = TransformBroadcaster(self)
        self._shown = ShownStates(self, settings, self._broadcaster)
        self._bending = BendingPublisher(self, settings, self._broadcaster, self._shown.stamp)
        self._subscription = self.create_subscription(
            Float64MultiArray, 'effort_controller/commands', self._on_command, qos.RELIABLE,
            qos_overriding_options=qos.OVERRIDABLE)
        self._source = RobotSource(
            self, settings.robot_description, self._on_robot,
            floating_base=settings.floating_base, flexible=settings.flexible,
            gravity=settings.gravity, adapt=self._plant)
        self.create_service(SetModel, '~/set_model', self._on_set_model)
        VectorTopic(self, '~/current', ('simulator', 'fluid.current'), self._change_current)
        SimulationControls(self, settings, lambda: self._loop)
        RvizPushMarkers(self, settings, lambda: self._loop)
        self._health = HealthPublisher(self, self._how)

    def _plant(self, model: Model) -> Model:
        """Return the robot that moves, where it is to differ from its description."""
        settings = self._settings
        self._plant_used = self._plant_settings()
        return into_fluid(settings.fluid)(plant(model, **self._plant_used))

    def _plant_settings(self) -> dict[str, Any]:
        """Return what makes the robot differ from its description."""
        settings = self._settings
        return {'mass_scale': settings.mass_scale, 'friction': settings.friction,
                'dissipation': settings.dissipation, 'payload': settings.payload.mass,
                'link': settings.payload.link, 'center': settings.payload.center,
                'sticking': settings.hardware.sticking_joints,
                'sticking_friction': settings.hardware.sticking_friction}

    def use_settings(self) -> None:
        """Go on with parameters that were changed."""
        settings, loop = self._settings, self._loop
        if loop is None:
            return
        loop.change_pace(settings.real_time_factor)
        if self._plant_settings() != self._plant_used:
            self._source.adapt_anew()
        self._stand_in.use_settings()
        robot = self._source.robot
        if robot is not None:
            loop.change_gravity(gravity_of(settings, robot.model))
        if settings.wrench_joints != self._wrench_joints and robot is not None:
            loop.publish_by(partial(self._publisher, robot))

    def activate(self) -> None:
        """Go on from the state that the robot is in."""
        if self._loop is not None:
            self._loop.resume(self._clock_time())

    def deactivate(self) -> None:
        """Let the robot stand still, held by its brakes."""
        if self._loop is not None:
            self._loop.suspend()

    def close(self) -> None:
        """Stop the loop."""
        if self._loop is not None:
            self._loop.stop()

    def _on_robot(self, robot: Robot, change: Change = NOTHING_KNOWN) -> None:
        """Simulate a robot: on from the state of the one before, or from its initial state."""
        commands = EffortCommands(robot.model, self._settings.joints)
        begin = commands.configuration('initial_positions', self._settings.initial_positions)
        loop, old = self._loop, self._model
        goes_on = (loop is not None and old is not None
                   and bool(old.links.keys() & robot.model.links))
        with nullcontext() if goes_on else self._shown.placeholder(robot.model, begin):
            robot.dynamics.forward_dynamics(
                neutral(robot.model), np.zeros(robot.model.nv), np.zeros(robot.model.nv))
            self._transfer = StateTransfer()
            if goes_on and loop is not None and old is not None:
                loop.exchange(partial(self._succeed, old, robot, change))
            else:
                self._begin(robot, commands, begin)
        self._model, self._commands = robot.model, commands

    def _begin(self, robot: Robot, commands: EffortCommands, begin: Vector) -> None:
        """Simulate a robot from its initial state on, with positions (nq,)."""
        settings = self._settings
        stepper = self._stepper(
            robot, bent_by_weight(robot.model, begin, gravity_of(settings, robot.model)),
            commands.velocities('initial_velocities', settings.initial_velocities))
        if self._loop is not None:
            self._loop.stop()   # before its publishers go
        self._loop, self._stops = self._new_loop(robot, stepper), 0
        if not self.active:
            self._loop.suspend()
        self._loop.start(self._clock_time() or 0)

    def _clock_time(self) -> int | None:
        """Return the time of states from now on [ns], None where the simulator is the clock."""
        return None if self._settings.publish_clock else self.get_clock().now().nanoseconds

    def _succeed(self, old: Model, robot: Robot, change: Change, q: Vector, v: Vector,
                 efforts: Vector) -> Successor:
        """Return the robot in the state in which it goes on."""
        state = mbd_ros.carry_over(
            old, q, v, robot.model, positions=change.positions, twists=change.twists,
            largest_jump=change.largest_jump)
        self._transfer = state_transfer(state)
        stepper = self._stepper(robot, state.q, state.v)
        efforts = matched_commands(old, efforts, robot.model)
        # At the end: what can fail is done, and the publishers of the old robot may go.
        return Successor(stepper, self._publisher(robot), efforts)

    def _stepper(self, robot: Robot, q: Vector, v: Vector) -> Stepper:
        settings = self._settings
        step, _ = whole_steps(settings.rate, settings.publish_rate)
        stepper = Stepper(robot.model, q, v, step=step / SECOND,
                          gravity=gravity_of(settings, robot.model),
                          dissipation=True,   # of the plant, where there is any
                          ground=ground_of(settings.ground),
                          fastest=settings.largest_velocity)
        if robot.model.fluids:   # it may have come by the topic
            stepper.change_current(settings.fluid.current)
        return stepper

    def _new_loop(self, robot: Robot, stepper: Stepper) -> SimulationLoop:
        settings = self._settings
        step, steps = whole_steps(settings.rate, settings.publish_rate)
        timing = Timing(
            step=step, steps=steps,
            factor=settings.real_time_factor, lockstep=settings.lockstep,
            timeout=(settings.lockstep_timeout if settings.lockstep
                     else settings.effort_timeout),
            on_timeout=settings.effort_timeout_action,
            holds_at_first=settings.brakes_until_commanded)
        return SimulationLoop(stepper, timing, publish=self._publisher(robot), warn=self._warn,
                              expected=self._has_controller,
                              drives=lambda: self._stand_in.drives)

    def _has_controller(self) -> bool:
        """Return whether somebody publishes commands."""
        try:
            return bool(self.count_publishers(self._subscription.topic_name))
        except Exception:   # of no public class in rclpy
            if self.context.ok():
                raise
            return False

    def _warn(self, line: str) -> None:
        """Log a warning, unless the end has come: loggers publish."""
        if self.context.ok():
            self.get_logger().warning(line)

    def _until_the_end(self, publish: Publish) -> Publish:
        """Return the same, but without a failure when the end comes amid sending."""
        def publish_until_the_end(now: int, q: Vector, v: Vector, commands: Vector) -> None:
            try:
                publish(now, q, v, commands)
            except Exception:   # of no public class in rclpy
                if self.context.ok():
                    raise

        return publish_until_the_end

    def _publisher(self, robot: Robot) -> Publish:
        """Return what publishes the states of a robot."""
        settings = self._settings
        writer = JointStateWriter(robot.model, settings.measured)
        base = (BaseOdometry(robot.model, settings.world_frame)
                if floating_base(robot.model) is not None else None)
        others = MultiDOFStates(robot.model)
        reactions = self._reactions.publishers([loop.name for loop in robot.model.loops])
        self._wrench_joints = list(settings.wrench_joints)
        wanted, known = settings.wrench_joints, set(robot.model.joint_names)
        carried = [name for name in wanted if name in known]
        felt = self._felt.publishers(carried)
        if len(carried) < len(wanted):
            missing = [name for name in wanted if name not in known]
            self.get_logger().warning(
                f'wrench_joints: the robot has no joints {", ".join(map(repr, missing))}; nothing '
                'is published for them (logged once)', once=True)

        def under_all(function: Callable[..., Any], *state: Vector) -> Any:
            return function(robot.model, *state, gravity=gravity_of(settings, robot.model),
                            dissipation=True, fluid=fluid_of(settings.fluid),
                            ground=ground_of(settings.ground))

        if carried:   # made ready before it is needed
            under_all(mbd_ros.joint_wrenches, neutral(robot.model),
                      *np.zeros((2, robot.model.nv)))
        self._stand_in.use(robot.model)
        self._around.use(robot.model)
        self._bending.use(robot.model)
        show = self._shown.of(robot.model)
        between = max(1, round(settings.publish_rate / settings.clock_rate))
        count = 0

        def publish(now: int, q: Vector, v: Vector, commands: Vector) -> None:
            nonlocal count
            efforts = commands[:robot.model.nv]
            if count % between == 0 and self._clock_publisher is not None:
                self._clock_publisher.publish(Clock(clock=to_stamp(now)))
            count += 1
            show(now, q, v)
            if base is not None:   # before the joint state that needs it
                self._odometry.publish(base.write(now, q, v))
            if others.names:
                self._others.publish(others.write(now, q, v))
            self._states.publish(writer.write(
                now, *self._stand_in.measured(now, q, v), self._stand_in.acting(efforts)))
            self._around.publish(now, q, v)
            self._bending.publish(now, q)
            self._energy.publish(now)
            if any(publisher.get_subscription_count() for publisher in reactions):
                held = under_all(mbd_ros.constrained_dynamics, q, v, efforts)
                for publisher, wrench in zip(reactions, loop_wrench_messages(
                        mbd_ros.compile(robot.model), now, q, held.multipliers,
                        settings.world_frame)):
                    publisher.publish(wrench)
            if any(publisher.get_subscription_count() for publisher in felt):
                for publisher, wrench in zip(felt, joint_wrench_messages(
                        robot.model, now, under_all(mbd_ros.joint_wrenches, q, v, efforts),
                        carried)):
                    publisher.publish(wrench)

        return self._until_the_end(publish)

    def _on_set_model(self, request: SetModel.Request, response: SetModel.Response
                      ) -> SetModel.Response:
        """Put another robot in the place of the one that moves, or say why not."""
        change = read_change(request)
        self._source.take(request.robot_description, partial(self._on_robot, change=change))
        response.success = True
        response.model_generation = self._source.generation
        response.transfer = self._transfer
        return response

    def _change_current(self, velocity: list[float]) -> None:
        """Go on in another current, in world axes."""
        self._settings.fluid.current = velocity
        if self._loop is not None:
            self._loop.change_current(velocity)

    def _on_command(self, message: Float64MultiArray) -> None:
        """Hand efforts to the loop; refuse them if they are not efforts of this robot."""
        if self._loop is None or self._commands is None:
            return
        efforts = self._commands.read(message)
        self._loop.command(efforts, self._commands.answered(message))

    def _how(self) -> Health:
        """Return the health of the node."""
        values: dict[str, object] = {'model generation': self._source.generation}
        loop = self._loop
        if loop is None:
            return self._source.without_robot(values)
        values.update({
            'simulated time [s]': f'{loop.simulated:.3f}',
            'fallen behind real time by [s]': f'{loop.given_up:.3f}',
            'effort timeouts': loop.timeouts, 'states sent again': loop.resent,
            'commands beyond effort limits': loop.limited, 'motions stopped': loop.stops,
            'loops open by [m or 1]': f'{loop.violation:.3g}'})
        if loop.stops > self._stops:
            self._stops = loop.stops
            return Health(WARNING, 'efforts were dropped that no drive gives', values)
        if loop.paused:
            return Health(OK, 'paused', values)
        if loop.awaiting:
            return Health(WARNING, 'time stands still until an effort command comes', values)
        if not loop.driven:
            lost = loop.timeouts or loop.stops   # else nobody has sent any yet
            return Health(WARNING if lost else OK, 'no effort commands', values)
        if self._source.problem:
            return Health(WARNING, f'new description refused: {self._source.problem}', values)
        wrong = rivals(self, self._subscription.topic_name) or '; '.join(loop.concerns.values())
        return Health(WARNING, wrong, values) if wrong else Health(OK, 'simulating', values)


def main() -> None:
    """Run the node."""
    sys.exit(run(Simulator))


if __name__ == '__main__':
    main()
