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

// Gravity compensation and computed torque, for a robot that mbd_ros export wrote.
#ifndef COMPUTED_TORQUE__LAW_HPP_
#define COMPUTED_TORQUE__LAW_HPP_

#include <array>
#include <cstddef>

#include "panda_dynamics.hpp"

namespace computed_torque
{

using panda_dynamics::Code;
using panda_dynamics::nv;
using Vector = std::array<double, nv>;

// Positions [rad], velocities [rad/s] and accelerations [rad/s^2] of all joints.
struct Motion
{
  Vector q{}, v{}, a{};
};

// Neither allocates nor throws; one for each thread. Where a code is not ok, tau was not written.
class Law
{
public:
  // Errors decay as those of a critically damped oscillator of this frequency [rad/s].
  explicit Law(double frequency) noexcept
  : stiffness_(frequency * frequency), damping_(2.0 * frequency) {}

  // tau = M(q) (a_d + damping (v_d - v) + stiffness (q_d - q)) + c(q, v) + g(q)
  Code track(const Motion & wanted, const Vector & q, const Vector & v, Vector & tau) noexcept
  {
    Vector a, found;
    for (std::size_t k = 0; k < nv; ++k) {
      a[k] = wanted.a[k] + damping_ * (wanted.v[k] - v[k]) + stiffness_ * (wanted.q[k] - q[k]);
    }
    const Code code = robot_.inverse_dynamics(q, v, a, found);
    if (code == Code::ok) {tau = found;}
    return code;
  }

  // tau = g(q) - damping v: the robot stays where it is put; damping [N m s/rad].
  Code float_in_place(const Vector & q, const Vector & v, double damping, Vector & tau) noexcept
  {
    Vector found;
    const Code code = robot_.bias_forces(q, still_, found);
    if (code != Code::ok) {return code;}
    for (std::size_t k = 0; k < nv; ++k) {tau[k] = found[k] - damping * v[k];}
    return code;
  }

private:
  double stiffness_, damping_;
  Vector still_{};
  panda_dynamics::Robot robot_;
};

}  // namespace computed_torque

#endif  // COMPUTED_TORQUE__LAW_HPP_
