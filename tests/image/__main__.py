"""`make test-image`: builds what is missing or old, then runs the tests of this folder.

`--all` runs those too that take long or need special hardware in QEMU; `--unless-passed` does
nothing when the same files passed on this computer before; `--resume` leaves out single ones;
`--second-chance` runs once more what failed, for computers that others use meanwhile. All else goes
to pytest.
"""

import os
import subprocess
import sys

from tests.image import inputs
from tests.image.artefacts import ROOT, Artefacts

_OURS = ("--all", "--unless-passed", "--second-chance")
_FAILED, _NONE_LEFT = 1, 5  # pytest's exit codes


def main(arguments: list[str]) -> int:
    if "--unless-passed" in arguments and inputs.has_passed():
        print("The image's tests passed before with these very files: not run again.")
        return 0
    os.environ["SAINT_IMAGE_TESTS"] = "all" if "--all" in arguments else "usual"
    code = _build()
    if code:
        return code
    rest = [word for word in arguments if word not in _OURS]
    before = inputs.of_tests()
    command = ["-m", "pytest", str(ROOT / "tests" / "image"), "--durations=30", "-v", *rest]
    code = subprocess.run([sys.executable, *command], cwd=ROOT).returncode
    if code == _FAILED and "--second-chance" in arguments:
        print("What failed gets a second chance; the output says so.", flush=True)
        code = subprocess.run([sys.executable, *command, "--last-failed"], cwd=ROOT).returncode
    if code == _NONE_LEFT and "--resume" in rest:
        code = 0
    if code == 0 and rest in ([], ["--resume"]) and before == inputs.of_tests():
        inputs.mark_passed()
    return code


def _build() -> int:
    """The tools tree has the programs that boot machines, so it is needed beside a ready image."""
    found = Artefacts.find()
    is_ready = found is not None and found.bundle.is_file() and inputs.is_built()
    if not is_ready:
        print("Building the image and its bundle from what lies here.", flush=True)
    for command in ("tools",) if is_ready else ("build", "bundle"):
        done = subprocess.run([sys.executable, "-m", "tools.image", command], cwd=ROOT)
        if done.returncode != 0:
            return done.returncode
    inputs.mark_built()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
