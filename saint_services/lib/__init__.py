"""What all daemons share. Nothing here knows a daemon."""

from . import no_plugins

no_plugins.spare()
