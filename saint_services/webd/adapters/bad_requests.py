"""Requests that are no HTTP: counted, not logged one by one with a stack trace, for anybody on the
network can send any number of them. Not here: their answer, which is aiohttp's (400).
"""

import logging
from collections import Counter

from aiohttp.http_exceptions import HttpProcessingError


class BadRequests(logging.Filter):
    """Takes them out of what aiohttp logs; what is left is a mistake of ours."""

    def __init__(self, counters: Counter[str]) -> None:
        super().__init__()
        self._counters = counters

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is logged."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        self._counters["refused_http"] += 1
        return False


def logger(counters: Counter[str]) -> logging.Logger:
    """For the web server."""
    found = logging.getLogger("saint.webd.http")
    found.filters[:] = [BadRequests(counters)]
    return found
