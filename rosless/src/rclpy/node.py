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

"""Nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
import weakref

from rosless import arguments as command_line
from rosless import names, parameter_values
from rosless.idl.build import interface_class
from rosless.remap import remap_node

from .callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from .clock import ROSClock
from .context import Context
from .exceptions import (
    InvalidNamespaceException,
    InvalidNodeNameException,
    NotInitializedException,
)
from .handle import HasHandle
from .impl.rcutils_logger import RcutilsLogger
from .logging import get_logger
from .logging_service import LoggingService
from .node_entities import NodeEntities
from .node_graph import NodeGraph
from .node_logging import RosoutPublisher
from .node_parameters import NodeParameters
from .parameter import Parameter, PARAMETER_SEPARATOR_STRING
from .parameter_service import ParameterService
from .qos import qos_profile_parameter_events, qos_profile_rosout_default, QoSProfile
from .rcl_errors import RCLInvalidROSArgsError, UnknownROSArgsError
from .time_source import TimeSource
from .utilities import get_default_context

__all__ = ['HIDDEN_NODE_PREFIX', 'PARAMETER_SEPARATOR_STRING', 'Node']
HIDDEN_NODE_PREFIX = '_'


class Node(NodeEntities, NodeParameters, NodeGraph, HasHandle):
    """
    A node of the ROS graph.

    Parameters
    ----------
    node_name : str
        Its name.
    context : Context, optional
        The context; the default one if omitted.
    cli_args : Sequence[str], optional
        A command line for this node only.
    namespace : str, optional
        Its namespace.
    use_global_arguments : bool
        Whether the command line of the process counts.
    enable_rosout : bool
        Whether its log goes to /rosout.
    start_parameter_services : bool
        Whether others may read and set its parameters.
    parameter_overrides : list[Parameter], optional
        Values that replace the defaults of declared parameters.
    allow_undeclared_parameters : bool
        Whether parameters may be set without being declared.
    automatically_declare_parameters_from_overrides : bool
        Whether parameters given from outside are declared at once.
    enable_logger_service : bool
        Whether others may read and set levels of loggers.
    rosout_qos_profile : QoSProfile or int
        Profile of the publisher on /rosout.

    Raises
    ------
    InvalidNodeNameException, InvalidNamespaceException
        If the name or namespace is not one.
    NotInitializedException
        If the context is not initialised.

    """

    PARAM_REL_TOL = 1e-6  # of ranges of real parameters

    def __init__(
        self,
        node_name: str,
        *,
        context: Context | None = None,
        cli_args: Sequence[str] | None = None,
        namespace: str | None = None,
        use_global_arguments: bool = True,
        enable_rosout: bool = True,
        start_parameter_services: bool = True,
        parameter_overrides: list[Parameter] | None = None,
        allow_undeclared_parameters: bool = False,
        automatically_declare_parameters_from_overrides: bool = False,
        enable_logger_service: bool = False,
        rosout_qos_profile: QoSProfile | int = qos_profile_rosout_default,
    ) -> None:
        self._context = get_default_context() if context is None else context
        if not self._context.ok():
            raise NotInitializedException('cannot create node')
        self._executor_reference: Any = None
        scopes = _argument_scopes(self._context, cli_args, use_global_arguments)
        self._remap_rules = [rule for scope in reversed(scopes) for rule in scope.remappings]
        self._name, self._namespace = _names(node_name, namespace, self._remap_rules)
        self._logger = get_logger(
            names.full_node_name(self._name, self._namespace)[1:].replace('/', '.')
        )
        self._default_callback_group = MutuallyExclusiveCallbackGroup()
        self._init_entities()
        self._init_parameters(
            self._overrides(scopes, parameter_overrides), allow_undeclared_parameters
        )
        self._discovery = self._context.discovery
        with self._discovery.together():
            self._graph_node = self._discovery.add_node(self._name, self._namespace)
            self._rosout = None
            if enable_rosout and all(scope.rosout for scope in scopes):
                profile = self._profile(rosout_qos_profile, None, '/rosout', is_publisher=True)
                self._rosout = RosoutPublisher(
                    self._context, self._graph_node, self._logger.name, profile
                )
            self._parameter_event_publisher = self.create_publisher(
                interface_class('rcl_interfaces/msg/ParameterEvent'),
                '/parameter_events',
                qos_profile_parameter_events,
            )
            if automatically_declare_parameters_from_overrides:
                cls = interface_class('rcl_interfaces/msg/ParameterDescriptor')
                self.declare_parameters(
                    '',
                    [
                        (name, parameter.value, cls(dynamic_typing=True))
                        for name, parameter in self._parameter_overrides.items()
                    ],
                    ignore_override=True,
                )
            self._clock = ROSClock()
            self._time_source = TimeSource(node=self)
            self._time_source.attach_clock(self._clock)
            if start_parameter_services:
                self._parameter_service = ParameterService(self)
            if enable_logger_service:
                self._logging_service = LoggingService(self)

    @property
    def context(self) -> Context:
        """Return the context."""
        return self._context

    @property
    def default_callback_group(self) -> CallbackGroup:
        """Return the group of entities for which none was given; mutually exclusive."""
        return self._default_callback_group

    @property
    def executor(self) -> Any:
        """Return the executor that runs the callbacks, or None."""
        return None if self._executor_reference is None else self._executor_reference()

    @executor.setter
    def executor(self, new_executor: Any) -> None:
        current = self.executor
        if current is new_executor:
            return
        if current is not None:
            current.remove_node(self)
        if new_executor is None:
            self._executor_reference = None
        else:
            self._executor_reference = weakref.ref(new_executor)
            new_executor.add_node(self)
            waiting, self._for_executor = self._for_executor, []
            for callback, args in waiting:
                new_executor.create_task(callback, *args)

    def get_logger(self) -> RcutilsLogger:
        """Return the logger."""
        return self._logger

    def get_clock(self) -> ROSClock:
        """Return the clock: ROS time."""
        return self._clock

    def destroy_node(self) -> None:
        """Destroy the node and everything it owns; it vanishes from the graph."""
        if self._destroyed:
            return
        executor = self.executor
        if executor is not None:
            executor._forget(self)
        with self._discovery.together():
            self._time_source.detach_node()
            self._destroy_entities()
            if self._rosout is not None:
                self._rosout.close()
            self._destroyed = True
            self._discovery.remove_node(self._graph_node)

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy_node()

    def destroy(self) -> None:
        """Destroy the node; for its handle."""
        self.destroy_node()

    def _is_destroyed(self) -> bool:
        return self._destroyed

    def _forget_executor(self) -> None:
        self._executor_reference = None

    def _overrides(
        self, scopes: list[command_line.RosArguments], given: list[Parameter] | None
    ) -> dict[str, Parameter]:
        values: dict[str, Any] = {}
        for scope in scopes:
            values |= parameter_values.for_node(scope.parameters, self.get_fully_qualified_name())
        overrides = {name: Parameter(name, value=value) for name, value in values.items()}
        for parameter in given or ():
            if not isinstance(parameter, Parameter):
                raise TypeError(f'Invalid parameter override type: {type(parameter)}')
            overrides[parameter.name] = parameter
        return overrides

    def _publish_parameter_event(self, event: Any) -> None:
        publisher = self._parameter_event_publisher
        if publisher is not None and not self._destroyed:
            now = self._clock.now() if hasattr(self, '_clock') else ROSClock().now()
            event.node = self.get_fully_qualified_name()
            event.stamp = now.to_msg()
            publisher.publish(event)


def _argument_scopes(
    context: Context, cli_args: Sequence[str] | None, use_global: bool
) -> list[command_line.RosArguments]:
    """Return the command lines that count, the more important one last."""
    scopes = [context.arguments] if use_global else []
    if cli_args is not None:
        try:
            local = command_line.parse(cli_args)
        except command_line.ArgumentError as error:
            raise RCLInvalidROSArgsError(f'Failed to parse ROS arguments: {error}') from None
        if local.unknown:
            raise UnknownROSArgsError(f'Found unknown ROS arguments: {local.unknown}')
        scopes.append(local)
    return scopes


def _names(name: str, namespace: str | None, rules: list[Any]) -> tuple[str, str]:
    """Return name and namespace, checked and remapped."""
    problem = names.node_name_problem(name)
    if problem is not None:
        raise InvalidNodeNameException(name, *problem)
    absolute = namespace or '/'
    if not absolute.startswith('/'):
        absolute = '/' + absolute
    problem = names.namespace_problem(absolute)
    if problem is not None:
        raise InvalidNamespaceException(absolute, *problem)
    return remap_node(rules, name, absolute)
