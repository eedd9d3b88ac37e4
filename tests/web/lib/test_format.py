"""Times and ages have one form in every language of the browser."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import expect

from tests.web.conftest import Site

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

_ASK = """async () => {
  const { age, clock, dayAndClock, inputName, lately, quantity, words } =
    await import("/lib/format.js");
  const now = Date.now() / 1000;
  const old = 1767226200;
  return [clock(old), dayAndClock(old), lately(now) === clock(now), lately(old),
          [12, 12697, 720000].map(age), quantity(null, "deg"),
          [2, 7].map((mode) => quantity(mode, "mode")),
          words("rc_manual"), words("source_1"), words("channel_12"), inputName("jawOpen")];
}"""


@pytest.mark.parametrize("language", ["en-US", "de-DE", "ar-EG"])
async def test_times_have_one_form(site: Site, language: str) -> None:
    page = await site.open("logs", locale=language, timezone_id="UTC")
    midnight, whole, is_short, old, ages, nothing, modes, *names = await page.evaluate(_ASK)
    assert midnight == "00:10:00"  # en-US without a.m. says 24:10:00
    assert whole == old == "2026-01-01 00:10:00"
    assert is_short
    assert ages == ["12 ms", "12.7 s", "12 min"]
    assert nothing == "–"
    assert modes == ["balance", "7"]  # the second one is of a later controller
    assert names == ["RC manual", "Source 1", "CH 12", "jawOpen"]


async def test_activity_of_another_day_shows_the_day(site: Site) -> None:
    page = await site.open("dashboard", timezone_id="UTC")
    when = page.locator(".log li time").first
    await when.wait_for()
    await expect(when).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))
    await page.clock.set_fixed_time(datetime.now(UTC) + timedelta(days=1))
    await expect(when).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"))
