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
Run the benchmarks and print their tables: ``python -m benchmarks [WORD ...]``.

Words choose the tables whose titles hold one of them; all, without words, take about an hour.

"""

import sys

from benchmarks import (
    batches, closed_loops, cold_start, composition, control, control_step, denormals, derivatives,
    first_answer, flexible, flexible_peer, inverse_kinematics, learning, loading, modules, native,
    parallel_forms, per_call, server, server_stages, start, sweep, swing_up, underwater,
    whole_robot, within_state)
from benchmarks.timing import machine


TABLES = {
    'One state, one call, one thread': per_call.rows,
    'Derivatives, one state, one call, one thread': derivatives.rows,
    'The whole robot and its links, against Pinocchio': whole_robot.rows,
    'What keywords cost': whole_robot.keywords,
    'Inverse kinematics, against TRAC-IK': inverse_kinematics.rows,
    'Inverse kinematics of closed loops': inverse_kinematics.loops,
    'A step of differential kinematics, against pink': inverse_kinematics.steps,
    'Formulations at six bodies': whole_robot.formulations,
    'Forward dynamics of many states in one call': batches.rows,
    'Two threads, many states': batches.threads,
    'Numbers below the smallest normal one, in batches': denormals.rows,
    'Subtrees of equal shape in lanes, one state': within_state.lanes,
    'Long chains, one state': within_state.chains,
    'Two threads, one state': within_state.threads,
    'Chains by the augmented formulation': parallel_forms.chains,
    'Formulations in NumPy, batches': parallel_forms.batches,
    'Halves of a ring, one state': within_state.halves,
    'Closed planar rings, one state': closed_loops.rings,
    'Rings out of a plane of the world, one state': closed_loops.leaning,
    'Rings in segments, one state': closed_loops.segments,
    'Parallel robots, one state': closed_loops.robots,
    'Flexible links, one call': flexible.calls,
    'Flexible links, runs': flexible.runs,
    'Flexible links, long chains': flexible.chains,
    'Flexible links, against Exudyn': flexible_peer.rows,
    'An arm in water': underwater.arms,
    'Swarms and snakes in water, one state': underwater.modules,
    'A walk on the sea bed': underwater.walks,
    'Gaits in water, many robots': underwater.gaits,
    'A minute of the slider-crank': closed_loops.minutes,
    'From the text of a URDF to a model': loading.rows,
    'From the start of a process to the first answers': start.rows,
    'Robots of many modules, from the file': modules.rows,
    'The first answer of forward dynamics': first_answer.rows,
    'From the launch of a robot to its first effort command': cold_start.rows,
    'The control loop, nodes in one process and in several': composition.rows,
    'A control step, every robot': control_step.rows,
    'The controller: a step, exact and disturbed data': control.steps,
    'Against other laws': control.comparison,
    'Disturbed joint states': control.disturbances,
    'The server: one request of many states': server.sizes,
    'The server: stages of a request': server_stages.stages,
    'The server: small requests between large ones': server.together,
    'Ten million states through a pool': sweep.rows,
    'Five million states that workers make': sweep.sweeps,
    'The same by processes, dask.distributed and Ray': sweep.pools,
    'Swing-ups by IPOPT': swing_up.rows,
    'Robots in PyTorch and JAX': learning.rows,
    'Exported libraries in C++, against Pinocchio and CasADi': native.rows,
}


def main() -> None:
    """Print the chosen tables with the machine's description."""
    words = [word.lower() for word in sys.argv[1:]]
    chosen = {title: rows for title, rows in TABLES.items()
              if not words or any(word in title.lower() for word in words)}
    if not chosen:
        sys.exit('no title holds one of these words; titles:\n  ' + '\n  '.join(TABLES))
    print(f'Machine: {machine()}\n')
    for title, rows in chosen.items():
        print(f'## {title}\n')
        for line in rows():
            print(line, flush=True)
        print()


if __name__ == '__main__':
    main()
