"""The page "Routes" as users see and use it, on replies of the real router."""

from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api.routing import Route
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

INSIDE = {"x": 30, "y": 10}  # a row
LIMIT_MS = 20_000  # a busy computer is no fault of the page


async def routes_page(site: Site, rest: str = "", **options: Any) -> Any:
    page = await site.open(**options)
    page.set_default_timeout(LIMIT_MS)
    await page.wait_for_selector("[data-link=open]")
    await page.goto(f"{site.url}routes{rest}")
    await page.wait_for_selector("[data-save]" if rest else "[data-routes]")
    return page


def route(site: Site, name: str) -> Any:
    """Return a route as the router stores it; None if it does not exist."""
    found: Route | None = site.robot.router.route(name)
    return found


def arrows(found: Route) -> list[tuple[str, str]]:
    assert found.mapping != "passthrough"
    return [(each.from_, each.to) for each in found.mapping]


async def made(page: Any) -> None:
    """Confirm the dialog of a new mapping with Enter."""
    await page.wait_for_selector("[data-mapping] [data-make]:enabled")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-toast=good]")


async def pull(page: Any, name: str, field: str) -> None:
    """Drag with the mouse from an input to an output."""
    await page.locator(f"[data-input='{name}']").hover(position=INSIDE)
    await page.mouse.down()
    await page.locator(f"[data-output='{field}']").hover(position=INSIDE)
    await page.wait_for_selector(f"[data-output='{field}'].is-over")
    await page.mouse.up()


async def test_diagram_shows_sources_states_and_reasons(site: Site) -> None:
    page = await routes_page(site)
    await page.wait_for_selector("[data-wire='rc_drive > tracks.linear'].is-winner")
    await page.wait_for_selector("[data-wire='rc_drive < rc channel_2'].is-winner")
    await page.wait_for_selector("[data-wire='websocket_direct > tracks.linear']:not(.is-winner)")
    await page.wait_for_selector("[data-route=autonomous][data-state=lost]")
    labels = await page.locator(".flow-value.is-winner").all_text_contents()
    assert any(label.strip().endswith("m/s") for label in labels)
    await page.click("[data-output='tracks.linear']")
    why = await page.locator("[data-why]").inner_text()
    assert "Driven by rc_drive from RC" in why
    assert "websocket_direct from Client desk: 0.20 m/s, lower priority" in why
    site.robot.is_rc_live = False
    await page.wait_for_selector("[data-source=rc][data-stale]")


async def test_an_input_dragged_onto_an_output_drives_it_until_it_is_undone(site: Site) -> None:
    page = await routes_page(site, viewport={"width": 1280, "height": 1300})
    await page.click("[data-source=rc] [data-wide]")
    await pull(page, "rc channel_4", "head.pan")
    await page.wait_for_selector("[data-now]:has-text('Preview: CH 4')")
    assert route(site, "rc_head") is None  # nothing changes before confirmation
    await made(page)
    new = route(site, "rc_head")
    assert (arrows(new), new.mapping[0].scale) == ([("channel_4", "pan")], 180)
    await page.wait_for_selector("[data-wire='rc_head > head.pan']")
    await page.reload()  # the tab keeps what can be undone
    await page.click("[data-undo]:enabled")
    await page.wait_for_selector("[data-route=rc_head]", state="detached")
    assert route(site, "rc_head") is None
    await page.click("[data-redo]")
    await page.wait_for_selector("[data-route=rc_head]")
    assert route(site, "rc_head") == new


async def test_a_mapping_is_made_with_the_keyboard(site: Site) -> None:
    page = await routes_page(site)
    await page.focus("[data-input='rc channel_5']")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-input='rc channel_5'][aria-pressed=true]")
    await page.focus("[data-output='tracks.angular']")
    await page.keyboard.press("Enter")
    assert await page.input_value("[data-route-choice]") == "rc_drive"
    await made(page)
    assert arrows(route(site, "rc_drive"))[-1] == ("channel_5", "angular")


