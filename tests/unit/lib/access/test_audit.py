"""The audit log: parsing entries, and a log socket that is full for a while."""

import json
from pathlib import Path

import pytest

from saint_services.lib.access.audit import SOCKET, AuditRecord, AuditReporter
from tests.audit_log import collected


@pytest.mark.parametrize(
    "given", ["", "[]", "{}", '{"time_s": "x"}', '{"time_s": 1, "daemon": []}', '{"a": 1}']
)
def test_line_that_is_no_entry_is_left_out(given: str) -> None:
    assert AuditRecord.read(given) is None


def test_entry_is_read_as_it_was_written() -> None:
    entry = AuditRecord(1.5, "ann", what="rc reset", daemon="rcd")
    assert AuditRecord.read(json.dumps(json.loads(entry.line()))) == entry


async def test_log_that_is_away_is_tried_again_once(tmp_path: Path) -> None:
    async with collected(tmp_path):
        pass  # bound, without a reader
    assert (tmp_path / SOCKET).exists()
    reporter = AuditReporter(tmp_path)
    reporter.add(AuditRecord(1.0, daemon="rcd"))
    timer = reporter._timer
    reporter.add(AuditRecord(2.0, daemon="rcd"))
    assert timer is not None and reporter._timer is timer
    reporter.close()
