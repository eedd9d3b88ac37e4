"""Messages per second of a client."""

from saint_services.webd.websocket.timing import MessageRate


def test_rate_is_that_of_the_last_second():
    pace = MessageRate(10.0)
    for number in range(50):
        pace.count(10.0 + number * 0.02)
    assert pace.per_s(10.99) == 0.0  # not a whole second yet
    assert pace.per_s(11.0) == 50.0


def test_silent_client_falls_to_nothing():
    pace = MessageRate(0.0)
    for _ in range(30):
        pace.count(0.5)
    assert pace.per_s(1.0) == 30.0
    assert pace.per_s(2.5) == 0.0


def test_message_after_a_second_begins_the_next_window():
    pace = MessageRate(10.0)
    for _ in range(10):
        pace.count(10.0)
    pace.count(11.5)
    assert pace.per_s(11.6) == 6.7  # 10 in 1.5 seconds
    assert pace.per_s(12.5) == 1.0
