"""The dashboard as users see and use it."""

import urllib.parse
from dataclasses import replace
from typing import Any

import pytest

from saint_services.lib.api.machine import NetworkInterface
from saint_services.lib.clock import stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.machine import network
from tests.waiting import every
from tests.web.axe import violations
from tests.web.conftest import Site

SOON_MS = 1200  # what takes half a second at most, on a machine that is busy with other tests

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]


async def count(page: Any, selector: str) -> int:
    return await page.locator(selector).count()


async def test_page_shows_the_robot_and_its_problems(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-node=sim_spare] [data-adopt]")
    assert await count(page, "[data-node]") == 6
    assert await page.locator("[data-link]").inner_text() == "Connected"
    assert "No password" in await page.locator("header.top").inner_text()
    assert await page.locator("[data-matter=bad]").inner_text() == "Console is offline."
    assert "sim_spare" in await page.locator("[data-matter=new]").inner_text()
    await page.wait_for_selector("[data-source=rc] .channels li")
    assert await count(page, "[data-source=rc] .channels li") == 16
    pan = page.locator("[data-target=head] [data-field=pan]")
    assert "LiveLink FaceCapture" in await pan.inner_text()
    row = page.locator("[data-target=tracks] [data-field=linear]")
    assert "lower priority" in await row.inner_text()


async def test_page_names_the_server_s_addresses_on_both_networks(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [
        NetworkInterface(name=name, place=place, is_up=True, is_wireless=False, addresses=own)
        for name, place, own in (
            ("eth0", "inside", ["192.168.10.1/24"]),
            ("wlan0", "outside", ["fe80::1", "192.168.1.50/24"]),
        )
    ]
    monkeypatch.setattr(network, "interfaces", lambda _: both)
    page = await site.open()
    names = page.locator("[data-network]")
    await names.wait_for()
    text = " ".join((await names.inner_text()).split())
    assert text.endswith(".local · nodes 192.168.10.1 · outside 192.168.1.50")


async def test_inputs_name_clients_and_autonomous_programs(site: Site) -> None:
    page = await site.open()
    await page.locator("[data-connected]", has_text="1 client · nothing autonomous").wait_for()
    program = site.robot.bus.publisher(topics.INPUT_AUTONOMOUS)
    sample = InputSample(stamp(), "autonomous:patrol", 1, False, "tracks", ("linear",), (0.1,))
    async for number in every(0.05, times=60):
        program.publish(replace(sample, stamp=stamp(), sequence=number))
        if await count(page, "[data-source='autonomous:patrol']"):
            break
    card = page.locator("[data-source='autonomous:patrol']")
    assert "patrol Program" in await card.inner_text()


async def test_quick_actions_lead_to_logs_and_restart(site: Site) -> None:
    page = await site.open()
    await page.click(".page-head a[href='/logs']")
    await page.locator("h1", has_text="Logs").wait_for()
    await page.goto(site.url)
    await page.click(".page-head a[href='/settings/maintenance']")
    await page.get_by_role("button", name="Restart").first.wait_for()


async def test_node_is_shown_with_its_display_name(site: Site) -> None:
    known = site.robot.nodes["sim_head"]
    site.robot.nodes["sim_head"] = known.model_copy(update={"display_name": "Lantern"})
    page = await site.open()
    await page.wait_for_selector("[data-node=sim_head]:has-text('Lantern')")


async def test_values_move_and_history_grows(site: Site) -> None:
    page = await site.open()
    await page.locator("[data-target=head]").scroll_into_view_if_needed()  # else: once a second
    bar = page.locator("[data-target=head] [data-field=pan] .track i")
    seen = set()
    async for _ in every(0.02, until=lambda: len(seen) > 5):
        seen.add(await bar.evaluate("(element) => element.style.backgroundSize"))
    load = page.locator("[data-trend=cpu_usage]")
    await load.locator("canvas").wait_for()
    await load.locator(".trend-value", has_text="23 %").wait_for()
    label = await load.locator(".chart").get_attribute("aria-label")
    assert label.startswith("Server load, last 10 min. CPU between 23 % and 23 %")
    await page.check("input[name=span][value=hours]", force=True)
    await load.locator(".chart[aria-label*='last 6 h']").wait_for()


async def test_quick_actions_go_home_stop_and_load_a_preset(site: Site) -> None:
    page = await site.open()
    samples = site.robot.listen_to_clients()
    await page.click("[data-quick=home]:enabled")
    assert samples == []  # needs confirmation
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-toast=good]")
    assert {sample.target for sample in samples} >= {"head", "arms.left", "arms.right"}
    await page.click("[data-quick=stop-base]")
    await page.locator("[data-toast=good]", has_text="tracks").wait_for()
    assert any(sample.target == "tracks" for sample in samples)
    await page.click("[data-quick=preset]")
    await page.check("input[name=preset][value=rc_manual]")
    await page.click("[data-load]")
    await page.locator("[data-toast=good]", has_text="RC manual").wait_for()


