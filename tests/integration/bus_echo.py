"""A second process with our bus: says things back, answers calls. Ends when its input ends."""

import asyncio
import os
import sys

from saint_services.lib.bus import Sample
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated.saint_msgs import ResetNode_Request, ResetNode_Response
from saint_services.lib.generated.std_msgs import String
from tests.integration.bus_topics import ANSWER, LATCHED, QUESTION, RESET
from tests.waiting import let_pass


async def main() -> None:
    bus = await open_bus("echo", backend="dds", domain_id=int(os.environ["ROS_DOMAIN_ID"]))
    answers = bus.publisher(ANSWER)

    def answer(sample: Sample[String]) -> None:
        answers.publish(String(f"{sample.message.data} {sample.origin}"))

    async def reset(request: ResetNode_Request) -> ResetNode_Response:
        await let_pass(0.05 if request.factory_reset else 0)  # answers overtake each other
        return ResetNode_Response(True, request.node_id)

    bus.subscribe(QUESTION, answer)
    bus.serve(RESET, reset)
    bus.publisher(LATCHED).publish(String("from echo"))
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    if "--leave-open" not in sys.argv:
        await bus.close()


if __name__ == "__main__":
    asyncio.run(main())
