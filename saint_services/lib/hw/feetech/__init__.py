"""Serial bus servos of Feetech (STS, SMS and SCS series), several of them on one line."""
