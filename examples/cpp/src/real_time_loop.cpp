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

// A loop of 1 kHz: the law commands a simulated arm; the largest latency is printed at the end.
//
//     real_time_loop [seconds]
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "computed_torque/law.hpp"

namespace
{

using computed_torque::Code;
using computed_torque::Motion;
using computed_torque::nv;
using computed_torque::Vector;

constexpr long period = 1000000;  // [ns]

long since(const timespec & begin, const timespec & end)
{
  return (end.tv_sec - begin.tv_sec) * 1000000000L + (end.tv_nsec - begin.tv_nsec);
}

// Each joint swings around the middle of an arm that reaches forward.
Motion reference(double t)
{
  constexpr Vector middle = {0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.0};
  Motion wanted;
  for (std::size_t k = 0; k < nv; ++k) {
    const double w = 1.0 + 0.2 * static_cast<double>(k);
    wanted.q[k] = middle[k] + 0.3 * std::sin(w * t);
    wanted.v[k] = 0.3 * w * std::cos(w * t);
    wanted.a[k] = -0.3 * w * w * std::sin(w * t);
  }
  return wanted;
}

void become_real_time()
{
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    std::printf("memory is not locked: %s\n", std::strerror(errno));
  }
  sched_param parameters{};
  parameters.sched_priority = 80;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    std::printf("ordinary priority: %s\n", std::strerror(errno));
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 5.0;
  if (!(seconds > 0.0 && seconds <= 86400.0)) {
    std::fprintf(stderr, "seconds is '%s'; allowed: more than 0, at most 86400\n", argv[1]);
    return 2;
  }
  static_assert(nv == 7, "the reference is that of the Panda");
  computed_torque::Law law(20.0);
  panda_dynamics::Robot plant;
  const Motion begin = reference(0.0);
  Vector q = begin.q, v = begin.v, tau{};
  std::array<double, 2 * nv> next;
  const double h = 1e-9 * period;
  long latest = 0, longest = 0, late = 0;
  double error = 0.0;
  become_real_time();

  timespec wake;
  clock_gettime(CLOCK_MONOTONIC, &wake);
  const long cycles = std::lround(seconds / h);
  for (long cycle = 0; cycle < cycles; ++cycle) {
    wake.tv_nsec += period;
    if (wake.tv_nsec >= 1000000000L) {
      wake.tv_nsec -= 1000000000L;
      ++wake.tv_sec;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {}
    timespec woken, done;
    clock_gettime(CLOCK_MONOTONIC, &woken);
    const Motion wanted = reference(static_cast<double>(cycle) * h);
    const Code code = law.track(wanted, q, v, tau);
    clock_gettime(CLOCK_MONOTONIC, &done);
    if (code != Code::ok) {
      std::fprintf(stderr, "no torque in cycle %ld: %s\n", cycle, panda_dynamics::meaning(code));
      return 1;
    }
    latest = std::max(latest, since(wake, woken));
    longest = std::max(longest, since(woken, done));
    late += since(wake, done) > period;
    for (std::size_t k = 0; k < nv; ++k) {
      error = std::max(error, std::abs(wanted.q[k] - q[k]));
    }
    // In the place of the robot: one step of its equations of motion.
    if (plant.rk4_step(q, v, tau, &h, next) != Code::ok) {
      std::fprintf(stderr, "the simulated arm diverged in cycle %ld\n", cycle);
      return 1;
    }
    std::copy_n(next.begin(), nv, q.begin());
    std::copy_n(next.begin() + nv, nv, v.begin());
  }
  std::printf("%ld cycles of 1 ms; woken late by %.1f us at most, law %.1f us at most, "
    "%ld cycles longer than 1 ms; largest error %.2g rad\n",
    cycles, 1e-3 * latest, 1e-3 * longest, late, error);
  return 0;
}
