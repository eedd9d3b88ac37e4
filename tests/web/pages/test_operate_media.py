"""Sound, snapshot and recording of the page "Remote" in Chromium, which is the WebRTC peer: tones
are sent and measured at each end.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiortc import rtp

from saint_services.teleopd.extensions import VideoExtensions
from tests.tones import share_of_tone
from tests.waiting import stays, until
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes.remote import RemoteOperation, remote_operation
from tests.web.pages.test_operate import operating

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session")]

SAID_HZ, ROBOT_HZ = 1000, 440
# This computer's microphone: a tone.
_MICROPHONE = """() => {
  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext(), tone = context.createOscillator();
    const quieter = context.createGain(), out = context.createMediaStreamDestination();
    tone.frequency.value = 1000; quieter.gain.value = 0.25;
    tone.connect(quieter).connect(out); tone.start();
    return out.stream;
  };
}"""
# The frequency that is loudest in what the page plays, and its level.
_PLAYED = """async () => {
  window.ears ??= (() => {
    const context = new AudioContext(), ears = context.createAnalyser();
    ears.fftSize = 8192; ears.smoothingTimeConstant = 0;
    context.createMediaStreamSource(document.querySelector("audio").srcObject).connect(ears);
    return ears;
  })();
  const levels = new Float32Array(ears.frequencyBinCount);
  ears.getFloatFrequencyData(levels);
  const loudest = levels.indexOf(Math.max(...levels));
  return [loudest * ears.context.sampleRate / ears.fftSize, levels[loudest]];
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def remote(site: Site, tmp_path: Path) -> AsyncIterator[RemoteOperation]:
    async with remote_operation(site.robot.bus._domain, site.robot.runtime, tmp_path) as made:
        yield made


def played(remote: RemoteOperation) -> bytes:
    path = remote.hardware / "loudspeaker.s16"
    return path.read_bytes()[-48_000:] if path.exists() else b""


async def content(saved: Any) -> bytes:
    path = Path(await saved.path())
    return await asyncio.to_thread(path.read_bytes)


async def loudest(page: Any) -> tuple[float, float]:
    frequency_hz, level_db = await page.evaluate(_PLAYED)
    return frequency_hz, level_db


async def test_chromium_knows_the_request_to_hold_no_picture_back(
    site: Site, remote: RemoteOperation, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[list[tuple[int, bytes]]] = []
    packed = VideoExtensions.set

    def noted(extensions: VideoExtensions, values: rtp.HeaderExtensions) -> tuple[int, bytes]:
        found = packed(extensions, values)
        sent.append(rtp.unpack_header_extensions(*found))
        return found

    monkeypatch.setattr(VideoExtensions, "set", noted)
    await operating(site)
    await until(lambda: len(sent) > 3)
    assert all(b"\0\0\0" in dict(each).values() for each in sent)


async def test_tone_is_played_at_each_end_and_speech_ends_with_the_button(
    site: Site, remote: RemoteOperation
) -> None:
    page = await operating(site)
    await page.evaluate(_MICROPHONE)

    async def is_played() -> bool:
        frequency_hz, level_db = await loudest(page)
        return abs(frequency_hz - ROBOT_HZ) < 12 and level_db > -60

    await until(is_played)
    meter = page.locator("[data-level=microphone]")
    level = (await meter.get_attribute("data-db")).replace("\N{MINUS SIGN}", "-")
    assert -20 < float(level) < -10
    await stays(lambda: not played(remote), 0.3)
    box = await page.locator("[data-talk]").bounding_box()
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await page.mouse.down()
    await until(lambda: share_of_tone(played(remote), SAID_HZ) > 0.9)
    await page.wait_for_selector("[data-talk].is-held")
    assert await violations(page) == []
    await page.mouse.up()
    await page.wait_for_selector("[data-talk]:not(.is-held)")

    async def is_over() -> bool:
        before = played(remote)
        await stays(lambda: True, 0.3)
        return played(remote) == before

    await until(is_over)


async def test_robot_with_sound_at_one_place_offers_no_choice(
    site: Site, remote: RemoteOperation
) -> None:
    page = await operating(site)
    await page.wait_for_selector("[data-sound]")
    assert await page.locator("[data-sound-place]").count() == 0
    title = await page.locator("[data-level=microphone]").get_attribute("title")
    assert title == "The robot's microphone: server"


async def test_person_chooses_where_to_listen(site: Site, tmp_path: Path) -> None:
    """The node of the legs, which comes first, does not answer here."""
    domain, runtime = site.robot.bus._domain, site.robot.runtime
    async with remote_operation(domain, runtime, tmp_path, "asimov"):
        page = await site.open("operate")
        await page.click("[data-operate]")
        choice = page.locator("[data-sound-place]")
        await choice.wait_for()
        assert await choice.input_value() == "legs"
        assert await choice.locator("option").all_inner_texts() == ["Sound: legs", "Sound: server"]
        assert await violations(page) == []
        await choice.select_option("server")

        async def is_played() -> bool:
            frequency_hz, level_db = await loudest(page)
            return abs(frequency_hz - ROBOT_HZ) < 12 and level_db > -60

        await until(is_played)
        assert await choice.input_value() == "server"
        await choice.select_option("legs")
        await page.wait_for_selector("text=the node of legs does not answer about its microphone")


async def test_viewer_has_no_talk_button(site: Site, remote: RemoteOperation) -> None:
    page = await operating(site, "watch")
    await page.wait_for_selector("[data-sound]")
    assert await page.locator("[data-talk]").count() == 0


async def test_snapshot_and_recording_are_saved_by_the_browser(
    site: Site, remote: RemoteOperation
) -> None:
    page = await operating(site)
    async with page.expect_download() as saving:
        await page.click("[data-snapshot]")
    picture = await saving.value
    assert picture.suggested_filename.endswith(".png")
    data = await content(picture)
    assert data.startswith(b"\x89PNG") and len(data) > 5000
    await page.click("[data-record]")
    await page.wait_for_selector("[data-record].is-recording")
    await stays(lambda: True, 1.5)
    async with page.expect_download() as saving:
        await page.click("[data-record]")
    recording = await saving.value
    assert recording.suggested_filename.endswith(".webm")
    assert (await content(recording)).startswith(b"\x1a\x45\xdf\xa3")  # EBML
