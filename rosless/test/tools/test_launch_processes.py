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

"""Processes of a launch: start, output, end, respawn; and that none is left behind."""

import os
import re
import signal
import sys
import time

import pytest

SLEEPER = "ExecuteProcess(cmd=['sleep', '60'], name='sleeper', output='screen')"
STUBBORN = (
    "ExecuteProcess(cmd=[PY, '-c', 'import signal, time; "
    'signal.signal(signal.SIGINT, signal.SIG_IGN); {more}'
    "print(\"ready\", flush=True); time.sleep(60)'], name='stubborn', output='screen')")


def test_output_has_the_form_of_launch(ros2, launch_file):
    path = launch_file(
        "ExecuteProcess(cmd=['sh', '-c', 'echo out; echo err >&2; exit 3'], name='talker', "
        "output='screen')")
    launched = ros2('launch', path)
    assert launched.finish() == 0
    pid = launched.wait_for(r'^\[INFO\] \[talker-1\]: process started with pid \[(\d+)\]$')[0]
    assert '[INFO] [launch]: All log files can be found below ' in launched.text
    assert '[talker-1] out' in launched.lines
    assert '[talker-1] err' in launched.lines
    assert (f'[ERROR] [talker-1]: process has died [pid {pid}, exit code 3, '
            "cmd 'sh -c echo out; echo err >&2; exit 3'].") in launched.lines


def test_clean_end_is_reported_after_the_last_output(ros2, launch_file):
    path = launch_file(
        "ExecuteProcess(cmd=['printf', 'no end of line'], name='p', output='screen')")
    launched = ros2('launch', path)
    launched.finish()
    end = launched.wait_for(r'^\[INFO\] \[p-1\]: process has finished cleanly \[pid \d+\]$')[0]
    assert launched.lines.index('[p-1] no end of line') < launched.lines.index(end)


def test_output_log_goes_to_a_file_and_errors_to_the_screen_too(
        ros2, launch_file, environment, tmp_path):
    path = launch_file(
        "ExecuteProcess(cmd=['sh', '-c', 'echo hidden; echo shown >&2'], name='p', output='log')")
    launched = ros2('launch', path, env={'ROS_LOG_DIR': str(tmp_path / 'log')})
    launched.finish()
    assert '[p-1] shown' in launched.text
    assert 'hidden' not in launched.text
    (log,) = (tmp_path / 'log').rglob('launch.log')
    assert '[p-1] hidden' in log.read_text()
    assert '[p-1] shown' in log.read_text()


def test_a_program_that_is_missing_is_reported_and_the_others_run(ros2, launch_file):
    path = launch_file("ExecuteProcess(cmd=['/no/such/program'], name='absent')",
                       "ExecuteProcess(cmd=['echo', 'alive'], name='p', output='screen')")
    launched = ros2('launch', path)
    launched.finish()
    assert "No such file or directory: '/no/such/program'" in launched.text
    assert '[p-2] alive' in launched.text


def test_ctrl_c_ends_all_at_once(ros2, launch_file, gone):
    launched = ros2('launch', launch_file(SLEEPER, SLEEPER), 'sigterm_timeout:=50')
    pids = launched.wait_for(r'process started with pid \[(\d+)\]', count=2)
    launched.signal(signal.SIGINT)
    assert launched.finish() == 0
    assert 'escalating' not in launched.text  # SIGINT is enough for sleep
    assert '[WARNING] [launch]: user interrupted with ctrl-c (SIGINT)' in launched.text
    assert "exit code -2, cmd 'sleep 60'" in launched.text
    gone(pids)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP])
def test_other_ending_signals_do_the_same(ros2, launch_file, gone, number):
    launched = ros2('launch', launch_file(SLEEPER))
    pids = launched.wait_for(r'process started with pid \[(\d+)\]')
    launched.signal(number)
    assert launched.finish() == 0
    assert f'[WARNING] [launch]: received {number.name}' in launched.text
    assert "[INFO] [sleeper-1]: sending signal 'SIGINT' to process[sleeper-1]" in launched.text
    gone(pids)


def test_a_second_ctrl_c_is_ignored(ros2, launch_file):
    launched = ros2('launch', launch_file(STUBBORN.format(more='')), 'sigterm_timeout:=50')
    launched.wait_for('ready')
    launched.signal(signal.SIGINT)
    launched.wait_for('user interrupted with ctrl-c')
    launched.signal(signal.SIGINT)
    launched.wait_for(r'user interrupted with ctrl-c \(SIGINT\) again, ignoring\.\.\.')
    os.kill(int(launched.wait_for(r'pid \[(\d+)\]')[0]), signal.SIGTERM)
    launched.finish()


def test_escalation_to_sigterm(ros2, launch_file, gone):
    launched = ros2('launch', launch_file(STUBBORN.format(more='')), 'sigterm_timeout:=0.3')
    launched.wait_for('ready')
    pids = launched.wait_for(r'pid \[(\d+)\]')
    launched.signal(signal.SIGINT)
    launched.finish()
    assert ("[ERROR] [stubborn-1]: process[stubborn-1] failed to terminate '0.3' seconds after "
            "receiving 'SIGINT', escalating to 'SIGTERM'") in launched.text
    assert 'exit code -15' in launched.text
    gone(pids)


def test_escalation_to_sigkill(ros2, launch_file, gone):
    stubborn = STUBBORN.format(more='signal.signal(signal.SIGTERM, signal.SIG_IGN); ')
    launched = ros2('launch', launch_file(stubborn),
                    'sigterm_timeout:=0.2', 'sigkill_timeout:=0.2')
    launched.wait_for('ready')
    pids = launched.wait_for(r'pid \[(\d+)\]')
    launched.signal(signal.SIGINT)
    launched.finish()
    assert ("failed to terminate '0.4' seconds after receiving 'SIGTERM', "
            "escalating to 'SIGKILL'") in launched.text
    assert 'exit code -9' in launched.text
    gone(pids)


