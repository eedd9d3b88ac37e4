"""Known vulnerabilities, from fixed data in the form of Debian's security tracker."""

import itertools
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from tools.release import tracker, vulnerabilities
from tools.release.debian_version import DebianVersion
from tools.release.dpkg import Package

# The form of https://security-tracker.debian.org/tracker/data/json; names and versions are made up.
TRACKER: dict[str, Any] = {
    "openssl": {
        "CVE-2026-0001": {
            "description": "A handshake\n may leak.",
            "scope": "remote",
            "releases": {
                "trixie": {
                    "status": "resolved",
                    "repositories": {"trixie": "3.5.1-1", "trixie-security": "3.5.1-1+deb13u2"},
                    "fixed_version": "3.5.1-1+deb13u2",
                    "urgency": "not yet assigned",
                },
                "forky": {"status": "open", "repositories": {}, "urgency": "high"},
            },
        },
        "CVE-2026-0002": {
            "releases": {"trixie": {"status": "resolved", "fixed_version": "3.5.1-1"}}
        },
        "CVE-2026-0003": {"releases": {"trixie": {"status": "resolved", "fixed_version": "0"}}},
        "CVE-2026-0004": {"releases": {"forky": {"status": "open"}}},
    },
    "rauc": {
        "CVE-2026-0005": {
            "description": "A bundle may be too long.",
            "releases": {"trixie": {"status": "open", "urgency": "low"}},
        },
        "CVE-2026-0006": {"releases": {"trixie": {"status": "open", "urgency": "unimportant"}}},
        "TEMP-0000000-ABCDEF": {"releases": {"trixie": {"status": "undetermined"}}},
    },
    "elsewhere": {"CVE-2026-0007": {"releases": {"trixie": {"status": "open"}}}},
}


def package(name: str, source: str, version: str) -> Package:
    return Package(
        name=name, version=version, architecture="arm64", source=source, source_version=version,
        section="", homepage="", summary="", depends=(), provides=(), built_using="",
    )  # fmt: skip


PACKAGES = [
    package("openssl", "openssl", "3.5.1-1+deb13u1"),
    package("libssl3t64", "openssl", "3.5.1-1+deb13u1"),
    package("rauc", "rauc", "1.13-3"),
    package("ours", "ours", "1"),
]


def test_open_ones_and_those_that_a_newer_version_fixes_are_found_once() -> None:
    found = vulnerabilities.find(PACKAGES, TRACKER, "trixie")
    assert [(each.name, each.source, each.fixed_in) for each in found] == [
        ("CVE-2026-0001", "openssl", "3.5.1-1+deb13u2"),
        ("CVE-2026-0005", "rauc", ""),
    ]


def test_version_with_the_fix_is_not_concerned() -> None:
    fixed = [package("openssl", "openssl", "3.5.1-1+deb13u2")]
    assert vulnerabilities.find(fixed, TRACKER, "trixie") == []


def test_signed_kernel_has_the_vulnerabilities_of_its_source() -> None:
    """Its package names the source of the signatures, with a version of its own."""
    kernel = replace(
        package("linux-image-arm64", "linux-signed-arm64", "6.12.118-1"),
        source_version="6.12.118+1",
    )
    fixed = {"status": "resolved", "fixed_version": "6.12.119-1"}
    older = {"status": "resolved", "fixed_version": "6.12.118-1"}
    data = {
        "linux": {
            "CVE-2026-0008": {"releases": {"trixie": fixed}},
            "CVE-2026-0009": {"releases": {"trixie": older}},
        }
    }
    found = vulnerabilities.find([kernel], data, "trixie")
    assert [(each.name, each.source, each.version) for each in found] == [
        ("CVE-2026-0008", "linux", "6.12.118-1")
    ]


def test_sentence_names_what_can_be_done() -> None:
    found = vulnerabilities.find(PACKAGES, TRACKER, "trixie")
    text, is_warning = vulnerabilities.summary(found)
    assert is_warning
    assert "1 that Debian has fixed since, 1 for which Debian has no fix" in text
    assert "base --again" in text
    text, is_warning = vulnerabilities.summary(found[1:])
    assert not is_warning
    assert "none that Debian has fixed, 1 for which Debian has no fix" in text


def test_table_has_one_line_for_each(tmp_path: Path) -> None:
    found = vulnerabilities.find(PACKAGES, TRACKER, "trixie")
    lines = vulnerabilities.table(found, "20261101T000000Z").splitlines()
    assert "20261101T000000Z" in lines[1]
    assert lines[2:] == [
        "CVE-2026-0001  openssl 3.5.1-1+deb13u1  fixed in 3.5.1-1+deb13u2  A handshake may leak.",
        "CVE-2026-0005  rauc 1.13-3  no fix  A bundle may be too long.",
    ]


@pytest.mark.parametrize(
    "data",
    [[], {"rauc": []}, {"rauc": {"CVE-1": {"releases": {"trixie": {}}}}}, {"rauc": {"CVE-1": 3}}],
)
def test_data_of_another_form_is_refused_with_its_place(data: Any) -> None:
    with pytest.raises(SaintError, match="security tracker"):
        vulnerabilities.find(PACKAGES, data, "trixie")


# Debian Policy, section 5.6.12; each is older than the next.
ORDER = [
    "1.0~~", "1.0~~a", "1.0~", "1.0", "1.0-0+b1", "1.0-1~bpo1", "1.0-1", "1.0-1+b1",
    "1.0-1+deb13u1", "1.0-1+deb13u2", "1.0-1+deb13u10", "1.0-2", "1.0-10", "1.0a",
    "1.0+dfsg-1", "1.0.1", "1.9", "1.10", "2", "1:0.1", "2:0",
]  # fmt: skip


def test_versions_are_ordered_as_debian_does() -> None:
    for older, newer in itertools.combinations(ORDER, 2):
        assert DebianVersion(older) < DebianVersion(newer), (older, newer)
        assert not DebianVersion(newer) < DebianVersion(older), (older, newer)
    assert DebianVersion("1.0-0") == DebianVersion("1.0")
    assert DebianVersion("0:1.02-1") == DebianVersion("1.2-1")


def test_data_of_today_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "security-tracker.json").write_text(json.dumps(TRACKER))
    assert tracker.load(tmp_path, "http://127.0.0.1:9/") == TRACKER


def test_tracker_out_of_reach_is_an_error_that_leaves_nothing_behind(tmp_path: Path) -> None:
    kept = tmp_path / "security-tracker.json"
    kept.write_text("{}")
    os.utime(kept, (1, 1))
    with pytest.raises(SaintError, match="not reachable"):
        tracker.load(tmp_path, "http://127.0.0.1:9/")
    assert [path.name for path in tmp_path.iterdir()] == [kept.name]


def test_half_a_file_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "security-tracker.json").write_text('{"openssl": ')
    with pytest.raises(SaintError, match="not readable"):
        tracker.load(tmp_path, "http://127.0.0.1:9/")
    assert list(tmp_path.iterdir()) == []
