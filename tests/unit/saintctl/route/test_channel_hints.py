"""Routes that read channels which the receiver does not send."""

from saint_services.lib.api.rc import RcChannel, RcStatus
from saint_services.lib.api.routing import Route
from saint_services.saintctl.route.channel_hints import channel_hints


def status(count: int) -> RcStatus:
    channels = [
        RcChannel(channel=number, name="", raw=992, us=1500, normalized=0.0)
        for number in range(1, count + 1)
    ]
    return RcStatus(
        enabled=True, connected=True, protocol="crsf", device="/dev/ttyAMA0", failsafe=False,
        rssi=0.0, link_quality=0, frame_rate_hz=50.0, frames=1, rejected=0, discarded_bytes=0,
        channels=channels,
    )  # fmt: skip


def route(*names: str, source: str = "rc") -> Route:
    return Route.model_validate(
        {
            "id": "drive",
            "input": {"source": source},
            "output": {"target": "tracks"},
            "mapping": [{"from": name, "to": "linear"} for name in names],
        }
    )


def test_channel_that_no_receiver_has_is_named_once() -> None:
    (hint,) = channel_hints([route("channel_1", "channel_99", "channel_99")], status(16))
    assert "drive reads channel_99, which the receiver does not send (CRSF, 16 channels)" in hint


def test_received_channels_other_sources_and_no_receiver_give_no_hint() -> None:
    assert not channel_hints([route("channel_16")], status(16))
    assert not channel_hints([route("jawOpen", source="livelink")], status(16))
    assert not channel_hints([route("channel_99")], status(0))
