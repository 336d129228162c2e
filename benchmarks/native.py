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

All are called in one program, in turn, over the same 64 states, on one thread. Pinocchio is
compiled from its headers with ``-O3 -march=native``, nothing of its wheel is linked: a program for
each of its headers, which takes a minute or two and gigabytes of memory. CasADi's C is that of the
articulated-body and Newton-Euler recursions of ``casadi_tree``, by ``gcc -O3 -march=native``.
Results are compared before they are timed. What was compiled is kept in ``build/native`` until its
text or a source of ours changes.

"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import hashlib
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks import casadi_tree
from benchmarks.robots import Case, cases
from benchmarks.timing import Timing
import mbd_ros
from mbd_ros.export.functions import tips
from mbd_ros.model.state import random_configuration

STATES = 64
ROUNDS = 15
SECONDS = 0.02
"""For each candidate in each round."""
KEPT = Path('build/native')
FLAGS = ('-O3', '-march=native', '-DNDEBUG')
DEFINITIONS = ('-DBOOST_MPL_LIMIT_LIST_SIZE=30', '-DBOOST_MPL_LIMIT_VECTOR_SIZE=30',
               '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS', '-DBOOST_FUSION_INVOKE_MAX_ARITY=12')
"""Those of Pinocchio's own CMake files."""


class Peer(NamedTuple):
    """
    What Pinocchio calls a function of ours.

    Attributes
    ----------
    header : str
        Where it is declared.
    given : str
        Our arguments.
    result : str
        Where the result is; empty where it is laid out otherwise.
    calls : tuple of str
        What is called; of several ways the fastest counts.

    """

    header: str
    given: str
    result: str
    calls: tuple[str, ...]


def _moved(velocities: bool, accelerations: bool) -> str:
    """Return the passes that quantities of a frame need first."""
    given = ', v, tau' if accelerations else ', v' if velocities else ''
    return (f'pin::forwardKinematics(model, data, q{given}); '
            'pin::updateFramePlacement(model, data, frame);')


def _by_convention(call: str) -> tuple[str, ...]:
    return tuple(f'{call}, pin::Convention::{one});' for one in ('LOCAL', 'WORLD'))


