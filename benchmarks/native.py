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

All three are called by one program for each function, in turn, over the same 64 states, on one
thread. Pinocchio is compiled from its headers with ``-O3 -march=native``, nothing of its wheel is
linked; one function takes a minute or two and gigabytes of memory. CasADi's C is that of the
articulated-body and Newton-Euler recursions of ``casadi_tree``, by ``gcc -O3 -march=native``.
Results are compared before they are timed.

"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import os
from pathlib import Path
import re
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
DEFINITIONS = ('-DBOOST_MPL_LIMIT_LIST_SIZE=30', '-DBOOST_MPL_LIMIT_VECTOR_SIZE=30',
               '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS', '-DBOOST_FUSION_INVOKE_MAX_ARITY=12')
"""Those of Pinocchio's own CMake files."""
PEER = {
    'forward_dynamics': ('aba', 'aba(model, data, q, v, tau, LOCAL);', 'data.ddq'),
    'inverse_dynamics': ('rnea', 'rnea(model, data, q, v, tau);', 'data.tau'),
    'mass_matrix': ('crba', 'crba(model, data, q, LOCAL);', 'symmetric(data.M)'),
    'bias_forces': ('rnea', 'nonLinearEffects(model, data, q, v);', 'data.nle'),
    'body_poses': ('kinematics', 'forwardKinematics(model, data, q);', 'poses(data)'),
    'jacobian': (
        'frames', 'J.setZero(); pin::computeFrameJacobian(model, data, q, frame, WORLD, J);', 'J'),
    'pose': (
        'frames', 'forwardKinematics(model, data, q); pin::updateFramePlacement(model, data, '
        'frame);', 'pose(data.oMf[frame])'),
    'center_of_mass': ('center-of-mass', 'centerOfMass(model, data, q, false);', 'data.com[0]'),
    'forward_dynamics_derivatives': (
        'aba-derivatives', 'computeABADerivatives(model, data, q, v, tau);',
        'three(data.ddq_dq, data.ddq_dv, symmetric(data.Minv))'),
    'inverse_dynamics_derivatives': (
        'rnea-derivatives', 'computeRNEADerivatives(model, data, q, v, tau);',
        'three(data.dtau_dq, data.dtau_dv, symmetric(data.M))'),
    'centroidal_map': ('centroidal', 'computeCentroidalMap(model, data, q);', 'data.Ag'),
    'coriolis_matrix': ('rnea', 'computeCoriolisMatrix(model, data, q, v);', 'data.C'),
    'jacobian_rate': (
        'jacobian', 'J.setZero(); pin::computeJointJacobiansTimeVariation(model, data, q, v); '
        'pin::getFrameJacobianTimeVariation(model, data, frame, WORLD, J);', 'J'),
    'energies': (
        'energy', 'computeKineticEnergy(model, data, q, v); pin::computePotentialEnergy(model, '
        'data, q);', ''),
    'regressor': ('regressor', 'computeJointTorqueRegressor(model, data, q, v, tau);', '')}
"""
Header of Pinocchio, what is called of it, and where its result is; none is compared where it is
laid out otherwise (of each body or of all of them, parameters in another order).
"""
LINKED = ('jacobian', 'jacobian_rate', 'pose')
ARGUMENTS = {
    **dict.fromkeys(('forward_dynamics', 'inverse_dynamics', 'forward_dynamics_derivatives',
                     'inverse_dynamics_derivatives', 'regressor'), ('q', 'v', 'tau')),
    **dict.fromkeys(('bias_forces', 'coriolis_matrix', 'jacobian_rate', 'energies'), ('q', 'v'))}


