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
Swing-ups by IPOPT: an arm beside Pinocchio in CasADi's expressions, and a closed four-bar.

Efforts are bounded below what holding the robot halfway takes, so that it has to swing. All sides
have the same problem and the same approximation of second derivatives. The wheel of Pinocchio has
no ``pinocchio.casadi``, but the headers that it is made of: a program of these writes the
articulated bodies of the model as CasADi's function, once (``build/native``).

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
import time
from typing import Any, NamedTuple

import casadi
import numpy as np
from numpy.typing import NDArray

from benchmarks import casadi_tree, native
import mbd_ros

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
PENDULUM = """<robot name="double_pendulum"><link name="base"/>{}</robot>"""
ROD = """<link name="rod{k}"><inertial><mass value="1"/><origin xyz="0 0 -0.25"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="joint{k}" type="revolute"><parent link="{parent}"/><child link="rod{k}"/>
  <origin xyz="0 0 {z}"/><axis xyz="0 1 0"/>
  <limit lower="-9" upper="9" effort="5" velocity="99"/></joint>"""
PROGRAM = r"""
#include <pinocchio/autodiff/casadi.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <fstream>
#include <string>
namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
@READER@
using Scalar = casadi::SX;
using Symbols = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
int main(int, char ** argv) {
  file.open(argv[1]);
  pin::Model model;
  int joints;
  file >> joints;
  for (int k = 0; k < joints; ++k) joint(model, k);
  model.armature = numbers(model.nv);
  const pin::ModelTpl<Scalar> symbolic = model.cast<Scalar>();
  pin::DataTpl<Scalar> data(symbolic);
  const Scalar q = Scalar::sym("q", model.nq), v = Scalar::sym("v", model.nv),
    tau = Scalar::sym("tau", model.nv);
  Symbols place(model.nq), speed(model.nv), effort(model.nv);
  pin::casadi::copy(q, place);
  pin::casadi::copy(v, speed);
  pin::casadi::copy(tau, effort);
  pin::aba(symbolic, data, place, speed, effort, pin::Convention::WORLD);
  Scalar result(model.nv, 1);
  pin::casadi::copy(data.ddq, result);
  casadi::Function("aba", {q, v, tau}, {result}).save(argv[2]);
}
"""
RATE = 10.0
"""At which the loop of the four-bar is closed [1/s]."""


class Optimum(NamedTuple):
    """What IPOPT found: cost [N^2 m^2 s], q (nv, steps + 1), tau, iterations and seconds."""

    cost: float
    q: Array
    tau: Array
    iterations: int
    seconds: float


def swing_up(dynamics: Callable[..., Any], guess: Array, goal: Sequence[float], step: float,
             bounds: Sequence[float]) -> Optimum:
    """
    Return the motion from rest to rest with least effort.

    Parameters
    ----------
    dynamics : callable
        ``(q, v, tau) -> qdd`` of CasADi.
    guess : (nv, steps + 1) array
        Configurations to begin with, from the start on.
    goal : sequence of float
        Of the first joints, at the end.
    step : float
        [s].
    bounds : sequence of float
        (nv,) of efforts [N m]; 0 where there is no drive.

    """
    (nv, count), opti = guess.shape, casadi.Opti()
    q, v, tau = (opti.variable(nv, n) for n in (count, count, count - 1))
    for k in range(count - 1):
        opti.subject_to(v[:, k + 1] == v[:, k] + step * dynamics(q[:, k], v[:, k], tau[:, k]))
        opti.subject_to(q[:, k + 1] == q[:, k] + step * v[:, k + 1])
    ends = range(len(goal))
    for value, wanted in ((q[:, 0], guess[:, 0]), (v[:, 0], 0.0), (q[ends, -1], goal),
                          (v[ends, -1], 0.0)):
        opti.subject_to(value == wanted)
    for joint, bound in enumerate(bounds):
        opti.subject_to(opti.bounded(-bound, tau[joint, :], bound) if bound else
                        tau[joint, :] == 0)
    opti.minimize(step * casadi.sumsqr(tau))
    opti.set_initial(q, guess)
    opti.solver('ipopt', {'print_time': False}, {
        'print_level': 0, 'sb': 'yes', 'hessian_approximation': 'limited-memory', 'tol': 1e-8})
    begin = time.perf_counter()
    found = opti.solve()
    seconds = time.perf_counter() - begin
    return Optimum(found.value(opti.f), found.value(q), np.atleast_2d(found.value(tau)),
                   found.stats()['iter_count'], seconds)