async def test_change_by_another_user_is_not_undone(site: Site) -> None:
    page = await routes_page(site)
    switch = page.locator("[data-row=rc_gripper] [role=switch]")
    await switch.focus()
    await page.evaluate("document.activeElement.click()")
    await page.wait_for_selector("[data-route=rc_gripper][data-state=disabled]")
    other = route(site, "rc_drive").model_copy(update={"priority": 7})
    await page.evaluate(
        """async (route) => {
          const socket = new WebSocket(`ws://${location.host}/api/ws`);
          await new Promise((done) => (socket.onopen = done));
          const params = { route };
          socket.send(JSON.stringify({ id: 1, type: "router", action: "set_route", params }));
          await new Promise((done) => (socket.onmessage = ({ data }) => data.includes('"id":1') && done()));
        }""",  # noqa: E501
        other.model_dump(mode="json", by_alias=True),
    )
    await page.click("[data-undo]")
    await page.wait_for_selector("[data-toast=bad]:has-text('changed elsewhere')")
    assert route(site, "rc_gripper").enabled is False
    assert route(site, "rc_drive").priority == 7


async def test_editor_says_what_is_wrong_at_its_field_and_saves(site: Site) -> None:
    page = await routes_page(site, "/rc_drive")
    await page.wait_for_selector("[data-mapping='0'] .curve-dot")
    await page.click("[data-mapping='0'] [data-open]")
    await page.fill("#field-mapping-0-deadzone", "2")
    await page.wait_for_selector("[data-key='mapping[0].deadzone'] .wrong:has-text('below 1')")
    await page.click("[data-save]:enabled")
    said = await page.inner_text("[data-fault]")
    assert said == "route.mapping[0].deadzone must be below 1.0, not 2"
    assert route(site, "rc_drive").mapping[0].deadzone == 0.05
    await page.fill("#field-mapping-0-deadzone", "0.1")
    await page.fill("#field-priority", "450")
    await page.wait_for_selector("[data-key='mapping[0].deadzone']:not(.is-wrong)")
    await page.click("[data-save]:enabled")
    await page.wait_for_selector("[data-save]:disabled:has-text('Saved')")
    saved = route(site, "rc_drive")
    assert (saved.priority, saved.mapping[0].deadzone) == (450, 0.1)


async def test_unsaved_changes_are_not_lost_by_going_away(site: Site) -> None:
    page = await routes_page(site, "/rc_drive")
    await page.fill("#field-id", "my_drive")
    await page.evaluate("location.hash = '#/dashboard'")
    await page.wait_for_selector("[role=dialog]:has-text('Leave without saving?')")
    assert page.url.endswith("/routes/rc_drive")
    await page.keyboard.press("Escape")
    assert await page.input_value("#field-id") == "my_drive"
    await page.click("[data-save]:enabled >> nth=0")
    await page.wait_for_selector("[data-toast=good]:has-text('my_drive saved')")
    assert page.url.endswith("/routes/my_drive")
    assert route(site, "rc_drive") is None
    await page.fill("#field-id", "another")
    await page.evaluate("location.hash = '#/dashboard'")
    await page.click("[data-discard]")
    await page.wait_for_url("**/dashboard")
    assert route(site, "another") is None


async def test_all_routes_leave_and_come_back_as_a_file(site: Site, tmp_path: Path) -> None:
    page = await routes_page(site)
    async with page.expect_download() as waiting:
        await page.click("[data-export]")
    file = tmp_path / "kept.yaml"
    await (await waiting.value).save_as(file)
    text = file.read_text()
    assert "id: rc_drive" in text
    await page.click("[data-open-import]")
    await page.fill("[data-import] textarea", text.replace("to: linear", "to: linaer"))
    await page.click("[data-import] [type=submit]")
    await page.wait_for_selector("[data-refusal]:has-text(\"did you mean 'linear'\")")
    await page.fill("[data-import] textarea", "routes: [{id: a, input: {sorce: rc}}]")
    await page.click("[data-import] [type=submit]")
    await page.wait_for_selector("[data-refusal]:has-text('line 1: routes[0].input.sorce')")
    await page.fill("[data-import] textarea", "routes: []")
    await page.click("[data-import] [type=submit]")
    assert "Removed\nrc_drive" in await page.inner_text("[data-changes]")
    await page.click("[data-confirm]")
    await page.click("[data-lose-stops]")
    await page.wait_for_selector("h2:has-text('No routes: nothing moves this robot')")
    assert route(site, "rc_drive") is None
    await page.click("[data-undo]")
    await page.wait_for_selector("[data-row=rc_drive]")
    assert route(site, "rc_drive").priority is None