@dataclass(frozen=True)
class Measured:
    """One function of one robot: times of the candidates [us], the largest difference to ours."""

    robot: str
    function: str
    times: dict[str, Timing]
    error: float


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | function | exported [ns] | Pinocchio, native [ns] | CasADi, C [ns] | '
           'Pinocchio / exported: median (min-max) | CasADi / exported |')
    yield '|---|---|---|---|---|---|---|'
    robots = cases()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = [_made(case, folder / str(k)) for k, case in enumerate(robots)]
        compiling = 0.0
        for function in PEER:
            (folder / 'main.cpp').write_text(_program(function), encoding='utf-8')
            compiling += _timed([
                'g++', '-std=c++17', *FLAGS, *DEFINITIONS, '-w', 'main.cpp',
                *(f'-I{one}' for one in _headers()), '-ldl', '-o', 'main'], folder)
            for k, case in enumerate(robots):
                yield _row(_measured(case, function, folder, str(k)))
    yield ''
    yield 'To make them, nothing cached: ' + '; '.join(
        f'{case.name}: ' + ', '.join(f'{name} {value:.1f} s' for name, value in seconds.items())
        for case, seconds in zip(robots, made)) + f"; Pinocchio's functions {compiling:.0f} s."


def _row(one: Measured) -> str:
    ours, peer, generated = (one.times.get(name) for name in ('exported', 'Pinocchio', 'CasADi'))
    assert ours is not None and peer is not None
    low, middle, high = peer.ratio_to(ours)
    other = '' if generated is None else f'{1e3 * generated.median:.0f}'
    ratio = '' if generated is None else f'{generated.ratio_to(ours)[1]:.1f}'
    return (f'| {one.robot} | `{one.function}` | {1e3 * ours.median:.0f} | '
            f'{1e3 * peer.median:.0f} | {other} | **{middle:.1f}** ({low:.1f}-{high:.1f}) '
            f'| {ratio} |')


def _made(case: Case, folder: Path) -> dict[str, float]:
    """Write libraries, model and states of a robot; return how long the libraries took [s]."""
    folder.mkdir()
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
        ['gcc', *FLAGS, '-fPIC', '-shared', 'generated.c', '-lm', '-o', 'generated.so'], folder)
    (folder / 'model').write_text(_model(case.peer, link), encoding='utf-8')
    rng = np.random.default_rng(1)
    states = np.array([[*random_configuration(case.model, rng),
                        *rng.normal(size=2 * case.model.nv)] for _ in range(STATES)])
    (folder / 'states').write_bytes(states.tobytes())
    return seconds


def _measured(case: Case, function: str, folder: Path, place: str) -> Measured:
    model = case.model
    symbol = f'robot_{function}'
    header = (folder / place / 'library/include/robot_dynamics.h').read_text(encoding='utf-8')
    if function in LINKED:
        symbol = re.findall(rf'int ({symbol}_\w+)\(', header)[0].removesuffix('_many')
    size, work = (re.findall(rf'define {name} (\d+)', header)[0]
                  for name in (f'{symbol.upper()}_SIZE', 'ROBOT_WORK'))
    done = subprocess.run(
        [folder / 'main', folder / place, symbol, size, work, str(model.nq), str(model.nv)],
        capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f'{case.name}, {function}: {done.stderr or done.returncode}')
    times: dict[str, Timing] = {}
    error = 0.0
    for candidate, word, *numbers in map(str.split, done.stdout.splitlines()):
        if word == 'us':
            times[candidate] = Timing(tuple(map(float, numbers)))
        else:
            error = max(error, float(numbers[0]))
    # Both round; the mass matrices have conditions up to 1e6.
    assert error < 1e-7, (case.name, function, error)
    return Measured(case.name, function, times, error)


def _timed(command: list[str], folder: Path) -> float:
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, 'MBD_ROS_CACHE': str(folder / 'cache'),
                               'PYTHONPATH': os.getcwd()})
    if done.returncode:
        raise SystemExit(f'{command[0]} failed:\n{done.stderr[:3000]}')
    return time.perf_counter() - begin


def _headers() -> list[str]:
    """Return the folders of Pinocchio's, Boost's and Eigen's headers."""
    prefix = Path(sysconfig.get_paths()['purelib'], 'cmeel.prefix/include')
    if not (prefix / 'eigen3').is_dir():
        raise SystemExit('headers of Eigen are missing: pip install cmeel-eigen')
    return [str(prefix), str(prefix / 'eigen3')]


def _numbers(*values: Any) -> str:
    return ' '.join(repr(float(one)) for value in values for one in np.ravel(value))


