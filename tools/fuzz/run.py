"""One target under atheris: `python -m tools.fuzz.run NAME [libFuzzer's options]`. Started by
__main__.py, with the library on the path. Not here: what a target checks (targets.py).
"""

import importlib
import sys


def main() -> None:
    """Never returns: libFuzzer ends the process, with a code that says why."""
    atheris = importlib.import_module("atheris")  # only here, and without types
    with atheris.instrument_imports(include=["saint_services"]):
        from tools.fuzz.targets import TARGETS
    name, options = sys.argv[1], sys.argv[2:]
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
