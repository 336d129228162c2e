"""Nodes leave the processors to each other."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(('said', 'threads'), [({}, '1'), ({'OPENBLAS_NUM_THREADS': '3'}, '3')])
def test_matrices_take_one_thread_unless_somebody_says_so(said, threads):
    """Threads of OpenBLAS that wait take processor time of the nodes beside them."""
    script = 'import os, mbd_ros.nodes; print(os.environ["OPENBLAS_NUM_THREADS"])'
    known = {name: value for name, value in os.environ.items() if name != 'OPENBLAS_NUM_THREADS'}
    assert subprocess.run([sys.executable, '-c', script], check=True, capture_output=True,
                          text=True, env=known | said).stdout.strip() == threads
