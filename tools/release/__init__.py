"""What goes beside a release: bill of materials, list of changes, entry for Raspberry Pi Imager."""
