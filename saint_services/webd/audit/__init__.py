"""The audit log and its view for users, the activity log."""