PEER = {
    'forward_dynamics': Peer('aba', 'q v tau', 'data.ddq', _by_convention(
        'pin::aba(model, data, q, v, tau')),
    'inverse_dynamics': Peer('rnea', 'q v tau', 'data.tau', (
        'pin::rnea(model, data, q, v, tau);',)),
    'bias_forces': Peer('rnea', 'q v', 'data.nle', ('pin::nonLinearEffects(model, data, q, v);',)),
    'gravity_forces': Peer('rnea', 'q', 'data.g', (
        'pin::computeGeneralizedGravity(model, data, q);',)),
    'coriolis_matrix': Peer('rnea', 'q v', 'data.C', (
        'pin::computeCoriolisMatrix(model, data, q, v);',)),
    'joint_wrenches': Peer('rnea', 'q v tau', 'six(data.f)', (
        'pin::rnea(model, data, q, v, tau);',)),
    'mass_matrix': Peer('crba', 'q', 'symmetric(data.M)', _by_convention(
        'pin::crba(model, data, q')),
    'forward_dynamics_derivatives': Peer(
        'aba-derivatives', 'q v tau', 'three(data.ddq_dq, data.ddq_dv, symmetric(data.Minv))', (
            'pin::computeABADerivatives(model, data, q, v, tau);',)),
    'inverse_dynamics_derivatives': Peer(
        'rnea-derivatives', 'q v tau', 'three(data.dtau_dq, data.dtau_dv, symmetric(data.M))', (
            'pin::computeRNEADerivatives(model, data, q, v, tau);',)),
    'gravity_forces_derivatives': Peer('rnea-derivatives', 'q', 'D', (
        'D.setZero(); pin::computeGeneralizedGravityDerivatives(model, data, q, D);',)),
    'regressor': Peer('regressor', 'q v tau', 'data.jointTorqueRegressor', (
        'pin::computeJointTorqueRegressor(model, data, q, v, tau);',)),
    'body_poses': Peer('frames', 'q', 'poses(data)', ('pin::forwardKinematics(model, data, q);',)),
    'body_velocities': Peer('frames', 'q v', '', ('pin::forwardKinematics(model, data, q, v);',)),
    'pose': Peer('frames', 'q', 'pose(data.oMf[frame])', (_moved(False, False),)),
    'frame_velocity': Peer(
        'frames', 'q v', 'pin::getFrameVelocity(model, data, frame, WORLD).toVector()', (
            f'{_moved(True, False)} kept = '
            'pin::getFrameVelocity(model, data, frame, WORLD).toVector();',)),
    'frame_acceleration': Peer(
        'frames', 'q v tau',
        'pin::getFrameClassicalAcceleration(model, data, frame, WORLD).toVector()', (
            f'{_moved(True, True)} kept = '
            'pin::getFrameClassicalAcceleration(model, data, frame, WORLD).toVector();',)),
    'link_motion': Peer('frames', 'q v tau', '', (
        f'{_moved(True, True)} '
        'kept = pin::getFrameVelocity(model, data, frame, WORLD).toVector(); '
        'kept += pin::getFrameClassicalAcceleration(model, data, frame, WORLD).toVector();',)),
    'jacobian': Peer('frames', 'q', 'J', (
        'J.setZero(); pin::computeFrameJacobian(model, data, q, frame, WORLD, J);',)),
    'jacobian_rate': Peer('frames', 'q v', 'J', (
        'J.setZero(); pin::computeJointJacobiansTimeVariation(model, data, q, v); '
        'pin::getFrameJacobianTimeVariation(model, data, frame, WORLD, J);',)),
    'configuration_step': Peer('joint-configuration', 'q v h', 'turned', (
        'pin::integrate(model, q, v * H, turned);',)),
    'semi_implicit_step': Peer('aba', 'q v tau h', 'stacked(turned, faster)', (
        'pin::aba(model, data, q, v, tau, pin::Convention::LOCAL); '
        'faster = v + H * data.ddq; pin::integrate(model, q, faster * H, turned);',)),
    'energy': Peer(
        'energy', 'q v', 'Eigen::Vector2d(data.kinetic_energy, data.potential_energy)', (
            'pin::computeKineticEnergy(model, data, q, v); '
            'pin::computePotentialEnergy(model, data, q);',)),
    'center_of_mass': Peer('center-of-mass', 'q', 'data.com[0]', (
        'pin::centerOfMass(model, data, q, false);',)),
    'center_of_mass_jacobian': Peer('center-of-mass', 'q', 'data.Jcom', (
        'pin::jacobianCenterOfMass(model, data, q, false);',)),
    'center_of_mass_velocity_derivatives': Peer('center-of-mass-derivatives', 'q v', 'C', (
        'pin::computeForwardKinematicsDerivatives(model, data, q, v, still); '
        'pin::centerOfMass(model, data, q, v, false); '
        'pin::getCenterOfMassVelocityDerivatives(model, data, C);',)),
    'centroidal_map': Peer('centroidal', 'q', 'data.Ag', (
        'pin::computeCentroidalMap(model, data, q);',)),
    'centroidal_momentum': Peer('centroidal', 'q v', 'data.hg.toVector()', (
        'pin::computeCentroidalMomentum(model, data, q, v);',)),
    'centroidal_momentum_derivatives': Peer(
        'centroidal-derivatives', 'q v tau', 'stacked(by[0], by[1], by[2], by[3])', (
            'pin::computeCentroidalDynamicsDerivatives(model, data, q, v, tau, by[0], by[1], '
            'by[2], by[3]);',))}
MORE = {'center-of-mass-derivatives': ('center-of-mass', 'kinematics-derivatives'),
        'aba': ('joint-configuration',), 'frames': ('jacobian',), 'rnea': (),
        'energy': ('kinematics',)}
