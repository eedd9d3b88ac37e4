"""Health: each issue is logged once, counters are reported."""

import logging

import pytest

from saint_services.lib.errors import Code
from saint_services.lib.health import Health


def test_report_of_a_healthy_daemon() -> None:
    report = Health("routerd").report()

    assert report.healthy
    assert (report.daemon, report.issues, report.counters) == ("routerd", [], {})


def test_issue_is_reported_until_it_is_cleared() -> None:
    health = Health("routerd")
    health.raise_issue(Code.HARDWARE_MISSING, "pca9685 at 0x40")

    (issue,) = health.report().issues
    assert (issue.code, issue.text) == (Code.HARDWARE_MISSING, "pca9685 at 0x40")
    assert issue.fix

    health.clear(Code.HARDWARE_MISSING)
    assert health.report().healthy


def test_issue_is_logged_once_going_and_once_coming_back(caplog: pytest.LogCaptureFixture) -> None:
    health = Health("routerd")
    with caplog.at_level(logging.INFO):
        for text in ("one", "two", "three"):
            health.raise_issue(Code.HARDWARE_FAULT, text)
        health.clear(Code.HARDWARE_FAULT)
        health.clear(Code.HARDWARE_FAULT)

    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert not health.report().issues


def test_two_subjects_of_one_code_are_two_issues() -> None:
    health = Health("routerd")
    health.raise_issue(Code.STATE_DAMAGED, "nodes.json is damaged", "nodes.json")
    health.raise_issue(Code.STATE_DAMAGED, "server.key is damaged", "server.key")
    health.raise_issue(Code.STATE_DAMAGED, "server.key is damaged again", "server.key")
    texts = [issue.text for issue in health.report().issues]
    assert texts == ["nodes.json is damaged", "server.key is damaged again"]

    health.clear(Code.STATE_DAMAGED, "nodes.json")
    assert [issue.text for issue in health.report().issues] == ["server.key is damaged again"]


def test_counters_are_part_of_the_report() -> None:
    health = Health("rcd")
    health.counters["rejected"] += 2

    assert health.report().counters == {"rejected": 2}
