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

"""The documentation keeps its promises: its Python runs, its commands print what is shown."""

from importlib.util import find_spec
from pathlib import Path
import re
import shlex
import subprocess
import sys

from lxml import etree
import pytest
from rosidl_runtime_py import set_message_fields
from rosidl_runtime_py.utilities import get_action, get_service
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'

PAGES = (ROOT / 'README.md', *sorted(DOCS.rglob('*.md')))


def blocks(language):
    """Return every block of a language as a test case named by page and line."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding='utf-8')
        for block in re.finditer(rf'```{language}\n(.*?)```', text, re.DOTALL):
            line = text.count('\n', 0, block.start()) + 1
            if 'import rclpy' in block[1]:   # needs nodes: test/nodes/test_examples.py
                continue
            if 'import torch' in block[1] and find_spec('torch') is None:
                continue   # test/unit/export/test_torch.py says why
            found.append(pytest.param(block[1], id=f'{page.relative_to(ROOT)}:{line}'))
    return found


@pytest.mark.parametrize('block', blocks('python'))
def test_a_block_of_python_runs_as_pasted(block, tmp_path):
    """In a folder with the repository's robots, and nothing before it."""
    for name in ('urdf', 'config', 'docs'):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / 'pasted.py').write_text(block, encoding='utf-8')
    done = subprocess.run([sys.executable, 'pasted.py'], cwd=tmp_path, text=True,
                          capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_says_which_packages_its_blocks_need_besides(page):
    """Besides those that come with ours: the tests have many more than a user."""
    text = page.read_text(encoding='utf-8')
    ours = re.findall(r"^        '([\w-]+)[<>=']", (ROOT / 'setup.py').read_text(), re.MULTILINE)
    names = {name.split('.')[0] for block in re.findall(r'```python\n(.*?)```', text, re.DOTALL)
             if 'import rclpy' not in block
             for name in re.findall(r'^\s*(?:import|from) ([\w.]+)', block, re.MULTILINE)}
    assert not [name for name in names - {'mbd_ros', *ours, *sys.stdlib_module_names}
                if f'pip install {name}`' not in text]


@pytest.mark.parametrize('block', blocks('yaml'))
def test_a_block_of_yaml_can_be_read(block):
    assert yaml.safe_load(block)


@pytest.mark.parametrize('block', blocks('xml'))
def test_a_block_of_xml_is_well_formed(block):
    names = ' '.join(f'xmlns:{prefix}="x"' for prefix in ('mbd', 'drake', 'xacro'))
    assert len(etree.fromstring(f'<all {names}>{block}</all>'))


@pytest.mark.parametrize('block', blocks('bash'))
def test_a_block_of_commands_can_be_read(block):
    subprocess.run(['bash', '-n'], input=block, text=True, check=True)
    for file in re.findall(r'ros2 launch mbd_ros (\S+)', block):
        assert (ROOT / 'launch' / file).exists()


LASTING = re.compile(r'ros2 (launch|run|bag record|topic (hz|bw|delay|echo (?!--once)))|'
                     r'make (demo|soak)')
"""What runs until Ctrl-C, at which a terminal also drops what was pasted behind it."""


def words(block):
    """Yield the words of each command of a block."""
    for line in block.replace('\\\n', ' ').splitlines():
        if line.strip():
            yield shlex.split(line, comments=True)


@pytest.mark.parametrize('block', blocks('bash'))
def test_what_goes_on_until_it_is_ended_is_the_last_command_of_a_block(block):
    commands = [' '.join(command) for command in words(block)]
    assert not [one for one in commands[:-1] if LASTING.search(one)]


@pytest.mark.parametrize('block', blocks('bash'))
def test_calls_and_goals_have_the_fields_of_their_types(block):
    for command in words(block):
        if command[:3] == ['ros2', 'service', 'call']:
            message, values = get_service(command[4]).Request(), command[5]
        elif command[:3] == ['ros2', 'action', 'send_goal']:
            message, values = get_action(command[-2]).Goal(), command[-1]
        else:
            continue
        set_message_fields(message, yaml.safe_load(values))
        if hasattr(message, 'task'):
            assert isinstance(yaml.safe_load(message.task), dict)


@pytest.mark.parametrize(('page', 'command', 'shown'), [
    (path.name, *found) for path in sorted(DOCS.rglob('*.md'))
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