"""Other headers that the calls need."""
TURNED = ('joint_wrenches', 'body_poses', 'regressor', 'semi_implicit_step', 'configuration_step')
"""Not compared: ours are in axes of bodies, whose z is along the joint; steps turn a floating base
to first order."""
LINKED = ('jacobian', 'jacobian_rate', 'pose', 'frame_velocity', 'frame_acceleration',
          'link_motion')


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
    programs = {header: _compiled(header) for header in dict.fromkeys(
        one.header for one in PEER.values())}
    made = [_made(case) for case in robots]
    for function, peer in PEER.items():
        for case, (folder, _) in zip(robots, made):
            yield _row(_measured(case, function, programs[peer.header][0], folder))
    yield ''
    yield 'To make them, nothing cached: ' + '; '.join(
        f'{case.name}: ' + ', '.join(f'{name} {value:.1f} s' for name, value in seconds.items())
        for case, (_, seconds) in zip(robots, made)) + "; Pinocchio's functions " + (
            f'{sum(seconds for _, seconds in programs.values()):.0f} s in '
            f'{len(programs)} programs.')


def _row(one: Measured) -> str:
    ours, generated = (one.times.get(name) for name in ('exported', 'CasADi'))
    assert ours is not None
    peer = min((time for name, time in one.times.items() if name.startswith('Pinocchio')),
               key=lambda time: time.median)
    low, middle, high = peer.ratio_to(ours)
    other = '' if generated is None else f'{1e3 * generated.median:.0f}'
    ratio = '' if generated is None else f'{generated.ratio_to(ours)[1]:.1f}'
    return (f'| {one.robot} | `{one.function}` | {1e3 * ours.median:.0f} | '
            f'{1e3 * peer.median:.0f} | {other} | **{middle:.1f}** ({low:.1f}-{high:.1f}) '
            f'| {ratio} |')


def kept_folder(*parts: bytes | str) -> Path:
    """Return the folder of what is made of these texts."""
    texts = [one.encode() if isinstance(one, str) else one for one in parts]
    return KEPT.resolve() / hashlib.sha256(b'\0'.join(texts)).hexdigest()[:16]


def _compiled(header: str) -> tuple[Path, float]:
    """Return the program of the functions of one of Pinocchio's headers, and seconds it took."""
    text = _program(header)
    folder = kept_folder(text, *FLAGS)
    if not (folder / 'seconds').exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / 'main.cpp').write_text(text, encoding='utf-8')
        seconds = timed(['g++', '-std=c++17', *FLAGS, *DEFINITIONS, '-w', 'main.cpp',
                         *(f'-I{one}' for one in headers()), '-ldl', '-o', 'main'], folder)
        (folder / 'seconds').write_text(json.dumps(seconds), encoding='utf-8')
    return folder / 'main', json.loads((folder / 'seconds').read_text(encoding='utf-8'))


def _made(case: Case) -> tuple[Path, dict[str, float]]:
    """Return the folder with libraries, model and states of a robot, and how long they took."""
    sources = sorted(Path(mbd_ros.__file__).parent.rglob('*.py'))
    folder = kept_folder(case.text, ' '.join(PEER), Path(casadi_tree.__file__).read_bytes(),
                         *(one.read_bytes() for one in sources))
    if (folder / 'seconds').exists():
        return folder, json.loads((folder / 'seconds').read_text(encoding='utf-8'))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    seconds = {}
    (folder / 'robot.urdf').write_text(case.text, encoding='utf-8')
    link = tips(case.model)[0]
    seconds['export'] = timed([
        sys.executable, '-m', 'mbd_ros', 'export', 'robot.urdf', '--to', 'library', '--name',
        'robot', '--functions', ','.join(PEER), '--link', link,
        *(['--floating-base'] if case.floating else [])], folder)
    begin = time.perf_counter()
    casadi_tree.write_c(case.peer, folder / 'generated.c')
    seconds["CasADi's expressions"] = time.perf_counter() - begin
    seconds['their compiler'] = timed(
        ['gcc', *FLAGS, '-fPIC', '-shared', 'generated.c', '-lm', '-o', 'generated.so'], folder)
    (folder / 'model').write_text(model_text(case.peer, link), encoding='utf-8')
    rng = np.random.default_rng(1)
    states = np.array([[*random_configuration(case.model, rng),
                        *rng.normal(size=2 * case.model.nv)] for _ in range(STATES)])
    (folder / 'states').write_bytes(states.tobytes())
    (folder / 'seconds').write_text(json.dumps(seconds), encoding='utf-8')
    return folder, seconds


