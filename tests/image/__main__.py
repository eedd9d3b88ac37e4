"""`make test-image`: builds what is missing, then runs the tests of this folder.

`--all` runs those too that take long or need special hardware in QEMU. All else goes to pytest.
"""

import os
import subprocess
import sys

import pytest

from tests.image.artefacts import ROOT, Artefacts


def main(arguments: list[str]) -> int:
    chosen = "all" if "--all" in arguments else "usual"
    os.environ["SAINT_IMAGE_TESTS"] = chosen
    found = Artefacts.find()
    if found is None or not found.bundle.is_file():
        print("There is no image with its bundle in build/image yet: building them.", flush=True)
        built = subprocess.run([sys.executable, "-m", "tools.image", "bundle"], cwd=ROOT)
        if built.returncode != 0:
            return built.returncode
    rest = [word for word in arguments if word != "--all"]
    return int(pytest.main([str(ROOT / "tests" / "image"), "--durations=0", "-v", *rest]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
