"""The gate between a command and the pins, one class per kind of limit: who, how old, how long,
stopped by whom. The deadline is 150 ms; all times are typed by hand.
"""

import math
from collections import Counter

import pytest

from saint_services.lib.role.gate import CommandGate, Refusal

ROUTER, SECOND, UNKNOWN = "router", "second router", "unknown"


def proven(deadline_ms: int = 150, counters: Counter[str] | None = None) -> CommandGate:
    """Return a gate for which the server has signed for two routers, the second one newer."""
    gate = CommandGate(deadline_ms, counters)
    gate.prove(ROUTER, 1)
    gate.prove(SECOND, 2)
    return gate


def living(at_s: float = 0.0, generation: int = 1) -> CommandGate:
    """Return a gate of 150 ms that received one heartbeat."""
    gate = proven()
    gate.heartbeat(ROUTER, 1, False, generation, at_s)
    return gate


class TestWhoIsObeyed:
    def test_nobody_before_the_first_heartbeat(self) -> None:
        assert CommandGate(150).refusal(ROUTER, 0.0, 0.0) is Refusal.SILENT
        assert not CommandGate(150).is_alive(0.0)

    def test_the_writer_of_the_heartbeat(self) -> None:
        assert living().refusal(ROUTER, 0.0, 0.0) is None

    @pytest.mark.parametrize("origin", [UNKNOWN, "", SECOND])
    def test_nobody_else(self, origin: str) -> None:
        assert living().refusal(origin, 0.0, 0.0) is Refusal.FOREIGN

    @pytest.mark.parametrize("origin", [ROUTER, UNKNOWN, ""])
    def test_nobody_whose_heartbeat_is_not_proven(self, origin: str) -> None:
        gate = CommandGate(150)
        gate.heartbeat(origin, 1, False, 1, 0.0)
        assert gate.refusal(origin, 0.0, 0.0) is Refusal.SILENT
        assert gate.counters == {"heartbeats_unproven": 1}
        gate.heartbeat(origin, 2, False, 1, 0.0)
        assert gate.counters == {"heartbeats_unproven": 2}

    def test_unnamed_writers_only_where_that_was_accepted(self) -> None:
        gate = CommandGate(150)
        gate.prove("", 0)
        gate.heartbeat("", 1, False, 1, 0.0)
        assert gate.refusal("", 0.0, 0.0) is None
        assert gate.refusal(UNKNOWN, 0.0, 0.0) is Refusal.FOREIGN

    def test_no_second_router_beside_a_living_one(self) -> None:
        gate = living()
        gate.heartbeat(SECOND, 7, False, 9, 0.149)
        assert gate.controller == ROUTER
        assert gate.refusal(SECOND, 0.149, 0.149) is Refusal.FOREIGN
        assert gate.counters == {"heartbeats_foreign": 1}
        gate.heartbeat(SECOND, 8, False, 9, 0.149)
        assert gate.counters == {"heartbeats_foreign": 2}

    def test_a_second_router_after_the_first_is_dead(self) -> None:
        gate = living()
        gate.heartbeat(SECOND, 1, False, 1, 0.150)
        assert gate.refusal(SECOND, 0.150, 0.150) is None
        assert gate.refusal(ROUTER, 0.150, 0.150) is Refusal.FOREIGN
        assert gate.counters == {}


class TestHowLongAHeartbeatCounts:
    def test_150_ms_and_no_longer(self) -> None:
        gate = living()
        assert gate.is_alive(0.1499)
        assert gate.refusal(ROUTER, 0.1499, 0.1499) is None
        assert not gate.is_alive(0.150)
        assert gate.refusal(ROUTER, 0.150, 0.150) is Refusal.SILENT

    @pytest.mark.parametrize("sequence", [1, 0, -1])
    def test_a_repeated_one_is_none(self, sequence: int) -> None:
        gate = living()
        gate.heartbeat(ROUTER, sequence, False, 1, 0.100)
        assert gate.counters == {"heartbeats_repeated": 1}
        assert not gate.is_alive(0.150)

    def test_the_newest_repeated_after_the_deadline_wakes_nobody(self) -> None:
        gate = living()
        gate.heartbeat(ROUTER, 1, False, 1, 5.0)
        assert gate.counters == {"heartbeats_repeated": 1}
        assert not gate.is_alive(5.0)

    @pytest.mark.parametrize("sequence", [2, 0])
    def test_after_the_deadline_any_new_number_counts(self, sequence: int) -> None:
        gate = living()
        gate.heartbeat(ROUTER, sequence, False, 1, 5.0)  # 0: it has started again
        assert gate.refusal(ROUTER, 5.0, 5.0) is None

    def test_a_repeated_one_cannot_release(self) -> None:
        gate = living(generation=1)
        gate.trip()
        gate.heartbeat(ROUTER, 1, False, 2, 0.050)
        assert gate.latched
        gate.heartbeat(SECOND, 2, False, 2, 0.050)
        assert gate.latched


