"""Launch files in XML."""

from launch.frontend import Entity
from launch.frontend import Parser

__all__ = ['Entity', 'Parser']
