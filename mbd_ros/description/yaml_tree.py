"""YAML with line numbers, and without the dangers of YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from typing import Any

import yaml

from mbd_ros.description.finding import Source
from mbd_ros.description.report import nearest, Report

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 50


def parse_yaml(data: bytes, report: Report) -> Any:
    """
    Return the root node of a YAML document.

    No tag that builds objects, no alias and no second document is accepted, so that a short file
    cannot become a large one.

    Parameters
    ----------
    data : bytes
        The document.
    report : Report
        Words the errors.

    Returns
    -------
    yaml.Node
        With marks of line and column on it and all below it.

    Raises
    ------
    DescriptionError
        If this is not YAML, with the line.

    """
    if len(data) > MAX_BYTES:
        raise report.error(f'the file is larger than {MAX_BYTES} bytes', Source(report.file))
    try:
        depth = 0
        for event in yaml.parse(data, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise report.error(f'the alias *{event.anchor} is not allowed; write it out',
                                   source_of(event, report))
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise report.error(f'this is nested more than {MAX_DEPTH} levels deep',
                                   source_of(event, report))
        root = yaml.compose(data, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        what = getattr(error, 'problem', None) or getattr(error, 'reason', None) or 'it is broken'
        raise report.error(f'this is not well-formed YAML: {what}',
                           Source(report.file, mark.line + 1 if mark else None)) from None
    except (UnicodeError, ValueError) as error:
        raise report.error(f'this is not well-formed YAML: {error}', Source(report.file)) from None
    if root is None:
        raise report.error('the file is empty', Source(report.file))
    return root


def source_of(node: Any, report: Report) -> Source:
    """Return where a node stands."""
    return Source(report.file, node.start_mark.line + 1)


def mapping(node: Any, what: str, known: Iterable[str], report: Report, *,
            required: Iterable[str] = ()) -> dict[str, Any]:
    """
    Return the nodes of a mapping by key; keys that are not known are findings.

    Raises
    ------
    DescriptionError
        If it is no mapping, a key comes twice or a required one is missing.

    """
    if not isinstance(node, yaml.MappingNode):
        raise report.error(f'{what} is not a mapping (key: value)', source_of(node, report))
    allowed = tuple(known)
    items: dict[str, Any] = {}
    for key, value in node.value:
        name = text(key, f'a key of {what}', report)
        if name in items:
            raise report.error(f"{what} has the key '{name}' twice", source_of(key, report))
        if name not in allowed:
            report.remark('warning', f"{what}: the key '{name}' is unknown and not used"
                          f'{nearest(name, allowed)}', source_of(key, report))
            continue
        items[name] = value
    for name in required:
        if name not in items:
            raise report.error(f"{what} has no '{name}'", source_of(node, report))
    return items


def sequence(node: Any, what: str, report: Report) -> list[Any]:
    """Return the nodes of a list."""
    if not isinstance(node, yaml.SequenceNode):
        raise report.error(f'{what} is not a list', source_of(node, report))
    return list(node.value)


def text(node: Any, what: str, report: Report) -> str:
    """Return a text that is not empty."""
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise report.error(f'{what} is not a text', source_of(node, report))
    return str(node.value)


def number(node: Any, what: str, report: Report) -> float:
    """Return a finite number."""
    try:
        value = float(text(node, what, report))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise report.error(f"{what} is '{node.value}'; allowed: a finite number",
                           source_of(node, report))
    return value


def numbers(node: Any, count: int, what: str, report: Report) -> tuple[float, ...]:
    """Return a list of so many finite numbers."""
    items = sequence(node, what, report)
    if len(items) != count:
        raise report.error(f'{what} has {len(items)} entries; allowed: {count} finite numbers',
                           source_of(node, report))
    return tuple(number(item, f'{what}[{k}]', report) for k, item in enumerate(items))


def choice(node: Any, what: str, allowed: Mapping[str, Any], report: Report) -> str:
    """Return a text that is one of those allowed."""
    value = text(node, what, report)
    if value not in allowed:
        raise report.error(f"{what} is '{value}'; allowed: {', '.join(allowed)}"
                           f'{nearest(value, allowed)}', source_of(node, report))
    return value
