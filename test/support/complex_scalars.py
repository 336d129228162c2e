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

"""Complex numbers for programs of sweeps: derivatives by complex steps, without a trace."""

import cmath

import numpy as np

from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.records import filled
from mbd_ros.execution.program.tree import joints_of, tree_of, world_of


class Complex:
    """A complex number with the functions of ``mbd_ros.spatial``; real parts are compared."""

    __slots__ = ('z',)

    def __init__(self, z):
        self.z = z.z if isinstance(z, Complex) else complex(z)

    def __add__(self, other):
        return Complex(self.z + Complex(other).z)

    def __mul__(self, other):
        return Complex(self.z * Complex(other).z)

    def __sub__(self, other):
        return Complex(self.z - Complex(other).z)

    def __rsub__(self, other):
        return Complex(Complex(other).z - self.z)

    def __truediv__(self, other):
        return Complex(self.z / Complex(other).z)

    def __rtruediv__(self, other):
        return Complex(Complex(other).z / self.z)

    def __neg__(self):
        return Complex(-self.z)

    def __pow__(self, exponent):
        return Complex(self.z ** exponent)

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self):
        return self if self.z.real >= 0.0 else -self

    def sine(self):
        return Complex(cmath.sin(self.z))

    def cosine(self):
        return Complex(cmath.cos(self.z))

    def root(self):
        return Complex(cmath.sqrt(self.z))

    def tanh(self):
        return Complex(cmath.tanh(self.z))

    def step(self):
        return 0.0 if self.z.real <= 0.0 else 1.0

    @property
    def trace(self):
        return Choice


class Choice:
    """What steps choose by comparing, as a trace records it."""

    @staticmethod
    def record(name, value, other):
        value, other = Complex(value), Complex(other)
        above = value.z.real > other.z.real
        if name == 'larger':
            return value if above else other
        return value if above else Complex({'or_infinite': np.inf, 'or_nan': np.nan}[name])


def complex_array(real, imaginary=0.0):
    """Return an array of complex scalars."""
    found = np.empty(len(real), object)
    found[:] = [Complex(z) for z in np.asarray(real) + 1j * np.broadcast_to(
        imaginary, np.shape(real))]
    return found


def parts(array):
    """Return real and imaginary parts."""
    numbers = np.array([Complex(one).z for one in array])
    return numbers.real, numbers.imag


def on_complex(dyn, program, **inputs):
    """Return the result of a program of sweeps, by its interpreter."""
    model = dyn.model
    world = filled(world_of(model), dyn.world_array.tolist().__getitem__)
    found = run(program, tree_of(model).within(world), joints_of(model, {
        name: list(one) for name, one in inputs.items()}), world)
    result = np.empty(len(found), object)
    result[:] = found
    return result
