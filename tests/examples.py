"""How many random examples a test tries: few in `make test`, whose seed is a new one each time, and
many in `make test-long`. Not here: the profile of hypothesis (conftest.py).
"""

import os

USUAL = 60
TRIED = int(os.environ.get("SAINT_TEST_EXAMPLES", USUAL))


def examples(usual: int) -> int:
    """Return `usual`, or as many times more as this run tries of everything."""
    return usual * max(1, TRIED // USUAL)
