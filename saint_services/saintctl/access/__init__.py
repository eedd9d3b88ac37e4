"""`saintctl user`, `token` and `tls`: who may sign in, and with which certificate webd answers."""
