"""First job of every boot: the settings of this machine become the settings of its services."""