def _measured(case: Case, function: str, program: Path, folder: Path) -> Measured:
    model = case.model
    symbol = f'robot_{function}'
    header = (folder / 'library/include/robot_dynamics.h').read_text(encoding='utf-8')
    if function in LINKED:
        symbol = re.findall(rf'int ({symbol}_(?!rate)\w+)\(', header)[0].removesuffix('_many')
    size, work = (re.findall(rf'define {name} (\d+)', header)[0]
                  for name in (f'{symbol.upper()}_SIZE', 'ROBOT_WORK'))
    done = subprocess.run(
        [program, folder, symbol, size, work, str(model.nq), str(model.nv), function],
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
    if error > 1e-7 and function not in TURNED:
        raise SystemExit(f'{case.name}, {function}: results differ by {error}')
    return Measured(case.name, function, times, error)


def timed(command: list[str], folder: Path) -> float:
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, 'MBD_ROS_CACHE': str(folder / 'cache'),
                               'PYTHONPATH': os.getcwd()})
    if done.returncode:
        raise SystemExit(f'{command[0]} failed:\n{done.stderr[:3000]}')
    return time.perf_counter() - begin


def headers() -> list[str]:
    """Return the folders of Pinocchio's, Boost's and Eigen's headers."""
    prefix = Path(sysconfig.get_paths()['purelib'], 'cmeel.prefix/include')
    if not (prefix / 'eigen3').is_dir():
        raise SystemExit('headers of Eigen are missing: pip install cmeel-eigen')
    return [str(prefix), str(prefix / 'eigen3')]


def _numbers(*values: Any) -> str:
    return ' '.join(repr(float(one)) for value in values for one in np.ravel(value))


def model_text(peer: Any, link: str) -> str:
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


def _program(header: str) -> str:
    functions = {name: one for name, one in PEER.items() if one.header == header}
    included = '\n'.join(f'#include <pinocchio/algorithm/{one}.hpp>' for one in (
        header, *MORE.get(header, ())))
    text = PROGRAM
    for word, value in (
            ('@READER@', READER.strip()), ('@HEADERS@', included), ('@STATES@', str(STATES)),
            ('@ROUNDS@', str(ROUNDS)), ('@SECONDS@', str(SECONDS)),
            ('@FUNCTIONS@', '\n'.join(_part(name, peer) for name, peer in functions.items()))):
        text = text.replace(word, value)
    return text


def _part(name: str, peer: Peer) -> str:
    """Return the part of a program that measures a function."""
    given = peer.given.split()
    kinds = ', '.join('const double *' for _ in given)
    handed = ', '.join('&H' if one == 'h' else f'{one}s[s].data()' for one in given)
    ways = [f"""      if constexpr (decltype(which)::value == {k}) {{ {call} }}"""
            for k, call in enumerate(peer.calls)]
    candidates = [f"""      {{"Pinocchio{k}", [&](int s) {{
        peer(s, std::integral_constant<int, {k}>());
      }}}}""" for k in range(len(peer.calls))]
    return '\n'.join([f"""  if (name == "{name}") {{
    const auto own = reinterpret_cast<int (*)({kinds}, double *, double *)>(ours);
    const auto peer = [&](int s, auto which) {{
      const auto & q = qs[s];
      const auto & v = vs[s];
      const auto & tau = taus[s];""", *ways, f"""    }};
    const Candidates candidates = {{
      {{"exported", [&](int s) {{
        if (own({handed}, result.data(), work.data()) != 0) std::abort();
      }}}},""", ',\n'.join(candidates), f"""    }};
    return measure(candidates, [&]() -> Eigen::MatrixXd {{
      return {peer.result or 'Vector()'};
    }}, {'true' if peer.result else 'false'});
  }}"""])


