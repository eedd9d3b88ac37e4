"""Gives the nodes their addresses, but only on a network where no other DHCP server does."""
