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

"""A sweep on Ray, by the adapter that the page of executors shows."""

from contextlib import closing
import os
from pathlib import Path
import re
import subprocess
import sys

from processes import starting
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 900.0
"""Ray's own processes alone took 40 s to start on a machine with a load of 24 [s]."""

PROGRAM = """
import fcntl, functools, socket, struct, subprocess, tempfile
import numpy as np
import mbd_ros
from swept_states import deadly, reduced, states

model = mbd_ros.load('urdf/puma560.urdf')
combine = {'sum': np.add, 'largest': np.maximum}
swept = functools.partial(mbd_ros.sweep, model, 'forward_dynamics', shares=20, reduce=reduced,
                          combine=combine)
expected = swept(states=states)
with socket.socket() as one:   # lo, all that there is here: SIOCSIFFLAGS, IFF_UP
    fcntl.ioctl(one, 0x8914, struct.pack('16sh14x', b'lo', 1))
with tempfile.TemporaryDirectory(prefix='ray') as folder:   # short, for names of sockets
    # Ports are given, since Ray waits no longer than 15 s for a process of its own to choose one.
    ports = [f'--{name}-port={6400 + k}' for k, name in enumerate((
        'dashboard-agent-listen', 'dashboard-agent-grpc', 'runtime-env-agent', 'metrics-export'))]
    start = ['ray', 'start', '--head', '--num-cpus=2', '--include-dashboard=false',
             '--node-ip-address=127.0.0.1', f'--temp-dir={folder}', *ports,
             '--object-store-memory=80000000']
    if subprocess.run(start).returncode:   # of many processes one was late on a busy machine
        subprocess.run(['ray', 'stop', '--force'])
        subprocess.run(start, check=True)
    ray.init('127.0.0.1:6379', log_to_driver=False)
    for make in (states, functools.partial(deadly, folder)):   # the second kills a worker
        totals = swept(states=make, pool=RayPool())
        print('the same bits:', all(np.array_equal(totals[k], expected[k]) for k in expected))
    ray.shutdown()
"""


def test_shares_on_ray_are_what_one_process_computes(tmp_path):
    """
    Also where a worker dies: Ray begins its share anew.

    Some of Ray's ports listen on all interfaces, so it gets a network with loopback alone.
    """
    pytest.importorskip('ray')   # which has no wheels for the newest Python at first
    alone = ['unshare', '--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child',
             '--mount-proc']   # nothing of Ray's outlives the test
    if subprocess.run([*alone, 'true'], check=False).returncode:
        pytest.skip('this machine permits no network namespaces (unshare --user --net)')
    page = (ROOT / 'docs' / 'executors.md').read_text(encoding='utf-8')
    adapter = re.search(r'```text\n(import functools.*?)```', page, re.DOTALL)[1]
    assert len(adapter.partition('class RayPool:\n')[2].splitlines()) == 3
    script = tmp_path / 'on_ray.py'
    script.write_text(f'{adapter}\n{PROGRAM}', encoding='utf-8')
    with closing(starting(tmp_path)) as starters:
        running = next(starters)(*alone, 'env', '-C', ROOT, sys.executable, script, environment={
            'PYTHONPATH': os.pathsep.join((str(ROOT), str(ROOT / 'test' / 'support'))),
            'RAY_AUTH_MODE': 'disabled',   # nobody else is there; no token is kept in ~/.ray
            'RAY_USAGE_STATS_ENABLED': '0', 'RAY_memory_monitor_refresh_ms': '0',
            'RAY_raylet_start_wait_time_s': '600', 'RAY_gcs_server_port_wait_time_s': '600'})
        code = running.process.wait(PATIENCE)
        assert code == 0, running.output
        assert running.output.count('the same bits: True') == 2, running.output
