"""The names of files beside a description: ``arm.loops.yaml`` for ``arm.urdf``."""

from __future__ import annotations

from pathlib import Path

SUFFIX = '.loops.yaml'


def stem_of(path: Path) -> str:
    """Return the name of a description's file without its endings."""
    stem = path.name
    for suffix in ('.xacro', '.urdf', '.xml', '.mjcf', '.sdf'):
        stem = stem.removesuffix(suffix)
    return stem


def side_file(path: Path) -> Path:
    """Return the name of the file beside a description that closes its loops."""
    return path.with_name(stem_of(path) + SUFFIX)
