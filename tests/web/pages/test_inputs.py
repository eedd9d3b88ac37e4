"""The page "Inputs" as users see and use it, with a simulated receiver and phone."""

import pytest

from saint_services.lib.api.livelink import SenderInfo
from saint_services.lib.api.rc import SeenRange
from tests.waiting import until
from tests.web.axe import violations
from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]
LIMIT_S = 20.0


async def test_channels_show_their_switches_and_routes(site: Site) -> None:
    page = await site.open("inputs")
    row = page.locator("[data-channel='1']")
    await row.get_by_text("Tracks angular").wait_for()
    assert "steering" in await row.inner_text()
    assert "Arm switch" in await page.locator("[data-channel='5']").inner_text()
    assert "E-stop" in await page.locator("[data-channel='6']").inner_text()
    assert await page.locator("[data-armed=true]").count() == 1
    site.robot.receiver.is_live = False
    await page.wait_for_selector("[data-receiver='Signal lost']")
    await page.get_by_text("Signal lost: positions hold").wait_for()
    await page.wait_for_selector(".channels-part[data-stale]")


async def test_channel_is_set_up_and_wrong_ends_are_named_at_their_field(site: Site) -> None:
    page = await site.open("inputs")
    await page.click("[data-channel='2'] button")
    await page.fill(".dialog input[name=min]", "1600")
    assert "below the middle (1500 µs)" in await page.locator("#fault-min").inner_text()
    await page.click("[data-save]")
    assert site.robot.receiver.channels[2].min == 1000  # refused before it was sent
    await page.fill(".dialog input[name=min]", "1010")
    await page.fill(".dialog input[name=name]", "gas")
    await page.check(".dialog input[name=reversed]")
    await page.click("[data-save]")
    await page.wait_for_selector(".dialog", state="detached")
    saved = site.robot.receiver.channels[2]
    assert (saved.name, saved.min, saved.reversed) == ("gas", 1010, True)


async def test_calibration_leads_from_rest_to_a_review(site: Site) -> None:
    receiver = site.robot.receiver
    receiver.ranges = [SeenRange(channel=1, us=1500), SeenRange(channel=2, us=1490)]
    page = await site.open("inputs")
    await page.click("[data-calibrate]")
    await page.click("[data-go=start]")
    await page.wait_for_selector("[data-step=center]")
    receiver.refusal = "CH 1 moves between 1400 and 1500 us"
    await page.click("[data-go=next]")
    await page.get_by_text("CH 1 moves between").wait_for()
    await page.click("[data-go=next]")
    receiver.ranges = [SeenRange(channel=1, us=1900, center=1500, low=1000, high=1900)]
    receiver.ranges += [SeenRange(channel=2, us=1490, center=1490, low=1490, high=1490)]
    await page.wait_for_selector("[data-moved='1']")
    assert "moved" in await page.locator("[data-seen='1']").inner_text()
    await page.click("[data-go=next]")
    await page.locator("[data-seen='1'].is-asked").wait_for()
    await page.click("[data-go=skip]")
    await page.wait_for_selector("[data-finding=reversed]")
    assert await page.locator("[data-proposed='1'] b").all_inner_texts() == ["1010", "yes"]
    await page.click("[data-go=save]")
    await page.wait_for_selector(".dialog", state="detached")
    assert receiver.asked[0] == "start" and receiver.asked[-1] == "save"


async def test_leaving_the_page_cancels_a_calibration(site: Site) -> None:
    page = await site.open("inputs")
    await page.click("[data-calibrate]")
    await page.click("[data-go=start]")
    await page.wait_for_selector("[data-step=center]")
    await page.keyboard.press("Escape")  # Escape does not cancel
    assert await page.locator("[data-step=center]").count() == 1
    await page.evaluate("location.hash = '#/drive'")
    await until(lambda: site.robot.receiver.asked[-1] == "cancel")


async def test_protocol_is_detected_and_failsafe_changed(site: Site) -> None:
    receiver = site.robot.receiver
    page = await site.open("inputs/rc")
    await page.click("[data-detect]")
    await page.click("[data-confirm]")
    await page.wait_for_selector("[data-detected=sbus]")
    await page.get_by_role("button", name="Use SBUS").click()
    await until(lambda: receiver.protocol == "sbus")
    await page.check("input[name=failsafe-action][value=estop]")
    await page.fill("input[name=timeout_ms]", "20")
    assert "from 40 to 2000" in await page.locator("#failsafe-timeout_ms").inner_text()
    await page.fill("input[name=timeout_ms]", "300")
    await page.click("[data-save-failsafe]")
    await until(lambda: receiver.failsafe.action == "estop")
    assert (receiver.failsafe.timeout_ms, receiver.failsafe.lost_frames) == (300, 10)


async def test_face_is_searched_zeroed_turned_and_recorded(site: Site) -> None:
    capture = site.robot.capture
    page = await site.open("inputs/livelink")
    await page.wait_for_selector("[data-value=headYaw]")
    await page.fill(".search input", "blink")
    await page.wait_for_selector("[data-value=headYaw]", state="detached")
    assert await page.locator("[data-value]").count() == 2
    await page.click("[data-zero]")
    await until(lambda: capture.zeros == [False])
    await page.click("[data-adjust]")
    await page.get_by_role("button", name="Invert Eye blink left").click()
    await until(lambda: capture.scale == {"eyeBlinkLeft": -1.0})
    await page.fill("input[name=recording]", "take 1")
    await page.click("[data-record]")
    assert "do not begin with a dot" in await page.locator("#recording-wrong").inner_text()
    await page.fill("input[name=recording]", "take1")
    await page.click("[data-record]")
    await page.click("[data-stop-recording]")
    await page.click("[data-recording=take1] [data-play]")
    await until(lambda: capture.playing == "take1")
    await page.click("[data-recording=greeting] [data-delete]")
    await page.click("[data-confirm]")
    await until(lambda: capture.recordings == ["take1"])


