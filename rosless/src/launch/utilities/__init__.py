"""Helpers for authors of actions and substitutions."""

from launch.utilities.ensure_argument_type_impl import ensure_argument_type
from launch.utilities.normalize_to_list_of_substitutions_impl import \
    normalize_to_list_of_substitutions
from launch.utilities.perform_substitutions_impl import perform_substitutions

__all__ = [
    'ensure_argument_type',
    'normalize_to_list_of_substitutions',
    'perform_substitutions',
]
