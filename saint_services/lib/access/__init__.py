"""The person or process behind a request: its level, and the audit log of what it did."""