async def test_control_is_taken_and_released(site: Site) -> None:
    page = await site.open()
    await page.click("[data-quick=control]:enabled")
    row = page.locator("[data-control=tracks]")
    await row.get_by_role("button", name="Take").click()
    await row.get_by_text("held by this page").wait_for()
    await row.get_by_role("button", name="Release").click()
    await row.get_by_text("free").wait_for()


async def test_control_of_another_master_is_shown_with_its_time_and_taken_over(site: Site) -> None:
    site.robot.router.take("tracks", "leader:hand")
    page = await site.open()
    await page.click("[data-quick=control]:enabled")
    row = page.locator("[data-control=tracks]")
    await row.get_by_text("held by leader Hand for").wait_for()
    await row.get_by_role("button", name="Take over").click()
    await row.get_by_text("held by this page").wait_for()


async def test_activity_is_filtered_by_level_and_source(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector(".log li")
    site.robot.set_estop(True, "rc", "switch")
    await page.locator(".log li.is-error").wait_for()
    site.robot.set_estop(False, "rc", "")
    await page.locator(".log li.is-info", has_text="cleared").wait_for()
    await page.check("input[name=level][value=ERROR]", force=True)
    await page.locator(".log li.is-info").first.wait_for(state="detached")
    assert "Emergency stop by RC" in await page.locator(".log li").first.inner_text()
    await page.check("input[name=level][value=INFO]", force=True)
    await page.select_option(".activity select", "rc")
    await page.locator(".log li", has_text="Emergency").first.wait_for(state="detached")
    assert "RC signal acquired" in await page.locator(".log").inner_text()


async def test_silent_source_looks_stale_within_half_a_second(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-source=rc]:not([data-stale])")
    site.robot.is_rc_live = False
    await page.wait_for_selector("[data-source=rc][data-stale]", timeout=SOON_MS)
    assert "Timed out" in await page.locator("[data-source=rc]").inner_text()
    assert await count(page, "[data-source='livelink:FaceCapture']:not([data-stale])") == 1
    site.robot.is_rc_live = True
    await page.wait_for_selector("[data-source=rc]:not([data-stale])")


async def test_empty_robot_and_missing_registry_are_explained(site: Site) -> None:
    site.robot.nodes.clear()
    page = await site.open()
    await page.wait_for_selector(".card.empty")
    assert "No nodes" in await page.locator(".card.empty").first.inner_text()
    await site.robot.stop("adoptiond")
    await page.wait_for_selector(".notice")
    assert "does not reply" in await page.locator(".notice").inner_text()


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
async def test_axe_finds_nothing(site: Site, theme: str) -> None:
    page = await site.open(color_scheme=theme)
    await page.wait_for_selector("[data-node=sim_spare]")
    await page.wait_for_selector("[data-target=tracks]")
    await page.wait_for_selector("[data-trend] canvas")
    assert await violations(page) == []
    site.robot.is_rc_live = False
    await page.wait_for_selector("[data-source=rc][data-stale]")
    await page.click("[data-quick=control]")
    await page.wait_for_selector("[data-control]")
    assert await violations(page) == []


async def test_page_loads_from_no_other_host(site: Site) -> None:
    urls: list[str] = []
    page = await site.browser.new_page()
    page.on("request", lambda request: urls.append(request.url))
    await page.goto(site.url)
    await page.wait_for_selector("[data-node=sim_head]")
    host = urllib.parse.urlsplit(site.url).netloc
    assert {urllib.parse.urlsplit(url).netloc for url in urls} == {host}


async def test_robot_without_a_stop_switch_says_so(site: Site) -> None:
    page = await site.open()
    await page.wait_for_selector("[data-matter=bad]:has-text('Console is offline')")
    assert await count(page, "[data-matter]:has-text('stops this robot')") == 0
    site.robot.stop_switches = ()
    await page.wait_for_selector("[data-matter=bad]:has-text('No switch or button stops')")


_FACE_PORT = """async (formats) => {
  const { facePort } = await import("/pages/dashboard/face-port.js");
  facePort.open();
  let drawings = 0;
  const api = { state: "open", request: async () => ({ formats }) };
  const app = { api, draw: () => drawings++ };
  const before = facePort.get(app);
  await new Promise((done) => setTimeout(done));
  return [before, facePort.get(app), drawings];
}"""


async def test_card_of_face_capture_names_the_port_that_is_listened_on(site: Site) -> None:
    page = await site.open()
    llf = {"format": "llf", "enabled": True, "addresses": ["udp 0.0.0.0:11311"]}
    assert await page.evaluate(_FACE_PORT, [llf]) == [None, "11311", 1]
    off = llf | {"enabled": False, "addresses": []}
    assert await page.evaluate(_FACE_PORT, [off]) == [None, "", 1]