def _model(peer: Any, link: str) -> str:
    """Return Pinocchio's model as text for the program: joints, bodies, rotors, and a frame."""
    lines = [str(peer.njoints - 1)]
    for i in range(1, peer.njoints):
        joint, place, body = peer.joints[i], peer.jointPlacements[i], peer.inertias[i]
        kind = joint.shortname()
        own = joint.extract() if hasattr(joint, 'extract') else joint
        axis = own.axis if kind.endswith('Unaligned') else np.zeros(3)
        lines.append(f'{kind} {peer.parents[i]} ' + _numbers(
            axis, place.rotation, place.translation, body.mass, body.lever, body.inertia))
    frame = peer.frames[peer.getFrameId(link)]
    parent = frame.parentJoint if hasattr(frame, 'parentJoint') else frame.parent
    lines += [_numbers(peer.armature), f'{parent} ' + _numbers(
        frame.placement.rotation, frame.placement.translation), '']
    return '\n'.join(lines)


def _program(function: str) -> str:
    header, call, result = PEER[function]
    given = ', '.join(f'{one}s[s].data()' for one in ARGUMENTS.get(function, ('q',)))
    kinds = ', '.join(['const double *'] * len(ARGUMENTS.get(function, ('q',))))
    return (PROGRAM.replace('@HEADER@', header).replace('@CALL@', f'pin::{call}' if not (
        call.startswith('J.')) else call).replace('@RESULT@', result or 'Vector()').replace(
        '@GIVEN@', given).replace('@KINDS@', kinds).replace('@STATES@', str(STATES)).replace(
        '@ROUNDS@', str(ROUNDS)).replace('@SECONDS@', str(SECONDS)).replace(
        '@GENERATED@', f'generated_{function}'))


