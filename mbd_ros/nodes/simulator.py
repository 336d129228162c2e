"""Node simulator: stands in for a real robot."""

from __future__ import annotations

from functools import partial
import sys

from geometry_msgs.msg import TransformStamped, Vector3Stamped, WrenchStamped
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
from mbd_ros.messages.basics.times import SECOND, to_stamp
from mbd_ros.messages.dynamics.loop_wrenches import joint_wrench_messages, loop_wrench_messages
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import JointStateWriter
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.messages.states.odometry import BaseOdometry
from mbd_ros.messages.states.reconfigurations import Change, read_change, state_transfer
from mbd_ros.messages.states.transforms import joint_transforms
from mbd_ros.model import Model
from mbd_ros.model.matched_joints import matched_rates
from mbd_ros.model.state import floating_base, neutral
from mbd_ros.nodes.parts import qos
from mbd_ros.nodes.parts.fluid_settings import fluid_of, into_fluid
from mbd_ros.nodes.parts.guard import GuardedNode
from mbd_ros.nodes.parts.health import ERROR, Health, HealthPublisher, OK, rivals, WARNING
from mbd_ros.nodes.parts.parameters import declaration_of, declare_parameters
from mbd_ros.nodes.parts.robot_source import Robot, RobotSource
from mbd_ros.nodes.parts.run import run
from mbd_ros.nodes.parts.simulation_loop import Publish, SimulationLoop, Successor, Timing
from mbd_ros.simulation import Stepper
from mbd_ros.simulation.plant import plant
from mbd_ros.simulation.stepper import whole_steps

Vector = NDArray[np.float64]

NOTHING_KNOWN = Change()


