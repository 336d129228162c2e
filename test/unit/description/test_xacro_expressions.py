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

"""Expressions of xacro: hostile ones reach nothing, benign ones agree with Python."""

import contextlib
import datetime
import math
import time
import tracemalloc
import warnings

from hypothesis import assume, given, settings, strategies as st
import pytest
import xacro

from mbd_ros.description.xml.xacro_bounds import Budget, MAX_ENTRIES
from mbd_ros.description.xml.xacro_expressions import Evaluator, MAX_BRACKETS

PROPERTIES = {
    'i': 3, 'x': 2.5, 'word': 'left_arm', 'flag': True, 'numbers': [1, 2.5, -3],
    'words': ['a', 'bc', ''], 'table': {'a': 1, 'b': [1, 2]},
    'robot': xacro.YamlDictWrapper({'arm': {'length': 0.5, 'names': ['a', 'b']}, 'n': 2})}
PLAIN = (bool, int, float, str, list, tuple, dict, set, range, type(None), xacro.YamlDictWrapper,
         xacro.YamlListWrapper)

REACHED: list[str] = []
STEPS = 300_000


class Trap:
    """An object behind a name of xacro: whatever is done to it is noted."""

    def __call__(self, *_, **__):
        REACHED.append('called')

    def __getattr__(self, name):
        REACHED.append(name)
        raise AttributeError(name)


def evaluator() -> Evaluator:
    """Return an evaluator with a budget of its own."""
    return Evaluator(Budget(STEPS), xacro.YamlDictWrapper, xacro.YamlListWrapper, xacro.NameSpace,
                     {'load_yaml': lambda name: {}, 'dotify': xacro.YamlDictWrapper})


def symbols(**more):
    """Return names as xacro hands them over."""
    table = xacro.Table(xacro.create_global_symbols())
    for name, value in (PROPERTIES | more).items():
        dict.__setitem__(table, name, value)
    return table


def evaluated(text: str, **more):
    """Return the value of an expression."""
    return evaluator().evaluate(text, symbols(**more))


ATTRIBUTES = st.sampled_from([
    '__class__', '__globals__', '__builtins__', '__subclasses__', 'gi_frame', 'f_back', 'f_code',
    'f_globals', 'f_builtins', 'gi_code', 'cr_frame', 'tb_frame', '__self__', '__func__', 'mro',
    'real', 'numerator', 'format', 'format_map', 'encode', 'translate', 'append', 'pop', 'update',
    'copy', 'join', 'items', 'trap', 'load_yaml', 'type', 'vars', 'parent', 'root', 'top'])
KEYS = st.sampled_from(["'type'", "'__class__'", "'__import__'", '0', '-1', '::2', "'system'"])
ATOMS = st.sampled_from([
    '1', '9' * 30, '1e308', "'a'", "'{0.__class__}'", "'%999999999d'", "'%(a)s'", '()', '[]',
    '(c for c in [1])', 'trap', 'xacro', 'math', 'python', 'str', 'map', 'sin', 'robot', 'numbers',
    'words', 'word', 'table', '...', "b'a'", '1j', 'lambda: trap()', "f'{trap()}'", '[*numbers]',
    '{**table}', '(y := trap)', '{1, 2}', '__builtins__', '__import__', 'eval', 'open', 'exec'])
HOSTILE = st.recursive(ATOMS, lambda inner: st.one_of(
    st.builds('({}).{}'.format, inner, ATTRIBUTES),
    st.builds('({})[{}]'.format, inner, st.one_of(KEYS, inner)),
    st.builds('({})({})'.format, inner, inner),
    st.builds('({})({}, {})'.format, inner, inner, inner),
    st.builds('({})(*{})'.format, inner, inner),
    st.builds('({})(a={})'.format, inner, inner),
    st.builds('({}).{}({})'.format, inner, ATTRIBUTES, inner),
    st.builds('[{} for z in {}]'.format, inner, inner),
    st.builds('[z.{} for z in {}]'.format, ATTRIBUTES, inner),
    st.builds('python.{}({})'.format, st.sampled_from(
        ['map', 'list', 'sum', 'str', 'type', 'vars', 'filter', 'sorted', 'isinstance', 'range',
         'hash', 'slice']), inner),
    st.builds('({}) {} ({})'.format, inner, st.sampled_from(
        ['+', '*', '**', '%', '<<', '@', '//', '|', 'in', '==', '<', 'and', 'or']), inner),
    st.builds('({}) ** 99999999'.format, inner), st.builds('({}) * 99999999'.format, inner),
    st.builds('({}) if ({}) else ({})'.format, inner, inner, inner),
), max_leaves=12)


