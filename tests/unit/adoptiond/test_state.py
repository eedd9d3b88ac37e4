"""The server's files of its nodes and of what was calibrated, when one is damaged or gone."""

import asyncio
from pathlib import Path

import pytest

from saint_services.adoptiond.adapters import RegistryFile
from saint_services.adoptiond.state import SavedNode, SavedRegistry, registry_store
from saint_services.lib.health import Health

SAVED = SavedRegistry(nodes={"node_1": SavedNode(role="head", node_key="ab" * 32)})


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff"])
def test_registry_that_is_lost_comes_from_its_last_good_copy(
    tmp_path: Path, content: bytes | None
) -> None:
    registry_store(tmp_path).save(SAVED)
    (tmp_path / "nodes.json").unlink()
    if content is not None:
        (tmp_path / "nodes.json").write_bytes(content)
    health = Health("adoptiond")

    assert asyncio.run(RegistryFile(tmp_path, health).load()) == SAVED
    assert "last good copy" in health.report().issues[0].text
