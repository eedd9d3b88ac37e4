"""otad's access to the disk, the network, the installer and the other daemons."""
