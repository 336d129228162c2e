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

"""
The header of an exported library for C++17: views of arrays that know their sizes, no exceptions.

Arguments are anything with ``data()`` and ``size()`` (``std::array``, ``std::vector``,
``std::span``, vectors and maps of Eigen), C arrays, or pointers. A size that is known when the
program is compiled is checked then, others when it runs; matrices of Eigen have to be row by row.

"""

from __future__ import annotations

from mbd_ros.export.c_text import Library
from mbd_ros.export.entry_ir import CODES
from mbd_ros.export.functions import Exported, QUANTITIES
from mbd_ros.export.identifiers import commented

WRONG_SIZE = 100
"""The code of an array of a wrong size, which C cannot tell."""
_VIEWS = """
enum class Code : int {
  @CODES@
};

namespace detail {

template <class T, class = void>
struct IsEigen : std::false_type {};
template <class T>
struct IsEigen<T, std::void_t<decltype(T::IsRowMajor), decltype(T::ColsAtCompileTime)>>
: std::true_type {};

template <class T, class = void>
struct HasStride : std::false_type {};
template <class T>
struct HasStride<T, std::void_t<decltype(std::declval<T &>().innerStride())>> : std::true_type {};

// Entries that a type has, where the type tells; 0 otherwise.
template <class T, class = void>
struct Extent : std::integral_constant<std::size_t, 0> {};
template <class T>
struct Extent<T, std::void_t<decltype(std::tuple_size<T>::value)>>
: std::integral_constant<std::size_t, std::tuple_size<T>::value> {};
template <class T>
struct Extent<T, std::enable_if_t<IsEigen<T>::value>>
: std::integral_constant<std::size_t,
    (int(T::SizeAtCompileTime) > 0 ? std::size_t(int(T::SizeAtCompileTime)) : 0)> {};

template <class T, bool Matrix>
constexpr bool row_by_row()
{
  if constexpr (Matrix && IsEigen<T>::value) {
    return T::IsRowMajor || T::ColsAtCompileTime == 1;
  }
  return true;
}

}  // namespace detail

// N entries that lie one after the other, of an array that belongs to the caller. Number is real
// or const real; Matrix: whether the entries are those of a matrix, row by row.
template <class Number, std::size_t N, bool Matrix = false>
class View
{
public:
  template <
    class Pointer,
    class = std::enable_if_t<
      (std::is_pointer_v<Pointer> || std::is_null_pointer_v<Pointer>) &&
      std::is_convertible_v<Pointer, Number *>>>
  View(const Pointer & data) noexcept : data_(data), right_(true) {}  // NOLINT: not explicit
  template <std::size_t M>
  View(Number (&array)[M]) noexcept : data_(array), right_(true)  // NOLINT: not explicit
  {
    static_assert(M == N, "the array has another size");
  }
  template <
    class Array,
    class Plain = std::remove_cv_t<std::remove_reference_t<Array>>,
    class = std::enable_if_t<
      !std::is_pointer_v<Plain> && !std::is_array_v<Plain> && !std::is_same_v<Plain, View> &&
      std::is_convertible_v<decltype(std::declval<Array &>().data()), Number *>>>
  View(Array && array) noexcept  // NOLINT: not explicit
  : data_(array.data()), right_(static_cast<std::size_t>(array.size()) == N)
  {
    constexpr std::size_t known = detail::Extent<Plain>::value;
    static_assert(known == 0 || known == N, "the array has another size");
    static_assert(detail::row_by_row<Plain, Matrix>(), "matrices are row by row: Eigen::RowMajor");
    if constexpr (detail::HasStride<Plain>::value) {
      right_ = right_ && array.innerStride() == 1;
      if constexpr (Matrix) {
        right_ = right_ && (array.outerStride() == array.innerSize() || array.outerSize() == 1);
      }
    }
  }
  Number * data() const noexcept {return data_;}
  static constexpr std::size_t size() noexcept {return N;}
  Number & operator[](std::size_t k) const noexcept {return data_[k];}
  Number * begin() const noexcept {return data_;}
  Number * end() const noexcept {return data_ + N;}
  bool right() const noexcept {return right_;}

private:
  Number * data_;
  bool right_;
};

// What a code means, for people.
inline const char * meaning(Code code) noexcept
{
  switch (code) {
    @MEANINGS@
  }
  return "no code of this library";
}

#if __has_include(<Eigen/Core>)
// A matrix that a function wrote, as one of Eigen, without a copy.
template <int Rows, int Columns>
auto matrix(const real * data) noexcept
{
  return Eigen::Map<const Eigen::Matrix<real, Rows, Columns, Columns == 1 ? 0 : Eigen::RowMajor>>(
    data);
}
#endif
"""


