"""Which network interface the bus uses, and how it waits for its address."""

import pytest

from saint_services.lib.bus.dds import settings
from saint_services.lib.errors import Code, SaintError


async def test_loopback_is_not_waited_for() -> None:
    found = await settings.when_addressed({}, limit_s=0)
    assert found.configuration is not None
    assert "127.0.0.1" in found.configuration


async def test_interface_that_never_comes_is_named() -> None:
    with pytest.raises(SaintError) as caught:
        await settings.when_addressed({"SAINT_DDS_INTERFACE": "nowhere0"}, limit_s=0)
    assert caught.value.code is Code.BUS_UNAVAILABLE
    assert "nowhere0 has no IPv4 address" in str(caught.value)


async def test_bus_waits_until_the_interface_has_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter(["", "", "169.254.7.7"])

    def address(interface: str) -> str:
        found = next(answers)
        if not found:
            raise SaintError(Code.BUS_UNAVAILABLE, f"{interface} has no IPv4 address")
        return found

    monkeypatch.setattr(settings, "_address", address)
    found = await settings.when_addressed({"SAINT_DDS_INTERFACE": "eth0"}, limit_s=10)
    assert found.configuration is not None
    assert 'name="eth0"' in found.configuration
    assert next(answers, None) is None


async def test_wrong_name_is_refused_at_once() -> None:
    with pytest.raises(SaintError) as caught:
        await settings.when_addressed({"SAINT_DDS_INTERFACE": "eth0 or so"}, limit_s=10)
    assert caught.value.code is Code.CONFIG_INVALID


async def test_own_configuration_is_left_alone() -> None:
    given = {"SAINT_DDS_INTERFACE": "nowhere0", "CYCLONEDDS_URI": "<CycloneDDS/>"}
    assert (await settings.when_addressed(given, limit_s=0)).configuration is None