class TestHowOldACommandMayBe:
    def test_150_ms_on_its_way_are_the_most(self) -> None:
        gate = living()
        gate.heartbeat(ROUTER, 2, False, 1, 0.100)
        assert gate.refusal(ROUTER, 0.0, 0.150) is None
        assert gate.refusal(ROUTER, 0.0, 0.1501) is Refusal.STALE


class TestHowLongACommandCounts:
    def test_nothing_expires_before_there_was_a_command(self) -> None:
        assert CommandGate(150).expiry_s() == -math.inf
        assert living().expiry_s() == -math.inf

    def test_150_ms_after_the_older_of_command_and_heartbeat(self) -> None:
        gate = living(1.0)
        gate.accepted(0.9)
        assert gate.expiry_s() == pytest.approx(1.05)
        gate.accepted(1.1)
        assert gate.expiry_s() == pytest.approx(1.15)

    def test_a_gate_of_250_ms(self) -> None:
        gate = proven(250)
        gate.heartbeat(ROUTER, 1, False, 1, 0.0)
        gate.accepted(0.0)
        assert (gate.deadline_s, gate.expiry_s()) == (0.25, 0.25)
        assert gate.is_alive(0.249) and not gate.is_alive(0.250)


class TestWhoStops:
    @pytest.mark.parametrize("origin", [ROUTER, UNKNOWN, ""])
    def test_anybody(self, origin: str) -> None:
        gate = living()
        gate.estop(True, 2, origin)
        assert gate.refusal(ROUTER, 0.0, 0.0) is Refusal.ESTOP

    def test_before_any_heartbeat(self) -> None:
        gate = CommandGate(150)
        gate.estop(True, 0, UNKNOWN)
        assert gate.latched

    def test_the_heartbeat_itself(self) -> None:
        gate = living()
        gate.heartbeat(ROUTER, 2, True, 2, 0.010)
        assert gate.refusal(ROUTER, 0.010, 0.010) is Refusal.ESTOP

    def test_a_reason_of_our_own(self) -> None:
        gate = living()
        gate.trip()
        assert gate.refusal(ROUTER, 0.0, 0.0) is Refusal.ESTOP

    def test_with_the_generation_that_is_known_already(self) -> None:
        gate = living(generation=5)
        gate.estop(True, 5, ROUTER)
        assert gate.latched

    def test_foreign_stops_are_counted(self) -> None:
        gate = living()
        gate.estop(True, 2, UNKNOWN)
        gate.estop(True, 2, UNKNOWN)
        assert gate.counters == {"estops_foreign": 2}

    def test_the_stop_is_named_before_silence_and_unknown_participants(self) -> None:
        gate = living()
        gate.trip()
        assert gate.refusal(UNKNOWN, 0.0, 9.0) is Refusal.ESTOP


