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


"""Exported libraries from C++: the header, the example's controller, the generated plugin."""

import os
from pathlib import Path
import re
import subprocess
import sys
import sysconfig

from exported import export, STRICT
import numpy as np
import pytest
from robots import model_of

import mbd_ros
from mbd_ros.model.state import random_configuration

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / 'examples' / 'cpp'
STANDIN = ROOT / 'test' / 'support' / 'ros_standin'
PREFIX = Path(sysconfig.get_paths()['purelib']) / 'cmeel.prefix'
EIGEN = PREFIX / 'include' / 'eigen3'
CXX = ('g++', '-std=c++17', '-fno-exceptions', '-fno-rtti', '-Wshadow', *STRICT)


def compiled(source, library, folder, more=()):
    """Compile C++ with all warnings as errors; return the process and the program."""
    (folder / 'main.cpp').write_text(source)
    done = subprocess.run(
        [*CXX, str(folder / 'main.cpp'), f'-I{library.folder / "include"}', *more,
         *(() if '-fsyntax-only' in more else (str(library.static), '-lm')),
         '-o', str(folder / 'main')], capture_output=True, text=True, check=False)
    return done, folder / 'main'


@pytest.fixture(scope='module')
def arm(tmp_path_factory):
    """Return an exported arm with the name of a keyword."""
    model = mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf')
    return model, export(model, tmp_path_factory.mktemp('int'), (
        'forward_dynamics', 'mass_matrix', 'jacobian'), name='int', parameters=True)


BODY = """
  int_dynamics::Robot robot;
  std::array<double, int_dynamics::nq> q = {0.1, 0.2, 0.3};
  std::vector<double> v = {1.0, -1.0, 0.5};
  double tau[3] = {0.3, 0.2, 0.1};
  @EXTRA@
"""


def program(extra, more=''):
    """Return a program around some lines."""
    return f"""#include <cstdio>
#include <vector>
{more}
#include "int_dynamics.hpp"
int main() {{{BODY.replace('@EXTRA@', extra)}}}
"""


def test_arrays_of_all_kinds_give_what_python_gives(arm, tmp_path):
    model, library = arm
    done, main = compiled(program("""
  std::array<int_dynamics::real, 3> first; double second[3]; std::vector<double> third(6);
  const auto & constant = q;
  int code = int(robot.forward_dynamics(q, v, tau, first));
  code += int(robot.forward_dynamics(constant, v, tau, second));
  code += int(robot.forward_dynamics_many(1, q.data(), v.data(), tau, third.data()));
  code += int(robot.forward_dynamics(q.data(), v, int_dynamics::View<const double, 3>(tau),
                                     &third[3], int_world));
  std::printf("%d", code);
  for (double x : first) std::printf(" %.17g", x);
  for (double x : second) std::printf(" %.17g", x);
  for (double x : third) std::printf(" %.17g", x);"""), library, tmp_path)
    assert done.returncode == 0, done.stderr
    code, *numbers = subprocess.run([main], capture_output=True, text=True,
                                    check=True).stdout.split()
    right = mbd_ros.forward_dynamics(model, [0.1, 0.2, 0.3], [1.0, -1.0, 0.5], [0.3, 0.2, 0.1])
    assert code == '0'
    assert np.array_equal(np.reshape(np.array(numbers, float), (4, 3)), np.tile(right, (4, 1)))


def test_wrong_sizes_and_pointers_have_codes(arm, tmp_path):
    _, library = arm
    done, main = compiled(program("""
  std::vector<double> shorter(2), right(3);
  std::printf("%s|%s|%s",
    meaning(robot.forward_dynamics(q, shorter, tau, right)),
    meaning(robot.forward_dynamics(q, v, nullptr, right)),
    meaning(robot.forward_dynamics_many(
      -1, q.data(), v.data(), tau, right.data())));"""), library, tmp_path)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([main], capture_output=True, text=True, check=True).stdout.split('|')
    for words, text in zip(('another size', 'pointer is null', 'negative'), said):
        assert words in text


