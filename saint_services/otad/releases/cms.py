"""Extracts the signed content of a CMS message (RFC 5652). Definite lengths only (DER). Not here:
checking the signature.
"""

_SEQUENCE = 0x30
_OID = 0x06
_OCTETS = 0x04
_EXPLICIT_0 = 0xA0
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2
_DATA = bytes.fromhex("2a864886f70d010701")  # 1.2.840.113549.1.7.1
_LONGEST_LENGTH = 4  # bytes


def signed_content(message: bytes) -> bytes:
    """Return the signed content of ContentInfo { signedData, [0] SignedData { version, digests, {
    data, [0] content } ... } }. Raises ValueError."""
    info, rest = _value(message, _SEQUENCE)
    if rest:
        raise ValueError("there are bytes behind the signature")
    body = _content(info, _SIGNED_DATA, "not a signed message")
    signed, _ = _value(body, _SEQUENCE)
    _, after_version = _any(signed)
    _, after_digests = _any(after_version)
    inner, _ = _value(after_digests, _SEQUENCE)
    text, _ = _value(_content(inner, _DATA, "a signed message of another kind"), _OCTETS)
    return text


def _content(info: bytes, kind: bytes, otherwise: str) -> bytes:
    """Return the [0] part behind an object identifier."""
    found, rest = _value(info, _OID)
    if found != kind:
        raise ValueError(otherwise)
    if not rest:
        raise ValueError("a signature without its manifest")
    body, _ = _value(rest, _EXPLICIT_0)
    return body


def _value(data: bytes, tag: int) -> tuple[bytes, bytes]:
    if not data or data[0] != tag:
        raise ValueError(f"expected tag {tag:#04x}")
    return _any(data)


def _any(data: bytes) -> tuple[bytes, bytes]:
    """Return the value of the first element, and the bytes behind it."""
    if len(data) < 2:
        raise ValueError("cut off")
    length, start = data[1], 2
    if length & 0x80:
        count = length & 0x7F
        if not 0 < count <= _LONGEST_LENGTH or len(data) < 2 + count:
            raise ValueError("an impossible length")
        length, start = int.from_bytes(data[2 : 2 + count], "big"), 2 + count
    if start + length > len(data):
        raise ValueError("cut off")
    return data[start : start + length], data[start + length :]
