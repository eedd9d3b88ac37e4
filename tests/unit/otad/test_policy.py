"""The owner's settings: over otad.yaml, checked whole, kept with a last good copy."""

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from saint_services.lib.api.backup import DaemonBackup, RestoreNotes
from saint_services.lib.api.endpoint import Nothing, WatchRequest
from saint_services.lib.api.firmware import WATCH
from saint_services.lib.api.update_policy import (
    GET_POLICY,
    SET_POLICY,
    OfferPolicy,
    RolloutPolicy,
    SetUpdatePolicy,
    UpdatePolicy,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.otad.config import Config
from saint_services.otad.policy import OwnerPolicy, PolicyStore
from tests.unit.otad.ota_rig import Ota, Robot
from tests.unit.otad.test_daemon import refused, report
from tests.waiting import until


class Loose(BaseModel):
    """What a client of another version may send."""

    model_config = ConfigDict(extra="allow")


async def change(ota: Ota, **wanted: object) -> object:
    return await ota.client.request(SET_POLICY, SetUpdatePolicy.model_validate(wanted))


async def test_what_is_chosen_is_in_force_at_once_and_after_a_restart(robot: Robot) -> None:
    async with robot.otad() as ota:

        async def is_open() -> bool:
            return not (await report(ota)).offers_closed

        await until(is_open)  # the registry has answered
        await change(ota, offers="ask", releases_from="https://example.org/robots/manifest.json")
        shown = await report(ota)
        assert "a user starts" in shown.offers_closed
        assert shown.policy is not None
        assert shown.policy.releases_from == "https://example.org/robots"
    async with robot.otad() as ota:
        policy = await ota.client.request(GET_POLICY, Nothing())
    assert policy.offers is OfferPolicy.ASK
    assert policy.releases_from == "https://example.org/robots"


async def test_settings_of_the_file_hold_where_nothing_is_chosen(tmp_path: Path) -> None:
    yaml = OwnerPolicy(window="02:00-05:00", roll_out=RolloutPolicy.AUTOMATIC)
    store = PolicyStore(yaml, tmp_path)
    assert await store.load() is None
    await store.change(SetUpdatePolicy(offers=OfferPolicy.ASK))
    again = PolicyStore(OwnerPolicy(window="03:00-06:00", check_every_h=3), tmp_path)
    await again.load()
    shown = again.shown()
    assert (shown.window, shown.check_every_h, shown.offers) == (
        "03:00-06:00", 3, OfferPolicy.ASK,
    )  # fmt: skip
    assert shown.roll_out is RolloutPolicy.BY_USER


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"window": "02:00-02:10"}, "shorter than an hour"),
        ({"window": "night"}, "is no window"),
        ({"releases_from": "http://example.org"}, "must begin with https://"),
        ({"authority": "no certificate"}, "no certificate in PEM"),
        ({"authority": "-----BEGIN PRIVATE KEY-----"}, "has a private key"),
        ({"check_every_h": 0}, "at least 1"),
        ({"offers": "never"}, "automatic"),
        ({"offers": "ask", "window": "25:00-26:00"}, "is no window"),
    ],
)
async def test_wrong_setting_changes_nothing(
    robot: Robot, wanted: dict[str, object], reason: str
) -> None:
    async with robot.otad() as ota:
        before = await ota.client.request(GET_POLICY, Nothing())
        err = await refused(ota.client.patch("/policy", Loose.model_validate(wanted), UpdatePolicy))
        assert await ota.client.request(GET_POLICY, Nothing()) == before
    assert err.code is Code.REQUEST_INVALID
    assert reason in err.message
    assert not (robot.root / "state/policy.json").exists()


