"""Roles without a node or with an offline node are shown where their outputs do not move."""

import pytest
from playwright.async_api import expect

from saint_services.lib.api.adoption import NodeState
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_drive_page_says_that_a_stick_moves_nothing(site: Site) -> None:
    tracks = site.robot.nodes["sim_tracks"]
    site.robot.is_tracks_live = False
    site.robot.nodes["sim_tracks"] = tracks.model_copy(update={"state": NodeState.OFFLINE})
    page = await site.open("drive")
    notice = page.locator("[data-absent=tracks]")
    await expect(notice).to_have_text("Tracks is offline, so its stick moves nothing.")
    assert await page.locator("[data-absent=head]").count() == 0
    assert await violations(page) == []
    site.robot.nodes["sim_tracks"] = tracks
    site.robot.is_tracks_live = True
    await expect(notice).to_have_count(0)


async def test_dashboard_says_it_at_the_outputs_and_names_all_roles_in_one_sentence(
    site: Site,
) -> None:
    site.robot.is_tracks_live = False
    for name in ("sim_tracks", "sim_console"):
        del site.robot.nodes[name]
    page = await site.open("dashboard")
    outputs = page.locator("[data-target=tracks] [data-absent]")
    await expect(outputs).to_have_text("No node has the role tracks")
    matters = page.locator("[data-matter=new]")
    await expect(matters).to_have_text(
        ["sim_spare waits for adoption.", "No node has the role tracks or console."]
    )
    assert await violations(page) == []


async def test_several_waiting_nodes_are_one_problem(site: Site) -> None:
    spare = site.robot.nodes["sim_spare"]
    site.robot.nodes["sim_more"] = spare.model_copy(update={"node_id": "sim_more"})
    page = await site.open("dashboard")
    await expect(page.locator("[data-matter=new]")).to_have_text("2 nodes wait for adoption.")
