"""Base of the classes that handle some of the site's HTTP requests. Each checks the sender
itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from aiohttp import web


class RequestHandlers(ABC):
    """Handlers of some HTTP requests."""

    @abstractmethod
    def routes(self) -> Sequence[web.RouteDef]:
        """Return methods and paths with their handlers."""

    async def close(self) -> None:  # noqa: B027 (most requests end with their connections)
        """End the requests in progress."""
