"""The state of a remote slave: what it acknowledges, how late, and when it counts as failed."""

from saint_services.lib.remote.slave import SlaveTracker

RANGES = {"elbow_flex": 200.0}


def test_a_slave_that_was_commanded_nothing_waits() -> None:
    slave = SlaveTracker(0.0)
    assert slave.health(100.0) == "waiting"
    assert slave.problem(100.0) == ""


def test_an_acknowledgement_says_the_delay() -> None:
    slave = SlaveTracker(0.0)
    slave.command(1, 1.0)
    slave.command(2, 1.1)
    slave.acknowledge(2, 1.35)
    assert slave.delay_ms == 250.0
    assert slave.health(1.4) == "following"


def test_an_acknowledgement_without_an_id_is_that_of_the_oldest_command() -> None:
    slave = SlaveTracker(0.0)
    slave.command(1, 1.0)
    slave.command(2, 1.1)
    slave.acknowledge(None, 1.2)
    assert slave.delay_ms == 200.0
    slave.acknowledge(None, 1.2)
    assert slave.delay_ms == 100.0
    slave.acknowledge(None, 9.0)
    assert slave.delay_ms == 100.0


def test_a_slow_slave_gets_few_commands_and_no_queue() -> None:
    slave = SlaveTracker(0.0)
    slave.command(1, 1.0)
    slave.acknowledge(1, 1.0)
    sent = 0
    for step in range(100):  # 50 a second, for two seconds, without an acknowledgement
        now_s = 1.0 + step / 50
        slave.note_message(now_s)
        if slave.may_send(now_s):
            slave.command(10 + step, now_s)
            sent += 1
    assert slave.health(3.0) == "slow"
    assert "not acknowledged after 1 s" in slave.problem(3.0)
    assert sent <= 54
    assert slave.left_out >= 46


def test_a_silent_slave_has_failed_and_a_late_one_returns() -> None:
    slave = SlaveTracker(0.0)
    slave.command(1, 1.0)
    assert slave.health(3.1) == "failed"
    assert slave.problem(3.1) == "no message came for 3 s"
    slave.command(2, 3.2)
    slave.acknowledge(2, 3.3)
    assert slave.health(3.4) == "following"


def test_a_slave_that_reports_another_pose_than_it_was_commanded_has_failed() -> None:
    slave = SlaveTracker(0.0)
    slave.command(1, 0.0)
    for tenth in range(40):
        slave.report({"elbow_flex": 90.0}, {"elbow_flex": 0.0}, RANGES, tenth / 10)
    assert slave.health(4.0) == "failed"
    assert "elbow_flex" in slave.problem(4.0)


def test_a_slave_on_its_way_has_not_failed() -> None:
    slave = SlaveTracker(0.0)
    slave.command(1, 0.0)
    for tenth in range(20):
        slave.report({"elbow_flex": 90.0 - 5 * tenth}, {"elbow_flex": 0.0}, RANGES, tenth / 10)
    assert slave.problem(2.0) == ""


def test_an_error_of_a_slave_is_one_line_of_text() -> None:
    slave = SlaveTracker(0.0)
    slave.fail("servo 3\x1b[2J\nis hot" + "!" * 500, 1.0)
    assert slave.problem(1.0).startswith("servo 3 [2J is hot!")
    assert slave.problem(1.0).isprintable()
    assert len(slave.problem(1.0)) == 200
