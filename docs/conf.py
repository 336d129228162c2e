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

"""Sphinx: the pages of the repository with an API reference; ``make docs`` builds it."""

import json
from pathlib import Path

from mbd_ros import __version__

project = 'mbd_ros'
author = copyright = 'The mbd_ros developers'
release = __version__
extensions = ['myst_parser', 'sphinx.ext.autodoc', 'sphinx.ext.napoleon', 'sphinx.ext.viewcode']
source_suffix = {'.md': 'markdown', '.rst': 'restructuredtext', '.ipynb': 'markdown'}
root_doc = 'docs/contents'
include_patterns = ['docs/**', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.rst', 'rosless/**.md',
                    'examples/cpp/README.md']
html_theme = 'alabaster'
html_theme_options = {'page_width': '75rem', 'fixed_sidebar': True}
autodoc_typehints = 'none'
autodoc_member_order = 'groupwise'
napoleon_google_docstring = False
napoleon_use_ivar = True
myst_heading_anchors = 3


def as_markdown(app, name, content):
    """Make a notebook a page: its text and its code, which is not run."""
    if Path(app.env.doc2path(name)).suffix == '.ipynb':
        marks = {'markdown': '{}', 'code': '```python\n{}\n```'}
        content[0] = '\n\n'.join(marks[cell['cell_type']].format(''.join(cell['source']))
                                 for cell in json.loads(content[0])['cells'])


def setup(app):
    """Let Sphinx read notebooks."""
    app.connect('source-read', as_markdown)
