"""Sources parsed once for all tests that look at them."""

import ast
import functools
from pathlib import Path


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file, which no test changes."""
    return ast.parse(path.read_text(encoding='utf-8'))


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file."""
    return tuple(ast.walk(tree_of(path)))
