"""Sentences about a network that gave no address, from wpa_supplicant's own words."""

import pytest

from saint_services.setup.wifi_trial import cause

START = "Successfully initialized wpa_supplicant\n"
SEEN = "wlan0: Trying to associate with 02:00:00:00:01:00 (SSID='stage' freq=2437 MHz)\n"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ("", "a wrong password, a misspelt name"),
        (START, "no network of that name"),
        (START + SEEN, "refuses the server"),
        (START + SEEN + "wlan0: CTRL-EVENT-CONNECTED - Connection to 02:00 completed", "DHCP"),
        (START + SEEN + "wlan0: WPA: 4-Way Handshake failed - pre-shared key may be incorrect",
         "refuses this password"),
        (START + SEEN + "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 reason=WRONG_KEY",
         "refuses this password"),
    ],
)  # fmt: skip
def test_cause_is_the_best_that_is_known(messages: str, expected: str) -> None:
    assert expected in cause(messages)
