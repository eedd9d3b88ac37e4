"""What was set by hand: kept over restarts, wins over rcd.yaml."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.rcd.config import Channel, Failsafe, RcReceiver
from saint_services.rcd.state import (
    SavedRcSettings,
    changes,
    effective,
    store_in,
    with_channels,
    without,
)

FILE = RcReceiver.model_validate(
    {
        "enabled": True,
        "protocol": "sbus",
        "uart": {"device": "/dev/ttyUSB0", "baud_rate": 200_000},
        "channels": [{"number": 1, "name": "steering"}, {"number": 2, "name": "throttle"}],
    }
)


def test_version_1_is_brought_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "rcd.json").write_text('{\n "version_of_format": 1,\n "enabled": false\n}\n')
    store = store_in(tmp_path)
    assert store.load() == SavedRcSettings(enabled=False)
    assert store.problem is None
    store.save(SavedRcSettings(enabled=True))
    assert (tmp_path / "rcd.json.v1").exists()


def test_everything_set_comes_back(tmp_path: Path) -> None:
    state = SavedRcSettings(
        enabled=True,
        protocol="crsf",
        baud_rate=115_200,
        failsafe=Failsafe(action="estop"),
        channels=[Channel(number=3, name="pan", min=900, center=1400, max=2100, reversed=True)],
    )
    store_in(tmp_path).save(state)
    assert store_in(tmp_path).load() == state


def test_nothing_set_leaves_the_settings() -> None:
    assert effective(FILE, SavedRcSettings()) == FILE


def test_other_protocol_does_not_run_at_the_speed_of_the_first() -> None:
    settings = effective(FILE, SavedRcSettings(protocol="crsf"))
    assert (settings.protocol, settings.baud_rate) == ("crsf", 420_000)
    assert effective(FILE, SavedRcSettings(protocol="sbus")).baud_rate == 200_000
    assert effective(FILE, SavedRcSettings(protocol="crsf", baud_rate=115_200)).baud_rate == 115_200


def test_channels_that_were_set_replace_those_of_the_file() -> None:
    turned = Channel(number=2, name="throttle", reversed=True)
    channels = effective(
        FILE, with_channels(SavedRcSettings(), [turned, Channel(number=4)])
    ).channels
    assert [channel.number for channel in channels] == [1, 2, 4]
    assert [channel.reversed for channel in channels] == [False, True, False]


def test_changes_are_what_the_file_does_not_say() -> None:
    same = SavedRcSettings(
        enabled=True, protocol="sbus", channels=[Channel(number=1, name="steering")]
    )
    assert changes(FILE, same) == []
    other = SavedRcSettings(enabled=False, protocol="crsf", failsafe=Failsafe(action="estop"))
    other = with_channels(other, [Channel(number=2, name="gas"), Channel(number=9)])
    assert changes(FILE, other) == ["enabled", "protocol", "failsafe", "CH 2"]


def test_later_word_about_a_channel_counts() -> None:
    state = with_channels(SavedRcSettings(), [Channel(number=2, min=900), Channel(number=1)])
    state = with_channels(state, [Channel(number=2, min=950)])
    assert [(channel.number, channel.min) for channel in state.channels] == [(1, 1000), (2, 950)]


def test_version_2_is_brought_up_to_date(tmp_path: Path) -> None:
    text = '{"version_of_format": 2, "protocol": "crsf", "baud_rate": 400000}'
    (tmp_path / "rcd.json").write_text(text)
    store = store_in(tmp_path)
    assert store.load() == SavedRcSettings(protocol="crsf", baud_rate=400_000)
    assert store.problem is None


def test_pins_belong_to_their_protocol() -> None:
    assert effective(FILE, SavedRcSettings(protocol="ppm", pins=[22])).place == "GPIO22"
    assert effective(FILE, SavedRcSettings(protocol="pwm", pins=[22, 4])).place == "GPIO 22, 4"
    assert changes(FILE, SavedRcSettings(protocol="pwm", pins=[22])) == ["protocol"]
    assert without(SavedRcSettings(protocol="ppm", pins=[22]), ["protocol"]) == SavedRcSettings()
    with pytest.raises(SaintError, match="ppm_pin"):
        effective(FILE, SavedRcSettings(protocol="ppm", pins=[28]))


def test_without_keeps_the_other_parts() -> None:
    state = SavedRcSettings(enabled=True, protocol="sbus", baud_rate=200_000, failsafe=Failsafe())
    assert without(state, ["protocol"]) == SavedRcSettings(enabled=True, failsafe=Failsafe())
    assert without(state, ["enabled", "protocol", "failsafe", "channels"]) == SavedRcSettings()
