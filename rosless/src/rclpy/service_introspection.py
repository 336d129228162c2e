"""Service introspection, which rosless has not."""

from enum import IntEnum


class ServiceIntrospectionState(IntEnum):
    """What is published about calls; only OFF is possible here."""

    OFF = 0
    METADATA = 1
    CONTENTS = 2
