"""The router: decides for each output field which input is in control, and holds the e-stop."""