PROGRAM = r"""
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/@HEADER@.hpp>
#include <dlfcn.h>
#include <time.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>
namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
constexpr auto LOCAL = pin::Convention::LOCAL;
constexpr auto WORLD = pin::LOCAL_WORLD_ALIGNED;
constexpr int STATES = @STATES@, ROUNDS = @ROUNDS@;

static std::ifstream file;
static Vector numbers(int count) {
  Vector all(count);
  for (int k = 0; k < count; ++k) file >> all[k];
  return all;
}
static pin::SE3 placement() {
  const Vector r = numbers(9), p = numbers(3);
  return pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(r.data()),
                  Eigen::Vector3d(p));
}
template <class Joint>
static void add(pin::Model & model, const Joint & joint, int parent, int k) {
  const auto id = model.addJoint(parent, joint, placement(), "j" + std::to_string(k));
  const double mass = numbers(1)[0];
  const Eigen::Vector3d center = numbers(3);
  const Vector i = numbers(9);
  model.appendBodyToJoint(id, pin::Inertia(mass, center,
    Eigen::Map<const Eigen::Matrix3d>(i.data())), pin::SE3::Identity());
}
static void joint(pin::Model & model, int k) {
  std::string kind;
  int parent;
  file >> kind >> parent;
  const Eigen::Vector3d axis = numbers(3);
  kind = kind.substr(10);
  if (kind == "RX") add(model, pin::JointModelRX(), parent, k);
  else if (kind == "RY") add(model, pin::JointModelRY(), parent, k);
  else if (kind == "RZ") add(model, pin::JointModelRZ(), parent, k);
  else if (kind == "RevoluteUnaligned")
    add(model, pin::JointModelRevoluteUnaligned(axis), parent, k);
  else if (kind == "FreeFlyer") add(model, pin::JointModelFreeFlyer(), parent, k);
  else {
    std::fprintf(stderr, "joint %s is not known\n", kind.c_str());
    std::exit(1);
  }
}
template <class M> static Eigen::MatrixXd symmetric(const M & a) {
  Eigen::MatrixXd full = a;
  full.template triangularView<Eigen::StrictlyLower>() =
    full.transpose().template triangularView<Eigen::StrictlyLower>();
  return full;
}
static Vector rows(const Eigen::MatrixXd & a) {
  const Rows turned = a;
  return Eigen::Map<const Vector>(turned.data(), turned.size());
}
template <class A, class B, class C>
static Eigen::MatrixXd three(const A & a, const B & b, const C & c) {
  Eigen::MatrixXd all(3 * a.rows(), a.cols());
  all << a, b, c;
  return all;
}
static Eigen::MatrixXd pose(const pin::SE3 & x) {return x.toHomogeneousMatrix();}
static Eigen::MatrixXd poses(const pin::Data & data) {
  Eigen::MatrixXd all(4 * (data.oMi.size() - 1), 4);
  for (std::size_t i = 1; i < data.oMi.size(); ++i)
    all.middleRows<4>(4 * (i - 1)) = pose(data.oMi[i]);
  return all;
}
static void compare(const char * peer, const Vector & ours, const Eigen::MatrixXd & theirs) {
  const Vector other = rows(theirs);
  if (!other.size()) return;
  if (other.size() != ours.size()) {
    std::fprintf(stderr, "%ld entries, %ld\n", long(ours.size()), long(other.size()));
    std::exit(1);
  }
  std::printf("%s error %.3g\n", peer,
    (ours - other).cwiseAbs().maxCoeff() / (1e-300 + other.cwiseAbs().maxCoeff()));
}
static double seconds() {   // of this thread: other programs hardly change it
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
static void * symbol(const std::string & path, const char * name) {
  void * library = dlopen(path.c_str(), RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return dlsym(library, name);
}
int main(int, char ** argv) {
  const std::string folder = argv[1];
  const int size = std::atoi(argv[3]), nq = std::atoi(argv[5]), nv = std::atoi(argv[6]);
  file.open(folder + "/model");
  pin::Model model;
  int joints;
  file >> joints;
  for (int k = 0; k < joints; ++k) joint(model, k);
  model.armature = numbers(nv);
  int parent;
  file >> parent;
  const auto frame = model.addFrame(pin::Frame("tip", parent, 0, placement(), pin::OP_FRAME));
  pin::Data data(model);
  std::vector<double> states(STATES * (nq + 2 * nv)), result(size), work(std::atoi(argv[4]));
  std::vector<double> scratch(1 << 20);
  std::ifstream stored(folder + "/states", std::ios::binary);
  stored.read(reinterpret_cast<char *>(states.data()), 8 * states.size());
  std::vector<Vector> qs, vs, taus;
  for (int s = 0; s < STATES; ++s) {
    const double * row = states.data() + s * (nq + 2 * nv);
    qs.push_back(Eigen::Map<const Vector>(row, nq));
    vs.push_back(Eigen::Map<const Vector>(row + nq, nv));
    taus.push_back(Eigen::Map<const Vector>(row + nq + nv, nv));
  }
  pin::Data::Matrix6x J(6, nv);
  const auto own = reinterpret_cast<int (*)(@KINDS@, double *, double *)>(
    symbol(folder + "/library/lib/librobot_dynamics.so", argv[2]));
  const auto code = reinterpret_cast<int (*)(const double **, double **, long long *, double *,
    int)>(symbol(folder + "/generated.so", "@GENERATED@"));
  const auto exported = [&](int s) {
    if (own(@GIVEN@, result.data(), work.data()) != 0) std::abort();
  };
  const auto pinocchio = [&](int s) {
    const auto & q = qs[s];
    const auto & v = vs[s];
    const auto & tau = taus[s];
    @CALL@
  };
  const auto generated = [&](int s) {
    const double * arg[] = {qs[s].data(), vs[s].data(), taus[s].data()};
    double * res[] = {result.data()};
    code(arg, res, nullptr, scratch.data(), 0);
  };
  std::vector<std::pair<std::string, std::function<void(int)>>> candidates = {
    {"exported", exported}, {"Pinocchio", pinocchio}};
  if (code) candidates.push_back({"CasADi", generated});
  for (int s = 0; s < STATES; ++s) {
    exported(s);
    const Vector ours = Eigen::Map<Vector>(result.data(), size);
    pinocchio(s);
    compare("Pinocchio", ours, @RESULT@);
    if (!code) continue;
    generated(s);
    compare("CasADi", ours, Eigen::Map<Vector>(result.data(), size));
  }
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
    std::printf("%s us", candidates[c].first.c_str());
    for (double one : us[c]) std::printf(" %.6g", one);
    std::printf("\n");
  }
}
"""
