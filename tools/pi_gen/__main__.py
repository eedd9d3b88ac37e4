"""`python -m tools.pi_gen`: the packages for Raspberry Pi OS; our files laid over it, from inside.

It reads what the A/B image is made of, so that the two cannot drift apart. Where they must
differ, image/pi-gen/leave-out.list says why.
"""

import argparse
import shutil
import sys
from pathlib import Path

from saint_services.lib.errors import SaintError
from tools.image import packages
from tools.image.places import ROOT

_OWN_GROUP = "slots"  # kernel, firmware and slots: Raspberry Pi OS has its own, or none
_PI_GEN = ROOT / "image" / "pi-gen"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.pi_gen", description=__doc__)
    parser.add_argument("verb", choices=("packages", "own-packages", "lay"))
    parser.add_argument("--root", type=Path, default=Path("/"), help="for lay")
    options = parser.parse_args()
    try:
        if options.verb == "packages":
            print(*wanted_packages(ROOT / "image" / "packages.list"))
        elif options.verb == "own-packages":
            print(*packages.names(_PI_GEN / "packages.list"))
        else:
            lay(options.root)
    except SaintError as err:
        print(f"tools.pi_gen: {err}\n{err.fix}", file=sys.stderr)
        return err.exit_code
    return 0


def wanted_packages(path: Path) -> list[str]:
    """All packages but those of the slots."""
    groups = packages.read(path)
    return [name for group, names in groups.items() if group != _OWN_GROUP for name in names]


def lay(root: Path) -> None:
    """The A/B image's files over `root`, without those that it must not get."""
    # The building machine may not have jinja2, which these need.
    from saint_services.lib.update import boot
    from tools.image import layer
    from tools.image.names import Names
    from tools.image.places import Places
    from tools.pi_gen import boot_settings

    left_out = [root / path.relative_to("/") for path in left_out_paths()]
    kept = {path: _save(path) for path in left_out if path.exists()}
    layer.lay(root, Places.from_environment(), Names.read(ROOT / "pi-gen.conf"))
    for path in left_out:
        _remove(path)
        if path in kept:
            shutil.move(kept[path], path)
    with (root / "usr/lib/saint/release.env").open("a", encoding="utf-8") as file:
        file.write(f"{boot.SYSTEM_VARIABLE}={boot.RASPBERRY_PI_OS}\n")
    boot_settings.lay(root)


def left_out_paths() -> list[Path]:
    """image/pi-gen/leave-out.list"""
    lines = (_PI_GEN / "leave-out.list").read_text(encoding="utf-8").splitlines()
    return [Path(text) for line in lines if (text := line.partition("#")[0].strip())]


def _save(path: Path) -> Path:
    """A copy beside it: what Raspberry Pi OS had there before us."""
    copy = path.with_name(f"{path.name}.before-saint-os")
    if path.is_dir():
        shutil.copytree(path, copy, symlinks=True)
    else:
        shutil.copy2(path, copy, follow_symlinks=False)
    return copy


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
