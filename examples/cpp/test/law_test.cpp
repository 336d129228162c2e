// Copyright 2026 The authors of mbd_ros
//
// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
// in compliance with the License. You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software distributed under the License
// is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
// or implied. See the License for the specific language governing permissions and limitations under
// the License.

// The law against the equations of motion of the arm; no ROS.
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "computed_torque/law.hpp"

namespace
{

using computed_torque::Code;
using computed_torque::Motion;
using computed_torque::nv;
using computed_torque::Vector;

int failed = 0;

void expect(bool right, const char * what)
{
  if (!right) {
    std::fprintf(stderr, "failed: %s\n", what);
    ++failed;
  }
}

}  // namespace

int main()
{
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  const auto random = [&] {
      Vector x;
      for (double & one : x) {one = normal(generator);}
      return x;
    };
  const double frequency = 15.0;
  computed_torque::Law law(frequency);
  panda_dynamics::Robot robot;
  Vector tau, qdd;
  double worst = 0.0, drift = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const Motion wanted{random(), random(), random()};
    const Vector q = random(), v = random();
    expect(law.track(wanted, q, v, tau) == Code::ok, "track");
    expect(robot.forward_dynamics(q, v, tau, qdd) == Code::ok, "forward dynamics");
    for (std::size_t j = 0; j < nv; ++j) {
      // e'' + 2 w e' + w^2 e = 0 for e = q_d - q
      const double e = wanted.a[j] - qdd[j] + 2.0 * frequency * (wanted.v[j] - v[j]) +
        frequency * frequency * (wanted.q[j] - q[j]);
      worst = std::max(worst, std::abs(e));
    }
    expect(law.float_in_place(q, Vector{}, 5.0, tau) == Code::ok, "float_in_place");
    expect(robot.forward_dynamics(q, Vector{}, tau, qdd) == Code::ok, "forward dynamics");
    for (const double a : qdd) {drift = std::max(drift, std::abs(a));}
  }
  // Accelerations of 1e3 rad/s^2, a mass matrix of condition 1e4, roundings of 1e-16.
  expect(worst < 1e-8, "the error decays as it should");
  expect(drift < 1e-10, "gravity is balanced");

  tau.fill(3.0);
  Vector q{};
  q[4] = std::numeric_limits<double>::quiet_NaN();
  expect(law.track(Motion{}, q, Vector{}, tau) == Code::not_finite, "NaN has a code");
  expect(tau[0] == 3.0 && tau[6] == 3.0, "and no torque");
  std::printf("%s (worst %.1e, drift %.1e)\n", failed ? "FAILED" : "passed", worst, drift);
  return failed != 0;
}