def test_eigen_without_copies(arm, tmp_path):
    model, library = arm
    done, main = compiled(program("""
  const Eigen::Vector3d p(q[0], q[1], q[2]);
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> mass;
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3, 4);
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> large(5, 5);
  std::array<double, 18> numbers;
  columns.col(0) << 1.0, -1.0, 0.5;
  int codes[] = {
    int(robot.mass_matrix(p, mass)),
    int(robot.forward_dynamics(p, columns.col(0), Eigen::Map<Eigen::Vector3d>(tau),
                               columns.col(2))),
    int(robot.@JACOBIAN@(p, numbers)),
    int(robot.forward_dynamics(p, v, tau, columns.row(0).head<3>())),
    int(robot.mass_matrix(p, large.topLeftCorner<3, 3>()))};
  for (int code : codes) std::printf("%d ", code);
  for (int k = 0; k < 9; ++k) std::printf("%.17g ", mass(k / 3, k % 3));
  for (int k = 0; k < 3; ++k) std::printf("%.17g ", columns(k, 2));
  const auto map = int_dynamics::matrix<6, 3>(numbers.data());
  for (int k = 0; k < 18; ++k) std::printf("%.17g ", map(k / 3, k % 3));""".replace(
        '@JACOBIAN@', library.functions[2][0].removeprefix('int_'))), library, tmp_path,
        ('-isystem', str(EIGEN)))
    assert done.returncode == 0, done.stderr
    said = subprocess.run([main], capture_output=True, text=True, check=True).stdout.split()
    q, v, tau = [0.1, 0.2, 0.3], [1.0, -1.0, 0.5], [0.3, 0.2, 0.1]
    link = library.functions[2][1].link
    right = np.concatenate([np.ravel(one) for one in (
        mbd_ros.mass_matrix(model, q), mbd_ros.forward_dynamics(model, q, v, tau),
        mbd_ros.jacobian(model, q, link))])
    assert said[:5] == ['0', '0', '0', '100', '100']   # rows and blocks have gaps
    assert np.array_equal(np.array(said[5:], float), right)


@pytest.mark.parametrize('line', [
    'std::array<double, 2> other; robot.forward_dynamics(q, v, tau, other);',
    'double other[4]; robot.forward_dynamics(q, v, tau, other);',
    'const std::array<double, 3> kept{}; robot.forward_dynamics(q, v, tau, kept);',
    'Eigen::Matrix3d turned; robot.mass_matrix(q, turned);',
    'std::array<float, 3> other; robot.forward_dynamics(q, v, tau, other);'])
def test_what_does_not_compile(arm, line, tmp_path):
    _, library = arm
    eigen = ('-isystem', str(EIGEN)) if 'Eigen' in line else ()
    done, _ = compiled(program(line), library, tmp_path, ('-fsyntax-only', *eigen))
    assert done.returncode != 0
    assert re.search('another size|row by row|could not convert|no matching|cannot convert',
                     done.stderr)


def test_robots_of_all_kinds_have_the_header(tmp_path):
    model = model_of([0, 1, 1], ['floating', 'spherical', 'revolute'], 4)
    library = export(model, tmp_path, name='free')
    done, _ = compiled('#include "free_dynamics.hpp"\nint main() {free_dynamics::Robot robot; '
                       'return sizeof(robot) < 8 * FREE_WORK;}\n', library, tmp_path)
    assert done.returncode == 0, done.stderr


