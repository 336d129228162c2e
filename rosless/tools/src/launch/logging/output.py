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

"""Where the output of a process goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import logging

from launch.logging.config import launch_config

SETTINGS: dict[str, dict[str, tuple[str, ...]]] = {
    'screen': {'stdout': ('screen',), 'stderr': ('screen',)},
    'log': {'stdout': ('log',), 'stderr': ('log', 'screen')},
    'both': {'stdout': ('log', 'screen'), 'stderr': ('log', 'screen')},
    'own_log': {'stdout': ('own_log',), 'stderr': ('own_log',), 'both': ('own_log',)},
    'full': {'stdout': ('log', 'own_log', 'screen'), 'stderr': ('log', 'own_log', 'screen'),
             'both': ('own_log',)},
}
SINKS = ('screen', 'log', 'own_log')

OutputLoggers = tuple[logging.Logger, logging.Logger]


def get_output_loggers(
    process_name: str, output_config: str | Mapping[str, str | Sequence[str]],
) -> OutputLoggers:
    """
    Return the loggers for the output of a process, which write lines as they are.

    Parameters
    ----------
    process_name : str
        Name of the process.
    output_config : str or mapping
        ``'screen'``, ``'log'`` (errors go to the screen too), ``'both'``, ``'own_log'`` (files of
        its own) or ``'full'``; or a mapping from ``'stdout'``, ``'stderr'``, ``'both'`` to one
        or several of ``'screen'``, ``'log'``, ``'own_log'``.

    Returns
    -------
    tuple of logging.Logger
        For standard output and standard error.

    Raises
    ------
    ValueError
        If the setting is unknown.

    """
    launch_config.install()
    sinks = _sinks(output_config)
    together = 'own_log' in sinks.get('both', ())
    return (_logger(process_name, 'stdout', sinks['stdout'], together),
            _logger(process_name, 'stderr', sinks['stderr'], together))


def _sinks(
    config: str | Mapping[str, str | Sequence[str]],
) -> dict[str, tuple[str, ...]]:
    if isinstance(config, str):
        if config not in SETTINGS:
            raise ValueError(f"'{config}' is not a valid output setting, expected one of "
                             f'{sorted(SETTINGS)}')
        return SETTINGS[config]
    found: dict[str, tuple[str, ...]] = {'stdout': (), 'stderr': ()}
    for source, sinks in config.items():
        listed = (sinks,) if isinstance(sinks, str) else tuple(sinks)
        unknown = [sink for sink in listed if sink not in SINKS]
        if source not in ('stdout', 'stderr', 'both') or unknown:
            raise ValueError(f"'{source}: {sinks}' is not a valid output setting, expected "
                             f"'stdout', 'stderr' or 'both', and of each some of {list(SINKS)}")
        if source == 'both':   # its file of its own is one for both
            found['both'] = listed
            listed = tuple(sink for sink in listed if sink != 'own_log')
        for stream in ('stdout', 'stderr') if source == 'both' else (source,):
            found[stream] = tuple(dict.fromkeys(found[stream] + listed))
    return found


def _logger(
    process_name: str, stream: str, sinks: Sequence[str], together: bool
) -> logging.Logger:
    logger = logging.Logger(f'{process_name}-{stream}', logging.INFO)
    logger.addFilter(_mark_raw)
    for sink in sinks:
        if sink == 'screen':
            logger.addHandler(launch_config.screen_handler)
        elif sink == 'log':
            logger.addHandler(launch_config.file_handler('launch.log'))
        else:
            logger.addHandler(launch_config.file_handler(f'{process_name}-{stream}.log'))
    if together:
        logger.addHandler(launch_config.file_handler(f'{process_name}.log'))
    return logger


def _mark_raw(record: logging.LogRecord) -> bool:
    record.raw = True
    return True
