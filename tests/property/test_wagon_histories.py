"""A few hundred random histories of the wagon; 10,000 by `make test-wagon`."""

from random import SystemRandom

from tests.conftest import SEED
from tests.examples import examples
from tests.unit.boards.histories import History, lived

COUNT = examples(200)


def test_no_wheel_turns_against_the_rules_in_random_histories() -> None:
    found = lived(range(SEED, SEED + COUNT))
    assert found["turned"] > COUNT * 0.6
    assert len(found) > 12, "these histories met too few kinds of stops"


def test_history_is_the_same_from_the_same_seed() -> None:
    seed = SystemRandom().randrange(1 << 31)
    first, again = History(seed), History(seed)
    first.run(3)
    again.run(3)
    assert first.did == again.did
    assert first.truth.turned == again.truth.turned