def arm() -> tuple[mbd_ros.Model, str, Array, list[float], list[float]]:
    """Return a double pendulum: model, URDF, guess, goal and bounds."""
    text = PENDULUM.format(ROD.format(k=1, parent='base', z=0) + ROD.format(
        k=2, parent='rod1', z=-0.5))
    guess = np.linspace([0.0, 0.0], [np.pi, 0.0], 41).T
    return mbd_ros.model.load_text(text), text, guess, [np.pi, 0.0], [5.0, 5.0]


def four_bar() -> tuple[mbd_ros.Model, Array, list[float], list[float]]:
    """Return the shipped four-bar from its crank hanging: model, guess, goal and bounds."""
    model = mbd_ros.load(ROOT / 'urdf' / 'four_bar.urdf')
    still = np.zeros(model.nv)
    places = [mbd_ros.close_loops(model, mbd_ros.neutral(model), still)[0]]
    for crank in np.linspace(0.0, -np.pi, 61)[1:]:
        q = places[-1].copy()
        for _ in range(20):   # the crank stays, the others follow
            q[0] = crank
            q = mbd_ros.close_loops(model, q, still)[0]
        places.append(q)
    return model, np.array(places[::-1]).T, [0.0], [3.0, 0.0, 0.0]


def pinocchio_casadi(peer: Any, link: str) -> Any:
    """Return (q, v, tau) -> qdd of a model of Pinocchio, as ``pinocchio.casadi`` makes it."""
    text = PROGRAM.replace('@READER@', native.READER)
    folder = native.kept_folder(text)
    if not (folder / 'main').exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / 'main.cpp').write_text(text, encoding='utf-8')
        library = Path(casadi.__file__).parent
        native.timed(['g++', '-std=c++17', '-O1', *native.DEFINITIONS, '-w', 'main.cpp', *(
            f'-I{one}' for one in (*native.headers(), library / 'include')), f'-L{library}',
            '-lcasadi', f'-Wl,-rpath,{library}', '-o', 'main'], folder)
    (folder / 'model').write_text(native.model_text(peer, link), encoding='utf-8')
    native.timed(['./main', 'model', 'aba.casadi'], folder)
    return casadi.Function.load(str(folder / 'aba.casadi'))


def rows() -> Iterator[str]:
    """Yield a table."""
    import pinocchio as pin
    model, text, guess, goal, bounds = arm()
    peer = pin.buildModelFromXML(text)
    q, v, tau = (casadi.SX.sym(name, 2) for name in ('q', 'v', 'tau'))
    expression = casadi.Function('aba', [q, v, tau], [casadi_tree.articulated(peer, q, v, tau)])
    loop, places, top, limits = four_bar()
    yield '| swing-up | cost | iterations | ms an iteration |'
    yield '|---|---|---|---|'
    for name, problem in (
            ('double pendulum, `mbd_ros.casadi`', (
                mbd_ros.casadi(model, 'forward_dynamics'), guess, goal, 0.05, bounds)),
            ('double pendulum, Pinocchio in CasADi', (
                pinocchio_casadi(peer, 'rod2'), guess, goal, 0.05, bounds)),
            ('double pendulum, expressions of CasADi', (expression, guess, goal, 0.05, bounds)),
            ('closed four-bar, `mbd_ros.casadi`', (
                mbd_ros.casadi(loop, 'forward_dynamics', stabilization=RATE), places, top, 0.05,
                limits))):
        found = swing_up(*problem)
        yield (f'| {name} | {found.cost:.6f} | {found.iterations} | '
               f'{1e3 * found.seconds / found.iterations:.1f} |')
