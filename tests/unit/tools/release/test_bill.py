"""Bills of materials: of a small Debian tree, and between two of them."""

import json
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.release import bill, components, difference, documents, dpkg, licences

STATUS = """\
Package: libssl3t64
Status: install ok installed
Section: libs
Architecture: arm64
Source: openssl
Version: 3.5.1-1+deb13u1
Depends: libc6 (>= 2.38)
Provides: libssl3 (= 3.5.1)
Description: Secure Sockets Layer toolkit
 Long text.

Package: libc6
Status: install ok installed
Section: libs
Architecture: arm64
Source: glibc (2.41-12)
Version: 2.41-12+b1
Description: GNU C Library

Package: gone
Status: deinstall ok config-files
Architecture: arm64
Version: 1

Package: rauc
Status: install ok installed
Section: admin
Architecture: arm64
Version: 1:1.13-3
Homepage: https://rauc.io/
Pre-Depends: libc6
Depends: mta | libssl3 (>= 3), python3:any
Built-Using: glibc (= 2.41-12)
Description: Update client
"""
DEP5 = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
License: LGPL-2.1+ and Expat

License: GPL-2+ with OpenSSL exception
 Text.

License: Permission is granted to everybody to do what they please with all of it for good
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root tree with three packages."""
    root = tmp_path / "root"
    _file(root / "var/lib/dpkg/status", STATUS)
    _file(root / "usr/lib/os-release", 'ID=debian\nVERSION_ID="13"\n')
    _file(root / "usr/share/doc/rauc/copyright", DEP5)
    _file(root / "usr/share/doc/libc6/copyright", "See /usr/share/common-licenses/LGPL-2.1.\n")
    (root / "usr/share/doc/libssl3t64").symlink_to("/usr/share/doc/libc6")
    return root


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_only_installed_packages_are_listed(tree: Path) -> None:
    assert [package.name for package in dpkg.installed(tree)] == ["libc6", "libssl3t64", "rauc"]


def test_source_is_named_with_its_own_version(tree: Path) -> None:
    libc, libssl, rauc = dpkg.installed(tree)
    assert (libc.source, libc.source_version) == ("glibc", "2.41-12")
    assert (libssl.source, libssl.source_version) == ("openssl", "3.5.1-1+deb13u1")
    assert (rauc.source, rauc.source_version) == ("rauc", "1:1.13-3")


def test_dependency_is_found_through_what_provides_it(tree: Path) -> None:
    found = dpkg.dependencies(dpkg.installed(tree))
    assert found == {"libc6": [], "libssl3t64": ["libc6"], "rauc": ["libc6", "libssl3t64"]}


def test_tree_without_packages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="cannot be read"):
        dpkg.installed(tmp_path)


def test_package_whose_files_were_all_removed_is_struck(tree: Path) -> None:
    lists = tree / "var/lib/dpkg/info"
    _file(lists / "rauc.list", "/.\n/usr\n/usr/bin\n/usr/bin/rauc\n/usr/share/doc/rauc/copyright\n")
    _file(lists / "libc6:arm64.list", "/.\n/usr\n/usr/lib\n/usr/lib/libc.so.6\n/usr/lib/gone\n")
    _file(lists / "libssl3t64.list", "/.\n/usr\n/usr/share/doc/libssl3t64\n")  # only texts
    _file(tree / "usr/lib/libc.so.6", "")
    assert dpkg.forget_removed(tree) == ["rauc"]
    assert [package.name for package in dpkg.installed(tree)] == ["libc6", "libssl3t64"]


def test_machine_readable_licences_become_spdx(tree: Path) -> None:
    expected = ["GPL-2+ with OpenSSL exception", "LGPL-2.1-or-later", "MIT"]
    assert licences.of(tree, "rauc") == expected
    assert not licences.is_spdx("GPL-2+ with OpenSSL exception")


def test_shared_copyright_file_is_read_inside_the_tree(tree: Path) -> None:
    assert licences.of(tree, "libssl3t64") == ["LGPL-2.1-only"]


def test_package_without_copyright_file_has_no_licence(tree: Path) -> None:
    assert licences.of(tree, "nothing") == []


def test_old_style_text_is_known_by_its_words(tmp_path: Path) -> None:
    text = "Permission is hereby granted, free of charge, to any person\n  obtaining a copy of it"
    _file(tmp_path / "usr/share/doc/yaml/copyright", text)
    assert licences.of(tmp_path, "yaml") == ["MIT"]


def test_bill_has_everything_once(tree: Path, tmp_path: Path) -> None:
    path, packages = documents.write(tree, tmp_path, "0.2.0")
    content = json.loads(path.read_text())
    refs = [part["bom-ref"] for part in content["components"]]
    assert len(refs) == len(set(refs))
    assert {"deb:rauc@1:1.13-3", "saint_services@0.2.0"} < set(refs)
    assert any(ref.startswith("npm:lit-html@") for ref in refs)
    known = {*refs, "saint-os@0.2.0"}
    assert {each["ref"] for each in content["dependencies"]} <= known
    assert packages.read_text().splitlines()[2].split() == ["rauc", "1:1.13-3", "arm64"]


def test_bill_names_debian_packages_as_scanners_expect(tree: Path, tmp_path: Path) -> None:
    path, _ = documents.write(tree, tmp_path, "0.2.0")
    parts = {part["name"]: part for part in json.loads(path.read_text())["components"]}
    assert parts["libssl3t64"]["purl"] == (
        "pkg:deb/debian/libssl3t64@3.5.1-1%2Bdeb13u1"
        "?arch=arm64&distro=debian-13&upstream=openssl%403.5.1-1%2Bdeb13u1"
    )
    assert {"name": "debian:built-using", "value": "glibc (= 2.41-12)"} in (
        parts["rauc"]["properties"]
    )
    assert {"license": {"id": "MIT"}} in parts["rauc"]["licenses"]
    assert {"license": {"name": "GPL-2+ with OpenSSL exception"}} in parts["rauc"]["licenses"]


def test_bill_of_the_same_tree_is_the_same_file(tree: Path, tmp_path: Path) -> None:
    first, _ = documents.write(tree, tmp_path / "a", "0.2.0")
    second, _ = documents.write(tree, tmp_path / "b", "0.2.0")
    assert first.read_bytes() == second.read_bytes()


def test_serial_number_follows_the_content(tree: Path, tmp_path: Path) -> None:
    first = bill.read(documents.write(tree, tmp_path / "a", "0.2.0")[0])
    _file(tree / "var/lib/dpkg/status", STATUS.replace("1:1.13-3", "1:1.14-1"))
    second = bill.read(documents.write(tree, tmp_path / "b", "0.2.0")[0])
    assert first.serial != second.serial


def test_difference_lists_added_removed_and_changed(tree: Path, tmp_path: Path) -> None:
    old = bill.read(documents.write(tree, tmp_path / "a", "0.2.0")[0])
    text = STATUS.replace("1:1.13-3", "1:1.14-1").replace("Package: libc6", "Package: musl")
    _file(tree / "var/lib/dpkg/status", text)
    new = bill.read(documents.write(tree, tmp_path / "b", "0.3.0")[0])
    changes = {change.name: (change.kind, change.old, change.new) for change in _sorted(old, new)}
    assert changes == {
        "libc6": ("removed", "2.41-12+b1", ""),
        "musl": ("added", "", "2.41-12+b1"),
        "rauc": ("changed", "1:1.13-3", "1:1.14-1"),
        "saint_services": ("changed", "0.2.0", "0.3.0"),
    }


def _sorted(old: bill.Bill, new: bill.Bill) -> list[difference.Change]:
    return difference.between(old, new)


def test_difference_of_equal_bills_is_empty(tree: Path, tmp_path: Path) -> None:
    made = bill.read(documents.write(tree, tmp_path, "0.2.0")[0])
    assert difference.between(made, made) == []


def test_other_json_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text('{"bomFormat": "SPDX"}')
    with pytest.raises(SaintError, match="no bill of materials of ours"):
        bill.read(path)


def test_web_libraries_carry_the_hash_of_the_lock_file(tmp_path: Path) -> None:
    lock = {
        "packages": {
            "": {},
            "node_modules/@a/b": {"version": "1.0.0", "integrity": "sha512-q83v", "license": "MIT"},
            "node_modules/linter": {"version": "1.0.0", "integrity": "sha512-q83v", "dev": True},
        }
    }
    _file(tmp_path / "lock.json", json.dumps(lock))
    (part,) = components.web(tmp_path / "lock.json")
    assert part.hashes and part.hashes[0].content == "abcdef"
    assert part.purl == "pkg:npm/%40a/b@1.0.0"
