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

"""The number of processors, with the files of control groups as Docker and systemd make them."""

from hypothesis import given, settings, strategies as st
import pytest

from mbd_ros.execution.threads import processors


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Return what writes files below a root, on a machine with 64 processors."""
    monkeypatch.setattr(processors, 'CONTROL_GROUPS', tmp_path / 'sys')
    monkeypatch.setattr(processors, 'OF_THIS_PROCESS', tmp_path / 'cgroup')
    monkeypatch.setattr(processors.os, 'sched_getaffinity', lambda pid: range(64), raising=False)

    def write(of_process, files):
        (tmp_path / 'cgroup').write_text(of_process)
        for name, text in files.items():
            path = tmp_path / 'sys' / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        processors.processors.cache_clear()
        return processors.processors()
    yield write
    processors.processors.cache_clear()


@pytest.mark.parametrize(('of_process', 'files', 'expected'), [
    ('', {}, 64),
    ('0::/\n', {'cpu.max': 'max 100000\n'}, 64),
    ('0::/\n', {'cpu.max': '100000 100000\n'}, 1),           # docker run --cpus=1, version 2
    ('0::/\n', {'cpu.max': '250000 100000\n'}, 3),
    ('0::/\n', {'cpu.max': '20000 100000\n'}, 1),
    # The group's own quota and those of the groups that it is in.
    ('0::/a/b\n', {'a/b/cpu.max': 'max 100000', 'a/cpu.max': '200000 100000'}, 2),
    ('0::/a/b\n', {'a/b/cpu.max': '400000 100000', 'a/cpu.max': '800000 100000'}, 4),
    ('1:cpu,cpuacct:/docker/f00\n0::/\n',                # the path is the host's, version 1
     {'cpu,cpuacct/cpu.cfs_quota_us': '150000\n', 'cpu,cpuacct/cpu.cfs_period_us': '100000\n'}, 2),
    ('3:cpuset:/\n1:cpu:/jobs\n',
     {'cpu/jobs/cpu.cfs_quota_us': '-1', 'cpu/jobs/cpu.cfs_period_us': '100000',
      'cpu/cpu.cfs_quota_us': '700000', 'cpu/cpu.cfs_period_us': '100000'}, 7),
    ('1:cpu:/\n0::/\n', {'cpu/cpu.cfs_quota_us': '-1', 'cpu/cpu.cfs_period_us': '100000',
                         'unified/cpu.max': '300000 100000'}, 3),
    ('0::/\n', {'cpu.max': ''}, 64), ('0::/\n', {'cpu.max': '0 0'}, 64),
    ('0::/\n', {'cpu.max': 'nan 1'}, 64), ('0::/\n', {'cpu.max': 'inf inf'}, 64),
    ('0::/\n', {'cpu.max': '1 2 3'}, 64),
    ('rubbish\n::::\n0::\n', {'cpu.max': '9900000 100000'}, 64)])
def test_quotas_of_control_groups_count(machine, of_process, files, expected):
    assert machine(of_process, files) == expected


@settings(max_examples=40)
@given(st.text(), st.text(max_size=20))
def test_whatever_the_files_hold_there_is_a_number(tmp_path_factory, of_process, quota):
    folder = tmp_path_factory.mktemp('machine')
    (folder / 'cgroup').write_text(of_process, encoding='utf-8', errors='surrogateescape')
    (folder / 'cpu.max').write_text(quota, encoding='utf-8', errors='surrogateescape')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processors, 'CONTROL_GROUPS', folder)
        patch.setattr(processors, 'OF_THIS_PROCESS', folder / 'cgroup')
        assert processors.quota() > 0.0
