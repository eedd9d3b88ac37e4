"""Checks the certificate authority that an owner gives for the address of releases. The module of
the standard library is loaded on demand: most robots use none.
"""


def checked(pem: str) -> str:
    """Return the authority's certificates, PEM. Raises ValueError with the reason."""
    if not pem.strip():
        return ""
    if "PRIVATE KEY" in pem:
        raise ValueError("the text has a private key; give the authority's certificate only")
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=pem)
    except (ssl.SSLError, ValueError) as err:
        raise ValueError("the text is no certificate in PEM (-----BEGIN CERTIFICATE-----)") from err
    return pem
