# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""Xacro to URDF, by the package xacro."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import errno
import glob
import math
import os
import re
import threading
from types import SimpleNamespace
from typing import Any, NoReturn
from xml.dom import expatbuilder, UserDataHandler
from xml.parsers.expat import ExpatError

import yaml

from mbd_ros.description.records.budget import look, reading
from mbd_ros.description.records.report import nearest, Place
from mbd_ros.description.xml.packages import find_package, Folders
from mbd_ros.description.xml.roots import Roots
from mbd_ros.description.xml.xacro_arguments import Arguments, how_to_give
from mbd_ros.description.xml.xacro_bounds import Budget, MAX_ENTRIES
from mbd_ros.description.xml.xacro_expressions import Evaluator
from mbd_ros.errors import DescriptionError, InvalidValueError, one_line, UnsupportedError

MAX_BYTES = 16 * 1024 * 1024
"""Of one file."""

MAX_YAML_BYTES = 1024 * 1024
"""Of one file that ``load_yaml`` reads."""

MAX_YAML_DEPTH = 50
"""Lists and mappings within each other."""

MAX_SUBSTITUTIONS = 1_000_000_000
"""Of one text: ``$`` in it, times its characters; xacro copies the rest of it at each."""

_CLASS = re.compile(r"<class '[^']*'>: ")

_MACRO_ARGUMENT = re.compile(
    r"""^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?"""
    r"""(\$\{.*?\}|\$\(.*?\)|(?:'[^']*'|"[^"]*"|[^\s'"])+|)(?:\s+|$)(.*)""")
"""As in xacro, without the nested repetition that takes exponential time."""

_LINE = 'mbd_ros.line'
_YAML: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

_CONSTANTS: dict[str, Any] = {
    'true': True, 'false': False, **{name: getattr(math, name)
                                     for name in ('pi', 'tau', 'e', 'inf', 'nan')}}
"""Of ``$(eval ...)``."""

_ONE_AT_A_TIME = threading.Lock()
"""The package xacro keeps the files it is in in module variables."""


def expand_xacro(path: str, *, trusted: bool = False,
                 arguments: Mapping[str, object] | None = None,
                 packages: Folders | None = None,
                 folders: Sequence[str | os.PathLike[str]] = ()) -> bytes:
    """
    Return the URDF that a xacro file expands to.

    ``$(find PACKAGE)`` is looked up without ROS, see ``find_package``.

    Parameters
    ----------
    path : str
        The file.
    trusted : bool
        Whether the file may do all that xacro lets it do, which includes running code: its
        expressions are Python. By default they are arithmetic, see ``xacro_expressions``, with
        the bounds of ``xacro_bounds``; files are opened only in the folders of ``Roots`` and in
        packages that ``$(find)`` names; environment variables are not read.
    arguments : mapping, optional
        Values of its ``<xacro:arg>``; defaults for those left out.
    packages : mapping, optional
        Folders of packages by name, looked at before all others.
    folders : sequence of str or path, optional
        Further folders to open files in.

    Returns
    -------
    bytes
        The XML document.

    Raises
    ------
    DescriptionError
        If it cannot be expanded, with the file and the line it stopped in, or has no such
        argument.
    InvalidValueError
        If an argument is neither text nor a number.
    UnsupportedError
        If xacro is not installed.

    """
    return expand_with_places(path, trusted=trusted, arguments=arguments, packages=packages,
                              folders=folders)[0]


def expand_with_places(path: str, *, trusted: bool = False,
                       arguments: Mapping[str, object] | None = None,
                       packages: Folders | None = None,
                       folders: Sequence[str | os.PathLike[str]] = ()
                       ) -> tuple[bytes, tuple[Place, ...]]:
    """
    Return the document, and where each of its elements stands, in the order of the document.

    Parameters and errors are those of ``expand_xacro``.
    """
    text, places, given = _expanded(path, trusted, arguments, packages, folders)
    for name in sorted(set(arguments or ()) - given.declared.keys() - given.used):
        known = sorted(given.declared.keys() | given.used)
        raise DescriptionError(f"there is no <xacro:arg name='{name}'>{nearest(name, known)}; "
                               f"allowed: {', '.join(known) or 'none'}", file=path)
    return text, places


