"""I2C, SPI and serial buses."""