class TestWhoReleases:
    def stopped(self) -> CommandGate:
        gate = living(generation=1)
        gate.estop(True, 2, ROUTER)
        return gate

    def test_the_router_with_a_newer_generation(self) -> None:
        gate = self.stopped()
        gate.estop(False, 3, ROUTER)
        assert gate.refusal(ROUTER, 0.0, 0.0) is None

    @pytest.mark.parametrize("generation", [0, 1, 2])
    def test_no_old_or_repeated_message(self, generation: int) -> None:
        gate = self.stopped()
        gate.estop(False, generation, ROUTER)
        assert gate.latched
        gate.heartbeat(ROUTER, 2, False, generation, 0.010)
        assert gate.latched

    def test_no_unknown_participant(self) -> None:
        gate = self.stopped()
        gate.estop(False, 9, UNKNOWN)
        assert gate.latched
        assert gate.counters == {"releases_foreign": 1}
        gate.estop(False, 9, UNKNOWN)
        assert gate.counters == {"releases_foreign": 2}

    def test_a_unknown_participants_release_stops_nothing_either(self) -> None:
        gate = living()
        gate.estop(False, 9, UNKNOWN)
        assert gate.refusal(ROUTER, 0.0, 0.0) is None

    def test_a_message_that_was_overtaken_changes_nothing(self) -> None:
        gate = living(generation=5)
        gate.estop(True, 4, ROUTER)  # cleared long ago
        assert not gate.latched
        gate.estop(True, 6, ROUTER)
        gate.estop(False, 5, ROUTER)
        assert gate.latched

    def test_a_router_that_has_not_seen_a_trip_has_to_stop_and_clear(self) -> None:
        gate = proven()
        gate.trip()
        gate.heartbeat(ROUTER, 0, False, 0, 0.0)
        gate.heartbeat(ROUTER, 1, False, 1, 0.0)
        assert gate.latched
        gate.estop(True, 2, ROUTER)
        gate.estop(False, 3, ROUTER)
        assert not gate.latched

    def test_a_router_that_counts_from_the_start_has_to_stop_and_clear(self) -> None:
        gate = living(generation=9)
        gate.trip()
        gate.heartbeat(SECOND, 1, False, 1, 5.0)
        assert gate.latched
        gate.estop(True, 2, SECOND)
        gate.estop(False, 3, SECOND)
        assert not gate.latched

    def test_another_router_with_a_higher_generation_has_to_stop_and_clear(self) -> None:
        gate = self.stopped()
        gate.heartbeat(SECOND, 1, False, 900, 5.0)
        gate.heartbeat(SECOND, 2, False, 901, 5.01)
        assert gate.latched

    def test_a_restarted_router_that_says_active_may_clear(self) -> None:
        gate = self.stopped()
        gate.heartbeat(SECOND, 1, True, 2, 5.0)
        gate.heartbeat(SECOND, 2, False, 3, 5.01)
        assert not gate.latched

    @pytest.mark.parametrize("press", [UNKNOWN, ""])
    def test_a_clear_of_an_earlier_press_leaves_another_press(self, press: str) -> None:
        gate = self.stopped()
        gate.estop(True, 0, press)
        gate.heartbeat(ROUTER, 2, True, 2, 0.010)  # still the press before
        gate.estop(False, 3, ROUTER)
        assert gate.latched
        gate.estop(True, 4, ROUTER)
        gate.estop(False, 5, ROUTER)
        assert not gate.latched

    def test_a_press_received_before_its_router_was_proven_needs_no_second_one(self) -> None:
        gate = CommandGate(150)
        gate.estop(True, 7, ROUTER)
        gate.prove(ROUTER, 1)
        gate.heartbeat(ROUTER, 1, True, 7, 0.0)
        gate.heartbeat(ROUTER, 2, False, 8, 0.010)
        assert not gate.latched

    def test_unknown_press_before_a_restart_needs_a_new_one_of_the_new_router(
        self,
    ) -> None:
        gate = self.stopped()
        gate.estop(True, 0, UNKNOWN)
        gate.heartbeat(SECOND, 1, True, 2, 5.0)
        gate.heartbeat(SECOND, 2, False, 3, 5.01)
        assert gate.latched
        gate.heartbeat(SECOND, 3, True, 4, 5.02)
        gate.heartbeat(SECOND, 4, False, 5, 5.03)
        assert not gate.latched

    def test_not_a_proven_router_beside_the_living_one(self) -> None:
        gate = self.stopped()
        gate.estop(False, 9, SECOND)
        assert gate.latched
        assert gate.counters == {"releases_foreign": 1}

    def test_a_press_is_seen_in_the_very_next_generation(self) -> None:
        gate = living(generation=5)
        gate.estop(True, 0, UNKNOWN)
        gate.estop(True, 6, ROUTER)
        gate.estop(False, 7, ROUTER)
        assert not gate.latched

    def test_a_trip_of_a_stopped_role_needs_no_second_clear(self) -> None:
        gate = self.stopped()
        gate.trip()
        gate.estop(False, 3, ROUTER)
        assert not gate.latched

    def test_a_new_router_that_counts_from_zero_stops_and_clears(self) -> None:
        gate = living(generation=9)
        gate.heartbeat(SECOND, 1, True, 0, 5.0)
        assert gate.latched
        gate.heartbeat(SECOND, 2, False, 1, 5.01)
        assert not gate.latched

    def test_a_press_that_one_router_has_shown_is_known_to_the_next_one_too(self) -> None:
        gate = living()
        gate.estop(True, 0, UNKNOWN)
        gate.heartbeat(ROUTER, 2, True, 2, 0.010)
        gate.heartbeat(SECOND, 1, True, 2, 5.0)
        gate.heartbeat(SECOND, 2, False, 3, 5.01)
        assert not gate.latched

    def test_presses_of_any_number_of_unknown_participants_take_bounded_memory(self) -> None:
        gate = living()
        for number in range(100):
            gate.estop(True, 0, f"unknown {number}")
        assert len(gate._pressed_by) == 9  # eight by name, and all the others
        gate.heartbeat(SECOND, 1, True, 2, 5.0)
        gate.heartbeat(SECOND, 2, False, 3, 5.01)
        assert gate.latched