def _places(document: Any, path: str) -> Iterator[Place]:
    """Yield file and line of all elements; that of the one above where xacro has made one."""
    waiting = [(document.documentElement, (path, 1))]
    while waiting:
        element, above = waiting.pop()
        place = element.getUserData(_LINE) or above
        yield place
        waiting.extend((child, place) for child in reversed(element.childNodes)
                       if child.nodeType == child.ELEMENT_NODE)


def xacro_arguments(path: str, *, trusted: bool = False,
                    arguments: Mapping[str, object] | None = None,
                    packages: Folders | None = None,
                    folders: Sequence[str | os.PathLike[str]] = ()) -> dict[str, str | None]:
    """
    Return the arguments that a xacro file takes, with their defaults; None where there is none.

    Parameters and errors are those of ``expand_xacro``. Where a default is missing the name stands
    for the value, and what is found up to an error is returned.
    """
    found: dict[str, str | None] = {}
    missing: dict[str, object] = {}
    while True:
        given = Arguments({})
        try:
            _expanded(path, trusted, {**missing, **(arguments or {})}, packages, folders, given)
        except DescriptionError:
            if given.missing is not None:
                missing[given.missing] = given.missing   # its name, to get on to the next one
                continue
            if not missing:
                raise
        found.update(given.declared)
        found.update(dict.fromkeys(sorted(given.used - given.declared.keys())))
        return found | dict.fromkeys(missing)


@reading()
def _expanded(path: str, trusted: bool, arguments: Mapping[str, object] | None,
              packages: Folders | None, folders: Sequence[str | os.PathLike[str]],
              given: Arguments | None = None
              ) -> tuple[bytes, tuple[Place, ...], Arguments]:
    """Return the document, where its elements stand, and what it asked for."""
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise UnsupportedError(f"{path}: reading xacro without the package 'xacro'",
                               "install it with 'pip install xacro'") from None
    expansion = _Expansion(xacro, substitution_args, path, packages, folders)
    if not isinstance(arguments, (Mapping, type(None))):
        raise InvalidValueError('arguments', arguments, 'a mapping of names to values')
    given = Arguments({}) if given is None else given
    given.update({name: _argument_text(name, value) for name, value in (arguments or {}).items()})
    with _ONE_AT_A_TIME, expansion.guarded(trusted):
        try:
            document = xacro.process_file(path, verbosity=0, mappings=given)
            text = bytes(document.toxml(encoding='utf-8'))
        except ExpatError as error:
            raise DescriptionError(f'this is not well-formed XML: {error}',
                                   file=expansion.file, line=error.lineno) from None
        except Exception as error:  # expressions in the file can raise anything
            file, line = expansion.place
            reason = _reason(error) if given.missing is None else how_to_give(given.missing)
            raise DescriptionError(f'xacro cannot expand this: {reason}', file=file,
                                   line=line) from None
    return text, tuple(_places(document, path)), given


