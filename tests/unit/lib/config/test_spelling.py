"""Suggestions for misspelled names."""

import pytest

from saint_services.lib.config.spelling import hint, hint_or_all, nearest

NODES = ("sim_head", "sim_arms_left", "sim_tracks")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("sim_haed", "sim_head"), ("SIM_HEAD", "sim_head"), ("sim_track", "sim_tracks"),
     ("kitchen", ""), ("", "")],
)  # fmt: skip
def test_nearest_is_what_was_probably_meant(word: str, meant: str) -> None:
    assert nearest(word, NODES) == meant


def test_hint_ends_a_sentence_or_says_nothing() -> None:
    assert hint("sim_haed", NODES) == "; did you mean 'sim_head'?"
    assert hint("kitchen", NODES) == ""


def test_all_are_named_when_none_is_near() -> None:
    assert hint_or_all("hed", ("", "head")) == "; did you mean 'head'?"
    assert hint_or_all("kitchen", ("", *NODES)) == f"; known: {', '.join(NODES)}"


def test_long_names_are_not_compared() -> None:
    long = "a" * 65
    assert nearest(long, ["a" * 64]) == ""
    assert nearest("a" * 64, [long]) == ""


def test_only_so_many_names_are_compared() -> None:
    many = [f"{number:03}" for number in range(512)]
    assert nearest("sim_haed", [*many[1:], "sim_head"]) == "sim_head"
    assert nearest("sim_haed", [*many, "sim_head"]) == ""
