"""What may stand for a remapping."""

from collections.abc import Iterable

from launch.some_substitutions_type import SomeSubstitutionsType

SomeRemapRule = tuple[SomeSubstitutionsType, SomeSubstitutionsType]
SomeRemapRules = Iterable[SomeRemapRule]
