"""The router: decides, per output field, who is in control."""
