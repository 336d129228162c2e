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
Exported libraries in a C++ loop, beside Pinocchio's C++ and C that CasADi generates.

All three are called by one program, in turn, over the same 64 states, one thread. Pinocchio is
compiled from its headers with ``-O3 -march=native``, nothing of its wheel is linked. CasADi's C is
that of the articulated-body and Newton-Euler recursions of ``casadi_tree``, by
``gcc -O3 -march=native``. Results are compared before they are timed.

"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import os
from pathlib import Path
import subprocess
import sys
import sysconfig
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks import casadi_tree
from benchmarks.robots import Case, cases
from benchmarks.timing import Timing
from mbd_ros.export.functions import tips
from mbd_ros.model.state import random_configuration

STATES = 64
ROUNDS = 15
SECONDS = 0.02
"""For each candidate in each round."""
FLAGS = ('-O3', '-march=native', '-DNDEBUG')
PEER = {
    'forward_dynamics': ('qdd', 'pin::aba(model, data, q, v, tau, LOCAL);', 'data.ddq'),
    'inverse_dynamics': ('tau', 'pin::rnea(model, data, q, v, tau);', 'data.tau'),
    'bias_forces': ('tau', 'pin::nonLinearEffects(model, data, q, v);', 'data.nle'),
    'mass_matrix': ('M', 'pin::crba(model, data, q, LOCAL);', 'symmetric(data.M)'),
    'forward_dynamics_derivatives': (
        'd', 'pin::computeABADerivatives(model, data, q, v, tau);',
        'three(data.ddq_dq, data.ddq_dv, symmetric(data.Minv))'),
    'inverse_dynamics_derivatives': (
        'd', 'pin::computeRNEADerivatives(model, data, q, v, tau);',
        'three(data.dtau_dq, data.dtau_dv, symmetric(data.M))'),
    'jacobian': (
        'J', 'J.setZero(); pin::computeFrameJacobian(model, data, q, frame, WORLD, J);',
        'rows(J)'),
    'jacobian_rate': (
        'J', 'J.setZero(); pin::computeJointJacobiansTimeVariation(model, data, q, v); '
        'pin::getFrameJacobianTimeVariation(model, data, frame, WORLD, J);', 'rows(J)'),
    'pose': (
        'X', 'pin::forwardKinematics(model, data, q); pin::updateFramePlacement(model, data, '
        'frame);', 'pose(data.oMf[frame])'),
    'body_poses': ('X', 'pin::forwardKinematics(model, data, q);', 'poses(data)'),
    'center_of_mass': ('c', 'pin::centerOfMass(model, data, q, false);', 'data.com[0]'),
    'centroidal_map': (
        'A', 'pin::computeCentroidalMap(model, data, q);', 'rows(data.Ag)'),
    'coriolis_matrix': ('C', 'pin::computeCoriolisMatrix(model, data, q, v);', 'rows(data.C)'),
    'regressor': (
        'Y', 'pin::computeJointTorqueRegressor(model, data, q, v, tau);', ''),
    'energies': (
        'E', 'pin::computeKineticEnergy(model, data, q, v); pin::computePotentialEnergy(model, '
        'data, q);', '')}
"""
What Pinocchio calls and where its result is: of matrices and values that are laid out otherwise,
or of another convention, none is compared.
"""


@dataclass(frozen=True)
class Measured:
    """One function: time of each candidate [us] and the largest difference to ours."""

    function: str
    times: dict[str, Timing]
    error: float


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | function | exported [ns] | Pinocchio, native [ns] | CasADi, C [ns] | '
           'Pinocchio / exported: median (min-max) | CasADi / exported |')
    yield '|---|---|---|---|---|---|---|'
    said = []
    for case in cases():
        found, seconds = measured(case)
        for one in found:
            ours, peer, generated = (one.times.get(name) for name in (
                'exported', 'Pinocchio', 'CasADi'))
            assert ours is not None and peer is not None
            low, middle, high = peer.ratio_to(ours)
            other = '' if generated is None else f'{1e3 * generated.median:.0f}'
            ratio = '' if generated is None else f'{generated.ratio_to(ours)[1]:.1f}'
            yield (f'| {case.name} | `{one.function}` | {1e3 * ours.median:.0f} | '
                   f'{1e3 * peer.median:.0f} | {other} | **{middle:.1f}** ({low:.1f}-{high:.1f}) '
                   f'| {ratio} |')
        said.append(f'{case.name}: ' + ', '.join(
            f'{name} {value:.1f} s' for name, value in seconds.items()))
    yield ''
    yield 'To make them, nothing cached: ' + '; '.join(said) + '.'