def _argument_text(name: str, value: object) -> str:
    """Return the value of an argument as xacro takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (str, int, float)):
        raise InvalidValueError(f"argument '{name}' of xacro", value, 'text or a number')
    return str(value)


class _Expansion:
    """One expansion: where it is, what it has used, and what stands in for parts of xacro."""

    def __init__(self, xacro: Any, substitutions: Any, path: str,
                 packages: Folders | None, folders: Sequence[str | os.PathLike[str]]) -> None:
        self._packages = packages
        self._xacro = xacro
        self._substitutions = substitutions
        self._index = substitutions._eval_find
        self._path = path
        self._roots = Roots(path, max_bytes=MAX_BYTES, folders=folders)
        self._budget = Budget()
        self._place: tuple[str, int] | None = None

    @property
    def file(self) -> str:
        """Return the file that xacro has opened last and not yet left."""
        stack = [file for file in self._xacro.filestack or [] if file]
        return stack[-1] if stack else self._path

    @property
    def place(self) -> tuple[str, int | None]:
        """File and line of the element that was looked at last."""
        return self._place or (self.file, None)

    @contextmanager
    def guarded(self, trusted: bool) -> Iterator[None]:
        """Put our parts into xacro for a while."""
        xacro, substitutions = self._xacro, self._substitutions
        own: dict[tuple[Any, str], Any] = {
            (substitutions, '_eval_find'): self._find,
            (xacro, 'parse'): self._parser(xacro.parse, trusted),
            (xacro, 're_macro_arg'): _MACRO_ARGUMENT,
            **{(xacro, name): self._noting(getattr(xacro, name), not trusted)
               for name in ('eval_all', 'check_attrs', 'handle_macro_call')}}
        if not trusted:
            functions = {
                'load_yaml': self._load_yaml, 'dotify': xacro.YamlDictWrapper,
                'abs_filename': xacro.abs_filename_spec,
                'arg': lambda name: xacro.substitution_args_context['arg'][name],
                'tokenize': _tokenize, 'fatal': _fatal} | {
                name: _said(getattr(xacro, name)) for name in ('message', 'warning', 'error')} | {
                'print_location': lambda: ''}
            evaluator = Evaluator(self._budget, xacro.YamlDictWrapper, xacro.YamlListWrapper,
                                  xacro.NameSpace, functions)
            own |= {
                (substitutions, '_eval'): self._substituted(evaluator),
                (substitutions, '_eval_env'): _refuse_environment,
                (substitutions, '_eval_optenv'): _default_of,
                (xacro, 'open'): self._open,
                (xacro, 'glob'): SimpleNamespace(glob=self._glob),
                (xacro, 'safe_eval'): evaluator.evaluate,
                (xacro, 'eval_text'): self._eval_text(xacro.eval_text),
                (xacro, 'eval_extension'): self._eval_extension(xacro.eval_extension),
                (xacro, 'remove_previous_comments'): lambda node: None,  # slow if there are many
                (xacro, 'parse_macro_arg'): self._parse_macro_arg(xacro.parse_macro_arg)}
        before = {}
        for module, name in own:
            if not hasattr(module, name) and name != 'open':
                raise UnsupportedError(f'{self._path}: this version of xacro, which has no '
                                       f'{name},', 'install xacro 2.0 or 2.1')
            before[module, name] = vars(module).get(name)
        try:
            for (module, name), value in own.items():
                setattr(module, name, value)
            yield
        finally:
            for (module, name), value in before.items():
                if value is None:
                    delattr(module, name)
                else:
                    setattr(module, name, value)

    def _find(self, name: str) -> str:
        """Return the folder of a package; files in it may be opened from now on."""
        folder = find_package(name, self._index, packages=self._packages,
                              near=(self._path, self.file))
        self._roots.add(folder)
        return folder

    def _open(self, name: str) -> Any:
        """Open a file, XML or YAML, for xacro."""
        try:
            return self._roots.check(name).open('rb')
        except DescriptionError as error:
            raise OSError(errno.EACCES, error.what, name) from None  # what xacro expects

    def _glob(self, pattern: str) -> list[str]:
        """Return the files of one folder whose names match a pattern."""
        folder, name = os.path.split(pattern)
        if glob.has_magic(folder):
            raise ValueError(f"the pattern '{pattern}' is not allowed; allowed: * and ? in the "
                             'name of the file')
        return sorted(glob.glob(os.path.join(glob.escape(folder), name)))

    def _parser(self, parse: Callable[..., Any], trusted: bool) -> Callable[..., Any]:
        """Return what parses a file into elements that know their lines."""
        def parsed(_: None, filename: str) -> Any:
            builder = _Builder(filename, allows_entities=trusted)
            try:
                with self._xacro.open(filename) if not trusted else open(filename, 'rb') as file:
                    document = builder.parseFile(file)
            except OSError as error:  # the file is not the place of the error
                self._xacro.filestack.pop()
                raise self._xacro.XacroException(f'{error.strerror}: {error.filename}',
                                                 exc=error) from None
            if not trusted:
                self._budget.add_nodes(_weight(document))
            return document
        return parsed

    def _noting(self, function: Callable[..., Any], limits: bool) -> Callable[..., Any]:
        """Return a function of an element that notes its line and counts copies of macros."""
        def noting(node: Any, *arguments: Any) -> Any:
            self._place = node.getUserData(_LINE) or self._place
            if limits:
                look()
                if node.parentNode is None:  # a copy that was just made
                    self._budget.add_nodes(_weight(node))
            return function(node, *arguments)
        return noting

    def _substituted(self, evaluator: Evaluator) -> Callable[..., str]:
        """Return what evaluates ``$(eval ...)`` as ``${...}`` is evaluated."""
        def substituted(text: str, context: Mapping[str, Any]) -> str:
            return str(evaluator.evaluate(text, _Names(
                context.get('arg', {}), self._substitutions.convert_value)))
        return substituted

    def _eval_text(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``eval_text`` with a bound on the copies of the text that it makes."""
        def bounded(text: Any, symbols: Any) -> Any:
            look()
            if isinstance(text, str) and text.count('$') * len(text) > MAX_SUBSTITUTIONS:
                raise ValueError(f'a text of {len(text)} characters with {text.count("$")} '
                                 'expressions is not allowed')
            return function(text, symbols)
        return bounded

    def _eval_extension(self, function: Callable[[str], str]) -> Callable[[str], str]:
        """Return ``eval_extension`` with a bound on what it makes, and without ``$(cwd)``."""
        def bounded(text: str) -> str:
            if text == '$(cwd)':
                raise ValueError('$(cwd) is not allowed: the folder that a program was started in '
                                 "would be published with the robot; allowed: xacro='trusted'")
            made = function(text)
            self._budget.make(len(made))
            return made
        return bounded

    def _parse_macro_arg(self, function: Callable[[str], Any]) -> Callable[[str], Any]:
        """Return ``parse_macro_arg`` with a bound on the text, which it copies at each."""
        def bounded(text: str) -> Any:
            if len(text) > MAX_ENTRIES:
                raise ValueError(f'parameters of {len(text)} characters are not allowed')
            return function(text)
        return bounded

    def _load_yaml(self, name: str) -> Any:
        """Return what a YAML file holds, with the units that xacro knows."""
        file = self._xacro.abs_filename_spec(name)
        with self._open(file) as stream:
            data = stream.read(MAX_YAML_BYTES + 1)
        if len(data) > MAX_YAML_BYTES:
            raise ValueError(f'{file} has more than {MAX_YAML_BYTES} bytes, which is not allowed')
        self._budget.step(_yaml_size(data))

        class Loader(_YAML):  # type: ignore[misc]
            """Knows the units, too."""

        for unit in self._xacro.ConstructUnits:
            Loader.add_constructor(unit.value.tag, unit.constructor)
        return self._xacro.YamlListWrapper.wrap(yaml.load(data, Loader=Loader))