class TestWhichOfTwoProvenRouters:
    def test_one_of_term_zero_is_superseded_by_any_other(self) -> None:
        gate = CommandGate(150)
        gate.prove(ROUTER, 0)
        gate.prove(SECOND, 1)
        gate.heartbeat(SECOND, 1, False, 1, 0.0)
        assert not gate.is_proven(ROUTER)

    def test_sixteen_are_remembered_and_the_oldest_is_forgotten_first(self) -> None:
        gate = CommandGate(150)
        for term in range(16):
            gate.prove(f"router {term}", term)
        assert gate.is_proven("router 0")
        gate.prove("router 16", 16)
        assert not gate.is_proven("router 0")
        assert gate.is_proven("router 1") and gate.is_proven("router 16")

    def test_an_older_one_that_thaws_is_not_obeyed_again(self) -> None:
        gate = living()
        gate.heartbeat(SECOND, 1, False, 1, 5.0)
        gate.heartbeat(ROUTER, 2, False, 9, 9.0)
        assert gate.controller == SECOND
        assert gate.refusal(ROUTER, 9.0, 9.0) is Refusal.SILENT
        assert gate.counters == {"heartbeats_unproven": 1}

    def test_an_older_one_does_not_release_what_a_newer_one_has_stopped(self) -> None:
        gate = living()
        gate.heartbeat(SECOND, 1, True, 1, 0.010)  # beside the living one
        assert gate.latched
        for sequence, is_active in ((2, True), (3, False)):
            gate.heartbeat(ROUTER, sequence, is_active, 10 + sequence, 0.010 * sequence)
        gate.estop(False, 23, ROUTER)
        assert gate.latched
        gate.heartbeat(SECOND, 2, True, 1, 0.060)
        gate.heartbeat(SECOND, 3, False, 2, 0.070)
        assert (gate.latched, gate.controller) == (False, SECOND)

    def test_the_older_one_beside_the_newer_stops_it(self) -> None:
        gate = living()
        gate.heartbeat(SECOND, 1, False, 1, 5.0)
        gate.estop(True, 1, ROUTER)
        assert gate.latched

    def test_a_press_of_the_older_one_gives_it_no_control(self) -> None:
        gate = living()
        gate.heartbeat(SECOND, 1, False, 1, 5.0)
        gate.estop(True, 9, ROUTER)
        gate.heartbeat(ROUTER, 2, False, 10, 5.01)
        gate.heartbeat(ROUTER, 3, False, 11, 9.0)
        assert gate.controller == SECOND
        assert not gate.is_proven(ROUTER)
        assert gate.is_alive(5.1)  # the newer one was not disturbed

    def test_terms_of_more_routers_than_are_remembered_forget_the_oldest(self) -> None:
        gate = living()
        for term in range(3, 40):
            gate.prove(f"router {term}", term)
        assert not gate.is_proven(SECOND)
        assert gate.is_proven(ROUTER) and gate.is_proven("router 39")  # it is in control


def test_counters_can_be_shared() -> None:
    counters = Counter[str]()
    gate = proven(150, counters)
    gate.heartbeat(ROUTER, 1, False, 1, 0.0)
    gate.heartbeat(SECOND, 1, False, 1, 0.0)
    assert counters == {"heartbeats_foreign": 1}
