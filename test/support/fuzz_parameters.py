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

"""Any values for the parameters of all nodes: each is taken, or refused in one clear line."""

import random
from types import SimpleNamespace

from fuzz_messages import ARM, model_of, NUMBERS, TEXTS
from fuzz_tasks import made
from rclpy.parameter import Parameter

import mbd_ros
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import MbdError
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.nodes.controlling.task_parameters import task_from_parameters
from mbd_ros.nodes.every_node.parameters import (
    declare_parameters, parameters_file, read_declarations)

NODES = ('controller', 'dynamics_server', 'gait', 'module_manager', 'simulator', 'viewer')
INTEGERS = (0, 1, -1, 7, 500, 65536, 2 ** 31, 2 ** 63 - 1, -2 ** 63)
MUST_BE_SET = {'graph': 'graph.yaml'}


class BareNode:
    """
    What ``declare_parameters`` needs of a node.

    Parameters
    ----------
    overrides : dict
        Values from outside.

    """

    def __init__(self, overrides):
        self._parameter_overrides = self._overrides = overrides
        self.said = []

    def declare_parameter(self, name, value, descriptor):
        """Return a parameter, of the value from outside if there is one."""
        if isinstance(value, Parameter.Type):
            value = [] if value.name.endswith('ARRAY') else MUST_BE_SET.get(name)
        self._last = SimpleNamespace(value=self._overrides.get(name, value))
        return self._last

    def get_parameter(self, name):
        """Return the parameter that was declared last."""
        return self._last

    def set_descriptor(self, name, descriptor):
        """Take that a parameter cannot be changed any more."""

    def add_on_set_parameters_callback(self, callback):
        """Keep the check."""
        self.check = callback

    def get_logger(self):
        """Return what keeps warnings."""
        return SimpleNamespace(warning=self.said.append)


def value(rng, kind):
    """Return a value of a type of parameter."""
    of, array = kind.name.removesuffix('_ARRAY'), kind.name.endswith('_ARRAY')
    if array:
        single = Parameter.Type[of]
        return [value(rng, single) for _ in range(rng.choice((0, 1, 2, 3, 3, 3, 6, 9, 500)))]
    return {
        'BOOL': lambda: rng.random() < 0.5,
        'INTEGER': lambda: rng.choice(INTEGERS),
        'DOUBLE': lambda: rng.choice(NUMBERS) if rng.random() < 0.5 else rng.uniform(-3.0, 3.0),
        'STRING': lambda: made(rng) if rng.random() < 0.3 else rng.choice(TEXTS),
    }[of]()


def use(node, settings):
    """Let a node take its parameters as it does with a robot, as far as it is quick."""
    model = model_of(ARM)
    if node == 'dynamics_server':
        mbd_ros.execution.forced(settings.executor, settings.threads)
    if node == 'simulator':
        commands = EffortCommands(model, settings.joints)
        commands.configuration('initial_positions', settings.initial_positions)
        commands.velocities('initial_velocities', settings.initial_velocities)
    if node == 'controller':
        commands = EffortCommands(model, settings.joints)
        posture = (commands.configuration('posture', settings.posture)
                   if settings.posture else None)
        task = task_from_parameters({
            **vars(settings), 'path': vars(settings.path),
            'actuated': commands.driven(settings.actuated)}, posture)
        Tracker(mbd_ros.compile(model), task, commands.configuration('', []),
                commands.velocities('', []))


def run(cases, seed):
    """
    Set generated parameters, at the start and later.

    Parameters
    ----------
    cases : int
        How many.
    seed : int
        Of the generator.

    Returns
    -------
    int, list of str
        How many were tried, and what failed.

    """
    rng, failures = random.Random(seed), []
    declared = {node: read_declarations(parameters_file(node)) for node in NODES}
    for case in range(cases):
        node = NODES[case % len(NODES)]
        some = rng.sample(declared[node], rng.choice((1, 1, 1, 2)))
        overrides = {one.name: value(rng, one.type) for one in some}
        try:
            bare = BareNode({'path.kind': 'none', 'link': 'tool', **overrides}
                            if node == 'controller' else overrides)
            settings = declare_parameters(bare, node)
            use(node, settings)
            changed = [Parameter(one.name, one.type, value(rng, one.type)) for one in some]
            result = bare.check(changed)
            if not result.successful and not result.reason:
                failures.append(f'case {case}, {node}: refused without a reason')
        except MbdError as error:
            if '\n' in str(error) or len(str(error)) < 10:
                failures.append(f'case {case}, {node}: no clear line: {str(error)[:200]!r}')
        except Exception as error:
            place = error.__traceback__
            while place.tb_next is not None:
                place = place.tb_next
            failures.append(f'case {case}, {node}, {str(overrides)[:200]}: {repr(error)[:200]} '
                            f'in {place.tb_frame.f_code.co_filename}:{place.tb_lineno}')
    return cases, failures
