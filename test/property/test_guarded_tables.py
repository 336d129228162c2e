"""Machine code reads and writes its own tables only, whatever body or the ground is its target."""

from pathlib import Path
import subprocess
import sys

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / 'support' / 'guarded.py'


@pytest.mark.parametrize('end', ['low', 'high'])
@pytest.mark.parametrize('seed', range(2))
def test_every_program_under_every_executor_between_guard_pages(seed, end):
    """In a process of its own, which a wrong address ends; random trees and loops."""
    done = subprocess.run([sys.executable, str(SCRIPT), str(seed), end], capture_output=True,
                          text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == 'all tables kept\n'
