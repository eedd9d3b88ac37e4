"""How the memory of several processes is added up."""

import os

from tools.bench import memory
from tools.bench.memory import Memory


def test_file_pages_of_a_set_count_once_and_its_anonymous_memory_every_time() -> None:
    library, other = ("/lib/x.so", "0"), ("/lib/x.so", "1000")
    first = Memory(pss=5, rss=9, anonymous=2_000_000, files={library: 3_000_000})
    second = Memory(pss=6, rss=8, anonymous=1_000_000, files={library: 2_000_000, other: 500_000})

    row = memory._row("set", [first, second], [1.0, 0.5])

    assert row.alone_mb == 2 + 1 + 3 + 0.5
    assert (row.anonymous_mb, row.cpu_percent) == (3.0, 1.5)


def test_own_process_is_read_from_the_kernel() -> None:
    found = memory._memory(os.getpid())

    assert 0 < found.anonymous < found.rss
    assert found.pss <= found.rss
    assert found.rss == found.anonymous + sum(found.files.values())
    assert any(".so" in path for path, _ in found.files)
