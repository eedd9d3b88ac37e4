"""Phones in the capture mode: found, connected, asked for their streams. Experimental."""