async def test_damaged_settings_are_replaced_by_the_last_good_ones(tmp_path: Path) -> None:
    store = PolicyStore(OwnerPolicy(), tmp_path)
    await store.load()
    await store.change(SetUpdatePolicy(window="02:00-05:00"))
    # The last write of a card that fails, and what a hand may have put there.
    for damage in (b"", b"{", b'{"version_of_format": 1, "window": "x"}'):
        await asyncio.to_thread((tmp_path / "policy.json").write_bytes, damage)
        again = PolicyStore(OwnerPolicy(), tmp_path)
        problem = await again.load()
        assert problem is not None
        assert problem.code is Code.STATE_DAMAGED
        assert again.shown().window == "02:00-05:00"


async def test_settings_of_the_release_before_are_read(tmp_path: Path) -> None:
    text = '{"version_of_format": 1, "window": "02:00-05:00"}'
    await asyncio.to_thread((tmp_path / "policy.json").write_text, text)
    store = PolicyStore(OwnerPolicy(), tmp_path)
    assert await store.load() is None
    assert (store.shown().window, store.shown().usb_stick) == ("02:00-05:00", False)


async def test_settings_of_a_newer_release_leave_those_of_the_file(tmp_path: Path) -> None:
    text = '{"version_of_format": 9, "window": "02:00-05:00"}'
    (tmp_path / "policy.json").write_text(text)
    store = PolicyStore(OwnerPolicy(offers=OfferPolicy.ASK), tmp_path)
    problem = await store.load()
    assert problem is not None
    assert problem.code is Code.STATE_NEWER
    assert store.in_force.offers is OfferPolicy.ASK
    assert (tmp_path / "policy.json").read_text() == text


async def test_change_that_cannot_be_stored_is_not_in_force(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    store = PolicyStore(OwnerPolicy(), tmp_path / "state")
    with pytest.raises(SaintError):
        await store.change(SetUpdatePolicy(offers=OfferPolicy.ASK))
    assert store.in_force.offers is OfferPolicy.AUTOMATIC


async def test_settings_are_part_of_a_backup_and_of_a_factory_reset(robot: Robot) -> None:
    async with robot.otad() as ota:
        await change(ota, window="02:00-05:00", releases_from="https://example.org")
        saved = await ota.client.get("/backup", DaemonBackup)
        await ota.client.delete("/backup", RestoreNotes)
        assert (await report(ota)).policy == PolicyStore(OwnerPolicy(), robot.root).shown()
        await ota.client.put("/backup", saved, RestoreNotes)
        policy = (await report(ota)).policy
    assert policy is not None
    assert (policy.window, policy.releases_from) == ("02:00-05:00", "https://example.org")


async def test_automatic_roll_out_begins_when_it_is_chosen(robot: Robot) -> None:
    robot.node("head_1")
    async with robot.otad() as ota:
        await ota.release("1.1.0")
        assert (await report(ota)).plan is None
        await change(ota, roll_out="automatic")
        async for shown in ota.client.follow(WATCH, WatchRequest()):
            if shown.plan:
                assert shown.plan.version == "1.1.0"
                break


async def test_window_opens_when_the_clock_was_set(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_set = False

    async def clock_is_set(_: object) -> bool:
        return is_set

    monkeypatch.setattr("saint_services.otad.adapters.clock.is_set", clock_is_set)
    monkeypatch.setattr("saint_services.otad.firmware._CLOCK_INTERVAL_S", 0.05)
    async with robot.otad() as ota:
        await change(ota, window="00:00-23:59")
        assert "no time server" in (await report(ota)).offers_closed
        is_set = True

        async def is_open() -> bool:
            return "no time server" not in (await report(ota)).offers_closed

        await until(is_open)


def test_sentence_of_the_log_names_what_was_changed() -> None:
    wanted = SetUpdatePolicy(
        offers=OfferPolicy.ASK, releases_from="", authority="x", window="", usb_stick=False
    )
    shown = PolicyStore(OwnerPolicy(), Path()).shown()
    assert SET_POLICY.sentence(wanted, shown) == (
        "Update settings changed: offers ask, maintenance window any time, "
        "releases from no address, own authority set, releases from USB sticks off"
    )


def test_otad_yaml_has_the_same_rules() -> None:
    with pytest.raises(ValueError, match="must begin with https://"):
        Config(releases_from="http://example.org")
