"""The version stands in three places that different programs read; they must agree."""

import tomllib
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[3]


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    conf = (ROOT / "pi-gen.conf").read_text()
    package = ElementTree.parse(ROOT / "manifests" / "saint_msgs" / "package.xml")
    assert f"SAINT_VERSION={project}\n" in conf
    assert package.findtext("version") == project
