"""Values of parameters that other nodes answer with: whatever they are, read as one type."""

from __future__ import annotations

from rcl_interfaces.msg import ParameterType, ParameterValue


def string(value: ParameterValue | None) -> str:
    """Return a text; empty where there is none, or something else."""
    if value is None or value.type != ParameterType.PARAMETER_STRING:
        return ''
    text: str = value.string_value
    return text


def string_array(value: ParameterValue | None) -> list[str]:
    """Return a list of texts; empty where there is none, or something else."""
    if value is None or value.type != ParameterType.PARAMETER_STRING_ARRAY:
        return []
    return [*value.string_array_value]