def cpp_header(library: Library) -> str:
    """Return the header for C++17."""
    macro, name = library.macro, library.name
    guard = f'{macro}_DYNAMICS_HPP'
    codes = {**{code: (number, meaning) for code, (number, meaning) in CODES.items()},
             'SIZE': (WRONG_SIZE, 'an array has another size, or gaps between entries; nothing '
                      'was written')}
    views = _VIEWS.replace('@CODES@', ',\n  '.join(
        f'{_enumerator(code)} = {number}' for code, (number, _) in codes.items())).replace(
        '@MEANINGS@', '\n    '.join(
            f'case Code::{_enumerator(code)}: return "{meaning}";'
            for code, (_, meaning) in codes.items()))
    lines = [
        f'// Dynamics of {commented(library.model.name)} for C++17, written by mbd_ros '
        f'{library.version}; do not edit.',
        '//',
        f'//     {name}_dynamics::Robot robot;   // one for each thread: it holds the workspace',
        *_usage(library),
        '//', f'// {library.library}.h says what the numbers are. Nothing here throws or '
        'allocates.',
        f'#ifndef {guard}', f'#define {guard}', '', '#include <array>', '#include <cstddef>',
        '#include <cstdint>', '#include <tuple>', '#include <type_traits>', '#include <utility>',
        '', '#if __has_include(<Eigen/Core>)', '#include <Eigen/Core>', '#endif', '',
        f'#include "{library.library}.h"', '', f'namespace {name}_dynamics', '{', '',
        f'using real = {library.real};',
        *(f'inline constexpr std::size_t {one} = {macro}_{end};' for one, end in (
            ('nq', 'NQ'), ('nv', 'NV'), ('joints', 'JOINTS'), ('bodies', 'BODIES'),
            ('world_size', 'WORLD'))),
        views,
        '// The functions of the library with a workspace.', 'class Robot', '{', 'public:']
    for symbol, function in library.functions:
        lines += _method(library, symbol, function)
    return '\n'.join([
        *lines, '', 'private:', f'  alignas(64) std::array<real, {macro}_WORK> work_;', '};', '',
        f'}}  // namespace {name}_dynamics', '', f'#endif  // {guard}', ''])


def _enumerator(code: str) -> str:
    return code.lower() if code != 'NULL' else 'null_pointer'


def _usage(library: Library) -> list[str]:
    symbol, function = library.functions[0]
    method = symbol.removeprefix(f'{library.name}_')
    result = QUANTITIES[function.name].result
    given = ', '.join([*(one for one, _ in function.inputs), result])
    return [f'//     std::array<{library.name}_dynamics::real, {function.size}> {result};',
            f'//     if (robot.{method}({given}) != {library.name}_dynamics::Code::ok) ...']


def _method(library: Library, symbol: str, function: Exported) -> list[str]:
    method = symbol.removeprefix(f'{library.name}_')
    result = QUANTITIES[function.name].result
    matrix = ', true' if len(function.shape) > 1 else ''
    views = [f'View<const real, {size}> {one}' for one, size in function.inputs]
    views.append(f'View<real, {function.size}{matrix}> {result}')
    names = [*(one for one, _ in function.inputs), result]
    pointers = [f'const real * {one}' for one, _ in function.inputs] + [f'real * {result}']
    handed, alone = [f'{one}.data()' for one in names], list(names)
    if library.parameters:
        views.append(f'View<const real, {library.macro}_WORLD> world = nullptr')
        pointers.append('const real * world = nullptr')
        handed.append('world.data()')
        alone.append('world')
        names.append('world')
    return [
        '', *_signature(f'Code {method}', views), '  {',
        f'    if (!({" && ".join(f"{one}.right()" for one in names)})) {{',
        '      return Code::size;', '    }',
        f'    return static_cast<Code>({symbol}(', f'      {", ".join(handed)}, work_.data()));',
        '  }',
        *_signature(f'Code {method}_many', ['std::int64_t count', *pointers]), '  {',
        f'    return static_cast<Code>({symbol}_many(',
        f'      count, {", ".join(alone)}, work_.data()));', '  }']


def _signature(head: str, parameters: list[str]) -> list[str]:
    return [f'  {head}(', *(f'    {one}{"," if k < len(parameters) - 1 else ") noexcept"}'
                            for k, one in enumerate(parameters))]
