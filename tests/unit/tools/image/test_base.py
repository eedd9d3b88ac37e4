"""The base: of which moment of Debian's archive it is, and what is said when it is old."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import apt_sources, base
from tools.image.names import Names
from tools.image.places import ROOT, Places

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
NAMES = Names.read(ROOT / "pi-gen.conf")


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("20261123T060000Z", "less than a day old"),
        ("20261122T060000Z", "one day old"),
        ("20261117T120001Z", "5 days old"),
        ("20270101T000000Z", "less than a day old"),  # this computer's clock is behind
    ],
)
def test_young_base_says_its_age(moment: str, said: str) -> None:
    sentence, is_old = base.age(moment, NOW)
    assert said in sentence and moment in sentence
    assert not is_old


def test_base_of_a_week_ago_says_what_is_missing_and_what_to_do() -> None:
    sentence, is_old = base.age("20261116T120000Z", NOW)
    assert is_old
    assert sentence.startswith("The base is 7 days old: Debian as of 20261116T120000Z.")
    assert "Security updates since then are not in this image" in sentence
    assert sentence.endswith(": sudo -E .venv/bin/python -m tools.image base --again")


def test_moment_is_kept_beside_the_base_and_else_its_own_time(tmp_path: Path) -> None:
    archive = tmp_path / "base-1.tar.zst"
    archive.touch()
    made = datetime.fromtimestamp(archive.stat().st_mtime, UTC)
    assert base.age(base.moment(archive), made + timedelta(days=8))[1]
    (tmp_path / "base-1.tar.moment").write_text("20250101T000000Z")
    assert base.moment(archive) == "20250101T000000Z"


def test_pinned_base_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    places = Places.from_environment({"SAINT_CACHE": "/c"})
    monkeypatch.delenv("SAINT_SNAPSHOT", raising=False)
    usual = base.path(places, NAMES).name
    monkeypatch.setenv("SAINT_SNAPSHOT", "20261101T000000Z")
    pinned = base.path(places, NAMES).name
    assert pinned == usual.replace(".tar", "-20261101T000000Z.tar")


# -- where its packages come from -----------------------------------------------------------------

SOURCES = """\
Types: deb
URIs: http://d.example/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://d.example/debian-security/
Suites: bookworm-security
Components: main
"""


def etc(folder: Path, text: str) -> Path:
    (folder / "sources.list.d").mkdir()
    (folder / "sources.list.d/debian.sources").write_text(text)
    return folder


def test_security_updates_come_with_the_release(tmp_path: Path) -> None:
    found = apt_sources.archive({}, etc(tmp_path, SOURCES)).sources("trixie")
    first, second = found.split("\n\n")
    assert "URIs: http://d.example/debian\nSuites: trixie\n" in first
    assert "URIs: http://d.example/debian-security\nSuites: trixie-security\n" in second
    assert "Check-Valid-Until" not in found


def test_security_archive_of_another_system_is_not_taken(tmp_path: Path) -> None:
    text = SOURCES.replace("bookworm-security", "jammy-security")
    found = apt_sources.archive({}, etc(tmp_path, text))
    assert found.security == ""
    named = {"SAINT_SECURITY_MIRROR": "http://s.example/sec/", "SAINT_MIRROR": "http://m.example/d"}
    assert apt_sources.archive(named, tmp_path).security == "http://s.example/sec"


def test_snapshot_names_both_archives_at_that_moment(tmp_path: Path) -> None:
    found = apt_sources.archive({"SAINT_SNAPSHOT": "20261101T000000Z"}, tmp_path)
    assert found.address.endswith("/debian/20261101T000000Z")
    assert found.security.endswith("/debian-security/20261101T000000Z")
    assert found.sources("trixie").count("Check-Valid-Until: no\n") == 2


@pytest.mark.parametrize("moment", ["yesterday", "20261101", "20261101T000000Z/../x"])
def test_snapshot_that_is_no_moment_is_refused(tmp_path: Path, moment: str) -> None:
    with pytest.raises(SaintError, match="is no moment"):
        apt_sources.archive({"SAINT_SNAPSHOT": moment}, tmp_path)