@settings(max_examples=400, deadline=None)
@given(HOSTILE)
def test_hostile_expressions_reach_nothing(text):
    REACHED.clear()
    begin = time.thread_time()
    tracemalloc.start()
    try:
        value = None
        with contextlib.suppress(ValueError, TypeError, NameError, ArithmeticError, LookupError,
                                 AttributeError, SyntaxError):
            value = evaluated(text, trap=Trap())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not REACHED
    assert type(value) in PLAIN
    Budget().size(value)
    assert peak < 200 * MAX_ENTRIES   # bytes: a few values of the largest size
    assert time.thread_time() - begin < 10.0


@pytest.mark.parametrize(('value', 'size'), [
    (1.5, 1), ('abc', 4), ([1.5] * 10, 21), ({'a': None}, 5), ((True, 'ab'), 7), (range(7), 8),
    (2 ** 640, 11), ([[]] * 3, 7)])
def test_sizes_count_entries_and_characters(value, size):
    assert Budget().size(value, size) == size
    with pytest.raises(ValueError, match='entries'):
        Budget().size(value, size - 1)


NUMBERS = st.one_of(st.integers(-99, 99).map(str), st.floats(-9.0, 9.0).map(repr),
                    st.sampled_from(['i', 'x', 'pi', "table['a']", 'numbers[1]', 'robot.n',
                                     "robot['arm'].length", 'robot.arm.length', 'len(words)']))
TEXTS = st.sampled_from(["'a'", '""', 'word', "'%g' % x", 'words[1]', "robot.arm['names'][0]"])
LISTS = st.sampled_from(['numbers', '[1, 2]', 'list(python.range(4))', '(1, 2.5)',
                         'robot.arm.names',
                         "'1 2 3'.split()", 'python.sorted(numbers)', 'list(map(float, [1, 2]))',
                         "python.list(python.zip([1, 2], 'ab'))", 'python.sorted(table.keys())'])
BENIGN = st.recursive(st.one_of(NUMBERS, TEXTS, LISTS), lambda inner: st.one_of(
    st.builds('({}) {} ({})'.format, inner, st.sampled_from(
        ['+', '-', '*', '/', '//', '%', '==', '!=', '<', '<=', '>', '>=', 'and', 'or', 'in',
         'not in', 'is None or']), inner),
    st.builds('({}) ** {}'.format, inner, st.integers(-2, 3)),
    st.builds('{}({})'.format, st.sampled_from(
        ['-', '+', 'not ', '~', 'sin', 'sqrt', 'radians', 'python.abs', 'str', 'int',
         'float', 'bool',
         'round', 'len', 'max', 'min', 'python.sum', 'python.any', 'math.cos', 'math.floor']),
        inner),
    st.builds('atan2({}, {})'.format, inner, inner),
    st.builds('[{} for a in {}]'.format, inner, LISTS),
    st.builds('[a for a in {} if {}]'.format, LISTS, inner),
    st.builds('{} if {} else {}'.format, inner, inner, inner),
    st.builds('({})[{}]'.format, inner, st.sampled_from(['0', '-1', '1:', '::-1', ':2'])),
    st.builds('({}).replace({}, {})'.format, TEXTS, TEXTS, TEXTS),
    st.builds("','.join({})".format, LISTS),
), max_leaves=8)


def by_python(text: str):
    """Return what Python makes of a benign expression."""
    with warnings.catch_warnings():   # of calls of numbers and the like, which fail then
        warnings.simplefilter('ignore', SyntaxWarning)
        code = compile(text.strip(), '<test>', 'eval')
    return eval(code, {
        **xacro.create_global_symbols(), **PROPERTIES, '__builtins__': {}})


def same(found, expected) -> bool:
    """Tell whether two values are equal and of one type, NaN included."""
    if isinstance(expected, float):
        return type(found) is float and (found == expected or math.isnan(found) and (
            math.isnan(expected)))
    if isinstance(expected, (list, tuple)):
        return isinstance(found, type(expected)) and len(found) == len(expected) and all(
            map(same, found, expected))
    return type(found) is type(expected) and found == expected


