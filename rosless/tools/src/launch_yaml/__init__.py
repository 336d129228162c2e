"""Launch files in YAML."""

from launch.frontend import Entity
from launch.frontend import Parser

__all__ = ['Entity', 'Parser']
