"""Read by schemathesis (build/contract), which knows how to send bytes, but not that an archive is
made of them. Not part of .venv.
"""

import schemathesis  # type: ignore[import-not-found]  # lives beside .venv

schemathesis.serializer.alias("application/zip", "application/octet-stream")
