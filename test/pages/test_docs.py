"""The documentation keeps its promises: its Python runs, its commands print what is shown."""

from pathlib import Path
import re
import subprocess
import sys

from lxml import etree
import pytest
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