READER = r"""
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
"""
"""C++ that reads what ``model_text`` writes into a model of Pinocchio."""
PROGRAM = r"""
#include <pinocchio/multibody.hpp>
@HEADERS@
#include <dlfcn.h>
#include <time.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <tuple>
#include <vector>
namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
constexpr auto WORLD = pin::LOCAL_WORLD_ALIGNED;
constexpr int STATES = @STATES@, ROUNDS = @ROUNDS@;
static const double H = 1e-3;

@READER@
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
template <class... A> static Eigen::MatrixXd stacked(const A &... a) {
  Eigen::MatrixXd all((a.rows() + ...), std::get<0>(std::tie(a...)).cols());
  Eigen::Index row = 0;
  ((all.middleRows(row, a.rows()) = a, row += a.rows()), ...);
  return all;
}
template <class A, class B, class C>
static Eigen::MatrixXd three(const A & a, const B & b, const C & c) {
  return stacked(Eigen::MatrixXd(a), Eigen::MatrixXd(b), Eigen::MatrixXd(c));
}
template <class All> static Eigen::MatrixXd six(const All & forces) {
  Eigen::MatrixXd all(forces.size() - 1, 6);
  for (std::size_t i = 1; i < forces.size(); ++i)
    all.row(i - 1) = forces[i].toVector().transpose();
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
static void * symbol(const std::string & path, const char * name) {
  void * library = dlopen(path.c_str(), RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return dlsym(library, name);
}
using Candidates = std::vector<std::pair<std::string, std::function<void(int)>>>;
static double seconds() {   // of this thread: other programs hardly change it
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
static int timed(const Candidates & candidates) {
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
  return 0;
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
  pin::Data::Matrix6x J = pin::Data::Matrix6x::Zero(6, nv);
  std::vector<pin::Data::Matrix6x> by(4, J);
  pin::Data::Matrix3x C = pin::Data::Matrix3x::Zero(3, nv);
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(nv, nv);
  Eigen::Matrix<double, 6, 1> kept;
  Vector turned(nq), faster(nv), still = Vector::Zero(nv);
  const std::string name = argv[7];
  void * const ours = symbol(folder + "/library/lib/librobot_dynamics.so", argv[2]);
  const auto code = reinterpret_cast<int (*)(const double **, double **, long long *, double *,
    int)>(symbol(folder + "/generated.so", ("generated_" + name).c_str()));
  const auto measure = [&](Candidates candidates, auto theirs, bool compared) {
    if (code)
      candidates.push_back({"CasADi", [&](int s) {
          const double * arg[] = {qs[s].data(), vs[s].data(), taus[s].data()};
          double * res[] = {result.data()};
          code(arg, res, nullptr, scratch.data(), 0);
        }});
    for (int s = 0; s < STATES; ++s) {
      candidates[0].second(s);
      const Vector own = Eigen::Map<Vector>(result.data(), size);
      for (std::size_t c = 1; c < candidates.size(); ++c) {
        candidates[c].second(s);
        if (candidates[c].first == "CasADi")
          compare("CasADi", own, Eigen::Map<Vector>(result.data(), size));
        else if (compared)
          compare(candidates[c].first.c_str(), own, theirs());
      }
    }
    return timed(candidates);
  };
@FUNCTIONS@
  std::fprintf(stderr, "function %s is not here\n", name.c_str());
  return 1;
}
"""
