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

"""The parameters of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
import warnings

from rosless.idl.build import interface_class

from .exceptions import (
    InvalidParameterException,
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterAlreadyDeclaredException,
    ParameterImmutableException,
    ParameterNotDeclaredException,
    ParameterUninitializedException,
)
from .parameter import Parameter, PARAMETER_SEPARATOR_STRING
from .parameter_rules import apply_descriptor, check_list, check_name, refuse

Result = Any
Check = Callable[[list[Parameter]], Result]


class NodeParameters:
    """What `Node` can do with parameters; the node is the only user of this class."""

    _parameters: dict[str, Parameter]
    _descriptors: dict[str, Any]
    _parameter_overrides: dict[str, Parameter]
    _allow_undeclared_parameters: bool
    _parameter_event_publisher: Any

    def _init_parameters(self, overrides: dict[str, Parameter], allow_undeclared: bool) -> None:
        self._parameters = {}
        self._descriptors = {}
        self._parameter_overrides = overrides
        self._allow_undeclared_parameters = allow_undeclared
        self._pre_set_parameters_callbacks: list[Any] = []
        self._on_set_parameters_callbacks: list[Check] = []
        self._post_set_parameters_callbacks: list[Any] = []
        self._parameter_event_publisher = None

    def declare_parameter(
        self,
        name: str,
        value: Any = None,
        descriptor: Any = None,
        ignore_override: bool = False,
    ) -> Parameter:
        """
        Declare a parameter.

        Parameters
        ----------
        name : str
            Its name.
        value : optional
            Its default, or a `Parameter.Type` if it has none.
        descriptor : rcl_interfaces.msg.ParameterDescriptor, optional
            Description, range and the like.
        ignore_override : bool
            Whether a value from the command line or a file is ignored.

        Raises
        ------
        ParameterAlreadyDeclaredException
            If it is declared already.
        InvalidParameterTypeException
            If the value from outside has another type than the default.
        InvalidParameterValueException
            If the value is out of range, or a callback refuses it.

        """
        if value is None and descriptor is None:
            return self.declare_parameters('', [(name,)], ignore_override)[0]
        return self.declare_parameters('', [(name, value, descriptor)], ignore_override)[0]

    def declare_parameters(
        self,
        namespace: str,
        parameters: Iterable[tuple[Any, ...]],
        ignore_override: bool = False,
    ) -> list[Parameter]:
        """
        Declare several parameters.

        Parameters
        ----------
        namespace : str
            Put in front of the names, with a dot.
        parameters : Iterable[tuple]
            Name; name and default (or type); or name, default and descriptor. Of entries with
            the same name the last one counts.
        ignore_override : bool
            As in `declare_parameter`.

        """
        declared: list[Parameter] = []
        descriptors: dict[str, Any] = {}
        for entry in parameters:
            parameter, descriptor = self._declaration(namespace, entry, ignore_override)
            if parameter.name in self._parameters:
                raise ParameterAlreadyDeclaredException([parameter.name])
            declared.append(parameter)
            descriptors[parameter.name] = descriptor
        for parameter in declared:
            self._declare_one(parameter, descriptors[parameter.name])
        return [self._parameters[parameter.name] for parameter in declared]

    def undeclare_parameter(self, name: str) -> None:
        """Remove a parameter that was declared and is not read-only."""
        if name not in self._parameters:
            raise ParameterNotDeclaredException(name)
        if self._descriptors[name].read_only:
            raise ParameterImmutableException(name)
        del self._parameters[name]
        del self._descriptors[name]

    def has_parameter(self, name: str) -> bool:
        """Tell whether a parameter is declared."""
        return name in self._parameters

    def get_parameter(self, name: str) -> Parameter:
        """
        Return a parameter.

        Raises
        ------
        ParameterNotDeclaredException
            If it is not declared, and the node does not allow that.
        ParameterUninitializedException
            If it was declared by type only and never set.

        """
        parameter = self._parameters.get(name)
        if parameter is not None:
            unset = parameter.type_ == Parameter.Type.NOT_SET
            if unset and not self._descriptors[name].dynamic_typing:
                raise ParameterUninitializedException(name)
            return parameter
        if self._allow_undeclared_parameters:
            return Parameter(name, Parameter.Type.NOT_SET, None)
        raise ParameterNotDeclaredException(name)

    def get_parameters(self, names: list[str]) -> list[Parameter]:
        """Return several parameters; see `get_parameter`."""
        if not all(isinstance(name, str) for name in names):
            raise TypeError('All names must be instances of type str')
        return [self.get_parameter(name) for name in names]

    def get_parameter_or(self, name: str, alternative_value: Parameter | None = None) -> Parameter:
        """Return a parameter, or the alternative if it is not declared or has no value."""
        parameter = self._parameters.get(name)
        if parameter is not None and parameter.type_ != Parameter.Type.NOT_SET:
            return parameter
        if alternative_value is None:
            return Parameter(name, Parameter.Type.NOT_SET)
        return alternative_value

    def get_parameters_by_prefix(self, prefix: str) -> dict[str, Parameter]:
        """Return the parameters below a prefix, by what follows it."""
        start = prefix + PARAMETER_SEPARATOR_STRING if prefix else ''
        return {
            name.removeprefix(start): parameter
            for name, parameter in self._parameters.items()
            if name.startswith(start)
        }

    def get_parameter_type(self, name: str) -> Parameter.Type:
        """Return the type of a parameter."""
        parameter = self._parameters.get(name)
        if parameter is not None:
            return parameter.type_
        if self._allow_undeclared_parameters:
            return Parameter.Type.NOT_SET
        raise ParameterNotDeclaredException(name)

    def get_parameter_types(self, names: list[str]) -> list[Parameter.Type]:
        """Return the types of several parameters."""
        return [self.get_parameter_type(name) for name in names]

    def list_parameters(self, prefixes: list[str], depth: int) -> Any:
        """
        List names of parameters.

        Parameters
        ----------
        prefixes : list[str]
            What the names begin with, up to a dot; any name if it is empty.
        depth : int
            How many parts the names have at most, behind the prefix; 0 for any number.

        Returns
        -------
        rcl_interfaces.msg.ListParametersResult
            Names, and the prefixes they have.

        """
        result = interface_class('rcl_interfaces/msg/ListParametersResult')()
        separator = PARAMETER_SEPARATOR_STRING
        for name in self._parameters:
            wanted = any(
                (name == prefix or name.startswith(prefix + separator))
                and _within(name.removeprefix(prefix).lstrip(separator), depth)
                for prefix in prefixes
            )
            if wanted or (not prefixes and _within(name, depth)):
                result.names.append(name)
                prefix = name.rpartition(separator)[0]
                if prefix and prefix not in result.prefixes:
                    result.prefixes.append(prefix)
        return result

    def describe_parameter(self, name: str) -> Any:
        """Return the descriptor of a parameter."""
        if name in self._descriptors:
            return self._descriptors[name]
        if self._allow_undeclared_parameters:
            return interface_class('rcl_interfaces/msg/ParameterDescriptor')()
        raise ParameterNotDeclaredException(name)

    def describe_parameters(self, names: list[str]) -> list[Any]:
        """Return the descriptors of several parameters."""
        return [self.describe_parameter(name) for name in names]

    def set_descriptor(self, name: str, descriptor: Any, alternative_value: Any = None) -> Any:
        """
        Replace the descriptor of a parameter, and return the value it then has.

        Parameters
        ----------
        name : str
            The parameter.
        descriptor : rcl_interfaces.msg.ParameterDescriptor
            The new one, with a type unless it has `dynamic_typing`.
        alternative_value : rcl_interfaces.msg.ParameterValue, optional
            Set if the present value does not fit the new descriptor.

        """
        parameter = self.get_parameter(name)
        if name not in self._parameters:
            return parameter.get_parameter_value()
        if self._descriptors[name].read_only:
            raise ParameterImmutableException(name)
        descriptor.name = name
        result = apply_descriptor(parameter, descriptor, check_read_only=False)
        if not result.successful and alternative_value is not None:
            message = interface_class('rcl_interfaces/msg/Parameter')
            parameter = Parameter.from_parameter_msg(message(name=name, value=alternative_value))
            result = apply_descriptor(parameter, descriptor, check_read_only=False)
        if not result.successful:
            raise InvalidParameterValueException(name, parameter.value, result.reason)
        self._descriptors[name] = descriptor
        self._parameters[name] = parameter
        return parameter.get_parameter_value()

    def set_parameters(self, parameter_list: list[Parameter]) -> list[Result]:
        """
        Set parameters one by one.

        Returns
        -------
        list[rcl_interfaces.msg.SetParametersResult]
            For each whether it was set, and the reason if not.

        Raises
        ------
        ParameterNotDeclaredException
            If one is not declared, and the node does not allow that; those before it are set.

        """
        check_list(parameter_list)
        return [self._set_atomically([parameter]) for parameter in parameter_list]

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> Result:
        """Set all parameters or, if one is refused, none; see `set_parameters`."""
        check_list(parameter_list)
        return self._set_atomically(parameter_list)

    def add_on_set_parameters_callback(self, callback: Check) -> None:
        """Let a function accept or refuse new values; the last one added is asked first."""
        self._on_set_parameters_callbacks.insert(0, callback)

    def remove_on_set_parameters_callback(self, callback: Check) -> None:
        """Undo `add_on_set_parameters_callback`."""
        self._on_set_parameters_callbacks.remove(callback)

    def add_pre_set_parameters_callback(
        self, callback: Callable[[list[Parameter]], list[Parameter]]
    ) -> None:
        """Let a function change the list of parameters before it is checked."""
        self._pre_set_parameters_callbacks.insert(0, callback)

    def remove_pre_set_parameters_callback(self, callback: Any) -> None:
        """Undo `add_pre_set_parameters_callback`."""
        self._pre_set_parameters_callbacks.remove(callback)

    def add_post_set_parameters_callback(
        self, callback: Callable[[list[Parameter]], None]
    ) -> None:
        """Call a function after parameters have been set."""
        self._post_set_parameters_callbacks.insert(0, callback)

    def remove_post_set_parameters_callback(self, callback: Any) -> None:
        """Undo `add_post_set_parameters_callback`."""
        self._post_set_parameters_callbacks.remove(callback)

    def _declaration(
        self, namespace: str, entry: tuple[Any, ...], ignore_override: bool
    ) -> tuple[Parameter, Any]:
        """Return the parameter and descriptor that an entry of `declare_parameters` means."""
        if not 1 <= len(entry) <= 3 or not isinstance(entry[0], str):
            raise TypeError(
                f'Invalid parameter tuple {entry!r}: expected (name[, value[, descriptor]])'
            )
        name = f'{namespace}.{entry[0]}' if namespace else entry[0]
        if not check_name(name):
            raise InvalidParameterException(name)
        value = entry[1] if len(entry) > 1 else None
        descriptor = entry[2] if len(entry) > 2 else None
        cls = interface_class('rcl_interfaces/msg/ParameterDescriptor')
        if descriptor is None:
            descriptor = cls(dynamic_typing=len(entry) == 1)
            if len(entry) == 1:
                warnings.warn(
                    f"when declaring parameter named '{name}', declaring a parameter only "
                    'providing its name is deprecated. You have to either:\n'
                    '\t- Pass a name and a default value different to "PARAMETER NOT SET" (and '
                    'optionally a descriptor).\n\t- Pass a name and a parameter type.\n'
                    '\t- Pass a name and a descriptor with `dynamic_typing=True`',
                    stacklevel=4,
                )
        elif not isinstance(descriptor, cls):
            raise TypeError(f'the descriptor of {name!r} must be a ParameterDescriptor')
        descriptor.name = name
        if isinstance(value, Parameter.Type):
            if value == Parameter.Type.NOT_SET:
                raise ValueError(f"Cannot declare parameter '{name}' of type NOT_SET")
            if descriptor.dynamic_typing:
                raise ValueError(
                    f"Cannot declare parameter '{name}': dynamic_typing is set and a type given"
                )
            descriptor.type, value = value.value, None
        elif not descriptor.dynamic_typing and value is not None:
            if isinstance(value, interface_class('rcl_interfaces/msg/ParameterValue')):
                descriptor.type = value.type  # of an override; as a default it is a TypeError
            else:
                descriptor.type = Parameter.Type.from_parameter_value(value).value
            if descriptor.type == 0:
                raise ValueError(f'Cannot declare parameter {name!r} of type NOT_SET')
        overrides = self._parameter_overrides
        override = overrides.get(name) or overrides.get(entry[0])  # Humble looks for this one
        if override is not None and not ignore_override:
            value = override.value
            if descriptor.type == 0 and not descriptor.dynamic_typing:
                descriptor.type = Parameter.Type.from_parameter_value(value).value
        return Parameter(name, value=value), descriptor

    def _declare_one(self, parameter: Parameter, descriptor: Any) -> None:
        self._descriptors[parameter.name] = descriptor
        unset = parameter.type_ == Parameter.Type.NOT_SET
        if unset:
            self._parameters[parameter.name] = parameter
            return
        if not descriptor.dynamic_typing and descriptor.type != parameter.type_.value:
            del self._descriptors[parameter.name]
            raise InvalidParameterTypeException(parameter, Parameter.Type(descriptor.type))
        result = self._set_atomically([parameter], declaring=True)
        if not result.successful:
            del self._descriptors[parameter.name]
            raise InvalidParameterValueException(parameter.name, parameter.value, result.reason)
        descriptor.type = parameter.type_.value

    def _set_atomically(self, parameters: list[Parameter], *, declaring: bool = False) -> Result:
        if not declaring:
            if callbacks := self._pre_set_parameters_callbacks:
                parameters = [one for callback in callbacks for one in callback(parameters)]
                if not parameters:
                    return refuse(
                        'parameter list cannot be empty, this might be due to '
                        'pre_set_parameters_callback modifying the original parameters list.'
                    )
            unknown = [p.name for p in parameters if p.name not in self._parameters]
            if unknown and not self._allow_undeclared_parameters:
                raise ParameterNotDeclaredException(unknown)
        for parameter in parameters:
            descriptor = self._descriptors.get(parameter.name)
            if descriptor is not None:
                result = apply_descriptor(parameter, descriptor, check_read_only=not declaring)
                if not result.successful:
                    return result
        for check in list(self._on_set_parameters_callbacks):
            result = check(parameters)
            if not hasattr(result, 'successful'):
                return refuse(
                    f'Callback {check.__qualname__} returned an invalid type: a '
                    f'SetParametersResult is wanted, not {result!r}'
                )
            if not result.successful:
                return result
        self._store(parameters)
        for callback in self._post_set_parameters_callbacks:
            callback(parameters)
        return interface_class('rcl_interfaces/msg/SetParametersResult')(successful=True)

    def _store(self, parameters: Sequence[Parameter]) -> None:
        event = interface_class('rcl_interfaces/msg/ParameterEvent')()
        for parameter in parameters:
            name, message = parameter.name, parameter.to_parameter_msg()
            known = self._parameters.get(name)
            if parameter.type_ == Parameter.Type.NOT_SET:
                if known is not None and known.type_ != Parameter.Type.NOT_SET:
                    event.deleted_parameters.append(message)
                self._parameters.pop(name, None)
                self._descriptors.pop(name, None)
                continue
            new = known is None or known.type_ == Parameter.Type.NOT_SET
            (event.new_parameters if new else event.changed_parameters).append(message)
            self._parameters[name] = parameter
            if name not in self._descriptors:
                cls = interface_class('rcl_interfaces/msg/ParameterDescriptor')
                self._descriptors[name] = cls(
                    name=name, type=parameter.type_.value, dynamic_typing=True
                )
        self._publish_parameter_event(event)

    def _publish_parameter_event(self, event: Any) -> None:
        raise NotImplementedError


def _within(name: str, depth: int) -> bool:
    """Tell whether a name has fewer dots than `depth`; 0 is any number."""
    return depth == 0 or name.count(PARAMETER_SEPARATOR_STRING) < depth
