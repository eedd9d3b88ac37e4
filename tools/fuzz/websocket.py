"""`python -m tools.fuzz.websocket [SECONDS] [--robot]`: clients that say random things, and break
the protocol in every way that we know. Each message must be answered, and not by an internal fault;
each broken connection must end with a reason; the next client must be served as ever.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from saint_services.webd.actions import table
from saint_services.webd.api.messages import ENVELOPES
from tools.fuzz import fitting
from tools.fuzz.api import Where, add_where, target, verdict, where
from tools.fuzz.corpus import seeds
from tools.fuzz.websocket_client import Client, FaultError

TOPICS = ["nodes", "inputs", "outputs", "head", "arms", "tracks", "system", "firmware", "log", "?"]
WORDS = ["", " ", "head", "tracks", "arms.left", "sim_head", "rc", "*", "../x", "ü\u0000", "\x95",
         "\u202e", "\ud800", "9"]  # fmt: skip
# What ends webd, its clients or the machine, or takes a file of this computer.
LEFT_OUT = {"disconnect_client", "require_sign_in", "reboot", "shutdown", "restart",
            "factory_reset", "firmware_import"}  # fmt: skip
NAMED = [each for each in table.every() if each.action not in LEFT_OUT]
LARGEST_BYTES = 64 * 1024
MESSAGES = 40  # of one client
ATTACKERS = 4  # at once: an action that waits for a node holds one of them for half a minute

Rng = random.Random


def value(rng: Rng, depth: int = 0) -> Any:
    """Anything that JSON can say."""
    kind = rng.randrange(9 if depth < 3 else 7)
    if kind == 7:
        return [value(rng, depth + 1) for _ in range(rng.randrange(5))]
    if kind == 8:
        return {rng.choice(WORDS): value(rng, depth + 1) for _ in range(rng.randrange(5))}
    numbers = [0, -1, 0.5, 2**63, -(2**70), 1e308, float("nan"), float("inf")]
    return [None, True, rng.choice(numbers), rng.choice(WORDS), rng.random() * 200 - 100,
            rng.randrange(-9, 9), "x" * rng.randrange(2000)][kind]  # fmt: skip


def message(rng: Rng) -> str:
    """A message that is nearly one of ours."""
    kind = rng.randrange(4)
    if kind == 0:
        return mutated(rng, rng.choice(seeds("messages"))).decode(errors="ignore")
    if kind == 1:
        said: dict[str, Any] = {
            "type": rng.choice(sorted(ENVELOPES)),
            "topics": rng.sample(TOPICS, 3),
        }
        said |= {rng.choice(["values", "target", "token", "rate_hz"]): value(rng)}
    else:
        named = rng.choice(NAMED)
        params = fitting.params(rng, named.params)
        if kind == 2:  # spoil one of them
            fields = list(named.params.model_fields) or WORDS
            params[rng.choice(fields)] = value(rng)
        said = {"type": named.group, "action": named.action, "params": params}
    text = json.dumps({"id": rng.choice([rng.randrange(99), "a", value(rng)]), **said})
    return text[: LARGEST_BYTES // 2]


def mutated(rng: Rng, data: bytes) -> bytes:
    """A few bytes replaced, left out, or said twice."""
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(changed) + 1)
        changed[at : at + rng.randrange(3)] = rng.choice(
            [b"", rng.randbytes(2), b'"', b"}", b"[" * rng.randrange(900), bytes(changed[:at])[-9:]]
        )
    return bytes(changed)


async def says_anything(client: Client, rng: Rng, until_s: float) -> None:
    await client.ask_all((message(rng) for _ in range(MESSAGES)), until_s)


async def subscribes_a_thousand_times(client: Client, rng: Rng, until_s: float) -> None:
    for _ in range(1000):
        if time.monotonic() > until_s:
            break
        topics, rate = rng.sample(TOPICS, rng.randrange(1, 4)), rng.choice([0, 1, 50, -1, 1e9])
        kind = rng.choice(["subscribe", "subscribe", "unsubscribe"])
        await client.send_checked(json.dumps({"type": kind, "topics": topics, "rate_hz": rate}))


async def sends_binary(client: Client, rng: Rng, _: float) -> None:
    for _ in range(MESSAGES):
        await client.send_checked(rng.randbytes(rng.randrange(300)))


async def sends_too_much(client: Client, rng: Rng, _: float) -> None:
    """One whole, or one that only says that it is."""
    if rng.random() < 0.5:
        client.text("x" * rng.randrange(LARGEST_BYTES + 1, 4 * LARGEST_BYTES))
    else:
        client.raw(b"\x81\xff" + rng.randrange(1 << 17, 1 << 62).to_bytes(8, "big") + bytes(4))
    await client.is_closed(1009)


async def breaks_frames(client: Client, rng: Rng, _: float) -> None:
    """A reserved bit, a long ping, no mask, an unknown kind, a bare continuation, no UTF-8."""
    broken = rng.choice(
        [b"\xc1\x80" + bytes(4), b"\x89\xfe\x01\x00" + bytes(260), b"\x81\x02hi",
         b"\x83\x80" + bytes(4), b"\x80\x80" + bytes(4), b"\x81\x82" + bytes(4) + b"\xff\xfe"]
    )  # fmt: skip
    client.raw(broken)
    await client.is_closed(1002, 1007)


async def sends_noise(client: Client, rng: Rng, _: float) -> None:
    """Whatever comes of it, webd may not fail."""
    client.raw(rng.randbytes(rng.randrange(1, 3000)))
    client.end_writing()
    await client.is_over()


async def cuts_everything(client: Client, rng: Rng, _: float) -> None:
    """Messages byte by byte, and in fragments with pings between."""
    await client.send_checked(message(rng), in_pieces_of=1)
    await client.ask_in_fragments(message(rng).encode(errors="ignore"), rng)


async def closes_half(client: Client, rng: Rng, _: float) -> None:
    """In the middle of a frame, or after requests whose answers it will not read."""
    for _ in range(rng.randrange(12)):
        client.text(message(rng))
    client.raw(b"\x81\xfe\x01"[: rng.randrange(4)])
    client.end_writing()
    await client.is_over()


async def vanishes(client: Client, rng: Rng, _: float) -> None:
    """By a reset, while much is on its way."""
    client.text(json.dumps({"type": "subscribe", "topics": TOPICS[:-1], "rate_hz": 0}))
    for _ in range(rng.randrange(20)):
        client.text(message(rng))
    client.reset()


Deed = Callable[[Client, Rng, float], Awaitable[None]]  # the last: when to come to an end
DEEDS: tuple[Deed, ...] = (
    says_anything, says_anything, subscribes_a_thousand_times, sends_binary, sends_too_much,
    breaks_frames, sends_noise, cuts_everything, closes_half, vanishes,
)  # fmt: skip


async def attack(address: str, seconds: float, seed: int) -> list[str]:
    """Several attackers at once; what was wrong."""
    until_s = time.monotonic() + seconds
    counts = Counter[str]()
    attackers = (_attacker(address, until_s, seed + n, counts) for n in range(ATTACKERS))
    found = await asyncio.gather(*attackers)
    print(f"{counts.total()} clients: {dict(counts)}", flush=True)
    return [fault for faults in found for fault in faults]


async def _attacker(address: str, until_s: float, seed: int, counts: Counter[str]) -> list[str]:
    """One deed after the other, a well-behaved client after each."""
    rng, faults, done = Rng(seed), list[str](), 0
    token = os.environ.get("SAINT_TOKEN", "")
    while time.monotonic() < until_s:
        deed = rng.choice(DEEDS)
        counts[deed.__name__] += 1
        done += 1
        try:
            async with Client(address, token) as client:
                await deed(client, rng, until_s)
            async with Client(address, token) as client:
                await client.send_checked('{"type": "system", "action": "describe"}')
        except FaultError as err:
            faults.append(f"{deed.__name__}, seed {seed}, client {done}: {err}")
            print(faults[-1], flush=True)
    return faults


async def run(seconds: float, where: Where, seed: int | None = None) -> bool:
    """Whether nothing went wrong."""
    seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    print(f"WebSocket clients for {seconds:g} s, seed {seed}", flush=True)
    async with target(where) as found:
        found.mistakes += await attack(found.address, seconds, seed)
    return verdict(found)


def main() -> int:
    """Exit code."""
    parser = argparse.ArgumentParser(description="fuzz the WebSocket")
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    add_where(parser)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    return 0 if asyncio.run(run(options.seconds, where(options), options.seed)) else 1


if __name__ == "__main__":
    sys.exit(main())