class Simulator(GuardedNode):
    """
    Moves the robot under the efforts it is sent and says where its joints are.

    =================================  ==================  ========================================
    entity                             callback group      why
    =================================  ==================  ========================================
    effort_controller/commands         the node's default  hands efforts to the loop, in no time
    robot_description, ~/set_model     the node's default  a robot is exchanged between two steps
    ~/current                          the node's default  three numbers that the next step reads
    /diagnostics timer                 the node's default  once a second, only reads
    joint_states, odom, /clock, /tf    (a thread)          integration keeps time beside the
                                                           executor, whatever that is busy with
    =================================  ==================  ========================================

    """

    num_threads = 1

    def __init__(self) -> None:
        super().__init__('simulator')
        self._settings = declare_parameters(self, 'simulator')
        self._allowed_current = declaration_of('simulator', 'fluid.current')
        self._loop: SimulationLoop | None = None
        self._model: Model | None = None
        self._commands: EffortCommands | None = None
        self._transfer = StateTransfer()
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
        self._broadcaster = TransformBroadcaster(self)
        self._subscription = self.create_subscription(
            Float64MultiArray, 'effort_controller/commands', self._on_command, qos.RELIABLE,
            qos_overriding_options=qos.OVERRIDABLE)
        self._source = RobotSource(
            self, settings.robot_description, self._on_robot,
            floating_base=settings.floating_base, gravity=settings.gravity, adapt=self._plant)
        self.create_service(SetModel, '~/set_model', self._on_set_model)
        self.create_subscription(Vector3Stamped, '~/current', self._on_current, qos.STREAM,
                                 qos_overriding_options=qos.OVERRIDABLE)
        self._health = HealthPublisher(self, self._how)

    def _plant(self, model: Model) -> Model:
        """Return the robot that moves, where it is to differ from its description."""
        settings = self._settings
        moving = plant(model, mass_scale=settings.mass_scale, payload=settings.payload.mass,
                       link=settings.payload.link, center=settings.payload.center,
                       friction=settings.friction, dissipation=settings.dissipation)
        return into_fluid(settings.fluid)(moving)

    @property
    def generation(self) -> int:
        """Number of the model in use, 0 without one."""
        return self._source.generation

    def close(self) -> None:
        """Stop the loop."""
        if self._loop is not None:
            self._loop.stop()

    def _on_robot(self, robot: Robot, change: Change = NOTHING_KNOWN) -> None:
        """Simulate a robot: on from the state of the one before, or from its initial state."""
        commands = EffortCommands(robot.model, self._settings.joints)
        robot.dynamics.forward_dynamics(
            neutral(robot.model), np.zeros(robot.model.nv), np.zeros(robot.model.nv))
        self._transfer = StateTransfer()
        loop, old = self._loop, self._model
        if loop is not None and old is not None and old.links.keys() & robot.model.links:
            loop.exchange(partial(self._succeed, old, robot, change))
        else:
            self._begin(robot, commands)
        self._model, self._commands = robot.model, commands

    def _begin(self, robot: Robot, commands: EffortCommands) -> None:
        """Simulate a robot from its initial state on."""
        settings = self._settings
        loop = self._new_loop(robot, self._stepper(
            robot, commands.configuration('initial_positions', settings.initial_positions),
            commands.velocities('initial_velocities', settings.initial_velocities)))
        if self._loop is not None:
            self._loop.stop()
        self._loop, self._stops = loop, 0
        self._loop.start(0 if settings.publish_clock else self.get_clock().now().nanoseconds)

    def _succeed(self, old: Model, robot: Robot, change: Change, q: Vector, v: Vector,
                 efforts: Vector) -> Successor:
        """Return the robot in the state in which it goes on."""
        state = mbd_ros.carry_over(
            old, q, v, robot.model, positions=change.positions, twists=change.twists,
            largest_jump=change.largest_jump)
        self._transfer = state_transfer(state)
        return Successor(self._stepper(robot, state.q, state.v), self._publisher(robot),
                         matched_rates(old, efforts, robot.model))

    def _stepper(self, robot: Robot, q: Vector, v: Vector) -> Stepper:
        settings = self._settings
        step, _ = whole_steps(settings.rate, settings.publish_rate)
        stepper = Stepper(robot.model, q, v, step=step / SECOND, gravity=settings.gravity,
                          dissipation=True,   # of the plant, where there is any
                          fastest=settings.largest_velocity)
        if robot.model.fluids:   # it may have come by the topic
            stepper.change_current(settings.fluid.current)
        return stepper

    def _new_loop(self, robot: Robot, stepper: Stepper) -> SimulationLoop:
        settings = self._settings
        step, steps = whole_steps(settings.rate, settings.publish_rate)
        timing = Timing(
            step=step, steps=steps,
            factor=settings.real_time_factor if settings.publish_clock else 1.0,
            lockstep=settings.lockstep,
            timeout=(settings.lockstep_timeout if settings.lockstep
                     else settings.effort_timeout),
            on_timeout=settings.effort_timeout_action)
        return SimulationLoop(stepper, timing, publish=self._publisher(robot),
                              warn=self.get_logger().warning)

    def _until_the_end(self, publish: Publish) -> Publish:
        """Return the same, but without a failure when the end comes amid sending."""
        def publish_until_the_end(now: int, q: Vector, v: Vector, efforts: Vector) -> None:
            try:
                publish(now, q, v, efforts)
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
        reactions = [self.create_publisher(WrenchStamped, f'~/wrench/{loop.name}', qos.RELIABLE)
                     for loop in robot.model.loops]
        carried = [name for name in settings.wrench_joints if name in robot.model.joint_names]
        felt = [self.create_publisher(WrenchStamped, f'~/joint_wrench/{name}', qos.RELIABLE)
                for name in carried]

        def joint_wrenches(q: Vector, v: Vector, efforts: Vector) -> Vector:
            return mbd_ros.joint_wrenches(robot.model, q, v, efforts, gravity=settings.gravity,
                                          dissipation=True, fluid=fluid_of(settings.fluid))

        if carried:   # made ready before it is needed
            joint_wrenches(neutral(robot.model), *np.zeros((2, robot.model.nv)))
        floating = robot.model.nq > robot.model.nv
        between = max(1, round(settings.publish_rate / settings.clock_rate))
        count = 0

        def publish(now: int, q: Vector, v: Vector, efforts: Vector) -> None:
            nonlocal count
            if count % between == 0:
                if self._clock_publisher is not None:
                    self._clock_publisher.publish(Clock(clock=to_stamp(now)))
                if floating:
                    self._send_base(joint_transforms(
                        robot.model, now, q, settings.world_frame))
            count += 1
            if base is not None:   # before the joint state that needs it
                self._odometry.publish(base.write(now, q, v))
            if others.names:
                self._others.publish(others.write(now, q, v))
            self._states.publish(writer.write(now, q, v, efforts))
            if any(publisher.get_subscription_count() for publisher in reactions):
                wrenches = loop_wrench_messages(robot.dynamics, now, q, v, efforts,
                                                settings.world_frame)
                for publisher, wrench in zip(reactions, wrenches):
                    publisher.publish(wrench)

            if any(publisher.get_subscription_count() for publisher in felt):
                for publisher, wrench in zip(felt, joint_wrench_messages(
                        robot.model, now, joint_wrenches(q, v, efforts), carried)):
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

    def _on_current(self, message: Vector3Stamped) -> None:
        """Take the velocity of the fluid, in world axes."""
        velocity = [message.vector.x, message.vector.y, message.vector.z]
        self._allowed_current.check(velocity)
        self._settings.fluid.current = velocity
        if self._loop is not None:
            self._loop.change_current(velocity)

    def _send_base(self, transforms: list[TransformStamped]) -> None:
        self._broadcaster.sendTransform(transforms)

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
            return Health(ERROR, f'no robot: {self._source.problem}', values)
        values.update({
            'simulated time [s]': f'{loop.simulated:.3f}',
            'fallen behind real time by [s]': f'{loop.given_up:.3f}',
            'effort timeouts': loop.timeouts, 'states sent again': loop.resent,
            'commands beyond effort limits': loop.limited, 'motions stopped': loop.stops})
        if loop.stops > self._stops:
            self._stops = loop.stops
            return Health(WARNING, 'efforts were dropped that no drive gives', values)
        if not loop.driven:
            return Health(WARNING, 'no effort commands', values)
        if self._source.problem:
            return Health(WARNING, f'new description refused: {self._source.problem}', values)
        rival = rivals(self, self._subscription.topic_name)
        return Health(WARNING, rival, values) if rival else Health(OK, 'simulating', values)


def main() -> None:
    """Run the node."""
    sys.exit(run(Simulator))


if __name__ == '__main__':
    main()
