"""Input and output pins of the header, by libgpiod or pigpiod."""