DRIVER = r"""
#include <cstdio>
#include <stdexcept>
@WHAT@
"""
SOLVE = r"""
#include <inverse_dynamics_solver/exceptions.h>
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>
using inverse_dynamics_solver::InverseDynamicsSolver;
using Vector = Eigen::VectorXd;
extern "C" InverseDynamicsSolver * make_plugin();
static void print(const Eigen::MatrixXd & m) {
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) std::printf("%.17g ", m(i, j));
}
int main() {
  std::unique_ptr<InverseDynamicsSolver> solver(make_plugin());
  Vector q(7), v(7), a(7);
  for (int k = 0; k < 7; ++k) {q[k] = 0.1 * k - 0.3; v[k] = 0.2 * k - 0.5; a[k] = 1.0 - 0.3 * k;}
  try {solver->getInertiaMatrix(q); return 1;}
  catch (const inverse_dynamics_solver::UninitializedException &) {}
  auto node = std::make_shared<rclcpp::node_interfaces::NodeParametersInterface>();
  node->parameters["x.gravity"] = rclcpp::Parameter(std::vector<double>{0.0, 0.0, -1.62});
  try {solver->initialize(node, "x"); return 1;}
  catch (const inverse_dynamics_solver::InvalidParameterValueException & e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  solver->initialize(node);
  try {solver->getTorques(q, v, Vector::Zero(3)); return 1;}
  catch (const std::invalid_argument & e) {std::fprintf(stderr, "%s\n", e.what());}
  print(solver->getInertiaMatrix(q)); print(solver->getCoriolisVector(q, v));
  print(solver->getGravityVector(q)); print(solver->getTorques(q, v, a));
  print(solver->getFrictionVector(v));
}
"""
CONTROL = r"""
#include <controller_interface/controller_interface.hpp>
using namespace controller_interface;
extern "C" ControllerInterface * make_plugin();
int main() {
  std::unique_ptr<ControllerInterface> one(make_plugin());
  if (one->on_init() != CallbackReturn::SUCCESS) return 1;
  auto & parameters = one->get_node()->parameters;
  parameters["positions"] = rclcpp::Parameter(std::vector<double>(3));
  if (one->on_configure({}) != CallbackReturn::ERROR) return 2;
  parameters["positions"] = rclcpp::Parameter(std::vector<double>());
  parameters["frequency"] = rclcpp::Parameter(-1.0);
  if (one->on_configure({}) != CallbackReturn::ERROR) return 3;
  parameters["frequency"] = rclcpp::Parameter(10.0);
  if (one->on_configure({}) != CallbackReturn::SUCCESS) return 4;
  for (const auto & name : one->state_interface_configuration().names)
    one->state_interfaces_.push_back({name, std::make_shared<double>(
      name.find("position") == std::string::npos ? 0.0 : 0.25)});
  for (const auto & name : one->command_interface_configuration().names)
    one->command_interfaces_.push_back({name, std::make_shared<double>(-1.0)});
  if (one->on_activate({}) != CallbackReturn::SUCCESS) return 5;
  if (one->update({}, {}) != return_type::OK) return 6;
  for (const auto & c : one->command_interfaces_)
    std::printf("%s %.17g\n", c.name.c_str(), *c.place);
  *one->state_interfaces_[3].place = 0.0 / 0.0;
  return one->update({}, {}) == return_type::ERROR ? 0 : 7;
}
"""


@pytest.fixture(scope='module')
def workspace(tmp_path_factory):
    """Return a workspace in which colcon built the exported package and the example."""
    folder = tmp_path_factory.mktemp('workspace')
    library = export(mbd_ros.load(ROOT / 'urdf' / 'panda.urdf'), folder / 'panda_dynamics', (
        'forward_dynamics', 'inverse_dynamics', 'bias_forces', 'mass_matrix', 'rk4_step'),
        package='panda_dynamics')
    places = [f'-D{name}_DIR={STANDIN}' for name in (
        'rclcpp', 'rclcpp_lifecycle', 'pluginlib', 'controller_interface',
        'inverse_dynamics_solver')]
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(('AMENT', 'COLCON', 'CMAKE'))}
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        [str(scripts / 'colcon'), 'build', '--base-paths', 'panda_dynamics', str(EXAMPLE),
         '--cmake-args', *places, f'-DEigen3_DIR={PREFIX / "share/eigen3/cmake"}'],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**environment, 'PATH': f'{scripts}:{os.environ["PATH"]}'})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, library


