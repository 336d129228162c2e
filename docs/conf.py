"""Sphinx: the pages of the repository with an API reference; ``make docs`` builds it."""

from mbd_ros import __version__

project = 'mbd_ros'
author = copyright = 'The mbd_ros developers'
release = __version__
extensions = ['myst_parser', 'sphinx.ext.autodoc', 'sphinx.ext.napoleon', 'sphinx.ext.viewcode']
source_suffix = {'.md': 'markdown', '.rst': 'restructuredtext'}
root_doc = 'docs/contents'
include_patterns = ['docs/**', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.rst', 'rosless/**.md']
html_theme = 'alabaster'
html_theme_options = {'page_width': '75rem', 'fixed_sidebar': True}
autodoc_typehints = 'none'
autodoc_member_order = 'groupwise'
napoleon_google_docstring = False
napoleon_use_ivar = True
myst_heading_anchors = 3
