"""tools/powercut/environment.py: the boot script's choice after every cut of every sequence."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.fake_rauc import slots as imitated
from tools.powercut.disks.layout import ENV_BYTES
from tools.powercut.environment import (
    TRIES,
    Environment,
    choose,
    encode,
    first_slot,
    pack,
    read,
)

_GARBAGE = bytes(ENV_BYTES)


def env(order: str = "A B", a: str = "3", b: str = "3") -> bytes:
    return encode(Environment(order, a, b))


@pytest.mark.parametrize(
    ("order", "a", "b", "slot"),
    [
        ("A B", "3", "3", "A"),
        ("B A", "3", "3", "B"),
        ("A B", "0", "3", "B"),
        ("A", "3", "0", "A"),
        ("A", "0", "0", ""),
        ("A", "0", "3", "B"),
        ("A", "1", "3", "A"),
        ("A B", "0", "0", ""),
        ("B A", "1", "0", "A"),
        ("A B", "a", "0", "A"),  # ten, in hexadecimal
        ("X B", "3", "3", "B"),
    ],
)
def test_order_and_tries_decide(order: str, a: str, b: str, slot: str) -> None:
    assert choose(env(order, a, b), _GARBAGE).slot == slot


def test_try_is_counted_in_what_is_saved() -> None:
    assert choose(env(a="3"), _GARBAGE).saved == Environment("A B", "2", "3")


def test_no_tries_left_gives_all_back() -> None:
    choice = choose(env(a="0", b="0"), _GARBAGE)
    assert (choice.slot, choice.saved) == ("", Environment())
    assert first_slot(env(a="0", b="0"), _GARBAGE) == "A"


def test_slot_that_the_order_does_not_name_is_the_last_resort() -> None:
    """After a rollback, or an interrupted installation: for one start of seven, for good."""
    copy, started = env("A", "3", "0"), ""
    for _ in range(15):
        choice = choose(copy, copy)
        copy, started = encode(choice.saved), started + (choice.slot or "-")
        assert choice.saved.order == "A", "RAUC goes on to call it bad"
    assert started == "AAA-AAABAAABAAA"


@given(st.sampled_from(["A", "B", "A B", "B A"]), st.integers(0, TRIES), st.integers(0, TRIES))
def test_simulated_robot_chooses_as_the_boot_script_does(order: str, a: int, b: int) -> None:
    machine = imitated.Slots(order=order.split())
    machine.a.left, machine.b.left = a, b
    copy = env(order, str(a), str(b))
    for _ in range(12):
        choice = choose(copy, copy)
        if not choice.slot:
            choice = choose(encode(choice.saved), _GARBAGE)
        copy = encode(choice.saved)
        assert machine.boot() == choice.slot
        left = str(machine.a.left), str(machine.b.left)
        assert Environment(" ".join(machine.order), *left) == choice.saved


def test_damaged_first_copy_gives_way_to_the_second() -> None:
    assert choose(_GARBAGE, env("B A")).source == "copy 2"
    assert choose(_GARBAGE, _GARBAGE).source == "defaults"


def test_missing_variables_are_defaults() -> None:
    assert choose(pack({"BOOT_ORDER": "B A"}), _GARBAGE).saved == Environment("B A", "3", "2")


def test_block_is_what_mkenvimage_writes() -> None:
    """First bytes of `printf 'BOOT_ORDER=A B\\n' | mkenvimage -s 0x4000 -p 0x00`."""
    block = pack({"BOOT_ORDER": "A B"})
    assert len(block) == 0x4000
    assert block[4:20] == b"BOOT_ORDER=A B\0\0"
    assert read(block) == {"BOOT_ORDER": "A B"}


class Machine:
    """What the boot script and RAUC do to the two copies, write by write, and to the slots."""

    def __init__(self) -> None:
        self.copies = [env(), env()]
        self.whole = {"A": True, "B": True}
        self.running = "A"
        self.states: list[tuple[bytes, bytes, dict[str, bool]]] = []

    def remember(self) -> None:
        self.states.append((self.copies[0], self.copies[1], dict(self.whole)))

    def write(self, copy: int, block: bytes, torn_at: int) -> None:
        """A write that a cut may have left half done."""
        self.copies[copy] = block[:torn_at] + self.copies[copy][torn_at:]
        self.remember()
        self.copies[copy] = block
        self.remember()

    def boot(self, torn_at: int) -> None:
        for _ in range(2):
            choice = choose(*self.copies)
            for copy in (1, 0):
                self.write(copy, encode(choice.saved), torn_at)
            if choice.slot:
                self.running = choice.slot
                return

    def fw_setenv(self, torn_at: int, **changes: str) -> None:
        """libubootenv: reads copy 1, writes copy 1."""
        variables = read(self.copies[0])
        assert variables is not None, "the boot script has written both copies"
        self.write(0, pack(variables | changes), torn_at)

    def mark_good(self, torn_at: int) -> None:
        self.fw_setenv(torn_at, **{f"BOOT_{self.running}_LEFT": str(TRIES)})

    def install(self, torn_at: int) -> None:
        """RAUC: the other slot is taken out of the order before its first byte is written."""
        other = "B" if self.running == "A" else "A"
        self.fw_setenv(torn_at, BOOT_ORDER=self.running)
        self.fw_setenv(torn_at, **{f"BOOT_{other}_LEFT": "0"})
        self.whole[other] = False
        self.remember()
        self.whole[other] = True
        self.remember()
        self.fw_setenv(torn_at, **{f"BOOT_{other}_LEFT": str(TRIES)})
        self.fw_setenv(torn_at, BOOT_ORDER=f"{other} {self.running}")


_STEPS = st.tuples(
    st.sampled_from(["boot", "die", "install"]),
    st.sampled_from([4, 512, 1024, ENV_BYTES - 512]),
)


def healthy(steps: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """As the product does it: only a machine that was called good installs."""
    done: list[tuple[str, int]] = [("boot", 512), ("mark_good", 512)]
    for name, torn_at in steps:
        if name == "die":  # the power goes before anybody could call the slot good
            done.append(("boot", torn_at))
            continue
        done += [("boot", torn_at), ("mark_good", torn_at)]
        if name == "install":
            done.append(("install", torn_at))
    return done


@given(st.lists(_STEPS, max_size=8))
def test_choice_is_whole_after_every_cut(steps: list[tuple[str, int]]) -> None:
    machine = Machine()
    for name, torn_at in healthy(steps):
        getattr(machine, name)(torn_at)
    for first, second, whole in machine.states:
        slot = first_slot(first, second)
        assert slot, "no slot is chosen"
        assert whole[slot], f"slot {slot} is chosen while it is being written"


@given(st.lists(_STEPS, max_size=6), st.integers(0, 200))
def test_choice_is_whole_after_a_cut_and_going_on_from_there(
    steps: list[tuple[str, int]], cut: int
) -> None:
    """The cut machine boots again, is called good, and updates again."""
    machine = Machine()
    for name, torn_at in healthy(steps):
        getattr(machine, name)(torn_at)
    first, second, whole = machine.states[cut % len(machine.states)]
    again = Machine()
    again.copies, again.whole = [first, second], dict(whole)
    for name in ("boot", "mark_good", "install", "boot", "mark_good"):
        getattr(again, name)(512)
    for first, second, whole in again.states:
        assert whole[first_slot(first, second)]


def test_environment_is_a_value() -> None:
    assert replace(Environment(), order="B A").after_try("B") == Environment("B A", "3", "2")
