"""Which orders a node accepts; times and counts are typed by hand."""

from dataclasses import replace

import pytest

from saint_services.lib.api.orders import order_parts
from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.generated.saint_msgs import SignedOrder_Request
from saint_services.noded.server.trust import Challenges, ServerBond, refusal

SERVER, OTHER = PrivateKey(b"1" * 32), PrivateKey(b"2" * 32)
BOND = ServerBond(server="SAINT-01", server_key=SERVER.public)
GIVEN = Challenges().issued("c1", 100.0)


def order(
    kind: str = "reset", by: PrivateKey = SERVER, challenge: str = "c1"
) -> SignedOrder_Request:
    made = SignedOrder_Request(
        node_id="pi_1", kind=kind, body="{}", challenge=challenge, server_key=by.public
    )
    made.signature = by.sign(*order_parts(made))
    return made


def test_order_of_its_server_is_taken():
    assert refusal(order(), BOND, GIVEN, "pi_1", 100.0) == ""


@pytest.mark.parametrize(("now_s", "is_taken"), [(109.9, True), (110.0, False), (1e9, False)])
def test_challenge_lasts_ten_seconds(now_s: float, is_taken: bool):
    assert (refusal(order(), BOND, GIVEN, "pi_1", now_s) == "") is is_taken


def test_challenge_serves_once():
    used = GIVEN.used("c1")
    assert "used before" in refusal(order(), BOND, used, "pi_1", 100.0)


def test_challenge_that_was_never_given_is_refused():
    assert "used before" in refusal(order(challenge="c2"), BOND, GIVEN, "pi_1", 100.0)
    assert "used before" in refusal(order(challenge=""), BOND, GIVEN, "pi_1", 100.0)


def test_at_most_sixteen_challenges_are_open():
    challenges = Challenges()
    for number in range(40):
        challenges = challenges.issued(f"c{number}", 100.0)
    assert list(challenges.until_s) == [f"c{number}" for number in range(24, 40)]


@pytest.mark.parametrize("field", ["node_id", "kind", "body", "challenge", "server_key"])
def test_order_with_one_changed_field_is_refused(field: str):
    changed = replace(order(), **{field: "meet" if field == "body" else "bind"})
    assert refusal(changed, BOND, GIVEN.issued("bind", 100.0), "pi_1", 100.0)


def test_order_of_another_server_is_refused_with_the_way_out():
    said = refusal(order(by=OTHER), BOND, GIVEN, "pi_1", 100.0)
    assert said == (
        "pi_1 belongs to SAINT-01 and accepts signed orders of that server only; "
        "reset it there, or hold its button for 5 s"
    )
    assert refusal(order("meet", OTHER), BOND, GIVEN, "pi_1", 100.0) == said


@pytest.mark.parametrize(("kind", "is_taken"), [("meet", True), ("bind", True), ("reset", False)])
def test_node_of_nobody_may_only_be_introduced_and_bound(kind: str, is_taken: bool):
    assert (refusal(order(kind), ServerBond(), GIVEN, "pi_1", 100.0) == "") is is_taken


def test_order_without_signature_is_refused():
    unsigned = replace(order(), signature="")
    assert "signature" in refusal(unsigned, BOND, GIVEN, "pi_1", 100.0)
    assert "signature" in refusal(
        replace(order("bind"), signature=""), ServerBond(), GIVEN, "pi_1", 1e2
    )
