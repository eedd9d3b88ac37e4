"""Control plane of webd: encryption by the robot's own certificate authority."""

from . import Reply


class TlsInfo(Reply):
    """Whether port 443 answers, and what people compare before they trust it."""

    is_enabled: bool
    fingerprint: str = ""  # SHA-256 of the authority, "AB:CD:..."
    names: list[str] = []  # that the certificate is valid for
    ends_s: float = 0.0  # when the certificate ends; it is renewed long before
