"""The robot itself: `saintctl robot` and `saintctl part`."""
