"""What the self-test says of a radio whose driver did not start."""

from saint_services.lib.selftest import network_checks
from saint_services.lib.selftest.boards import BoardTable
from saint_services.lib.selftest.network_facts import NetworkFacts
from tests.unit.lib.selftest.conftest import REPOSITORY

TABLE = BoardTable.read(REPOSITORY)


def test_radio_that_debian_has_no_firmware_for_is_named() -> None:
    """A Zero 2 W has one of two radios, which the kernel's files do not distinguish."""
    board = TABLE.board(["raspberrypi,model-zero-2-w"])
    found = network_checks.wifi(NetworkFacts(), board)
    assert found.state == "failed"
    assert "no firmware" in found.fix
    assert "brcmfmac43430b0-sdio" in found.fix
    assert "write the card again" not in found.fix.lower()


def test_radio_of_another_board_has_its_firmware() -> None:
    found = network_checks.wifi(NetworkFacts(), TABLE.board(["raspberrypi,4-model-b"]))
    assert (found.state, "43430" in found.fix) == ("failed", False)


def test_usb_adapter_of_ethernet_is_proposed_and_a_wifi_stick_is_not() -> None:
    """The image has the firmware of the Pis' own radios; most sticks need another."""
    board = TABLE.board(["raspberrypi,3-compute-module"])
    assert "USB adapter" in network_checks.ethernet(NetworkFacts(), board).fix
    found = network_checks.wifi(NetworkFacts(), board)
    assert (found.state, "no firmware for most USB sticks" in found.fix) == ("not_connected", True)
