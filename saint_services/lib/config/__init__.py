"""Settings files: YAML in, a checked pydantic model out, or one sentence that names file, line and
key. Not here: where a daemon's file lies (lib/daemon.py), saved state (lib/state.py).
"""

from .settings import Settings, check, load, parse, read_text, read_yaml, write_yaml

__all__ = ["Settings", "check", "load", "parse", "read_text", "read_yaml", "write_yaml"]
