"""The example of the tutorial on services, as a user runs it; the page quotes it."""

from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

import mbd_ros

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / 'examples' / 'ask_dynamics_server.py'

pytestmark = pytest.mark.nodes


def test_the_page_quotes_the_example():
    page = (ROOT / 'docs' / 'tutorials' / 'services.md').read_text(encoding='utf-8')
    assert f'```python\n{EXAMPLE.read_text(encoding="utf-8")}```' in page


def test_the_example_prints_what_holds_the_arm(launch, urdf):
    launch('dynamics_server.launch.py', 'robot:=three_link_arm')
    done = subprocess.run([sys.executable, str(EXAMPLE)], text=True, capture_output=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    model = mbd_ros.load(urdf('three_link_arm'))
    tau = mbd_ros.gravity_forces(model, np.array([0.0, -0.5, 1.0]))
    assert done.stdout == f'{dict(zip(model.joint_names, tau.tolist()))}\n'
