"""The finder, by keyboard and by mouse."""

import pytest
from playwright.async_api import expect

from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_node_is_found_by_its_id_and_opened_by_keyboard(site: Site) -> None:
    page = await site.open("logs")
    await page.wait_for_selector("[data-link=open]")
    await page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Find a node")
    await expect(field).to_be_focused()
    await field.press_sequentially("arm right")
    found = page.locator("[data-found]")
    await expect(found.first).to_contain_text("Right arm")  # its parts stand below
    assert await violations(page) == []
    await page.keyboard.press("Enter")
    await expect(page.locator("main h1")).to_contain_text("Right arm")
    await expect(page.locator(".dialog")).to_have_count(0)


async def test_arrows_choose_and_escape_leaves_everything_as_it_was(site: Site) -> None:
    page = await site.open("logs")
    await page.click("[data-find]")
    field = page.locator(".finder-field")
    await field.press("ArrowDown")
    chosen = page.locator("[aria-selected=true]")
    await expect(chosen).to_have_attribute("data-found", "/robot")
    await expect(field).to_have_attribute("aria-activedescendant", "finder-1")
    await field.press("ArrowUp")
    await field.press("ArrowUp")
    await expect(chosen).to_have_attribute("id", "finder-8")
    await page.keyboard.press("Escape")
    await expect(page.locator(".dialog")).to_have_count(0)
    await expect(page.locator("[data-find]")).to_be_focused()
    assert page.url.endswith("/logs")


async def test_route_is_found_and_no_result_is_reported(site: Site) -> None:
    page = await site.open("dashboard", viewport={"width": 390, "height": 700})
    await page.click("[data-find]")
    field = page.locator(".finder-field")
    await field.fill("zebra")
    await page.get_by_text("No results for “zebra”.").wait_for()
    await field.fill("rc_dr")
    await page.click("[data-found='/routes/rc_drive']")
    await expect(page.locator("main h1")).to_contain_text("rc_drive")
    box = await page.locator(".estop").bounding_box()
    assert box["height"] >= 64


# Words that people type, and where one of the results must lead.
WORDS = {
    "record": "/inputs/livelink", "playback": "/inputs/livelink", "iphone": "/inputs/livelink",
    "face": "/inputs/livelink", "mocap": "/inputs/livelink", "camera": "/drive",
    "video": "/drive", "joystick": "/drive", "gamepad": "/drive", "steer": "/drive",
    "keyboard": "/drive", "teleop": "/drive", "limits": "/nodes", "calibration": "/nodes",
    "servo": "/nodes", "trim": "/nodes", "pins": "/nodes", "gpio": "/nodes", "adopt": "/nodes",
    "unadopt": "/nodes", "scan": "/nodes", "raspberry": "/nodes", "mapping": "/routes",
    "preset": "/routes", "dead zone": "/routes", "expo": "/routes", "priority": "/routes",
    "wifi": "/settings/network", "wlan": "/settings/network", "ip address": "/settings/network",
    "hostname": "/settings/network", "password": "/settings/users", "login": "/settings/users",
    "token": "/settings/users", "https": "/settings/users", "account": "/settings/users",
    "update": "/firmware", "upgrade": "/firmware", "rollback": "/firmware",
    "version": "/firmware", "reboot": "/settings/maintenance",
    "power off": "/settings/maintenance", "diagnostics": "/settings/maintenance",
    "estop": "/stop-test", "emergency": "/stop-test", "errors": "/logs", "events": "/logs/activity",
    "history": "/logs/activity", "audit": "/logs/audit", "sbus": "/inputs", "elrs": "/inputs",
    "transmitter": "/inputs", "radio": "/inputs", "failsafe": "/settings/rc",
    "port": "/settings/livelink", "unreal": "/settings/livelink", "save": "/settings/backup",
    "restore": "/settings/backup", "python": "/settings/programs", "temperature": "/dashboard",
    "api": "/reference", "websocket": "/inputs/websocket", "autonomous": "/inputs/autonomous",
    "3d": "/robot",
}  # fmt: skip

_RESULTS = """async (words) => {
  const { Finder } = await import("/views/finder.js");
  return Object.fromEntries(words.map((word) => {
    const finder = new Finder();
    finder.query = word;
    return [word, finder.found.map((each) => each.href)];
  }));
}"""


async def test_words_that_people_use_lead_to_their_place(site: Site) -> None:
    assert len(WORDS) >= 40
    page = await site.open("logs")
    found = await page.evaluate(_RESULTS, list(WORDS))
    assert not {word: found[word] for word, href in WORDS.items() if href not in found[word]}
