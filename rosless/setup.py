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

"""Puts `rosless.pth` into the wheel, so that interface packages are importable at once."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HOOK = 'rosless.pth'


class BuildWithHook(build_py):
    """Also copies the path file, which the interpreter reads at start."""

    def run(self) -> None:
        """Build, and copy the file to the top of what is installed."""
        super().run()
        target = Path(self.build_lib, HOOK)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(Path(__file__).parent / 'src' / HOOK), str(target))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Return what was built."""
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib, HOOK))]


setup(cmdclass={'build_py': BuildWithHook})