def measured(case: Case) -> tuple[list[Measured], dict[str, float]]:
    """Return what was measured of a robot, and how long each candidate took to make [s]."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        seconds = {}
        (folder / 'robot.urdf').write_text(case.text, encoding='utf-8')
        link = tips(case.model)[0]
        seconds['export'] = _timed([
            sys.executable, '-m', 'mbd_ros', 'export', 'robot.urdf', '--to', 'library', '--name',
            'robot', '--functions', ','.join(PEER), '--link', link,
            *(['--floating-base'] if case.floating else [])], folder)
        begin = time.perf_counter()
        casadi_tree.write_c(case.peer, folder / 'generated.c')
        seconds["CasADi's expressions"] = time.perf_counter() - begin
        seconds['their compiler'] = _timed(
            ['gcc', *FLAGS, '-fPIC', '-c', 'generated.c', '-o', 'generated.o'], folder)
        (folder / 'main.cpp').write_text(_program(case, link), encoding='utf-8')
        seconds["Pinocchio's compiler"] = _timed([
            'g++', '-std=c++17', *FLAGS, '-DBOOST_MPL_LIMIT_LIST_SIZE=30',
            '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS', '-w', 'main.cpp', 'generated.o',
            *(f'-I{one}' for one in ('library/include', *_headers())),
            'library/lib/librobot_dynamics.a', '-lm', '-o', 'main'], folder)
        rng = np.random.default_rng(1)
        states = np.array([[*random_configuration(case.model, rng),
                            *rng.normal(size=2 * case.model.nv)] for _ in range(STATES)])
        (folder / 'states').write_bytes(states.tobytes())
        done = subprocess.run(['./main'], cwd=folder, capture_output=True, text=True, check=True)
    found = []
    for function in PEER:
        lines = [line.split() for line in done.stdout.splitlines()
                 if line.split()[0] == function]
        times: dict[str, Timing] = {}
        error = 0.0
        for _, candidate, word, *numbers in lines:
            if word == 'us':
                times[candidate] = Timing(tuple(map(float, numbers)))
            else:
                error = max(error, float(numbers[0]))
        # Both round; the mass matrices have conditions up to 1e6.
        assert error < 1e-7, (case.name, function, error)
        found.append(Measured(function, times, error))
    return found, seconds


def _timed(command: list[str], folder: Path) -> float:
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, 'MBD_ROS_CACHE': str(folder / 'cache'),
                               'PYTHONPATH': os.getcwd()})
    if done.returncode:
        raise SystemExit(f'{command[0]} failed:\n{done.stderr[-3000:]}')
    return time.perf_counter() - begin


def _headers() -> list[str]:
    """Return the folders of Pinocchio's, Boost's and Eigen's headers."""
    prefix = Path(sysconfig.get_paths()['purelib'], 'cmeel.prefix/include')
    eigen = [one for one in (prefix / 'eigen3', Path('/usr/include/eigen3')) if one.is_dir()]
    if not eigen:
        raise SystemExit('headers of Eigen are missing: pip install cmeel-eigen')
    return [str(prefix), str(eigen[0])]


def _numbers(values: Any) -> str:
    return ', '.join(repr(float(one)) for one in np.ravel(values))


def _model(peer: Any) -> str:
    """Return C++ that builds Pinocchio's model anew."""
    lines = []
    for i in range(1, peer.njoints):
        joint, place, body = peer.joints[i], peer.jointPlacements[i], peer.inertias[i]
        kind = joint.shortname()
        given = ''
        if kind.endswith('Unaligned'):
            axis = _numbers(joint.extract().axis if hasattr(joint, 'extract') else joint.axis)
            given = f'Eigen::Vector3d({axis})'
        lines.append(f'  add(model, pin::{kind}({given}), {peer.parents[i]}, '
                     f'{{{_numbers(place.rotation)}}}, {{{_numbers(place.translation)}}}, '
                     f'{body.mass!r}, {{{_numbers(body.lever)}}}, '
                     f'{{{_numbers(body.inertia)}}}, {i});')
    lines += [f'  model.armature[{k}] = {one!r};'
              for k, one in enumerate(np.asarray(peer.armature).tolist()) if one]
    return '\n'.join(lines)


