"""Runs the rounds."""

import sys

from tests.faults.runner import main

sys.exit(main())
