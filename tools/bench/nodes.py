"""What nodes cost the server: processor time of adoptiond while thirty nodes announce themselves
once a second, beside the same process without nodes; and how long twenty adoptions at once take.

`python -m tools.bench.nodes [--json]`. The nodes are noded itself, many times in one process; their
role processes are played, so the adoptions are those of the bus, the keys and the disk.
"""

import argparse
import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass

from saint_services.lib.api.adoption import ADOPT_NODE, AdoptNode
from tests.integration.node_crowd import Crowd, cpu_s, running_crowd

NODES = 30
ADOPTED = 20
BUDGET_PERCENT = 5.0
_WATCHED_S = 20.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that is printed."""

    idle_percent: float  # of one processor, without nodes
    announcing_percent: float  # with thirty
    adoptions_s: float  # until the last of twenty was at work

    @property
    def is_kept(self) -> bool:
        """The budget counts all that adoptiond does."""
        return self.announcing_percent < BUDGET_PERCENT


async def measure() -> Figures:
    """All of it, one after the other."""
    with running_crowd(roles=ADOPTED) as crowd:
        await crowd.offered()
        idle = await _load(crowd)
        with crowd.nodes(NODES):
            await crowd.offered(*(f"crowd_{n}" for n in range(NODES)))
            announcing = await _load(crowd)
            return Figures(idle, announcing, await _adopt(crowd))


async def _load(crowd: Crowd) -> float:
    before_s, began_s = cpu_s(crowd.server.pid), time.monotonic()
    await asyncio.sleep(_WATCHED_S)
    used_s = cpu_s(crowd.server.pid) - before_s
    return 100.0 * used_s / (time.monotonic() - began_s)


async def _adopt(crowd: Crowd) -> float:
    async with crowd.client() as client:
        began_s = time.monotonic()
        await asyncio.gather(
            *(
                client.request(
                    ADOPT_NODE, AdoptNode(node_id=f"crowd_{n}", role="arms", instance=f"n{n}")
                )
                for n in range(ADOPTED)
            )
        )
        return time.monotonic() - began_s


def main() -> int:
    """Exit code 1 when the budget is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    found = asyncio.run(measure())
    if as_json:
        print(json.dumps(asdict(found)))
        return not found.is_kept
    print(f"adoptiond without nodes              {found.idle_percent:5.2f} % of a processor")
    print(
        f"adoptiond, {NODES} nodes at 1 Hz          {found.announcing_percent:5.2f} %"
        f"   (budget {BUDGET_PERCENT:g} %{'' if found.is_kept else ': OVER'})"
    )
    print(f"{ADOPTED} nodes adopted at once             {found.adoptions_s:5.2f} s")
    return not found.is_kept


if __name__ == "__main__":
    sys.exit(main())
