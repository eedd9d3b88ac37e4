"""Python packages that Debian lacks: pinned by the lock, unpacked without surprises."""

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import packages, wheels
from tools.image.places import ROOT, Places
from tools.release import components

LOCK = """aiohttp==3.1 \\
    --hash=sha256:aa
    # via saint-os
spam-eggs==1.2 \\
    --hash=sha256:bb \\
    --hash=sha256:cc
zope==1
"""
METADATA = "Name: spam-eggs\nVersion: 1.2\nSummary: Breakfast\nLicense: MIT\n"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    source = tmp_path / "source"
    (source / "image").mkdir(parents=True)
    (source / "requirements.lock").write_text(LOCK)
    return replace(Places.from_environment({}), source=source, cache=tmp_path / "cache")


def want(places: Places, *names: str) -> None:
    (places.image / "wheels.list").write_text("\n".join(["[wheels]", *names]))


def wheel(folder: Path, **more: str) -> Path:
    path = folder / "spam_eggs-1.2-py3-none-any.whl"
    info = "spam_eggs-1.2.dist-info"
    content = {
        "spam/__init__.py": "",
        "eggs.py": "",
        f"{info}/METADATA": METADATA,
        f"{info}/RECORD": f"spam/__init__.py,,\neggs.py,,\n{info}/METADATA,,\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (content | more).items():
            archive.writestr(name, text)
    return path


def test_version_and_hashes_are_those_of_the_lock(places: Places) -> None:
    want(places, "spam-eggs")
    assert wheels.pins(places).split() == [
        *("spam-eggs==1.2", "\\", "--hash=sha256:bb", "\\", "--hash=sha256:cc")
    ]


def test_package_that_nothing_pins_is_refused(places: Places) -> None:
    want(places, "ham")
    with pytest.raises(SaintError, match="ham") as caught:
        wheels.pins(places)
    assert "make lock" in caught.value.fix


def test_nothing_wanted_requests_nothing(places: Places) -> None:
    want(places)
    assert wheels.fetch(places) == []


def test_list_of_this_repository_is_pinned() -> None:
    ours = Places.from_environment({})
    assert len(re.findall("^\\S+==", wheels.pins(ours), re.M)) == len(
        packages.names(ROOT / "image/wheels.list")
    )


def test_modules_are_found_again(tmp_path: Path) -> None:
    target = tmp_path / "usr/lib/python3/dist-packages"
    wheels.unpack(wheel(tmp_path), target)
    assert wheels.modules(target) == [target / "eggs.py", target / "spam"]
    (found,) = components.wheels(tmp_path)
    assert (found.name, found.version, found.purl) == (
        *("spam-eggs", "1.2", "pkg:pypi/spam-eggs@1.2"),
    )


def test_machine_code_is_found_again(tmp_path: Path) -> None:
    target = tmp_path / "packages"
    code = {"spam/egg.abi3.so": "", "spam.libs/libham-12.so.3.1": "", "spam/so.py": ""}
    record = "".join(f"{name},,\n" for name in code)
    wheels.unpack(wheel(tmp_path, **code, **{"spam_eggs-1.2.dist-info/RECORD": record}), target)
    assert wheels.libraries(target) == [target / "spam/egg.abi3.so"]


def test_programs_and_data_stay_out(tmp_path: Path) -> None:
    target = tmp_path / "packages"
    wheels.unpack(wheel(tmp_path, **{"spam_eggs-1.2.data/scripts/spam": "#!"}), target)
    assert sorted(path.name for path in target.iterdir()) == [
        *("eggs.py", "spam", "spam_eggs-1.2.dist-info")
    ]


@pytest.mark.parametrize("name", ["../outside.py", "/etc/passwd", "a/../../b.py"])
def test_wheel_that_leaves_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SaintError, match="outside"):
        wheels.unpack(wheel(tmp_path, **{name: "x"}), tmp_path / "packages")
    assert not (tmp_path / "outside.py").exists()
