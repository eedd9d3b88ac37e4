"""The version of a role configuration as its node reports it."""

import re

import pytest

from saint_services.lib.role_config.full_version import full_version


@pytest.mark.parametrize("version", ["1.0.0", "1.0.0+3", "1.0.0-rc.1", "9" * 40, "9" * 22 + "+3"])
def test_it_names_version_and_text_in_32_characters(version: str) -> None:
    found = full_version(version, "role: head\n")
    assert found.startswith(version[:22])
    assert re.fullmatch(r"[^+]+\+([^.]+\.)?[0-9a-f]{8}", found)
    assert len(found) <= 32


def test_other_text_has_another_version() -> None:
    assert full_version("1.0.0", "pin: 4\n") != full_version("1.0.0", "pin: 5\n")
    assert full_version("1.0.0", "pin: 4\n") == full_version("1.0.0", "pin: 4\n")
