"""What the image is made of: names, package lists, apt sources, recipe, layout of the disk."""

from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from tools.image import apt_sources, base, packages
from tools.image.disk import Layout
from tools.image.names import Names
from tools.image.places import ROOT, Places

PI_GEN = ROOT / "pi-gen.conf"


def test_names_of_the_repository_are_complete() -> None:
    names = Names.read(PI_GEN)
    assert names.stem == f"saint-os-{names.version}"
    assert names.all["FIRST_USER_NAME"] == "saint"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SAINT_SLOT_MIB=lots", "SAINT_SLOT_MIB=lots is not a number"),
        ("SAINT_SLOT_MIB=", "SAINT_SLOT_MIB is missing"),
        ("SAINT_SLOT_MIB=$(reboot)", "line"),
        ("slot = 3", "line"),
    ],
)
def test_names_malformed_are_refused_by_name(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "pi-gen.conf"
    path.write_text(PI_GEN.read_text() + line + "\n")
    with pytest.raises(SaintError, match=said.replace("$", r"\$")) as caught:
        Names.read(path)
    assert caught.value.code is Code.CONFIG_INVALID


def test_names_with_another_version_reach_templates_too() -> None:
    names = Names.read(PI_GEN).with_version("9.8.7")
    assert (names.version, names.all["SAINT_VERSION"]) == ("9.8.7", "9.8.7")


@pytest.mark.parametrize("version", ["", "v1", "../1", "1 2"])
def test_version_that_is_none_is_refused(version: str) -> None:
    with pytest.raises(SaintError, match="no version"):
        Names.read(PI_GEN).with_version(version)


def test_packages_are_read_in_groups_without_comments(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("# head\n[one]\na  # why\n\nb\n[two]\nc\n")
    assert packages.read(path) == {"one": ["a", "b"], "two": ["c"]}
    assert packages.names(path) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n", "line 1: a stands before"),
        ("[g]\na b\n", "line 2: .*more than one"),
        ("[g]\na\n[h]\na\n", "line 4: a is named twice"),
    ],
)
def test_packages_malformed_are_refused_with_their_line(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "list"
    path.write_text(text)
    with pytest.raises(SaintError, match=said):
        packages.read(path)


def test_shipped_lists_are_well_formed() -> None:
    image = ROOT / "image"
    assert "rauc" in packages.read(image / "packages.list")["slots"]
    tools = packages.names(image / "tools.list")
    assert {"mkosi", "libnbd-bin"} <= set(tools)  # the builder; nbdfuse for tools/powercut
    assert "nbdkit" not in tools  # tools/powercut serves its disk itself


def apt(tmp_path: Path, **files: str) -> Path:
    (tmp_path / "sources.list.d").mkdir()
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        place = tmp_path / "sources.list" if stem == "main" else None
        (place or tmp_path / "sources.list.d" / f"{stem}.{ending}").write_text(text)
    return tmp_path


def test_mirror_is_taken_from_one_line_sources(tmp_path: Path) -> None:
    etc = apt(
        tmp_path,
        main_list="# deb http://no/ trixie main\n"
        "deb http://elsewhere/cloud cloud-sdk main\n"
        "deb [arch=amd64 signed-by=/k.gpg] http://debian.example/debian/ bookworm main contrib\n",
    )
    assert apt_sources.mirror({}, etc) == "http://debian.example/debian"


def test_mirror_is_taken_from_deb822_sources_but_never_the_security_one(tmp_path: Path) -> None:
    etc = apt(
        tmp_path,
        debian_sources="Types: deb\nURIs: http://d.example/security\nSuites: bookworm-security\n"
        "Components: main\n\nTypes: deb-src\nURIs: http://d.example/src\nSuites: bookworm\n"
        "Components: main\n\nEnabled: no\nTypes: deb\nURIs: http://d.example/off\n"
        "Suites: bookworm\nComponents: main\n\n"
        "Types: deb\n# snapshot\nURIs: http://d.example/debian\n"
        "Suites: bookworm\n  bookworm-updates\nComponents: main\n",
    )
    assert apt_sources.mirror({}, etc) == "http://d.example/debian"


def test_mirror_named_by_the_environment_wins(tmp_path: Path) -> None:
    etc = apt(tmp_path, main_list="deb http://debian.example/debian trixie main\n")
    named = {"SAINT_MIRROR": "http://named.example/debian/"}
    assert apt_sources.mirror(named, etc) == "http://named.example/debian"


def test_mirror_unknown_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(SaintError) as caught:
        apt_sources.mirror({}, apt(tmp_path))
    assert "SAINT_MIRROR" in caught.value.fix


def test_sound_of_the_jack_never_starts() -> None:
    """Up to a Pi 3 the firmware plays it with the PWM that saint-pwm has on GPIO12 and GPIO13."""
    lines = (ROOT / "overlays/common/usr/lib/modprobe.d/saint.conf").read_text().splitlines()
    assert "blacklist snd_bcm2835" in lines
    kept = packages.names(ROOT / "image/modules.list")
    assert not {"snd_bcm2835", "bcm2835_v4l2"} & set(kept)
    removed = (ROOT / "image/mkosi.conf.d/20-kernel.conf").read_text()
    assert "/usr/lib/modules/*/kernel/drivers/staging/vc04_services\n" in removed


def test_recipe_hash_changes_with_a_package_and_not_with_our_files(tmp_path: Path) -> None:
    for name in ("mkosi.conf", "mkosi.finalize", "modules.list", "packages.list"):
        (tmp_path / name).write_text(name)
    (tmp_path / "mkosi.conf.d").mkdir()
    (tmp_path / "mkosi.conf.d" / "10.conf").write_text("x")
    first = base.recipe_hash(tmp_path, "trixie")
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / "boot.cmd").write_text("ours")
    assert base.recipe_hash(tmp_path, "trixie") == first
    assert base.recipe_hash(tmp_path, "forky") != first
    (tmp_path / "packages.list").write_text("one more")
    assert base.recipe_hash(tmp_path, "trixie") != first


def test_layout_leaves_the_boot_environment_room_and_ends_after_the_data() -> None:
    names = Names.read(PI_GEN)
    layout = Layout.of(names)
    assert layout.firmware == 4  # MiB: the environment lies at 1 MiB and 1 MiB + 64 KiB
    assert layout.data == 4 + 64 + 2 * 768
    lines = layout.table(names.disk_id).splitlines()
    assert lines[1] == "label-id: 0x20240001"
    assert lines[2] == "start=8192, size=131072, type=c, bootable"
    assert lines[5].startswith(f"start={(4 + 64 + 2 * 768) * 2048}, ")


def test_places_follow_the_environment() -> None:
    places = Places.from_environment({"XDG_CACHE_HOME": "/c", "SAINT_TOOLS_TREE": "/t"})
    assert (places.cache, places.tools) == (Path("/c/saint-os"), Path("/t"))
    assert Places.from_environment({"SAINT_CACHE": "/d"}).cache == Path("/d")
