"""`saintctl user`, `token` and `tls`: users, tokens and the certificate of the pages."""
