"""What may stand wherever a text may hold substitutions."""

from collections.abc import Iterable
from pathlib import Path

from launch.substitution import Substitution

SomeSubstitutionsType = str | Path | Substitution | Iterable[str | Path | Substitution]
SomeSubstitutionsType_types_tuple = (str, Path, Substitution, Iterable)
