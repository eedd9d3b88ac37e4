"""`saintctl image`: writes the system to an SD card with the settings of its first start."""
