"""`python -m tools.fuzz.http [SECONDS]`: requests made from the OpenAPI document, against webd with
a fake robot behind it. Fails at a 5xx that is no daemon's or node's silence, and at answers that
are not as the document says. Schemathesis lives beside .venv: make fuzz-http.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.web.fake_robot import fake_robot

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "contract" / "bin" / "schemathesis"
# What never ends, ends webd or its clients, or takes a file of this computer.
LEFT_OUT = "/api/camera|/api/logs|firmware_import|reboot|shutdown|restart|factory|disconnect_client"


async def run(seconds: int) -> int:
    """Its exit code."""
    with tempfile.TemporaryDirectory() as directory:
        async with fake_robot(Path(directory)) as (_, address, _domain):
            process = await asyncio.create_subprocess_exec(
                str(PROGRAM), "--config-file", str(ROOT / "tools/fuzz/schemathesis.toml"),
                "run", f"http://{address}/api/openapi.json", "--phases", "coverage,fuzzing",
                "--checks", "not_a_server_error,response_schema_conformance",
                "--exclude-path-regex", LEFT_OUT, "--max-time", str(seconds),
                "--continue-on-failure", cwd=directory,
            )  # fmt: skip
            return await process.wait()


def main() -> int:
    """Exit code."""
    if not PROGRAM.exists():
        print(f"{PROGRAM} is missing: say make fuzz-http, which fetches it")
        return 2
    return asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else 600))


if __name__ == "__main__":
    sys.exit(main())
