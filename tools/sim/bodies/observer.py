"""Computes the present state of a simulated board's bodies outside the process that owns the board:
for sensors of other boards, tests, the command line. Reads files only; a motor that an ended
process left running goes on.
"""

from collections.abc import Callable
from pathlib import Path
from time import monotonic_ns
from typing import TYPE_CHECKING

from saint_services.lib.hw.pins.header import PINS
from saint_services.lib.hw.pwm.pca9685 import CHANNELS
from saint_services.lib.records import RecordReading, Records
from saint_services.lib.role_config.model import RoleConfig
from tools.sim import wiring
from tools.sim.bodies.plant import Plant
from tools.sim.bodies.states import States
from tools.sim.faults import Faults

if TYPE_CHECKING:
    from tools.sim.chips.controllers import Controller
    from tools.sim.chips.vesc import SimVesc

_NOTHING = RecordReading(0.0, 0, 0)


class BodyObserver:
    """Observes the bodies of one role on a board: `role` is "tracks" or "arms.left", empty for the
    only one.
    """

    def __init__(
        self, directory: Path, clock_ns: Callable[[], int] = monotonic_ns, role: str = ""
    ) -> None:
        self._directory = directory
        self._role = role
        self._path: Path | None = None
        self._clock_ns = clock_ns
        self._read_ns = 0  # when the role's file was written
        self._pins: Records | None = None
        self._faults: Faults | None = None
        self._states: States | None = None
        self._outputs: dict[str, Records] = {}
        self._controllers: dict[str, Controller | SimVesc] = {}
        self._plant: Plant | None = None
        self.config: RoleConfig | None = None

    def observe(self) -> Plant | None:
        """Return the bodies at present, valid until the next call; None without a role."""
        if not self._is_known():
            return None
        assert self.config and self._pins and self._faults and self._states
        now_ns = self._clock_ns()
        kept = self._states.load()
        # A sensor reads 100 times a second: bodies are reused, as the state overwrites them.
        if self._plant is None or kept is None:
            self._plant = Plant.of(self.config)
        self._plant.feel(self._faults.read())
        if kept:
            self._plant.restore(kept[1])
        if kept and kept[0] <= now_ns:
            self._plant.catch_up(kept[0], now_ns, self._pins.read, self._output)
        else:  # nothing has moved since the computer's last start
            self._plant.rest()
        return self._plant

    def close(self) -> None:
        """Unmap all files."""
        for file in (self._pins, self._faults, self._states):
            if file:
                file.close()
        for outputs in self._outputs.values():
            outputs.close()
        for controller in self._controllers.values():
            controller.close()
        self._pins = self._faults = self._states = self._plant = self.config = None
        self._outputs.clear()
        self._controllers.clear()
        self._read_ns = 0

    def _is_known(self) -> bool:
        self._path = self._path or wiring.find(self._directory, self._role)
        try:
            written_ns = self._path.stat().st_mtime_ns if self._path else 0
        except FileNotFoundError:
            self._path = None
            return False
        if self._path and written_ns != self._read_ns:
            self.close()
            if config := wiring.read(self._path):
                self._open(config)
                self._read_ns = written_ns
        return self.config is not None

    def _open(self, config: RoleConfig) -> None:
        self.config = config
        self._pins = Records(self._directory / "pins", PINS)
        self._faults = Faults(self._directory, config.target)
        self._states = States(self._directory, config.target, Plant.of(config).names)
        for name, device in config.i2c_devices.items():
            if device.driver == "pca9685":
                path = self._directory / outputs_file(device.bus, device.address)
                self._outputs[name] = Records(path, CHANNELS)
        if config.serial_devices or config.can_devices:
            from tools.sim.chips.controllers import controllers_of

            lines, nodes = config.serial_devices, config.can_devices
            self._controllers = controllers_of(self._directory, lines, nodes)

    def _output(self, device: str, channel: int) -> RecordReading:
        if controller := self._controllers.get(device):
            return controller.output(channel)
        outputs = self._outputs.get(device)
        return outputs.read(channel) if outputs else _NOTHING


def outputs_file(bus: int, address: int) -> str:
    """Return the file name of a servo chip's outputs, below the board's directory."""
    return f"i2c-{bus}-{address:02x}.outputs"