def _frame(peer: Any, link: str) -> str:
    frame = peer.frames[peer.getFrameId(link)]
    parent = frame.parentJoint if hasattr(frame, 'parentJoint') else frame.parent
    return (f'  const auto frame = model.addFrame(pin::Frame("tip", {parent}, 0, '
            f'placement({{{_numbers(frame.placement.rotation)}}}, '
            f'{{{_numbers(frame.placement.translation)}}}), pin::OP_FRAME));')


def _program(case: Case, link: str) -> str:
    model = case.model
    from mbd_ros.export.identifiers import distinct
    end = distinct([link])[link]
    blocks = []
    for function, (_, call, result) in PEER.items():
        symbol = f'robot_{function}{"_" + end if function in LINKED else ""}'
        given = ', '.join(f'{one}p(s)' for one in ARGUMENTS.get(function, ('q',)))
        compared = f'compare("{function}", "Pinocchio", ours, {result});' if result else ''
        generated = ''
        if function in casadi_tree.FUNCTIONS:
            names = ', '.join(f'{one}p(s)' for one in ('q', 'v', 'tau'))
            generated = f"""
    const auto casadi = [&](int s) {{
      const double * arg[] = {{{names}}}; double * res[] = {{result.data()}};
      generated_{function}(arg, res, 0, scratch.data(), 0);
    }};
    for (int s = 0; s < STATES; ++s) {{
      casadi(s);
      Vector theirs = Eigen::Map<Vector>(result.data(), size);
      exported(s);
      compare("{function}", "CasADi", Eigen::Map<Vector>(result.data(), size), theirs);
    }}
    candidates.push_back({{"CasADi", casadi}});"""
        blocks.append(f"""  {{
    const int size = {symbol.upper()}_SIZE;
    result.assign(size, 0.0);
    const auto exported = [&](int s) {{
      if ({symbol}({given}, result.data(), work.data()) != 0) std::abort();
    }};
    const auto pinocchio = [&](int s) {{
      const auto & q = qs[s]; const auto & v = vs[s]; const auto & tau = taus[s];
      {call}
    }};
    std::vector<std::pair<std::string, std::function<void(int)>>> candidates = {{
      {{"exported", exported}}, {{"Pinocchio", pinocchio}}}};
    for (int s = 0; s < STATES; ++s) {{
      exported(s); pinocchio(s);
      const Vector ours = Eigen::Map<Vector>(result.data(), size);
      {compared}
    }}{generated}
    time("{function}", candidates);
  }}""")
    body = '\n'.join(blocks)
    declared = '\n'.join(
        f'int generated_{name}(const double **, double **, long long *, double *, int);'
        for name in casadi_tree.FUNCTIONS)
    return PROGRAM.replace('@DECLARED@', declared).replace('@MODEL@', _model(case.peer)).replace(
        '@FRAME@', _frame(case.peer, link)).replace('@BLOCKS@', body).replace(
        '@STATES@', str(STATES)).replace('@ROUNDS@', str(ROUNDS)).replace(
        '@SECONDS@', str(SECONDS)).replace('@NQ@', str(model.nq)).replace('@NV@', str(model.nv))


LINKED = ('jacobian', 'jacobian_rate', 'pose')
ARGUMENTS = {
    **dict.fromkeys(('forward_dynamics', 'inverse_dynamics', 'forward_dynamics_derivatives',
                     'inverse_dynamics_derivatives', 'regressor'), ('q', 'v', 'tau')),
    **dict.fromkeys(('bias_forces', 'coriolis_matrix', 'jacobian_rate', 'energies'), ('q', 'v'))}
