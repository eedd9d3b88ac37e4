"""RC receivers: SBUS, IBUS and CRSF from a serial line to input samples."""