async def test_stop_switch_is_deleted_only_after_its_name_was_confirmed(site: Site) -> None:
    page = await routes_page(site, "/rc_estop")
    await page.click("button:has-text('Delete…')")
    await page.click("[data-confirm]")
    assert await page.inner_text("[data-stops]") == "rc_estop:channel_6"
    await page.keyboard.press("Escape")
    await page.wait_for_selector("[role=dialog] .refusal:has-text('rc_estop:channel_6')")
    assert route(site, "rc_estop").enabled
    await page.click("[data-confirm]")
    await page.click("[data-lose-stops]")
    await page.wait_for_selector("[data-stops]", state="detached")
    await page.wait_for_selector("[role=dialog]", state="detached")
    assert route(site, "rc_estop") is None


async def test_a_preset_shows_what_it_changes_before_it_is_loaded(site: Site) -> None:
    page = await routes_page(site)
    await page.click("[data-preset=rc_manual] [data-load]")
    text = await page.inner_text("[data-changes]")
    assert "New\nrc_head rc to head, 2 mappings" in text
    assert "Removed\nfacecap_to_head" in text
    assert "rc_drive" not in text  # it is the same in both
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-preset=rc_manual] .chip:has-text('Active')")
    await page.click("[data-save-preset]")
    await page.fill("[data-name]", "mine")
    await page.keyboard.press("Enter")
    await page.click("[data-preset=mine] button:has-text('Delete')")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-preset=mine]", state="detached")
    assert route(site, "rc_head") is not None


@pytest.mark.parametrize(
    ("width", "theme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.long)]
)
async def test_axe_finds_nothing(site: Site, width: int, theme: str) -> None:
    size = {"width": width, "height": 844}
    page = await routes_page(site, viewport=size, color_scheme=theme)
    assert await violations(page) == []
    await page.goto(f"{site.url}routes/facecap_to_head")
    await page.wait_for_selector("[data-mapping='7'] .curve-line")
    assert await violations(page) == []
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


_FITS = """select => {
  const said = document.createElement("span");
  const { font } = getComputedStyle(select);
  said.style.cssText = `position: absolute; white-space: nowrap; font: ${font}`;
  said.textContent = select.selectedOptions[0].text;
  document.body.append(said);
  const room = select.clientWidth - 2 * parseFloat(getComputedStyle(select).paddingLeft) - 16;
  const fits = said.getBoundingClientRect().width <= room;
  said.remove();
  return fits;
}"""


@pytest.mark.parametrize("width", [390, 1280])
async def test_editor_shows_all_of_the_blending(site: Site, width: int) -> None:
    page = await routes_page(site, "/rc_drive", viewport={"width": width, "height": 844})
    await page.click(".route-rules summary")
    mode = page.locator("[data-key='mode tracks.linear']")
    await mode.locator("select").wait_for()
    assert "Default: highest priority" in await mode.inner_text()
    assert await mode.locator("select").evaluate(_FITS)


async def test_new_route_has_a_name_in_any_characters_and_an_identifier_made_of_it(
    site: Site,
) -> None:
    page = await routes_page(site, viewport={"width": 1280, "height": 1300})
    await page.click("[data-source=rc] [data-wide]")
    await pull(page, "rc channel_4", "head.pan")
    await page.fill("[name=route-name]", "Tête à gauche, größer!")
    await page.locator("#route-id", has_text="Tete_a_gauche_grosser").wait_for()
    await made(page)
    assert arrows(route(site, "Tete_a_gauche_grosser")) == [("channel_4", "pan")]
