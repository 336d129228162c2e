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

"""Shares of a batch on pools of processes, threads, dask workers and MPI ranks."""

from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
import multiprocessing
import os
from pathlib import Path
import pickle
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.algorithms.crba import MASS_MATRIX
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import BIAS_FORCES, INVERSE_DYNAMICS
from mbd_ros.dynamics.quantities import kinematics
from mbd_ros.dynamics.quantities.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES, INVERSE_DYNAMICS_DERIVATIVES)
from mbd_ros.dynamics.quantities.energies import ENERGIES
from mbd_ros.errors import InvalidValueError, NotFiniteError, SingularMassError
from mbd_ros.execution import Futures, Interpreted, Threads
from mbd_ros.execution.executors.futures import followed, recipe_of
from mbd_ros.execution.program.sweeps import Outward, Program, Step


@contextmanager
def processes(method):
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        yield pool


@contextmanager
def dask_workers(folder):
    import distributed
    with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
            host='127.0.0.1', local_directory=str(folder)) as cluster:
        with distributed.Client(cluster) as client, client.get_executor() as pool:
            yield pool


@pytest.fixture(scope='module', params=['spawn', 'fork', 'threads', 'dask'])
def pool(request, tmp_path_factory):
    if request.param == 'threads':
        manager = ThreadPoolExecutor(2)
    elif request.param == 'dask':
        manager = dask_workers(tmp_path_factory.mktemp('dask'))
    else:
        manager = processes(request.param)
    with manager as pool:
        yield pool


class Here:
    """A pool that computes at once and counts; whatever it is given must be picklable."""

    def __init__(self):
        self.rows = []

    def submit(self, function, *arguments):
        function, arguments = pickle.loads(pickle.dumps((function, arguments)))
        future = Future()
        future.set_result(function(*arguments))
        self.rows.append(len(future.result()[0]))
        return future


def test_same_as_one_thread(pool):
    model = mbd_ros.load(chain(4, 1), floating_base=True)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(1000, 11)), rng.normal(size=(1000, 10)), rng.normal(size=10)
    executor = Futures(pool, rows=300)
    for function, arguments in ((mbd_ros.forward_dynamics, (q, v, tau)),
                                (mbd_ros.inverse_dynamics, (q, v, tau)),
                                (mbd_ros.mass_matrix, (q,)),
                                (mbd_ros.jacobian, (q, 'link004')),
                                (mbd_ros.pose, (q, 'link004'))):
        np.testing.assert_array_equal(  # the same machine code, wherever it runs
            function(model, *arguments, executor=executor), function(model, *arguments))
    single = mbd_ros.forward_dynamics(model, q[0], v[0], tau, executor=executor)
    np.testing.assert_array_equal(single, mbd_ros.forward_dynamics(model, q[0], v[0], tau))


def test_shares_are_about_equal_and_small_batches_stay():
    model = mbd_ros.load(chain(3, 1))
    states = np.random.default_rng(0).normal(size=(3, 1001, 3))
    here = Here()
    mbd_ros.forward_dynamics(model, *states, executor=Futures(here, rows=300))
    assert sorted(here.rows) == [250, 250, 250, 251]
    mbd_ros.forward_dynamics(model, *states[:, :300], executor=Futures(here, rows=300))
    mbd_ros.forward_dynamics(model, *states, executor=Futures(here))
    mbd_ros.forward_dynamics(model, *states[:, :0], executor=Futures(here, rows=300))
    assert len(here.rows) == 4
    wide = np.zeros((3, 120_000, 3))  # 8.6 MB
    mbd_ros.forward_dynamics(model, *wide, executor=Futures(here))
    assert here.rows[4:] == [40_000] * 3


def test_names_and_composition():
    here = Here()
    assert Futures(here).name == 'futures, compiled'
    assert Futures(here, inner=Threads(2, Interpreted())).name == (
        'futures, 2 threads, interpreted')
    with pytest.raises(InvalidValueError,
                       match='rows is 0; allowed: at least one state in a share'):
        Futures(here, rows=0)
    model = mbd_ros.load(chain(2, 1))
    states = np.random.default_rng(0).normal(size=(3, 9, 2))
    np.testing.assert_array_equal(
        mbd_ros.forward_dynamics(model, *states, executor=Futures(here, 2, Interpreted())),
        mbd_ros.forward_dynamics(model, *states, executor='interpreted'))


@pytest.mark.parametrize('program', [
    FORWARD_DYNAMICS, INVERSE_DYNAMICS, BIAS_FORCES, MASS_MATRIX, ENERGIES,
    FORWARD_DYNAMICS_DERIVATIVES, INVERSE_DYNAMICS_DERIVATIVES,
    kinematics.body_poses(), kinematics.link_pose(0, kinematics.AT_ORIGIN),
    kinematics.link_motion(0, kinematics.AT_ORIGIN),
    kinematics.link_jacobian(0, kinematics.AT_ORIGIN)], ids=lambda program: program.name[:20])
def test_programs_can_be_sent(program):
    assert pickle.loads(pickle.dumps(program)).name == program.name


def test_a_program_that_cannot_be_sent():
    program = Program('mine', ('q',), (Outward(lambda *_: Step(), lambda world: 0.0),))
    with pytest.raises(InvalidValueError, match=r'program mine is .*lambda.*; allowed: what can '
                       'be pickled: functions of modules, no lambda or closure'):
        Futures(Here()).kernel(program, mbd_ros.load(chain(2, 1)))
    with pytest.raises(InvalidValueError, match='program forward_dynamics is'), \
            ThreadPoolExecutor(1) as pool:
        Futures(pool, inner=Futures(pool)).kernel(FORWARD_DYNAMICS, mbd_ros.load(chain(2, 1)))


def test_a_recipe_is_followed_once():
    recipe = recipe_of('a list', list, (1, 2))
    assert followed(recipe) is followed(bytes(recipe))


@pytest.mark.parametrize('error', [
    NotFiniteError('q', "joint 'a'", 1.5), SingularMassError('a', 'no mass'),
    InvalidValueError('x', 3, 'less')])
def test_errors_come_back_as_they_were(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_mpi_ranks(tmp_path):
    """Two ranks work for the first one."""
    pytest.importorskip('mpi4py', reason='an extra of the tests')
    beside = Path(sys.executable).parent
    mpiexec = shutil.which('mpiexec', path=f'{beside}{os.pathsep}{os.environ["PATH"]}')
    assert mpiexec, 'mpi4py is installed, but no MPI: pip install mpich'
    script = tmp_path / 'sweep.py'
    script.write_text(textwrap.dedent("""
        import sys
        from mpi4py.futures import MPIPoolExecutor
        import numpy as np
        import mbd_ros
        from mbd_ros.execution import Futures

        if __name__ == '__main__':
            model = mbd_ros.load(sys.argv[1])
            states = np.random.default_rng(0).normal(size=(3, 1000, 3))
            with MPIPoolExecutor() as pool:
                found = mbd_ros.forward_dynamics(model, *states, executor=Futures(pool, 100))
                print('workers', pool.num_workers)
            assert np.array_equal(found, mbd_ros.forward_dynamics(model, *states))
        """))
    answer = subprocess.run(
        [mpiexec, '-n', '3', sys.executable, '-m', 'mpi4py.futures', script, chain(3, 1)],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path), 'OMPI_ALLOW_RUN_AS_ROOT': '1',
             'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1'},
        capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == 'workers 2\n'
