"""Which credentials a role accepts as genuine, and how many it checks. Numbers typed by hand."""

from dataclasses import replace

import pytest

from saint_services.lib.bus import Sample
from saint_services.lib.generated.saint_msgs import RouterCredential
from saint_services.lib.role.proof import Proofs
from tests.unit.role.credentials import OTHER, SERVER, credential

ROUTER, UNKNOWN = "0a" * 12, "0b" * 12


class Role:
    """Collects what was proven."""

    def __init__(self, server_key: str = SERVER.public) -> None:
        self.proven: list[tuple[str, int]] = []
        self.proofs = Proofs(server_key, lambda origin, term: self.proven.append((origin, term)))

    def receive(self, message: RouterCredential, origin: str = ROUTER, at_s: float = 100.0) -> None:
        self.proofs.receive(Sample(message, at_s, 0.0, origin))


def test_credential_of_the_nodes_server_is_genuine() -> None:
    role = Role()
    role.receive(credential(ROUTER, 7))
    role.receive(credential(ROUTER, 7))
    assert role.proven == [(ROUTER, 7)]


@pytest.mark.parametrize(
    "message",
    [
        credential(ROUTER, key=OTHER),
        replace(credential(ROUTER, key=OTHER), server_key=SERVER.public),
        replace(credential(ROUTER, 1), term=2),
        replace(credential(ROUTER), signature=""),
        replace(credential(ROUTER), signature="g" * 128),
        replace(credential(UNKNOWN), origin=ROUTER),
        credential(UNKNOWN),  # genuine, but of another participant
    ],
)
def test_any_other_credential_is_refused(message: RouterCredential) -> None:
    role = Role()
    role.receive(message)
    assert role.proven == []
    assert role.proofs.refused == 1


def test_credential_that_another_participant_sends_again_is_refused() -> None:
    role = Role()
    role.receive(credential(ROUTER), origin=UNKNOWN)
    role.receive(replace(credential(ROUTER), origin=UNKNOWN), origin=UNKNOWN)
    assert role.proven == []


@pytest.mark.parametrize("origin", [ROUTER, ""])
def test_role_without_a_server_obeys_no_credential(origin: str) -> None:
    role = Role(server_key="")
    role.receive(replace(credential(ROUTER), server_key=""), origin=origin)
    assert role.proven == []


def test_flood_of_one_writer_delays_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    monkeypatch.setattr(
        "saint_services.lib.role.proof.is_signed",
        lambda key, signature, *parts: checked.append(parts[1]) or parts[1] == ROUTER,
    )
    role = Role()
    for number in range(1000):
        false = replace(credential(UNKNOWN), term=number)
        role.receive(false, origin=UNKNOWN, at_s=100.0 + number / 1000)
    assert checked == [UNKNOWN]  # again after 1 s, then 2, 4, up to 60
    role.receive(credential(ROUTER), at_s=100.9)
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
        role.receive(replace(credential(UNKNOWN), origin=origin), origin=origin, at_s=100.5)
    assert len(checked) == 10
    role.receive(credential(ROUTER), at_s=101.0)
    assert checked[-1] == ROUTER


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the writers whose credentials were checked; a signature of ones is genuine."""
    found: list[str] = []

    def is_signed(key: str, signature: str, *parts: str) -> bool:
        found.append(parts[1])
        return signature == "1" * 128

    monkeypatch.setattr("saint_services.lib.role.proof.is_signed", is_signed)
    return found


def genuine(origin: str, term: int = 1) -> RouterCredential:
    return RouterCredential(origin, SERVER.public, term, "1" * 128)


def false(origin: str) -> RouterCredential:
    return RouterCredential(origin, SERVER.public, 1, "0" * 128)


@pytest.mark.parametrize(
    ("message", "origin"),
    [
        (genuine(UNKNOWN), ROUTER),
        (genuine(""), ""),
        (replace(genuine(ROUTER), server_key=OTHER.public), ROUTER),
        (replace(genuine(ROUTER), signature="1" * 127), ROUTER),
    ],
)
def test_credential_that_is_plainly_none_costs_no_check(
    checked: list[str], message: RouterCredential, origin: str
) -> None:
    role = Role()
    role.receive(message, origin=origin)
    assert (checked, role.proven, role.proofs.refused) == ([], [], 1)


def test_false_one_is_checked_again_after_pauses_that_double_up_to_a_minute(
    checked: list[str],
) -> None:
    role = Role()
    checked_at = []
    for eighth in range(8 * 250):
        before = len(checked)
        role.receive(false(UNKNOWN), origin=UNKNOWN, at_s=100.0 + eighth / 8)
        if len(checked) > before:
            checked_at.append(eighth / 8)
    assert checked_at == [0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 123.0, 183.0, 243.0]
    assert role.proofs.refused == 8 * 250


def test_genuine_one_ends_the_pauses_of_its_writer(checked: list[str]) -> None:
    role = Role()
    role.receive(false(ROUTER), at_s=100.0)
    role.receive(genuine(ROUTER), at_s=101.0)
    role.receive(false(ROUTER), at_s=101.0)
    role.receive(genuine(ROUTER, term=2), at_s=102.0)
    assert role.proven == [(ROUTER, 1), (ROUTER, 2)]


def test_credential_is_checked_right_after_the_machine_began(checked: list[str]) -> None:
    role = Role()
    role.receive(genuine(ROUTER), at_s=0.5)
    assert role.proven == [(ROUTER, 1)]


def test_credential_that_is_known_is_not_checked_again(checked: list[str]) -> None:
    role = Role()
    for at_s in (100.0, 102.0, 104.0):
        role.receive(genuine(ROUTER), at_s=at_s)
    assert (checked, role.proofs.refused) == ([ROUTER], 0)


def test_sixty_four_routers_are_known_and_the_oldest_is_checked_again(checked: list[str]) -> None:
    role = Role()
    origins = [f"{number:024x}" for number in range(65)]
    for number, origin in enumerate(origins[:64]):
        role.receive(genuine(origin), origin=origin, at_s=100.0 + number)
    role.receive(genuine(origins[0], term=2), origin=origins[0], at_s=200.0)  # it is the newest now
    role.receive(genuine(origins[2]), origin=origins[2], at_s=201.0)
    assert len(checked) == 65
    role.receive(genuine(origins[64]), origin=origins[64], at_s=202.0)
    checked.clear()
    for number in (0, 2, 1):
        origin = origins[number]
        role.receive(genuine(origin, term=1 if number else 2), origin=origin, at_s=203.0)
    assert checked == [origins[1]]
