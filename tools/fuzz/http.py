"""`python -m tools.fuzz.http [SECONDS] [--robot]`: requests made from the OpenAPI document, then
random WebSocket messages, against webd with a fake robot behind it, or a whole simulated one. Fails
at a 5xx that is no daemon's or node's silence, at answers that are not as the document says, at a
request that is not answered, and at what any process suffered. Schemathesis lives beside .venv:
make fuzz-http.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

from tools.fuzz import websocket
from tools.fuzz.api import Where, add_where, target, verdict, where

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "contract" / "bin" / "schemathesis"
# What never ends, ends webd or its clients, or takes a file of this computer.
LEFT_OUT = (
    "/api/camera|/api/logs|firmware_import|reboot|shutdown|restart|factory|disconnect_client"
    "|require_sign_in"
)
_MESSAGES_SHARE = 0.2  # of the time
# Longer than any answer may take: webd gives a node 28 s to take its role.
_ANSWER_LIMIT_S = 40


async def requests(seconds: int, where: Where) -> bool:
    """Whether schemathesis found nothing."""
    token = os.environ.get("SAINT_TOKEN", "")
    header = ["--header", f"Authorization: Bearer {token}"] if token else []
    with tempfile.TemporaryDirectory() as directory:
        async with target(where) as found:
            process = await asyncio.create_subprocess_exec(
                str(PROGRAM), "--config-file", str(ROOT / "tools/fuzz/schemathesis.toml"),
                "run", f"http://{found.address}/api/openapi.json",
                "--phases", "examples,coverage,fuzzing,stateful",
                "--checks", "not_a_server_error,response_schema_conformance",
                "--exclude-path-regex", LEFT_OUT, "--max-time", str(seconds),
                "--request-timeout", str(_ANSWER_LIMIT_S), "--continue-on-failure", *header,
                cwd=directory, env=os.environ | {"PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            code = await process.wait()
        return verdict(found) and code == 0


def main() -> int:
    """Exit code."""
    parser = argparse.ArgumentParser(description="fuzz the API")
    parser.add_argument("seconds", type=int, nargs="?", default=600)
    add_where(parser)
    options = parser.parse_args()
    if not PROGRAM.exists():
        print(f"{PROGRAM} is missing: say make fuzz-http, which fetches it")
        return 2
    messages_s = max(5, int(options.seconds * _MESSAGES_SHARE))
    place = where(options)
    is_sound = asyncio.run(requests(max(5, options.seconds - messages_s), place))
    is_sound = asyncio.run(websocket.run(messages_s, place)) and is_sound
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
