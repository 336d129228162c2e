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

"""The six services through which other processes read and set a node's parameters."""

from __future__ import annotations

from typing import Any
import weakref

from rosless.idl.build import interface_class

from .exceptions import ParameterNotDeclaredException, ParameterUninitializedException
from .parameter import Parameter
from .qos import qos_profile_parameters

MOST_ELEMENTS = 2000
"""Names, parameters and texts in the values of one request; a node has some hundred of them."""
LONGEST_REASON = 1000
"""Characters of the reason why a parameter is not set."""


class ParameterService:
    """
    Provides the services for a node.

    Parameters
    ----------
    node : Node
        The node.

    """

    def __init__(self, node: Any) -> None:
        self._node = weakref.ref(node)
        for name, callback in (
            ('DescribeParameters', self._describe),
            ('GetParameters', self._get),
            ('GetParameterTypes', self._get_types),
            ('ListParameters', self._list),
            ('SetParameters', self._set),
            ('SetParametersAtomically', self._set_atomically),
        ):
            snake = ''.join('_' + c.lower() if c.isupper() else c for c in name)[1:]
            service = node.create_service(
                interface_class(f'rcl_interfaces/srv/{name}'),
                f'{node.get_name()}/{snake}',
                callback,
                qos_profile=qos_profile_parameters,
            )
            service.most_elements = MOST_ELEMENTS

    def _describe(self, request: Any, response: Any) -> Any:
        try:
            response.descriptors = self._live().describe_parameters(request.names)
        except ParameterNotDeclaredException:
            response.descriptors = []
        return response

    def _get(self, request: Any, response: Any) -> Any:
        try:
            parameters = self._live().get_parameters(request.names)
        except (ParameterNotDeclaredException, ParameterUninitializedException):
            return response
        response.values = [parameter.get_parameter_value() for parameter in parameters]
        return response

    def _get_types(self, request: Any, response: Any) -> Any:
        try:
            types = self._live().get_parameter_types(request.names)
        except ParameterNotDeclaredException:
            return response
        response.types = [kind.value for kind in types]
        return response

    def _list(self, request: Any, response: Any) -> Any:
        response.result = self._live().list_parameters(list(request.prefixes), request.depth)
        return response

    def _set(self, request: Any, response: Any) -> Any:
        response.results = [self._try_to_set([message]) for message in request.parameters]
        return response

    def _set_atomically(self, request: Any, response: Any) -> Any:
        response.result = self._try_to_set(request.parameters)
        return response

    def _try_to_set(self, messages: Any) -> Any:
        try:
            parameters = [Parameter.from_parameter_msg(message) for message in messages]
            result = self._live().set_parameters_atomically(parameters)
        except (ParameterNotDeclaredException, ValueError, RuntimeError) as error:
            result_class = interface_class('rcl_interfaces/msg/SetParametersResult')
            result = result_class(successful=False, reason=str(error))
        if len(result.reason) > LONGEST_REASON:   # it may repeat a name of any length
            result.reason = (f'{result.reason[:LONGEST_REASON]}... '
                             f'({len(result.reason)} characters)')
        return result

    def _live(self) -> Any:
        node = self._node()
        if node is None:
            raise ReferenceError('Expected valid node weak reference')
        return node
