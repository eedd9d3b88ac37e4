"""The self-test of a machine: what it found of its board, header, network and card, as noded
measures it and as clients see it. Not here: how a check is made (lib/selftest).
"""

from typing import Final, Literal, get_args

from pydantic import Field

from ..access.levels import Level
from . import Reply, Request
from .adoption import NodeParams
from .endpoint import Nothing, Rows, Severity

CheckState = Literal["passed", "failed", "not_connected", "skipped"]
Jumper = Literal["serial", "pwm0", "pwm1"]
JUMPERS: Final[tuple[Jumper, ...]] = get_args(Jumper)
_LIMIT_S = 40.0  # an I2C bus that is held low and a camera without pictures take the longest


class SelfTestCheck(Reply):
    """The result of one check: what was found, and what to do about it."""

    name: str
    title: str
    state: CheckState
    text: str
    fix: str = ""


class JumperInfo(Reply):
    """A test that needs a wire between two pins of the header."""

    name: Jumper
    pins: tuple[int, int]  # numbers on the header, 1 to 40
    wire: str  # "GPIO14 (pin 8) and GPIO15 (pin 10)"


class SelfTestReport(Reply):
    """One self-test. `document` is the report file: no serial number, no address, no password."""

    machine: str = ""  # "Raspberry Pi 4 Model B Rev 1.5"
    release: str = ""
    began: str = ""  # ISO 8601, UTC; empty: never tested since noded started
    checks: list[SelfTestCheck] = []
    jumpers: list[JumperInfo] = []
    document: str = ""

    @property
    def failed(self) -> list[SelfTestCheck]:
        """The checks that failed."""
        return [check for check in self.checks if check.state == "failed"]


class RunSelfTest(Request):
    """Run all checks that drive nothing; with `jumper`, the test that needs this wire instead."""

    jumper: Jumper | None = Field(default=None, description="Test these pins with a wire.")
    # A person confirms it each time: the test sends bytes and pulses to these pins.
    only_jumper: bool = Field(
        default=False, description="Confirms: nothing but the wire is connected to these pins."
    )


class SelfTestOrder(RunSelfTest):
    """The order of a server. `only_last`: return the last report and run nothing."""

    only_last: bool = False


class RunNodeSelfTest(RunSelfTest, NodeParams):
    """Run the self-test of one node."""


def _sentence(params: RunSelfTest, reply: SelfTestReport) -> str:
    what = f"Self-test with a jumper ({params.jumper})" if params.jumper else "Self-test"
    failed = ", ".join(check.title for check in reply.failed)
    return f"{what} finished; failed: {failed}" if failed else f"{what} finished without a fault"


def _of_node(params: RunNodeSelfTest, reply: SelfTestReport) -> str:
    return f"{params.node_id}: {_sentence(params, reply)}"


def _severity(_: RunSelfTest, reply: SelfTestReport) -> Severity:
    return "WARNING" if reply.failed else "INFO"


HERE = Rows("selftest_here", "noded")
NODES = Rows("selftest", "adoptiond")

# fmt: off
LAST_HERE = HERE.row(
    "last", "GET", "/selftest", Nothing, SelfTestReport, "Get the last self-test of this node.",
    is_action=False,
)
RUN_HERE = HERE.row(
    "run", "POST", "/selftest", RunSelfTest, SelfTestReport, "Run the self-test of this node.",
    level=Level.ADMIN, log=_sentence, severity=_severity, limit_s=_LIMIT_S, is_action=False,
)
LAST = NODES.row(
    "last", "GET", "/nodes/{node_id}/selftest", NodeParams, SelfTestReport,
    "Get the last self-test of a node.", limit_s=15.0,
)
RUN = NODES.row(
    "run", "POST", "/nodes/{node_id}/selftest", RunNodeSelfTest, SelfTestReport,
    "Run the self-test of a node.",
    level=Level.ADMIN, log=_of_node, severity=_severity, limit_s=_LIMIT_S + 5.0,
)
