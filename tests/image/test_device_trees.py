"""The overlays that the firmware's settings name, laid over the card's device trees as the firmware
does. That the pins then do what they should is shown on no board yet.
"""

import re
from pathlib import Path

import pytest

from tests.image.artefacts import Artefacts
from tools.vm.disk import Card
from tools.vm.programs import Programs

BOARDS = (
    *("bcm2711-rpi-4-b", "bcm2711-rpi-400", "bcm2711-rpi-cm4-io"),
    *("bcm2837-rpi-3-b", "bcm2837-rpi-3-b-plus", "bcm2837-rpi-zero-2-w"),
)
_GPIO, _SPI, _PWM = "/soc/gpio@7e200000", "/soc/spi@7e204000", "/soc/pwm@7e20c000"


@pytest.fixture(params=BOARDS)
def tree(request: pytest.FixtureRequest, artefacts: Artefacts, tmp_path: Path) -> Path:
    """What Linux gets on that board: its tree, with every overlay of config.txt."""
    card = Card(artefacts.disk, Programs.find())
    board, merged = tmp_path / "board.dtb", tmp_path / "merged.dtb"
    board.write_bytes(card.get_bytes(f"{request.param}.dtb"))
    overlays = []
    for name in re.findall(r"^dtoverlay=(\S+)", card.get("config.txt"), re.MULTILINE):
        overlays.append(tmp_path / f"{name}.dtbo")
        overlays[-1].write_bytes(card.get_bytes(f"overlays/{name}.dtbo"))
    card.programs.run("fdtoverlay", "-i", str(board), "-o", str(merged), *map(str, overlays))
    return merged


def values(tree: Path, node: str, name: str, kind: str = "s") -> list[str]:
    programs = Programs.find()
    return programs.run("fdtget", "-t", kind, str(tree), node, name).decode().split()


def test_spi_and_pwm_are_on_with_their_pins(tree: Path) -> None:
    assert values(tree, _SPI, "status") == values(tree, _PWM, "status") == ["okay"]
    for select in ("0", "1"):
        assert values(tree, f"{_SPI}/spidev@{select}", "reg", "u") == [select]
    pins = {
        line: [
            values(tree, f"{_GPIO}/{line}", name, "u") for name in ("brcm,pins", "brcm,function")
        ]
        for line in ("saint-spi-pins", "saint-spi-selects", "saint-pwm-pins")
    }
    assert pins == {
        "saint-spi-pins": [["9", "10", "11"], ["4"]],
        "saint-spi-selects": [["8", "7"], ["1"]],
        "saint-pwm-pins": [["12", "13"], ["4"]],
    }
