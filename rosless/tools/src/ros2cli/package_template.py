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

"""The files of a new package written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

MANIFEST = """\
<?xml version="1.0"?>
<?xml-model href="http://download.ros.org/schema/package_format{format}.xsd" \
schematypens="http://www.w3.org/2001/XMLSchema"?>
<package format="{format}">
  <name>{name}</name>
  <version>0.0.0</version>
  <description>{description}</description>
  <maintainer email="{email}">{maintainer}</maintainer>
  <license>{license}</license>

{depends}  <test_depend>python3-pytest</test_depend>

  <export>
    <build_type>ament_python</build_type>
  </export>
</package>
"""

SETUP = """\
from setuptools import find_packages
from setuptools import setup

package_name = {name!r}

setup(
    name=package_name,
    version='0.0.0',
    packages=find_packages(exclude=['test']),
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer={maintainer!r},
    maintainer_email={email!r},
    description={description!r},
    license={license!r},
    entry_points={{
        'console_scripts': [{scripts}],
    }},
)
"""

SETUP_OPTIONS = """\
[develop]
script_dir=$base/lib/{name}
[install]
install_scripts=$base/lib/{name}
"""

NODE = """\
def main():
    print('Hi from {name}.')


if __name__ == '__main__':
    main()
"""


def package_files(
    name: str,
    *,
    package_format: int = 3,
    description: str = '',
    license_name: str = '',
    maintainer: str = '',
    email: str = '',
    dependencies: Sequence[str] = (),
    node: str | None = None,
    library: str | None = None,
) -> dict[str, str]:
    """
    Return the files of a package: paths in its folder, and texts.

    Parameters
    ----------
    name : str
        Name of the package.
    package_format : int
        Format of ``package.xml``.
    description, license_name, maintainer, email : str
        For ``package.xml`` and ``setup.py``.
    dependencies : sequence of str
        Names of packages it needs.
    node, library : str, optional
        Names of a program and of a module to begin with.

    """
    depends = ''.join(f'  <depend>{escape(item)}</depend>\n' for item in dependencies)
    facts = {'name': name, 'description': description, 'maintainer': maintainer, 'email': email,
             'license': license_name}
    files = {
        'package.xml': MANIFEST.format(
            format=package_format, depends=f'{depends}\n' if depends else '',
            **{key: escape(value, {'"': '&quot;'}) for key, value in facts.items()}),
        f'{name}/__init__.py': '',
        'setup.py': SETUP.format(
            scripts=f"'{node} = {name}.{node}:main'" if node else '', **facts),
        'setup.cfg': SETUP_OPTIONS.format(name=name),
        f'resource/{name}': '',
    }
    if node:
        files[f'{name}/{node}.py'] = NODE.format(name=name)
    if library:
        files[f'{name}/{library}/__init__.py'] = ''
    return files
