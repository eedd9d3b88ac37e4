"""Decisions about one service's life, on an invented clock."""

import itertools
import signal

import pytest

from tools.launch.services import life_cycle
from tools.launch.services.life_cycle import Action, Life, Phase
from tools.launch.unit_files.units import ServiceUnit

UNIT = ServiceUnit(
    "saint-x.service", ("/bin/x",), notifies=True, restarts=True, restart_s=0.1, restart_steps=5,
    restart_max_s=1.0, final_exit_codes=frozenset({2}), start_s=30.0, stop_s=7.0, abort_s=0.5,
    watchdog_s=5.0,
)  # fmt: skip


def _running(ready_s: float = 1.0) -> Life:
    started, _ = life_cycle.activate(Life(), UNIT, 0.0)
    return life_cycle.ready(started, UNIT, ready_s)[0]


def test_request_starts_a_listening_service() -> None:
    after, actions = life_cycle.activate(Life(), UNIT, 3.0)
    assert actions == (Action.DEAFEN, Action.SPAWN)
    assert (after.phase, after.deadline_s) == (Phase.STARTING, 33.0)


def test_request_to_a_running_service_is_its_own_business() -> None:
    assert life_cycle.activate(_running(), UNIT, 2.0) == (_running(), ())


def test_simple_service_runs_without_saying_so() -> None:
    after, _ = life_cycle.activate(Life(), ServiceUnit("saint-x.service", ("/bin/x",)), 3.0)
    assert (after.phase, after.deadline_s) == (Phase.RUNNING, None)


def test_watchdog_message_moves_the_deadline() -> None:
    assert _running(1.0).deadline_s == 6.0
    assert life_cycle.alive(_running(1.0), UNIT, 4.0)[0].deadline_s == 9.0


def test_watchdog_missed_aborts_then_kills_then_restarts() -> None:
    hung, actions = life_cycle.timer(_running(), UNIT, 6.0)
    assert (actions, hung.deadline_s) == ((Action.ABORT,), 6.5)
    hung, actions = life_cycle.timer(hung, UNIT, 6.5)
    assert actions == (Action.KILL,)
    after, _ = life_cycle.exited(hung, UNIT, -signal.SIGKILL, 6.6)
    assert (after.phase, after.deadline_s) == (Phase.PAUSING, pytest.approx(6.7))
    after, actions = life_cycle.timer(after, UNIT, 6.7)
    assert (after.phase, actions) == (Phase.STARTING, (Action.SPAWN,))
    assert not after.is_hung


def test_hung_service_that_ends_with_code_0_is_a_failure_all_the_same() -> None:
    hung, _ = life_cycle.timer(_running(), UNIT, 6.0)
    assert life_cycle.exited(hung, UNIT, 0, 6.1)[0].phase is Phase.PAUSING


def test_start_that_takes_too_long_is_ended() -> None:
    starting, _ = life_cycle.activate(Life(), UNIT, 0.0)
    assert life_cycle.timer(starting, UNIT, 30.0)[1] == (Action.ABORT,)


@pytest.mark.parametrize("code", [1, 3, -signal.SIGKILL, -signal.SIGSEGV])
def test_failure_restarts(code: int) -> None:
    after, actions = life_cycle.exited(_running(), UNIT, code, 2.0)
    assert (after.phase, after.failures, actions) == (Phase.PAUSING, 1, ())


@pytest.mark.parametrize(("code", "rest_s"), [(0, 0.1), (-signal.SIGTERM, 0.1), (2, 1.0)])
def test_clean_or_final_end_waits_for_the_next_request(code: int, rest_s: float) -> None:
    after, actions = life_cycle.exited(_running(), UNIT, code, 2.0)
    assert (after.phase, after.deadline_s, actions) == (Phase.RESTING, 2.0 + rest_s, ())
    after, actions = life_cycle.timer(after, UNIT, 2.0 + rest_s)
    assert (after.phase, actions) == (Phase.LISTENING, (Action.LISTEN,))


def test_pause_grows_to_its_limit_and_starts_again_after_a_stable_time() -> None:
    pauses = [life_cycle.restart_pause_s(UNIT, n) for n in range(8)]
    assert pauses[0] == pytest.approx(0.1)
    assert all(a < b for a, b in itertools.pairwise(pauses[:6]))
    assert pauses[5:] == [1.0, 1.0, 1.0]
    failing = life_cycle.exited(_running(1.0), UNIT, 1, 2.0)[0]
    failing = life_cycle.ready(life_cycle.timer(failing, UNIT, 3.0)[0], UNIT, 3.5)[0]
    assert life_cycle.exited(failing, UNIT, 1, 4.0)[0].failures == 2
    assert life_cycle.exited(failing, UNIT, 1, 3.5 + life_cycle.STABLE_S)[0].failures == 1


def test_pause_without_steps_is_constant() -> None:
    unit = ServiceUnit("saint-x.service", ("/bin/x",), restart_s=0.25, restart_max_s=0.25)
    assert [life_cycle.restart_pause_s(unit, n) for n in (0, 9)] == [0.25, 0.25]


def test_stop_terminates_then_kills_and_never_restarts() -> None:
    ending, actions = life_cycle.stop(_running(), UNIT, 2.0)
    assert (actions, ending.deadline_s) == ((Action.TERMINATE,), 9.0)
    assert life_cycle.timer(ending, UNIT, 9.0)[1] == (Action.KILL,)
    assert life_cycle.exited(ending, UNIT, 1, 2.1)[0].phase is Phase.STOPPED


def test_stop_of_a_listening_service_closes_its_ears() -> None:
    assert life_cycle.stop(Life(), UNIT, 2.0)[1] == (Action.DEAFEN,)
    assert life_cycle.activate(life_cycle.stop(Life(), UNIT, 2.0)[0], UNIT, 3.0)[1] == ()
