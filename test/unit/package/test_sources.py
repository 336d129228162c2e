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

"""The house rules that a file can break by itself: emptiness, types, documentation."""

import ast
import functools
from pathlib import Path
import re
import subprocess
import sys

from parsed import tree_of
import pytest

ROOT = Path(__file__).resolve().parents[3]
NOTICE = Path(__file__).read_text(encoding='utf-8').partition('\n\n')[0]
"""Of the licence, at the top of every file, this one among them."""


def sources() -> list[Path]:
    """Return every Python file that is installed or shipped."""
    return sorted(
        path for folder in ('mbd_ros', 'rosless/src', 'rosless/tools/src', 'launch', 'benchmarks',
                            'examples', 'test', 'rosless/test')
        for path in (ROOT / folder).rglob('*.py') if '__pycache__' not in path.parts)


def public_functions(tree: ast.Module):
    """Yield name and node of the public functions and methods of public classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith('_'):
                yield node.name, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith('_'):
            for item in node.body:
                if (isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
                        and not item.name.startswith('_')):
                    yield f'{node.name}.{item.name}', item


def inherits_its_docstring(node: ast.FunctionDef) -> bool:
    """Tell whether a method is marked as an override, whose base documents it."""
    names = {ast.unparse(decorator).split('.')[-1] for decorator in node.decorator_list}
    return bool(names & {'override', 'setter', 'overload'})


def untyped(node: ast.FunctionDef) -> list[str]:
    """Return the arguments, and ``return``, that have no annotation."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    arguments += [a for a in (node.args.vararg, node.args.kwarg) if a is not None]
    missing = [a.arg for a in arguments if a.annotation is None and a.arg not in ('self', 'cls')]
    return missing + (['return'] if node.returns is None else [])


def test_every_file_begins_with_the_notice_of_its_licence():
    words = NOTICE.replace('#', ' ').split()
    text = ' '.join(words[words.index('Licensed'):])
    assert text in ' '.join((ROOT / 'LICENSE').read_text(encoding='utf-8').split())
    shipped = [*sources(), *ROOT.glob('*.py'), *(ROOT / 'scripts').glob('*.py')]
    assert not [str(path.relative_to(ROOT)) for path in shipped
                if not path.read_text(encoding='utf-8').startswith(f'{NOTICE}\n\n')]


def test_no_init_is_empty():
    empty = [str(path.relative_to(ROOT)) for path in sources()
             if path.name == '__init__.py' and not path.read_text(encoding='utf-8').strip()]
    assert not empty


def test_tests_are_no_packages():
    # In importlib mode pytest names them by their path; packages would bring that in disorder.
    assert not [path for path in sources()
                if path.name == '__init__.py' and 'test' in path.relative_to(ROOT).parts[:2]]


@pytest.mark.parametrize('room', ['mbd_ros', 'rosless/src/rosless'])
def test_public_functions_are_typed(room):
    wrong = {}
    for path in sorted((ROOT / room).rglob('*.py')):
        for name, node in public_functions(tree_of(path)):
            if untyped(node):
                wrong[f'{path.relative_to(ROOT)}:{node.lineno} {name}'] = untyped(node)
    assert not wrong


def test_public_functions_are_documented():
    wrong = [
        f'{path.relative_to(ROOT)}:{node.lineno} {name}'
        for path in sorted((ROOT / 'mbd_ros').rglob('*.py'))
        for name, node in public_functions(tree_of(path))
        if ast.get_docstring(node) is None and not inherits_its_docstring(node)]
    assert not wrong


def test_every_module_says_what_it_is():
    wrong = [
        str(path.relative_to(ROOT)) for path in sorted((ROOT / 'mbd_ros').rglob('*.py'))
        if ast.get_docstring(tree_of(path)) is None]
    assert not wrong


@functools.cache
def known_files():
    """Return sources and pages by each end of their paths."""
    return {'/'.join(parts[i:]): path for top in ROOT.glob('[!.]*') if top.name != 'build'
            for path in (top, *top.rglob('*.[pm][yd]')) if path.is_file()
            for parts in (path.relative_to(ROOT).parts,) for i in range(len(parts))}


def test_files_that_docstrings_name_exist():
    """Sources and pages, by the end of their path."""
    known = known_files().keys()
    name = re.compile(r'(?<![\w/.~:-])((?:[\w.-]+/)*[\w-]+\.(?:py|md))\b')
    wrong = {}
    for path in sources():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                cited = set(name.findall(ast.get_docstring(node) or ''))
                if cited - known:
                    wrong[f'{path.relative_to(ROOT)}:{getattr(node, "lineno", 1)}'] = cited - known
    assert not wrong


def test_files_and_functions_that_pages_name_exist():
    """Paths in backticks, and behind a colon the names of what is in the file."""
    known, wrong = known_files(), []
    cited = re.compile(r'`((?:[\w.-]+/)+[\w-]+\.py)(?:: ([\w., ]+))?`')
    for page in (*ROOT.glob('docs/*.md'), ROOT / 'CONTRIBUTING.md'):
        for file, names in cited.findall(page.read_text(encoding='utf-8')):
            text = known[file].read_text(encoding='utf-8') if file in known else ''
            wrong += [f'{page.name}: {file}: {name}' for name in filter(None, names.split(', '))
                      if not re.search(rf'\b{re.escape(name.split(".")[-1])}\b', text)]
            wrong += [f'{page.name}: {file}'] if file not in known else []
    assert not wrong


def test_the_package_leaves_what_loads_slowly_until_it_is_needed():
    """``scipy.linalg`` takes as long to import as all of this package."""
    script = ("import sys, mbd_ros; slow = ('scipy.linalg', 'scipy.optimize', 'scipy.integrate', "
              "'scipy.interpolate', 'numpy.testing', 'viser'); "
              'print([name for name in slow if name in sys.modules])')
    found = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True,
                           check=True)
    assert found.stdout.strip() == '[]'


def test_the_map_of_the_executors_names_every_file():
    text = (ROOT / 'docs' / 'executors.md').read_text(encoding='utf-8').split('## The files of')[1]
    room = ROOT / 'mbd_ros' / 'execution'
    files = {str(path.relative_to(room)) for path in room.rglob('*.py')
             if path.name != '__init__.py'}
    assert files == set(re.findall(r'`(\w+/\w+\.py)`', text))


LATER = {'StreamHandler': 11, 'LoggerAdapter': 11, 'memoryview': 14, 'slice': 14}
"""Classes that type checkers know as generic, and the Python 3.x that can subscript them."""


def evaluated(tree: ast.Module):
    """Yield what runs of a module whose annotations are not evaluated."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            for_checkers = (isinstance(node, ast.If) and name == 'body'
                            and 'TYPE_CHECKING' in ast.dump(node.test))
            if name not in ('annotation', 'returns') and not for_checkers:
                waiting += [child for child in (value if isinstance(value, list) else [value])
                            if isinstance(child, ast.AST)]


def test_no_class_is_subscripted_that_cannot_be_in_the_oldest_python():
    hint = re.compile(rf'\b(?:{"|".join(LATER)})\[')
    wrong = [
        f'{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}'
        for path in sources() if hint.search(path.read_text(encoding='utf-8'))
        for node in evaluated(tree_of(path))
        if isinstance(node, ast.Subscript) and hint.match(ast.unparse(node).rpartition('.')[2])]
    assert not wrong