def driven(workspace, folder, text, plugin, more=()):
    """Return the process of a program that is linked to a plugin."""
    place = next((workspace / 'install').rglob(f'lib{plugin}.so'))
    (folder / 'driver.cpp').write_text(DRIVER.replace('@WHAT@', text))
    built = subprocess.run(
        ['g++', '-std=c++17', '-Wall', '-Wextra', f'-I{STANDIN / "include"}', '-isystem',
         str(EIGEN), *more, str(folder / 'driver.cpp'), str(place),
         f'-Wl,-rpath,{place.parent}', '-o', str(folder / 'driver')],
        capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return subprocess.run([folder / 'driver'], capture_output=True, text=True, check=False)


def test_the_law_and_its_loop(workspace):
    folder, _ = workspace
    test = subprocess.run([folder / 'build/computed_torque/law_test'], capture_output=True,
                          text=True, check=False)
    assert test.returncode == 0, test.stdout + test.stderr
    loop = next((folder / 'install').rglob('real_time_loop'))
    done = subprocess.run([loop, '0.2'], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = re.search(r'200 cycles of 1 ms; woken late by [\d.]+ us at most, law [\d.]+ us at '
                     r'most, \d+ cycles longer than 1 ms; largest error (\S+) rad', done.stdout)
    # A step of 1 ms holds the torque, so that the arm lags behind by about h^2 a / 2, and the law
    # brings it back: 1e-3 allows ten times what is seen.
    assert said and float(said[1]) < 1e-3
    for wrong in ('0', 'nan', '-1', 'x'):
        assert subprocess.run([loop, wrong], capture_output=True, check=False).returncode == 2


def test_the_plugin_for_inverse_dynamics_solver(workspace, tmp_path):
    folder, library = workspace
    model = mbd_ros.load(ROOT / 'urdf' / 'panda.urdf')
    done = driven(folder, tmp_path, SOLVE, 'panda_inverse_dynamics_solver')
    assert done.returncode == 0, done.stderr
    assert "parameter 'gravity'" in done.stderr and 'another size' in done.stderr
    k = np.arange(7.0)
    q, v, a = 0.1 * k - 0.3, 0.2 * k - 0.5, 1.0 - 0.3 * k
    gravity = mbd_ros.bias_forces(model, q, 0 * v)
    right = np.concatenate([np.ravel(one) for one in (
        mbd_ros.mass_matrix(model, q), mbd_ros.bias_forces(model, q, v) - gravity, gravity,
        mbd_ros.inverse_dynamics(model, q, v, a),
        model.damping * v + model.friction * np.sign(v))])
    # The program computes q, v and a with other roundings than NumPy.
    np.testing.assert_allclose(np.array(done.stdout.split(), float), right, rtol=0, atol=1e-13)
    description = (library.folder / 'panda_inverse_dynamics_solver.xml').read_text()
    source = (library.folder / 'src/panda_inverse_dynamics_solver.cpp').read_text()
    name = re.search(' type="([^"]*)"', description)[1]
    assert f'{name}, inverse_dynamics_solver::InverseDynamicsSolver' in source


@pytest.mark.parametrize('newer', [False, True])
def test_the_controller_of_ros2_control(newer, workspace, tmp_path):
    folder, library = workspace
    if newer:   # the source once more, against the interfaces of newer releases
        place = tmp_path / 'install'
        place.mkdir()
        done = subprocess.run(
            ['g++', '-std=c++17', *STRICT, '-DNEWER', '-shared', '-fPIC',
             f'-I{STANDIN / "include"}', f'-I{EXAMPLE / "include"}',
             f'-I{library.folder / "include"}', str(EXAMPLE / 'src/controller.cpp'),
             str(library.static), '-o', str(place / 'libcomputed_torque_controller.so')],
            capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        folder = tmp_path
    done = driven(folder, tmp_path, CONTROL, 'computed_torque_controller',
                  ('-DNEWER',) if newer else ())
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert 'positions has 3 entries' in done.stderr and 'frequency is -1' in done.stderr
    model = mbd_ros.load(ROOT / 'urdf' / 'panda.urdf')
    names, numbers = zip(*(line.split() for line in done.stdout.splitlines()))
    assert list(names) == [f'{joint}/effort' for joint in model.joint_names]
    right = mbd_ros.bias_forces(model, np.full(7, 0.25), np.zeros(7))
    np.testing.assert_allclose(np.array(numbers, float), right, rtol=0, atol=1e-12)


def test_packages_without_what_the_plugin_calls_have_none(tmp_path):
    model = model_of([0], ['floating'], 1)   # q has seven entries, v six
    assert random_configuration(model, np.random.default_rng(0)).size == 7
    export(model, tmp_path / 'free', ('inverse_dynamics', 'bias_forces', 'mass_matrix'),
           package='free')
    arm = mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf')
    export(arm, tmp_path / 'arm', ('inverse_dynamics',), package='arm')
    assert not list(tmp_path.rglob('*_inverse_dynamics_solver*'))


def test_the_program_of_the_tutorial(tmp_path):
    page = (ROOT / 'docs/tutorials/three_programs.md').read_text(encoding='utf-8')
    source, = re.findall('```cpp\n(.*?)```', page, re.DOTALL)
    library = export(mbd_ros.load(ROOT / 'urdf' / 'panda.urdf'), tmp_path / 'panda', (
        'inverse_dynamics', 'forward_dynamics'))
    done, main = compiled(source, library, tmp_path)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([main], capture_output=True, text=True, check=True).stdout
    # Errors decay with exp(-10 t) (1 + 10 t): 1e-3 of at most 2 rad after a second.
    assert np.abs(np.array(said.split(), float)
                  - [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.0]).max() < 2e-3