class _Builder(expatbuilder.ExpatBuilderNS):
    """Makes a document of which each element, and each copy of one, knows its file and line."""

    def __init__(self, file: str, *, allows_entities: bool) -> None:
        super().__init__()
        self._file = file
        self._allows_entities = allows_entities
        self._handler = _Copying()

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        super().start_element_handler(name, attributes)
        self.curNode.setUserData(_LINE, (self._file, self.getParser().CurrentLineNumber),
                                 self._handler)

    def start_doctype_decl_handler(self, *arguments: Any) -> None:
        if not self._allows_entities:
            raise ValueError(f'a document type (<!DOCTYPE ...>) in {self._file} is not allowed')
        super().start_doctype_decl_handler(*arguments)


class _Copying(UserDataHandler):
    """Hands what is known of an element to its copies."""

    def handle(self, operation: int, key: str, data: Any, source: Any, copy: Any) -> None:
        if operation == self.NODE_CLONED:
            copy.setUserData(key, data, self)


def _weight(node: Any) -> int:
    """Return the number of nodes and attributes of a document or a part of it."""
    count, waiting = 0, [node]
    while waiting:
        item = waiting.pop()
        count += 1 + (len(item.attributes) if item.attributes else 0)
        waiting.extend(item.childNodes)
    return count


