"""Model of the TCA9548A, and the files of the chips behind it. Not here: chips (outputs.py)."""

from pathlib import Path

from tools.sim.chips.base import ChipFile


class Tca9548aChip(ChipFile):
    """One register: bit n opens channel n."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, 1)

    def write(self, data: bytes) -> None:
        """Open the channels of the last byte, and close the others."""
        self._answer()
        if data and self._is_written:
            self._memory[0] = data[-1]

    def read(self, length: int) -> bytes:
        """Read the open channels."""
        self._answer(is_read=True)
        return self._sent(bytes((self._memory[0],)) * length)

    def is_open(self, channel: int) -> bool:
        """Return whether the chips of a channel are on the bus."""
        return bool(self._memory[0] >> channel & 1)

    def _power_up(self) -> None:
        self._memory[0] = 0


def mux_file(bus: int, address: int) -> str:
    """Return the file name of a multiplexer below the board's directory."""
    return f"i2c-{bus}-mux-{address:02x}"


def file_behind(bus: int, mux: int, channel: int, address: int) -> str:
    """Return the file name of a chip behind a multiplexer."""
    return f"i2c-{bus}-{mux:02x}-{channel}-{address:02x}"


def behind_open_channels(folder: Path, bus: int, address: int) -> list[Path]:
    """List the files of the chips at an address whose channels are open."""
    found = []
    for path in folder.glob(f"i2c-{bus}-mux-*"):
        mux = int(path.name.rpartition("-")[2], 16)
        chip = Tca9548aChip(path)
        channels = [channel for channel in range(8) if chip.is_open(channel)]
        chip.close()
        places = (folder / file_behind(bus, mux, channel, address) for channel in channels)
        found += [place for place in places if place.is_file()]
    return found
