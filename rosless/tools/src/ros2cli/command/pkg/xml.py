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

"""``ros2 pkg xml``."""

from __future__ import annotations

import argparse
from pathlib import Path
from xml.etree import ElementTree

from ament_index_python.packages import get_package_share_directory
from ament_index_python.packages import PackageNotFoundError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('package_name', help='The package name')
    parser.add_argument('-t', '--tag', help="The package's xml's tag to print")


def main(args: argparse.Namespace) -> str | None:
    """Print the manifest of a package, or the texts of one of its tags."""
    try:
        share = get_package_share_directory(args.package_name, print_warning=False)
    except (PackageNotFoundError, ValueError):
        return 'Package not found'
    path = Path(share, 'package.xml')
    if not path.is_file():
        return 'Package xml manifest not found'
    root = ElementTree.parse(path).getroot()
    if args.tag is None:
        print(ElementTree.tostring(root, encoding='unicode'))
        return None
    found = root.findall(args.tag)
    if not found:
        return 'XML tag not found'
    for element in found:
        print(element.text)
    return None