def _yaml_size(data: bytes) -> int:
    """Return the number of entries and characters of a YAML document with its aliases put in."""
    total = 0
    open_now: list[tuple[str | None, int]] = [('', 0)]
    known: dict[str | None, int] = {}
    for event in yaml.parse(data, Loader=_YAML):
        if isinstance(event, yaml.CollectionStartEvent):
            open_now.append((event.anchor, total))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_now.pop()
            known[anchor] = total - before
        elif isinstance(event, yaml.ScalarEvent):
            total += 1 + len(event.value)
            known[event.anchor] = 1 + len(event.value)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in known:
                raise ValueError(f"the alias '*{event.anchor}' within itself is not allowed")
            total += known[event.anchor]
        if total > MAX_ENTRIES or len(open_now) > MAX_YAML_DEPTH:
            raise ValueError(f'YAML of more than {MAX_ENTRIES} entries and characters, or deeper '
                             f'than {MAX_YAML_DEPTH} levels, is not allowed')
    return total


def _tokenize(text: str, sep: str = ',; ', skip_empty: bool = True) -> list[str]:
    """Return the parts of a text between any of some characters."""
    parts = re.split(f'[{re.escape(sep)}]', text)
    return [part for part in parts if part or not skip_empty]


def _fatal(*parts: Any) -> NoReturn:
    raise ValueError(' '.join(map(str, parts)))


def _said(function: Callable[[str], None]) -> Callable[..., str]:
    """Return a function that says something on one line and is empty as a value."""
    def said(*parts: Any) -> str:
        function(one_line(' '.join(map(str, parts))))
        return ''
    return said


class _Names:
    """
    What names in ``$(eval ...)`` stand for.

    In xacro that may have no brackets, and so calls no functions.

    Parameters
    ----------
    arguments : mapping of str to str
        Of the file.
    converted : callable
        Returns the value that the text of an argument stands for.

    """

    def __init__(self, arguments: Mapping[str, str],
                 converted: Callable[[str, str], Any]) -> None:
        self._arguments = arguments
        self._converted = converted

    def __getitem__(self, name: str) -> Any:
        if name in _CONSTANTS:   # before the arguments, as in xacro
            return _CONSTANTS[name]
        return self._converted(self._arguments[name], 'auto')


def _refuse_environment(name: str) -> str:
    raise ValueError(f'the environment variable {name} is not read: what is in it would be passed '
                     "on with the robot; allowed: <xacro:arg>, or xacro='trusted'")


def _default_of(name: str, default: str = '') -> str:
    """Return what ``$(optenv NAME DEFAULT)`` is where the variable is not set."""
    if name in os.environ:
        _refuse_environment(name)
    return default


def _reason(error: Any) -> str:
    """Return what xacro says in one line; it repeats causes behind messages that hold them."""
    if not hasattr(error, 'exc'):
        return str(getattr(error, 'strerror', None) or error)
    own = _CLASS.sub('', Exception.__str__(error)).removeprefix('None')
    cause = '' if error.exc is None else _reason(error.exc)
    what = own if cause in own else f'{own} {cause}'.strip()
    where = ' '.join((error.suffix or '').split())
    return f'{what}, {where}' if where else what
