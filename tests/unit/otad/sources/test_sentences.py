"""What users read of the owner's address."""

import pytest

from saint_services.lib.api.update_policy import FetchState
from saint_services.otad.sources.sentences import ImportFacts, text

IDLE = FetchState.IDLE
MIB = 1 << 20


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (ImportFacts(IDLE, next_s=360), "Not checked since the start. First look in 6 min"),
        (
            ImportFacts(IDLE, next_s=0, waits_for="outputs are live on head"),
            "Not checked since the start; outputs are live on head. First look at once",
        ),
        (ImportFacts(FetchState.CHECKING, checked_s=5), "Looking for a release now"),
        (
            ImportFacts(
                FetchState.DOWNLOADING, "0.2.0", 100 * MIB, 40 * MIB, checked_s=3 * 3600
            ),
            "Checked 3 h ago: 0.2.0 is there, 40 % of 100.0 MiB downloaded",
        ),
        (
            ImportFacts(IDLE, "0.2.0", 10, 4, waits_for="the maintenance window", checked_s=0),
            "Checked just now: 0.2.0 is there, 40 % downloaded; the rest waits: "
            "the maintenance window",
        ),
        (
            ImportFacts(IDLE, problem="https://a.org answers 404 Not Found", next_s=70),
            "https://a.org answers 404 Not Found. Next look in 2 min",
        ),
        (
            ImportFacts(IDLE, "0.1.0", checked_s=90, next_s=86000),
            "Checked 1 min ago: 0.1.0 is no newer release. Next look in 23 h",
        ),
        (
            ImportFacts(IDLE, checked_s=3 * 86400, next_s=1),
            "Checked 3 days ago: no release is there. Next look in 1 min",
        ),
        (
            ImportFacts(FetchState.VERIFYING, "0.2.0", 10, 10),
            "Release 0.2.0 is there; its signature and content are being checked",
        ),
    ],
)  # fmt: skip
def test_sentence(facts: ImportFacts, sentence: str) -> None:
    assert text(facts) == sentence


def test_state_for_users() -> None:
    assert ImportFacts(IDLE, problem="x").shown_state is FetchState.FAILED
    assert ImportFacts(IDLE, size_bytes=1).shown_state is FetchState.WAITING
    assert ImportFacts(FetchState.CHECKING, problem="x").shown_state is FetchState.CHECKING