def test_what_a_process_has_started_ends_with_it(ros2, launch_file, gone):
    shell = "ExecuteProcess(cmd=['sleep 60 & echo child $!; wait'], shell=True, output='screen')"
    launched = ros2('launch', launch_file(shell))
    child = launched.wait_for(r'child (\d+)')
    launched.signal(signal.SIGINT)
    launched.finish()
    gone(child)


def test_nothing_is_left_behind_when_launch_is_killed(ros2, launch_file, gone):
    shell = "ExecuteProcess(cmd=['sleep 60 & echo child $!; wait'], shell=True, output='screen')"
    launched = ros2('launch', launch_file(SLEEPER, STUBBORN.format(more=''), shell))
    pids = launched.wait_for(r'process started with pid \[(\d+)\]', count=3)
    child = launched.wait_for(r'child (\d+)')
    launched.wait_for('ready')
    launched.signal(signal.SIGKILL)
    assert launched.finish() == -signal.SIGKILL
    gone(pids + child)


def test_launch_in_the_background_of_a_shell_obeys_sigint(start, launch_file, gone):
    path = launch_file(SLEEPER)
    shell = start('sh', '-c', f'{sys.executable} -m ros2cli launch '
                  f'{path} & echo launch $!; wait')
    launch = int(shell.wait_for(r'launch (\d+)')[0])
    pids = shell.wait_for(r'process started with pid \[(\d+)\]')
    os.kill(launch, signal.SIGINT)
    gone([launch, *pids])


def test_respawn(ros2, launch_file):
    path = launch_file("ExecuteProcess(cmd=['sh', '-c', 'exit 1'], name='p', respawn=True, "
                       'respawn_delay=0.1, respawn_max_retries=2)')
    launched = ros2('launch', path)
    assert launched.finish() == 0
    assert len(launched.wait_for(r'\[p-1\]: process started', count=3)) == 3
    assert len(launched.wait_for(r'\[p-1\]: process has died', count=3)) == 3


def test_ctrl_c_during_the_delay_of_a_respawn_is_prompt(ros2, launch_file):
    path = launch_file(
        "ExecuteProcess(cmd=['true'], name='p', respawn=True, respawn_delay=60.0)")
    launched = ros2('launch', path)
    launched.wait_for('finished cleanly')
    begin = time.monotonic()
    launched.signal(signal.SIGINT)
    launched.finish()
    assert time.monotonic() - begin < 50.0  # the delay is 60 s
    assert launched.text.count('process started') == 1


def test_the_death_of_one_process_leaves_the_others_running(ros2, launch_file):
    path = launch_file(SLEEPER, "ExecuteProcess(cmd=['sleep', '61'], name='victim')")
    launched = ros2('launch', path)
    first, victim = launched.wait_for(r'process started with pid \[(\d+)\]', count=2)
    os.kill(int(victim), signal.SIGKILL)
    launched.wait_for(rf'\[ERROR\] \[victim-2\]: process has died \[pid {victim}, exit code -9')
    time.sleep(0.3)
    assert launched.process.poll() is None
    assert os.path.exists(f'/proc/{first}')


def test_prefix_for_programs_of_a_name(ros2, launch_file):
    path = launch_file("ExecuteProcess(cmd=['echo', 'one'], output='screen')",
                       "ExecuteProcess(cmd=['printf', 'two'], output='screen')",
                       "ExecuteProcess(cmd=['echo', 'own'], output='screen', prefix='env')")
    running = ros2('launch', path, '--launch-prefix', 'echo before',
                   '--launch-prefix-filter', 'ec.o')
    assert running.finish() == 0
    assert {'[echo-1] before echo one', '[printf-2] two', '[echo-3] own'} <= set(running.lines)


def test_emulated_terminal(ros2, launch_file):
    path = launch_file("ExecuteProcess(cmd=[PY, '-c', 'import sys; print(sys.stdout.isatty())'], "
                       "name='p', output='screen', emulate_tty=True)")
    launched = ros2('launch', path)
    launched.finish()
    assert '[p-1] True' in launched.lines


def test_environment_and_working_directory(ros2, launch_file, tmp_path):
    (tmp_path / 'here').mkdir()
    path = launch_file(
        "SetEnvironmentVariable('COLOR', 'blue')",
        "ExecuteProcess(cmd=['sh', '-c', 'echo $COLOR $SHAPE; pwd'], name='p', output='screen', "
        f"cwd='{tmp_path}/here', additional_env={{'SHAPE': 'round'}})")
    launched = ros2('launch', path)
    launched.finish()
    assert '[p-1] blue round' in launched.lines
    assert f'[p-1] {tmp_path}/here' in launched.lines


def test_forms_of_messages_and_the_latest_log(ros2, launch_file, tmp_path):
    path = launch_file("LogInfo(msg='hello')",
                       before='from launch.logging import launch_config\n'
                       "launch_config.set_screen_format('default_with_timestamp')")
    running = ros2('launch', path, env={'ROS_LOG_DIR': str(tmp_path / 'log')})
    assert running.finish() == 0
    assert re.search(r'^\d+\.\d{7} \[INFO\] \[launch.user\]: hello$', running.text, re.MULTILINE)
    latest = tmp_path / 'log' / 'latest' / 'launch.log'
    assert '[INFO] [launch.user]: hello' in latest.read_text()
    running = ros2('launch', path, env={'OVERRIDE_LAUNCH_SCREEN_FORMAT': '{levelname}>{message}'})
    assert running.finish() == 0
    assert 'INFO>hello' in running.lines
