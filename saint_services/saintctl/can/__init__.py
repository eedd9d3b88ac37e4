"""`saintctl can`: frames of a CAN bus, decoded, encoded, received and sent."""
