"""Face and body capture streams from the network to input samples."""
