"""The control plane: HTTP and JSON over unix sockets, for daemons (Api) and their clients (Client).
`curl --unix-socket <path> http://localhost/status` works. Not here: which requests exist (lib/api).
"""

from .client import Client
from .routes import Call
from .server import Api, ApiServer
from .watch import ChangeSignal, Watch, updates
from .wire import LARGEST_BODY_BYTES, ErrorReply

__all__ = [
    "LARGEST_BODY_BYTES",
    "Api",
    "ApiServer",
    "Call",
    "ChangeSignal",
    "Client",
    "ErrorReply",
    "Watch",
    "updates",
]