@settings(max_examples=600, deadline=None)
@given(BENIGN)
def test_benign_expressions_agree_with_python(text):
    assume(len(text) < 1000)
    try:
        expected, refused = by_python(text), None
    except Exception as error:
        expected, refused = None, type(error)
    if isinstance(expected, complex):
        refused = ValueError
    if refused is None:
        assert same(evaluated(text), expected)
    else:
        with pytest.raises(refused):
            evaluated(text)


@pytest.mark.parametrize(('text', 'value'), [
    ("dict(a=1, b=dict(c=2))['b']['c']", 2), ('xacro.dotify(dict(a=1)).a', 1),
    ("table.get('c', 7)", 7), ('[k for k, v in table.items() if v == 1]', ['a']),
    ("'joint%02d' % i", 'joint03'), ("'7'.zfill(3)", '007'), ("word.split('_')[0]", 'left'),
    ('python.isinstance(i, python.int)', True), ('max(numbers) - min(numbers)', 5.5),
    ('1 &lt; 2'.replace('&lt;', '<'), True), ('python.round(x * 3.33333, 2)', 8.33),
    ('[a + b for a in [1, 2] for b in [10, 20]]', [11, 21, 12, 22]),
    ("','.join(map(str, numbers))", '1,2.5,-3'), ('python.filter(bool, words)', ['a', 'bc']),
    ("'%s and %5.2f' % (word, x)", 'left_arm and  2.50'), ('robot.arm.names[::-1]', ['b', 'a']),
])
def test_what_descriptions_use(text, value):
    assert evaluated(text) == value


@pytest.mark.parametrize('function', ['map(str, {0})', 'map({0}, [1])', 'filter(None, {0})',
                                      'python.map(str, {0})', 'isinstance({0}, tuple)',
                                      'str({0})', '[{0}]', 'map(len, [1], {0})'])
@pytest.mark.parametrize('space', ['math', 'python', 'xacro'])
def test_namespaces_are_no_values(function, space):
    with pytest.raises((ValueError, NameError),
                       match=f"'{space}' is not allowed as a value|name '.*' is not defined"):
        evaluated(function.format(space))


@pytest.mark.parametrize(('text', 'message'), [
    ('lambda: 1', 'Lambda is not allowed in an expression'),
    ('(y := 1)', 'NamedExpr is not allowed in an expression'),
    ("f'{i}'", 'JoinedStr is not allowed in an expression'),
    ('max(*numbers)', 'Starred is not allowed in an expression'),
    ('dict(**table)', r'\*\* is not allowed in an expression'),
    ('i @ i', 'MatMult is not allowed in an expression'),
    ('i.real', "the name 'real' is not allowed in an expression"),
    ("'{}'.format(1)", "the method 'format' is not allowed in an expression"),
    ('numbers.append(1)', "the method 'append' is not allowed in an expression"),
    ('math.sin', "'math.sin' is not allowed as a value"),
    ('[str]', "'str' is not allowed as a value"), ('python', "'python' is not allowed as a value"),
    ('xacro.abs_filename(word)', "the name 'abs_filename' is not allowed"),
    ('__import__', "the name '__import__' is not allowed"),
    ('(-8) ** 0.5', 'a value of the type complex is not allowed'),
    ('2 ** 2 ** 20', 'a whole number of more than 10000 bits is not allowed'),
    ('i(1)', "'i' is not allowed as a function"),
    ("'a' * 200000", 'a value of more than 100000 entries is not allowed'),
])
def test_what_is_refused_by_name(text, message):
    with pytest.raises(ValueError, match=message):
        evaluated(text)


def test_what_yaml_holds_beside_numbers_and_texts():
    values = xacro.YamlDictWrapper({'day': datetime.date(2026, 1, 1), 'n': 1})
    assert evaluated('values.n', values=values) == 1
    with pytest.raises(ValueError, match='a value of the type date is not allowed'):
        evaluated('values.day', values=values)


@pytest.mark.parametrize('opened', ['(', '[', '(['])
def test_the_depth_of_brackets(opened):
    closed = {'(': ')', '[': ']', '([': '])'}[opened]
    most = MAX_BRACKETS // len(opened)
    assert evaluated(f'1 if {opened * most}1{closed * most} else 1') == 1
    with pytest.raises(ValueError, match='more than 20 brackets in each other'):
        evaluated(f'1 if {opened * most}(1){closed * most} else 1')
