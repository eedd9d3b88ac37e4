"""Makes all checks that drive nothing: reads the facts, has them judged. Blocks for some seconds:
call it in a thread. Not here: tests with a wire (serial_loop.py, pwm_loop.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..api.selftest import SelfTestCheck
from ..errors import SaintError
from ..hw.cameras.opening import open_source
from ..hw.ports import Board
from ..hw.sound.opening import open_loudspeaker, open_microphone
from ..machine.device_tree import DeviceTree
from ..machine.root_access import AS_ROOT
from ..role_config.model import Camera
from . import (
    camera_check,
    card_checks,
    card_facts,
    header_checks,
    header_facts,
    network_checks,
    network_facts,
    sound_check,
    system_checks,
    system_facts,
)
from .boards import BoardTable
from .card_facts import CardSpeed
from .result import failed, skipped
from .situation import Situation, wires

_ROOT = Path("/")
_PICTURE = Camera(enabled=True)


@dataclass(frozen=True, slots=True)
class MachineUnderTest:
    """What is tested. `problem`: why there is no board; `hardware`: SAINT_HW; `share`: shipped
    data; `scratch`: a folder on the card that may be written."""

    board: Board | None
    problem: str
    hardware: str
    share: Path
    scratch: Path | None
    measure: Callable[[Path], CardSpeed] = card_facts.measure

    @property
    def root(self) -> Path:
        """Where the kernel's files of the board are."""
        return self.board.root() if self.board else _ROOT


def checks(machine: MachineUnderTest, here: Situation) -> list[SelfTestCheck]:
    """Make all checks; those with a wire are listed as skipped."""
    root = machine.root
    header = header_facts.read(machine.board, machine.problem, may_probe=not here.is_role_alive)
    return [
        *_system(machine, root),
        card_checks.card(card_facts.read(root)),
        _speed(machine, here),
        *header_checks.header(header, here, _config_lines(root)),
        camera_check.camera(root, here, lambda: open_source(machine.hardware, _PICTURE)),
        sound_check.sound(
            root,
            here,
            lambda name: open_microphone(machine.hardware, name),
            lambda name: open_loudspeaker(machine.hardware, name),
        ),
        *(_needs_wire(f"{each.name}_jumper", each.wire) for each in wires()),
    ]


def _system(machine: MachineUnderTest, root: Path) -> list[SelfTestCheck]:
    facts = system_facts.read(root)
    problem: list[SelfTestCheck] = []
    try:
        table = BoardTable.read(machine.share)
    except SaintError as err:
        table = BoardTable()
        problem.append(failed("board", f"{err.message}.", err.fix))
    board = table.board(facts.compatible)
    tree = DeviceTree.running(root)
    networks = network_facts.read(root)
    found = [
        *system_checks.system(facts, board, table.pi_os_board(facts.compatible)),
        *system_checks.functions(facts, table.limits(facts.compatible)),
        system_checks.device_tree(tree, table.header, facts, board),
        network_checks.ethernet(networks, board),
        network_checks.wifi(networks, board),
    ]
    return [*found, *problem]


def _config_lines(root: Path) -> header_checks.ConfigLines:
    is_theirs = system_facts.is_raspberry_pi_os(root)
    return header_checks.RASPBERRY_PI_OS if is_theirs else header_checks.OURS


def _speed(machine: MachineUnderTest, here: Situation) -> SelfTestCheck:
    if here.is_driven:
        return skipped("card_speed", "Not measured: the robot is driven.", "Test when it rests.")
    if machine.scratch is None:
        text = "Not measured: this user must not write to the card."
        return skipped("card_speed", text, f"Test {AS_ROOT}.")
    return card_checks.speed(machine.measure(machine.scratch))


def _needs_wire(name: str, wire: str) -> SelfTestCheck:
    return skipped(name, f"Needs a wire between {wire}.", "Take all else off these pins first.")