PROGRAM = r"""
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>
#include "robot_dynamics.h"
extern "C" {
@DECLARED@
}
namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
constexpr auto LOCAL = pin::Convention::LOCAL;
constexpr auto WORLD = pin::LOCAL_WORLD_ALIGNED;
constexpr int STATES = @STATES@, ROUNDS = @ROUNDS@, NQ = @NQ@, NV = @NV@;

static pin::SE3 placement(const double (&r)[9], const double (&p)[3]) {
  return pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(r),
                  Eigen::Vector3d(p[0], p[1], p[2]));
}
template <class Joint>
static void add(pin::Model & model, const Joint & joint, int parent, const double (&r)[9],
                const double (&p)[3], double mass, const double (&c)[3], const double (&i)[9],
                int k) {
  const auto id = model.addJoint(parent, joint, placement(r, p), "j" + std::to_string(k));
  model.appendBodyToJoint(id, pin::Inertia(mass, Eigen::Vector3d(c[0], c[1], c[2]),
    Eigen::Map<const Eigen::Matrix3d>(i)), pin::SE3::Identity());
}
static Vector flat(const Rows & a) {return Eigen::Map<const Vector>(a.data(), a.size());}
template <class M> static Vector rows(const M & a) {return flat(Rows(a));}
template <class M> static Eigen::MatrixXd symmetric(const M & a) {
  Eigen::MatrixXd full = a;
  full.template triangularView<Eigen::StrictlyLower>() =
    full.transpose().template triangularView<Eigen::StrictlyLower>();
  return full;
}
template <class A, class B, class C> static Vector three(const A & a, const B & b, const C & c) {
  Vector all(3 * NV * NV);
  all << rows(a), rows(b), rows(c);
  return all;
}
static Vector pose(const pin::SE3 & x) {return rows(x.toHomogeneousMatrix());}
static Vector poses(const pin::Data & data) {
  Vector all(16 * (data.oMi.size() - 1));
  for (std::size_t i = 1; i < data.oMi.size(); ++i)
    all.segment(16 * (i - 1), 16) = pose(data.oMi[i]);
  return all;
}
template <class T> static Vector plain(const T & x) {
  if (x.cols() == 1) return Vector(x);
  return rows(x);
}
static void compare(const char * name, const char * peer, const Vector & ours,
                    const Eigen::MatrixXd & theirs) {
  const Vector other = plain(theirs);
  if (other.size() != ours.size()) {
    std::fprintf(stderr, "%s has %ld entries, %ld\n", name, long(ours.size()), long(other.size()));
    std::exit(1);
  }
  std::printf("%s %s error %.3g\n", name, peer,
    (ours - other).cwiseAbs().maxCoeff() / (1e-300 + other.cwiseAbs().maxCoeff()));
}
using Candidates = std::vector<std::pair<std::string, std::function<void(int)>>>;
static double seconds() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double>(steady_clock::now().time_since_epoch()).count();
}
static void time(const char * name, const Candidates & candidates) {
  std::vector<long> counts;
  std::vector<std::vector<double>> us(candidates.size());
  for (const auto & one : candidates) {
    const double begin = seconds();
    for (int k = 0; k < 2 * STATES; ++k) one.second(k % STATES);
    counts.push_back(1 + long(@SECONDS@ / ((seconds() - begin) / (2 * STATES))));
  }
  for (int round = 0; round < ROUNDS; ++round) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const double begin = seconds();
      for (long k = 0; k < counts[c]; ++k) candidates[c].second(int(k % STATES));
      us[c].push_back((seconds() - begin) / double(counts[c]) * 1e6);
    }
  }
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    std::printf("%s %s us", name, candidates[c].first.c_str());
    for (double one : us[c]) std::printf(" %.6g", one);
    std::printf("\n");
  }
}
int main() {
  pin::Model model;
@MODEL@
@FRAME@
  pin::Data data(model);
  std::vector<double> numbers(STATES * (NQ + 2 * NV)), result, work(ROBOT_WORK), scratch(1 << 20);
  FILE * file = std::fopen("states", "rb");
  if (!file || std::fread(numbers.data(), 8, numbers.size(), file) != numbers.size()) return 1;
  std::vector<Vector> qs, vs, taus;
  for (int s = 0; s < STATES; ++s) {
    const double * row = numbers.data() + s * (NQ + 2 * NV);
    qs.push_back(Eigen::Map<const Vector>(row, NQ));
    vs.push_back(Eigen::Map<const Vector>(row + NQ, NV));
    taus.push_back(Eigen::Map<const Vector>(row + NQ + NV, NV));
  }
  const auto qp = [&](int s) {return qs[s].data();};
  const auto vp = [&](int s) {return vs[s].data();};
  const auto taup = [&](int s) {return taus[s].data();};
  pin::Data::Matrix6x J(6, NV);
@BLOCKS@
}
"""
