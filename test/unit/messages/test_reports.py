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

"""What nodes say, kept for the page: bounded whatever comes."""

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from hypothesis import given, strategies as st
import pytest
from rcl_interfaces.msg import Log

from mbd_ros.messages.states.reports import clock_of, KEPT, LONGEST, Report, Reports


def log(text, level=20, name='simulator'):
    return Log(stamp=Time(sec=5), level=level, name=name, msg=text)


def status(message, level=DiagnosticStatus.OK, name='/simulator'):
    return DiagnosticArray(status=[DiagnosticStatus(name=name, level=level, message=message)])


def texts(reports, level='info'):
    return [one.text for one in reports.newest(level)]


def test_the_newest_report_is_first_and_repeated_ones_are_counted():
    reports = Reports()
    for text in ('a', 'b', 'b', 'b'):
        assert reports.take_log(log(text)) == ['info']
    assert texts(reports) == ['b', 'a']
    assert [one.times for one in reports.newest()] == [3, 1]


@pytest.mark.parametrize(('number', 'level'), [
    (10, []), (19, []), (20, ['info']), (30, ['warning']), (35, ['warning']), (40, ['error']),
    (50, ['error']), (255, ['error'])])
def test_levels_of_the_log(number, level):
    reports = Reports()
    assert reports.take_log(log('text', number)) == level
    assert [one.level for one in reports.newest()] == level


def test_a_status_is_a_report_when_it_changes():
    reports = Reports()
    assert reports.take_diagnostics(status('ready')) == []       # nobody waits for that
    assert reports.take_diagnostics(status('late', DiagnosticStatus.WARN)) == ['warning']
    assert reports.take_diagnostics(status('late', DiagnosticStatus.WARN)) == []
    assert reports.take_diagnostics(status('ready')) == ['info']
    assert reports.take_diagnostics(status('gone', DiagnosticStatus.STALE)) == ['error']
    assert texts(reports) == ['gone', 'ready', 'late']
    assert texts(reports, 'warning') == ['gone', 'late']
    reports.clear()
    assert not texts(reports)


@given(st.lists(st.tuples(st.integers(0, 255), st.text(max_size=3), st.booleans()), max_size=40))
def test_what_is_kept_is_bounded(said):
    """Names and texts of a hostile node are long and new every time."""
    reports = Reports()
    for place, (level, text, logged) in enumerate(said * 10):
        name = f'{place}{text}' * 200
        if logged:
            reports.take_log(log(name, level, name))
        else:
            reports.take_diagnostics(status(name, bytes([level]), name))
    kept = reports.newest('debug')
    assert len(kept) <= KEPT
    assert all(len(one.text) <= LONGEST and len(one.node) <= LONGEST for one in kept)
    assert len(reports._status) <= KEPT


def test_clocks():
    day = 1_795_850_324
    assert clock_of(Report(day * 10**9, 'info', '', '')) == '07:18:44'
    assert clock_of(Report(12 * 10**9 + 5, 'info', '', '')) == '12 s'   # simulated
