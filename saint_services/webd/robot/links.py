"""What actions request of the links to remote masters and slaves (webd/remote)."""

from typing import Protocol

from ...lib.api.webd.links import LinkInfo, LinkSpec, RemoteInfo


class RobotLinks(Protocol):
    """The links of this robot."""

    def links(self) -> list[LinkInfo]: ...

    def connected(self) -> list[RemoteInfo]: ...

    async def add(self, spec: LinkSpec) -> LinkInfo: ...

    async def remove(self, name: str) -> None: ...

    def engage(self, name: str, *, takes_over: bool) -> LinkInfo: ...

    def disengage(self, name: str) -> LinkInfo: ...
