"""Which credentials a role takes for genuine, and how many it looks at. Numbers typed by hand."""

from dataclasses import replace

import pytest

from saint_services.lib.bus import Sample
from saint_services.lib.generated.saint_msgs import RouterCredential
from saint_services.lib.role.proof import Proofs
from tests.unit.role.credentials import OTHER, SERVER, credential

ROUTER, STRANGER = "0a" * 12, "0b" * 12


class Role:
    """Collects what was proven."""

    def __init__(self, server_key: str = SERVER.public) -> None:
        self.proven: list[tuple[str, int]] = []
        self.proofs = Proofs(server_key, lambda origin, term: self.proven.append((origin, term)))

    def hear(self, said: RouterCredential, origin: str = ROUTER, at_s: float = 100.0) -> None:
        self.proofs.receive(Sample(said, at_s, 0.0, origin))


def test_credential_of_the_nodes_server_is_genuine() -> None:
    role = Role()
    role.hear(credential(ROUTER, 7))
    role.hear(credential(ROUTER, 7))
    assert role.proven == [(ROUTER, 7)]


@pytest.mark.parametrize(
    "said",
    [
        credential(ROUTER, key=OTHER),
        replace(credential(ROUTER, key=OTHER), server_key=SERVER.public),
        replace(credential(ROUTER, 1), term=2),
        replace(credential(ROUTER), signature=""),
        replace(credential(ROUTER), signature="g" * 128),
        replace(credential(STRANGER), origin=ROUTER),
        credential(STRANGER),  # genuine, but of another participant
    ],
)
def test_any_other_credential_is_refused(said: RouterCredential) -> None:
    role = Role()
    role.hear(said)
    assert role.proven == []
    assert role.proofs.refused == 1


def test_credential_that_another_participant_sends_again_is_refused() -> None:
    role = Role()
    role.hear(credential(ROUTER), origin=STRANGER)
    role.hear(replace(credential(ROUTER), origin=STRANGER), origin=STRANGER)
    assert role.proven == []


@pytest.mark.parametrize("origin", [ROUTER, ""])
def test_role_without_a_server_obeys_no_credential(origin: str) -> None:
    role = Role(server_key="")
    role.hear(replace(credential(ROUTER), server_key=""), origin=origin)
    assert role.proven == []


def test_flood_of_one_writer_delays_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    monkeypatch.setattr(
        "saint_services.lib.role.proof.is_signed",
        lambda key, signature, *parts: checked.append(parts[1]) or parts[1] == ROUTER,
    )
    role = Role()
    for number in range(1000):
        false = replace(credential(STRANGER), term=number)
        role.hear(false, origin=STRANGER, at_s=100.0 + number / 1000)
    assert checked == [STRANGER]  # again after 1 s, then 2, 4, up to 60
    role.hear(credential(ROUTER), at_s=100.9)
    assert role.proven == [(ROUTER, 1)]


def test_flood_of_many_writers_costs_ten_checks_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    monkeypatch.setattr(
        "saint_services.lib.role.proof.is_signed",
        lambda key, signature, *parts: bool(checked.append(parts[1])),
    )
    role = Role()
    for number in range(500):
        origin = f"{number:024x}"
        role.hear(replace(credential(STRANGER), origin=origin), origin=origin, at_s=100.5)
    assert len(checked) == 10
    role.hear(credential(ROUTER), at_s=101.0)
    assert checked[-1] == ROUTER
