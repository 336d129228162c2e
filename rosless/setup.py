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
