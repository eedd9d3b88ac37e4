"""The word lint finds what is avoided in text and in names, and nothing else."""

from tools.words import avoided


def _found(line: str) -> list[str]:
    return [word for word, _ in avoided(line)]


def test_avoided_words_are_found_in_text_and_names() -> None:
    assert _found("# It was Told anew.") == ["Told", "anew"]
    assert _found("self._last_told = lastTold + LastTold") == ["told", "Told", "Told"]
    assert _found("one who may go back") == ["who may", "go back"]


def test_verb_is_avoided_where_it_is_called() -> None:
    assert _found("await client.ask(row)") == ["ask"]
    assert _found("Ask an admin for the password.") == []


def test_stop_is_cleared_and_control_released() -> None:
    assert _found("Release the e-stop; the emergency stop was released.") == [
        "Release the e-stop",
        "stop was released",
    ]
    assert _found("Stop, then release the line: the release stops by itself.") == []


def test_parts_of_other_words_are_left_alone() -> None:
    assert _found("task, basket, outdoor, retell, bellows, intelligent, shallow") == []


def test_names_on_the_wire_are_left_alone() -> None:
    assert _found("strangers: list[UnknownDevice] = []  # as in RivalStatus") == []
    assert _found("given(asked=field.asked, rivals='rivals')") == []
    assert _found("the strangers that he asked") == ["strangers", "asked"]


def test_what_to_use_stands_beside_it() -> None:
    assert dict(avoided("a courier")) == {"courier": "sender"}
