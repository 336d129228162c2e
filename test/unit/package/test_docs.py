"""The documentation keeps its promises: its Python runs, its commands print what is shown."""

from pathlib import Path
import re
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / 'docs'

BEFORE = {
    'constraints.md': "import mbd_ros; model = mbd_ros.load('urdf/puma560.urdf')",
    'executors.md': """
import numpy as np
from concurrent.futures import ThreadPoolExecutor
q = v = tau = np.zeros((50, 6))
largest = np.zeros(6)
def batches():
    for _ in range(3):
        yield q, v, tau
""",
}
"""What stands before the examples of a page."""

INERTIA = """<inertial><mass value="9"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial>"""


def examples(page):
    """Return the Python of a page in one piece."""
    text = (DOCS / page).read_text(encoding='utf-8')
    return '\n'.join(re.findall(r'```python\n(.*?)```', text, re.DOTALL))


@pytest.mark.parametrize('page', sorted(
    path.name for path in DOCS.glob('*.md') if '```python' in path.read_text(encoding='utf-8')))
def test_the_python_of_a_page_runs(page, tmp_path):
    for name in ('urdf', 'config'):
        (tmp_path / name).symlink_to(ROOT / name)
    robot = (ROOT / 'urdf' / 'puma560.urdf').read_text(encoding='utf-8')
    (tmp_path / 'robot.urdf').write_text(re.sub(   # for the robot that floats
        '<link name="base_link">', f'<link name="base_link">{INERTIA}', robot), encoding='utf-8')
    (tmp_path / 'example.py').write_text(f'{BEFORE.get(page, "")}\n{examples(page)}')
    done = subprocess.run([sys.executable, 'example.py'], cwd=tmp_path, text=True,
                          capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(('page', 'command', 'shown'), [
    (path.name, *found) for path in sorted(DOCS.glob('*.md'))
    for found in re.findall(r'```\n\$ mbd_ros ([^\n]+)\n(.+?)```',
                            path.read_text(encoding='utf-8'), re.DOTALL)])
def test_a_command_prints_what_is_shown(page, command, shown):
    program = 'import sys; from mbd_ros.cli.command import main; sys.exit(main())'
    done = subprocess.run([sys.executable, '-c', program, *command.split()], cwd=ROOT,
                          text=True, capture_output=True, timeout=120, check=False)
    assert done.stdout + done.stderr == shown


def test_each_file_of_test_data_says_where_its_numbers_come_from():
    folder = ROOT / 'test' / 'data'
    patterns = re.findall(r'`([^`]+\.(?:json|urdf|yaml|xml|sdf)[^`]*)`',
                          (folder / 'README.md').read_text(encoding='utf-8'))
    listed = {path for pattern in patterns for path in folder.glob(pattern)}
    files = {path for path in folder.rglob('*') if path.is_file() and path.name != 'README.md'}
    assert files == listed
