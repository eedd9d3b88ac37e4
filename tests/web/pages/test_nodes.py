"""The pages of nodes as users see and use them."""

from typing import Any

import pytest
from playwright.async_api import expect

from saint_services.lib.api.adoption import NodeRoleInfo, NodeState, UnknownDevice
from saint_services.lib.generated.saint_msgs import PeripheralInfo
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes.nodes import CHIPS

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

_AUDIT_LOG = """() => fetch("/api/v1/system/get_audit_log", { method: "POST", body: "{}" })
    .then((answer) => answer.json()).then((data) => data.entries)"""


def free_console(site: Site) -> None:
    """Free the role console."""
    del site.robot.nodes["sim_console"]


async def test_list_can_be_filtered_searched_and_shows_why_a_device_is_not_offered(
    site: Site,
) -> None:
    site.robot.strangers = [UnknownDevice(name="pi-9", reason="its id is no name", seen_age_s=4.0)]
    page = await site.open("nodes")
    rows = page.locator("[data-node]")
    await page.wait_for_selector("[data-node=sim_head]")
    assert await rows.count() == 6
    summary = await page.inner_text("main")
    assert "5 of 5 roles assigned · 1 waiting for a role · 1 offline" in summary
    assert "its id is no name" in await page.locator(".strangers").inner_text()
    await page.check("input[value=offline]")
    await expect(rows).to_have_count(1)
    assert "Console" in await rows.inner_text()
    await page.check("input[value=all]")
    await page.fill("input[type=search]", "left")
    await expect(rows).to_have_count(1)
    assert "sim_arm_left" in await rows.inner_text()
    await page.fill("input[type=search]", "zebra")
    await page.get_by_text("No matching nodes").wait_for()


async def test_node_without_a_role_names_its_hardware_and_when_it_was_found(site: Site) -> None:
    found = {
        "hardware_model": "Raspberry Pi 4", "hardware_rev": "c03114",
        "first_seen": "2026-05-20T12:00:00Z",
    }  # fmt: skip
    spare = site.robot.nodes["sim_spare"].model_copy(update=found)
    site.robot.nodes["sim_spare"] = spare
    page = await site.open("nodes")
    place = page.locator("[data-node=sim_spare] .node-place")
    await expect(place).to_contain_text("Raspberry Pi 4 · 4 GB · ")
    await expect(place).to_contain_text(" · v0.1.0 · found 2026-05-20")
    await page.click("[data-node=sim_spare] [data-adopt]")
    await expect(page.locator(".page-head")).to_contain_text("4 GB")
    await expect(page.locator(".page-head")).to_contain_text("found 2026-05-20")


async def test_scan_on_request_names_new_and_silent_nodes(site: Site) -> None:
    site.robot.appearing = [site.robot.nodes["sim_spare"].model_copy(update={"node_id": "pi_9"})]
    page = await site.open("nodes")
    await page.click("[data-scan]")
    said = page.locator("[data-scanned]")
    await expect(said).to_contain_text("6 nodes report. New: pi_9. Silent for 3 s: sim_console.")
    await page.wait_for_selector("[data-node=pi_9] [data-adopt]")