async def test_phone_gets_address_and_port_as_text_and_as_a_code(site: Site) -> None:
    page = await site.open("inputs/livelink")
    await page.click("[data-format=llf] [data-code]")
    assert "11111" in await page.locator("[data-port]").inner_text()
    assert await page.locator(".qr").get_attribute("data-says") == "127.0.0.1"
    squares = await page.locator(".qr path").get_attribute("d")
    assert squares.count("M") > 100  # 21 by 21, about half of them black
    assert "open on the robot itself" in await page.locator(".dialog").inner_text()
    assert await violations(page) == []


WAITING = SenderInfo(
    format="llf", ip="192.168.1.77", subject_name="Eve", device="iPhone", frames=120,
    frame_rate=59.9, tracked=True, values={"eyeBlinkLeft": 0.25},
)  # fmt: skip


async def test_sender_that_waits_is_accepted_with_one_tap_and_revoked(site: Site) -> None:
    capture = site.robot.capture
    capture.waiting = [WAITING]
    page = await site.open("inputs/livelink")
    card = page.locator("[data-waiting]")
    await card.get_by_text("Moves nothing").wait_for()
    text = await card.inner_text()
    assert "Eve" in text and "192.168.1.77" in text and "0.25" in text
    await card.locator("[data-accept]").click()
    await page.wait_for_selector("[data-accepted='llf 192.168.1.77 Eve']")
    assert [each.subject_name for each in capture.accepted] == ["Eve"]
    await page.click("[data-revoke]")
    await page.click(".dialog .danger, .dialog [type=submit]")
    await page.wait_for_selector("[data-accepted]", state="detached")
    assert capture.accepted == []


async def test_check_that_is_off_is_shown_and_turned_on(site: Site) -> None:
    capture = site.robot.capture
    capture.accept = "all"
    page = await site.open("inputs/livelink")
    await page.get_by_text("Every sender may move the robot").wait_for()
    await page.click("[data-check-on]")
    await until(lambda: capture.accept == "known")
    await page.wait_for_selector("[data-check-off]")


async def test_code_for_phones_is_shown_on_request_as_text_and_as_a_code(site: Site) -> None:
    page = await site.open("inputs/livelink")
    await page.click("[data-code-show]")
    await page.get_by_text("k7m2pq9xab", exact=True).wait_for()
    assert await page.get_attribute("[data-senders] .qr", "data-says") == "Anna-k7m2pq9xab"


async def test_client_is_listed_and_disconnected_by_an_admin(site: Site) -> None:
    other = await site.open("drive")
    await other.wait_for_selector("[data-link=open]")
    page = await site.open("inputs/websocket")
    rows = page.locator("tr[data-client]")
    await rows.nth(1).wait_for()
    assert await page.get_by_text("This page").count() == 1
    button = page.locator("[data-disconnect]:enabled").first
    name = (await button.get_attribute("aria-label")).removeprefix("Disconnect ")
    await button.click()
    await page.click("[data-confirm]")
    await page.get_by_text(f"{name} disconnected").wait_for()


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
async def test_axe_finds_nothing_and_a_phone_shows_all(site: Site, theme: str) -> None:
    phone = {"width": 390, "height": 844}
    page = await site.open("inputs/rc", color_scheme=theme, viewport=phone)
    for tab in ("rc", "livelink", "websocket", "autonomous"):
        await page.evaluate(f"location.hash = '#/inputs/{tab}'")
        await page.wait_for_selector(f"a[href='/inputs/{tab}'][aria-current=page]")
        await page.wait_for_selector(".skeleton", state="detached")
        await page.wait_for_selector("main .card")
        assert await violations(page) == [], tab
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, tab


@pytest.mark.parametrize("width", [390, 1280])
async def test_receiver_at_a_long_path_fits(site: Site, width: int) -> None:
    site.robot.receiver.device = "/srv/robots/a_place_without_any_hyphen_or_space/run/server/rc_tty"
    page = await site.open("inputs", viewport={"width": width, "height": 844})
    await page.get_by_text("a_place_without_any").first.wait_for()
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


async def test_pins_of_ppm_and_pwm_are_set_on_the_page(site: Site) -> None:
    receiver = site.robot.receiver
    page = await site.open("inputs/rc")
    await page.wait_for_selector("select[name=protocol]")
    assert await page.locator("input[name=pins]").count() == 0
    await page.select_option("select[name=protocol]", "sbus")
    await page.get_by_text("it needs an inverter").wait_for()
    await page.select_option("select[name=protocol]", "pwm")
    await until(lambda: receiver.pins == [16, 19, 20, 21])
    pins = page.locator("input[name=pins]")
    await pins.wait_for()
    assert await pins.input_value() == "16, 19, 20, 21"
    await pins.fill("22, 25")
    await pins.blur()
    await until(lambda: receiver.pins == [22, 25])
    await pins.fill("22, x")
    await pins.blur()
    await page.get_by_text("Pins are GPIO numbers").wait_for()
    await pins.fill("28")
    await pins.blur()
    await page.wait_for_selector("p.wrong:has-text('27')")
    assert receiver.pins == [22, 25]
