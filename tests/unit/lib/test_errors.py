"""SaintError has title and fix from the table."""

import copy
import pickle

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.errors import INFO


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_complete_information(code: Code) -> None:
    error = SaintError(code, "x")

    assert INFO[code].title
    assert error.fix
    assert 400 <= error.status < 600
    assert 1 <= error.exit_code < 128


def test_error_text_is_one_sentence_with_the_message() -> None:
    error = SaintError(Code.NOT_FOUND, "node pi_1 is not known")

    assert str(error) == "Not found: node pi_1 is not known"
    assert (error.status, error.exit_code) == (404, 4)


def test_fix_may_be_said_better_than_the_table() -> None:
    assert SaintError(Code.REFUSED, "x", fix="wait").fix == "wait"


def test_error_survives_copying_between_processes() -> None:
    error = SaintError(Code.REFUSED, "x", fix="wait")

    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (other.code, other.message, other.fix) == (Code.REFUSED, "x", "wait")