async def test_activity_of_a_node_names_who_commands_it(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    log = page.locator(".node-log")
    await expect(log).to_contain_text("head receives commands from LiveLink FaceCapture: pan=")
    assert await log.locator("li", has_text="receives commands").count() == 1


async def test_outputs_are_not_called_safe_while_an_input_commands_them(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    outputs = page.locator(".facts-list", has=page.get_by_text("Outputs", exact=True))
    await expect(outputs).to_contain_text("live")
    site.robot.set_estop(True, "rc", "")
    await expect(outputs).to_contain_text("safe")


async def test_node_names_its_memory_serial_number_and_last_command(site: Site) -> None:
    head = site.robot.nodes.pop("sim_head")
    known = {"node_id": "pi_10000000a1b2c3d4", "hardware_rev": "c03114"}
    site.robot.nodes["pi_10000000a1b2c3d4"] = head.model_copy(update=known)
    page = await site.open("nodes/pi_10000000a1b2c3d4")
    facts = page.locator(".facts-list")
    await expect(facts.get_by_text("4 GB")).to_be_visible()
    await expect(facts.get_by_text("10000000a1b2c3d4")).to_be_visible()
    await expect(facts.get_by_text("connected")).to_be_visible()
    command = page.locator("[data-live=head] [data-command]")
    await expect(command).to_contain_text("from LiveLink FaceCapture")


async def test_node_of_another_server_is_shown_as_such_and_not_offered(site: Site) -> None:
    why = "it belongs to SAINT-02; reset it by its button, or let that robot give it up"
    foreign = {"is_ours": False, "server": "SAINT-02", "not_offered": why}
    spare = site.robot.nodes["sim_spare"].model_copy(update=foreign)
    site.robot.nodes["sim_spare"] = spare
    page = await site.open("nodes")
    row = page.locator("[data-node=sim_spare]")
    await row.get_by_text(f"Not offered: {why}").wait_for()
    assert await row.locator("[data-adopt]").count() == 0
    await page.goto(f"{site.url}nodes/sim_spare")
    await page.locator("[aria-labelledby=facts-title] dl", has_text="SAINT-02").wait_for()
    assert await page.locator("[data-adopt]").count() == 0


async def test_one_node_shows_its_roles_pins_and_what_it_does(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    pan = page.locator("[data-live=head] li", has_text="Pan").first.locator(".number")
    await pan.wait_for()
    servo = page.locator("[data-pin='32']")
    await servo.wait_for()
    assert await page.locator("[data-pin]").count() == 40
    assert "GPIO12" in await servo.inner_text() and "Pan, servo" in await servo.inner_text()
    assert "PWM 7 %" in await servo.inner_text()
    assert "IMU" in await page.locator("[data-pin='3']").inner_text()
    await servo.hover()
    detail = page.locator("[data-pin-detail]")
    assert "BCM 12" in await detail.inner_text() and "PWM0" in await detail.inner_text()
    await servo.focus()
    await page.keyboard.press("ArrowUp")
    assert await page.evaluate("document.activeElement.dataset.pin") == "30"
    assert set(site.robot.headers.asked) == {"sim_head"}
    assert "Ground" in await page.locator(".pins-legend").inner_text()
    assert "Raspberry Pi 4" in await page.locator("[aria-labelledby=facts-title] dl").inner_text()


async def test_node_with_two_roles_shows_both_and_takes_no_third_that_is_in_the_way(
    site: Site,
) -> None:
    free_console(site)
    roles = [
        NodeRoleInfo(role="head", state=NodeState.ACTIVE),
        NodeRoleInfo(role="console", state=NodeState.ACTIVE, reason="its display is gone"),
    ]
    head = site.robot.nodes["sim_head"].model_copy(update={"roles": roles})
    site.robot.nodes["sim_head"] = head
    del site.robot.nodes["sim_tracks"]
    page = await site.open("nodes/sim_head")
    await page.locator("h1", has_text="Head and Console").wait_for()
    assert "its display is gone" in await page.locator("[data-role=console]").inner_text()
    await page.click("[data-do=add]")
    await page.check("input[value='tracks/']")
    await page.locator("[data-findings]", has_text="GPIO12 is used by head (pan)").wait_for()
    assert await page.locator("input[value='console/']").is_disabled()


async def test_adoption_shows_what_is_missing_until_it_is_found(site: Site) -> None:
    free_console(site)
    site.robot.headers.chips = CHIPS[:1]
    page = await site.open("nodes/sim_spare/adopt")
    await page.wait_for_selector("[data-fit=bad]")
    assert (
        "Assigned to Head"
        in await page.locator("label", has=page.locator("[value='head/']")).inner_text()
    )
    await page.check("input[value='console/']")
    display = page.locator("[data-finding=display]")
    assert "Missing" in await display.inner_text() and "1:0x3c" in await display.inner_text()
    assert await page.locator("[data-confirm]").inner_text() == "Adopt anyway as console"
    assert "Button a" in await page.locator("[data-pin='29']").inner_text()
    site.robot.headers.chips = (*CHIPS[:1], PeripheralInfo("i2c", "1:0x3c", "SSD1306?", True))
    await display.get_by_text("Found").wait_for()
    await page.fill("input[name=name]", "Desk")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-phase=done]")
    assert site.robot.requests == ["adopt sim_spare console"]
    assert await page.locator("[data-code]").inner_text() == "482 173"
    await page.click("[data-done]")
    await page.locator("[data-state]", has_text="Active").wait_for()
    assert "Desk" in await page.locator(".page-head").inner_text()


async def test_adoption_that_fails_says_why_and_can_be_tried_again(site: Site) -> None:
    console = site.robot.nodes["sim_console"]
    page = await site.open("nodes/sim_spare/adopt")
    await page.check("input[value='console/']")
    site.robot.nodes["sim_console"] = console.model_copy(update={"state": NodeState.ACTIVE})
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-phase=failed]")
    assert "console is held by sim_console" in await page.locator(".refusal").inner_text()
    assert await page.locator(".adopt-steps .is-failed").count() == 1
    site.robot.nodes["sim_console"] = console
    await page.click("[data-retry]")
    await page.wait_for_selector("[data-phase=done]")


async def test_node_is_renamed_reset_and_replaced(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    await page.click("[data-do=rename]")
    await page.fill(".dialog input[name=name]", "Upstairs")
    await page.click("[data-confirm]")
    await page.locator(".page-head", has_text="Upstairs").wait_for()
    (entry,) = await page.evaluate(_AUDIT_LOG)
    detail = "node_id: sim_head, display_name: Upstairs"
    assert (entry["what"], entry["detail"]) == ("management set_node_name", detail)
    assert entry["source"].startswith("websocket:page")
    await page.click("[data-do=factory]")
    assert await page.locator("[data-confirm]").is_disabled()
    await page.fill(".dialog input", "sim_head")
    await page.click("[data-confirm]")
    await page.locator("[data-state]", has_text="No role").wait_for()
    assert site.robot.requests == ["reset sim_head factory=True"]
    await page.goto(f"{site.url}nodes/sim_console")
    await page.click("[data-do=replace]")
    await page.check("input[value=sim_spare]")
    await page.click("[data-confirm]")
    await page.wait_for_url("**/nodes/sim_spare")
    await page.locator("h1", has_text="Console").wait_for()


async def test_node_is_ignored_and_no_longer_ignored(site: Site) -> None:
    page = await site.open("nodes/sim_spare")
    await page.click("[data-do=ignore]")
    await page.locator("[data-state]", has_text="Ignored").wait_for()
    await page.goto(f"{site.url}nodes")
    await page.click("[data-node=sim_spare] button")
    await page.wait_for_selector("[data-node=sim_spare] [data-adopt]")


@pytest.mark.parametrize(
    ("theme", "width"), [pytest.param("light", 1280, marks=pytest.mark.long), ("dark", 390)]
)
async def test_axe_finds_nothing(site: Site, theme: Any, width: int) -> None:
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 844}}
    page = await site.open("nodes", **options)
    await page.wait_for_selector("[data-node=sim_head]")
    assert await violations(page) == []
    for place, sign in (("/sim_head", "[data-pin='32']"), ("/sim_spare/adopt", "[data-fit]")):
        await page.goto(f"{site.url}nodes{place}")
        if width < 700 and "data-pin" in sign:
            await page.wait_for_selector("[data-fold=pins-title]")
            assert await violations(page) == []
            await page.click("[data-fold=pins-title]")
        await page.wait_for_selector(sign)
        assert await violations(page) == []
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0


_LEVELS = """() => {
  const signs = [...document.querySelectorAll(".pins .pin-sign")].map((sign) => {
    const { top, height } = sign.getBoundingClientRect();
    return top + height / 2;
  });
  return signs.filter((_, at) => at % 2 === 0).map((left, row) => left - signs[2 * row + 1]);
}"""


async def test_pins_of_a_row_stay_level_when_a_label_wraps(site: Site) -> None:
    page = await site.open("nodes/sim_head")
    await page.wait_for_selector("[data-pin='32']")
    await page.locator(".pins").evaluate("(pins) => { pins.style.width = '420px'; }")
    heights = await page.eval_on_selector_all(
        ".pins li", "(rows) => rows.map((row) => row.clientHeight)"
    )
    assert max(heights) > min(heights), "no label wraps at this width"
    assert await page.evaluate(_LEVELS) == [0] * 20
