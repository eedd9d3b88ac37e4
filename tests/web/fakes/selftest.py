"""The self-tests of the fake robot's nodes: boards whose supply is weak."""

from saint_services.lib.api import selftest as rows
from saint_services.lib.api.adoption import NodeParams
from saint_services.lib.api.selftest import RunNodeSelfTest, SelfTestCheck, SelfTestReport
from saint_services.lib.ipc import Api, Call
from saint_services.lib.selftest.document import document
from saint_services.lib.selftest.result import failed, in_order, not_connected, passed, skipped
from saint_services.lib.selftest.situation import wires

MACHINE, RELEASE, BEGAN = "Raspberry Pi 4 Model B Rev 1.5", "0.1.0", "2026-01-20T15:00:00+00:00"
CHECKS = [
    passed("board", f"{MACHINE}: a board of the table, as Pi 4B."),
    passed("kernel", "Kernel 6.12.0-arm64 and its modules."),
    passed("device_tree", "The header's parts are on, with their pins."),
    failed("supply", "The voltage was too low since the start: the board may restart when motors "
           "move.",
           "Use a supply for this board (5 V and 3 A for a Pi 4) and a short, thick cable."),
    passed("temperature", "The processor has 48 °C."),
    passed("watchdog", "The watchdog restarts a machine that hangs after 15 s."),
    passed("card", "SD SD32G, 32 GB, no error, 3 GB written."),
    passed("card_speed", "Writes 21 MB/s, reads 43 MB/s, slowest small write 38 ms."),
    passed("ethernet", "eth0 (bcmgenet) has a link with 1000 Mbit/s."),
    not_connected("wifi", "wlan0 (brcmfmac) is there, in no network.",
                  "Join one: page Settings, or wifi in saint.yaml on the card."),
    passed("pins", "22 pins are free; used: GPIO7, GPIO8, GPIO9, GPIO10, GPIO11 by SPI0; GPIO26 by "
           "reset button."),
    not_connected("i2c0", "The bus works, no chip answers.",
                  "For a chip that is there: check SDA, SCL, 3.3 V, ground."),
    passed("i2c1", "Answering: 0x3c SSD1306?, 0x40 PCA9685 or INA219?."),
    passed("spi", "Both chip selects are there; SPI cannot detect a chip."),
    passed("serial", "/dev/ttyAMA0 is there."),
    passed("pwm", "Channels for GPIO12, GPIO13."),
    not_connected("camera", "No camera is plugged in.", "A USB camera with Motion JPEG works."),
    not_connected("sound", "No sound card is plugged in.", "A USB microphone works."),
]  # fmt: skip


class FakeSelfTests:
    """Answers for all nodes; tests change what they find."""

    def __init__(self) -> None:
        self.requests: list[RunNodeSelfTest] = []
        self.checks = list(CHECKS)
        self._wired = {
            f"{each.name}_jumper": skipped(f"{each.name}_jumper", f"Needs a wire: {each.wire}.")
            for each in wires()
        }
        self._tested: set[str] = set()

    def add_to(self, api: Api) -> Api:
        """Serve both requests."""
        api.bind(rows.RUN, self._run)
        api.bind(rows.LAST, self._last)
        return api

    async def _run(self, call: Call[RunNodeSelfTest]) -> SelfTestReport:
        self.requests.append(call.body)
        self._tested.add(call.body.node_id)
        if jumper := call.body.jumper:
            name = f"{jumper}_jumper"
            self._wired[name] = passed(name, "All 256 bytes came back.")
        return self._report()

    async def _last(self, call: Call[NodeParams]) -> SelfTestReport:
        return self._report() if call.body.node_id in self._tested else SelfTestReport()

    def _report(self) -> SelfTestReport:
        found: list[SelfTestCheck] = in_order([*self.checks, *self._wired.values()])
        return SelfTestReport(
            machine=MACHINE,
            release=RELEASE,
            began=BEGAN,
            checks=found,
            jumpers=wires(),
            document=document(MACHINE, RELEASE, BEGAN, found),
        )
