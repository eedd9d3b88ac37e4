"""Documents, helps and examples name the server as it is found: saint-server.local."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PLACES = ("*.md", "saint_services/**/*.md", "saint_services/**/*.py", "web/pages/**/*.js")


def test_documents_and_helps_name_the_right_host() -> None:
    files = [path for pattern in PLACES for path in ROOT.glob(pattern)]
    assert len(files) > 300
    wrong = [
        str(path.relative_to(ROOT))
        for path in files
        if re.search(r"\bsaint\.local\b", path.read_text(encoding="utf-8"))
    ]
    assert wrong == []
