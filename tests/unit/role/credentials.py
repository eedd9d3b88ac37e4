"""A server's key for tests, and what it signs."""

from saint_services.lib.api.credentials import router_parts
from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.generated.saint_msgs import RouterCredential

SERVER, OTHER = PrivateKey(b"5" * 32), PrivateKey(b"6" * 32)


def credential(origin: str, term: int = 1, key: PrivateKey = SERVER) -> RouterCredential:
    """Make a credential as routerd publishes it."""
    return RouterCredential(origin, key.public, term, key.sign(*router_parts(origin, term)))
