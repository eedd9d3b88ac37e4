"""Phones in the capture mode: found, connected, streaming. Experimental."""
