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

"""The table that ``make real`` writes, from a report of pytest."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
REPORT = """
<testsuites><testsuite name="pytest">
<testcase classname="test.nodes.test_turns" name="test_a[x]" time="1.6"/>
<testcase classname="test.nodes.test_turns" name="test_b" time="2.0">
<failure>no</failure></testcase>
<testcase classname="test.nodes.test_guards.TestOne" name="test_c" time="0.2">
<skipped>why</skipped></testcase>
<testcase classname="test.nodes.test_guards" name="test_d" time="4.0"/>
<testcase classname="" name="test.nodes.test_launch_test" time="0"><skipped/></testcase>
</testsuite></testsuites>
"""


@pytest.fixture
def script():
    """Return the module of the script."""
    spec = importlib.util.spec_from_file_location('real_table', ROOT / 'scripts' / 'real_table.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize('distro', [[], ['kilted'], ['jazzy']])
def test_the_table_of_a_run(script, tmp_path, monkeypatch, distro):
    report, page = tmp_path / 'junit.xml', tmp_path / 'page.md'
    report.write_text(REPORT)
    other = script.begin('jazzy' if distro != ['jazzy'] else 'kilted') + f'other\n{script.END}'
    page.write_text(f'before\n{script.begin(*distro)}old\n{script.END}{other}after\n')
    monkeypatch.setattr(script, 'PAGE', page)
    monkeypatch.setattr(script.sys, 'argv', ['', str(report), *distro])
    script.main()
    script.main()   # the same again
    text = page.read_text()
    assert text.startswith('before\n') and text.endswith(f'{other}after\n') and 'old' not in text
    assert text.count('2 passed, 1 failed, 2 skipped in 8 s') == 1
    assert '| `test_turns` | 1 | 1 | 0 | 4 | `test_b` failed |' in text
    assert '| `test_guards` | 1 | 0 | 1 | 4 | `test_c` skipped |' in text


@pytest.mark.parametrize('distro', ['kilted', 'jazzy'])
def test_the_page_has_a_place_for_it(script, distro):
    before, found, rest = script.PAGE.read_text().partition(script.begin(distro))
    assert found and script.END in rest and before.count('<!-- made') == before.count(script.END)


def test_a_distribution_that_the_page_does_not_have(script, tmp_path, monkeypatch):
    page = tmp_path / 'page.md'
    page.write_text(f'{script.begin()}old\n{script.END}')
    monkeypatch.setattr(script, 'PAGE', page)
    monkeypatch.setattr(script.sys, 'argv', ['', '', 'rolling'])
    with pytest.raises(SystemExit, match='has no line <!-- made by make real DISTRO=rolling'):
        script.main()
    assert 'old' in page.read_text()
