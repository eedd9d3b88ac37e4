"""What otad touches: the disk, the network, the installer, the other daemons."""
