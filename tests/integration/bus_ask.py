"""A second process with our bus: queries the echo (bus_echo.py) until it replies, then says so."""

import asyncio
import sys

from saint_services.lib.bus import Sample
from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated.std_msgs import String
from tests.integration.bus_topics import ANSWER, QUESTION


async def main(limit_s: float) -> int:
    bus = await open_bus("ask", backend="dds")
    answered = asyncio.Event()

    def received(_: Sample[String]) -> None:
        answered.set()

    bus.subscribe(ANSWER, received)
    question = bus.publisher(QUESTION)
    try:
        async with asyncio.timeout(limit_s):
            while not answered.is_set():  # the first ones may go before the two know each other
                question.publish(String("who is there?"))
                await asyncio.wait({asyncio.ensure_future(answered.wait())}, timeout=0.2)
    except TimeoutError:
        print("nobody", flush=True)
        return 1
    finally:
        await bus.close()
    print("answered", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(float(sys.argv[1]))))
