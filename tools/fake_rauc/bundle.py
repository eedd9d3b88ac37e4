"""What RAUC finds in a bundle, with its words when it does not like it: structure, signature,
compatible, content. A bundle is read through `Source`, a file or a web address with ranges.
Not here: writing a slot (installer.py), writing bundles (bundle_writer.py).
"""

import asyncio
import configparser
import hashlib
import re
import shutil
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

BLOCK_BYTES = 4096
_DIGEST_BYTES = 32
_SIZE_BYTES = 8
_OPENSSL_LIMIT_S = 20.0
_NETWORK_LIMIT_S = 20.0
PIECE_BYTES = 64 * BLOCK_BYTES


class UnusableError(Exception):
    """RAUC's sentence."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The signed part."""

    version: str
    compatible: str
    build: str
    description: str
    payload_bytes: int
    root: bytes
    salt: bytes
    tree_bytes: int
    sha256: str
    meta: dict[str, dict[str, str]]


class Source(Protocol):
    """Where a bundle is read from."""

    async def size(self) -> int: ...

    async def read(self, start: int, count: int) -> bytes: ...

    async def close(self) -> None: ...


class FileSource:
    """A bundle on this computer."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    async def size(self) -> int:
        try:
            return (await asyncio.to_thread(self._path.stat)).st_size
        except OSError as err:
            raise UnusableError(
                "Invalid bundle format: Failed to open bundle for reading: Error opening file"
                f" {self._path}: {err.strerror}"
            ) from err

    async def read(self, start: int, count: int) -> bytes:
        return await asyncio.to_thread(self._read, start, count)

    def _read(self, start: int, count: int) -> bytes:
        with self._path.open("rb") as file:
            file.seek(start)
            return file.read(count)

    async def close(self) -> None:
        """Nothing is open."""


class WebSource:
    """A bundle that is read in ranges, as RAUC streams it."""

    def __init__(self, url: str) -> None:
        import aiohttp  # a quarter of a second that only an installation needs

        self._url = url
        self._fault = aiohttp.ClientError
        limit = aiohttp.ClientTimeout(sock_connect=_NETWORK_LIMIT_S, sock_read=_NETWORK_LIMIT_S)
        self._session = aiohttp.ClientSession(timeout=limit)

    async def size(self) -> int:
        size = (await self._get(0, 1))[0].rpartition("/")[2]
        if not size.isdigit():
            raise self._failed("failed to configure streaming: size of bundle is not known")
        return int(size)

    async def read(self, start: int, count: int) -> bytes:
        return (await self._get(start, count))[1]

    async def close(self) -> None:
        await self._session.close()

    async def _get(self, start: int, count: int) -> tuple[str, bytes]:
        wanted = {"Range": f"bytes={start}-{start + count - 1}"}
        try:
            async with self._session.get(self._url, headers=wanted) as answer:
                self._check(answer.status)
                return answer.headers.get("Content-Range", ""), await answer.read()
        except (self._fault, TimeoutError) as err:
            raise self._failed("failed to configure streaming: server not responding") from err

    def _check(self, status: int) -> None:
        if status == 404:
            raise self._failed("not found: unexpected HTTP error code 404")
        if status != 206:
            raise self._failed(
                "failed to configure streaming: range requests not supported by server"
            )

    def _failed(self, why: str) -> UnusableError:
        return UnusableError(f"Failed to stream bundle {self._url}: {why}")


def source(place: str) -> Source:
    """A path or a web address."""
    return WebSource(place) if re.match("https?://", place) else FileSource(place)


async def inspect(bundle: Source, keyring: Path) -> Manifest:
    """The manifest, when the signature is one that the keyring vouches for."""
    size = await bundle.size()
    if size < _SIZE_BYTES:
        raise UnusableError(
            "Invalid bundle format: Failed to seek to end of bundle: Error seeking in file:"
            " Invalid argument"
        )
    length = int.from_bytes(await bundle.read(size - _SIZE_BYTES, _SIZE_BYTES), "big")
    if length + _SIZE_BYTES > size:
        raise UnusableError(f"Invalid bundle format: Signature size ({length}) exceeds bundle size")
    if not length:
        raise UnusableError("Invalid bundle format: Signature size is 0")
    signature = await bundle.read(size - _SIZE_BYTES - length, length)
    text = await _verified(signature, keyring)
    return _manifest(text, size - _SIZE_BYTES - length)


async def content(bundle: Source, manifest: Manifest) -> AsyncIterator[bytes]:
    """The payload in pieces; a piece that does not match the signed tree ends it."""
    tree = await bundle.read(manifest.payload_bytes, manifest.tree_bytes)
    leaves = _leaves(tree, manifest)
    per_piece = PIECE_BYTES // BLOCK_BYTES * _DIGEST_BYTES
    for index, start in enumerate(range(0, manifest.payload_bytes, PIECE_BYTES)):
        count = min(PIECE_BYTES, manifest.payload_bytes - start)
        piece = await bundle.read(start, count)
        wanted = leaves[index * per_piece : (index + 1) * per_piece]
        if len(piece) != count or await asyncio.to_thread(_digests, piece, manifest.salt) != wanted:
            # The kernel says it so; what lies at the start is met when the bundle is mounted.
            raise UnusableError(
                "Failed updating slot rootfs: Input/output error"
                if index
                else "Failed mounting bundle: Unexpected dm-verity status 'C'"
            )
        yield piece


def _leaves(tree: bytes, manifest: Manifest) -> bytes:
    """The digests of the payload's blocks, checked against the signed root."""
    count = manifest.payload_bytes // BLOCK_BYTES
    level_bytes = -(-count * _DIGEST_BYTES // BLOCK_BYTES) * BLOCK_BYTES
    leaves = tree[-level_bytes:]
    level = leaves
    while len(level) > BLOCK_BYTES:
        digests = _digests(level, manifest.salt)
        level = digests.ljust(-(-len(digests) // BLOCK_BYTES) * BLOCK_BYTES, b"\0")
    if _digests(level, manifest.salt) != manifest.root:
        raise UnusableError("Failed mounting bundle: Unexpected dm-verity status 'C'")
    return leaves[: count * _DIGEST_BYTES]


def _digests(blocks: bytes, salt: bytes) -> bytes:
    return b"".join(
        hashlib.sha256(salt + blocks[at : at + BLOCK_BYTES]).digest()
        for at in range(0, len(blocks), BLOCK_BYTES)
    )


async def _verified(signature: bytes, keyring: Path) -> bytes:
    """The manifest inside, by openssl, as RAUC has it checked by the same library."""
    openssl = shutil.which("openssl")
    if openssl is None:
        raise UnusableError(
            "signature verification failed: openssl is not installed on this computer"
        )
    process = await asyncio.create_subprocess_exec(
        openssl, "cms", "-verify", "-binary", "-inform", "DER", "-CAfile", str(keyring),
        "-purpose", "any", stdin=PIPE, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_OPENSSL_LIMIT_S):
            text, said = await process.communicate(signature)
    finally:
        if process.returncode is None:  # the caller was cancelled
            process.kill()
            await process.wait()
    if process.returncode:
        raise UnusableError(
            f"signature verification failed: {_reason(said.decode(errors='replace'))}"
        )
    return text


def _reason(said: str) -> str:
    """What of openssl's lines RAUC passes on."""
    if found := re.search(r"Verify error:\s*([^\n]+)", said):
        return f"Verify error: {found[1]}"
    lines = re.findall(r"error:[0-9A-F]+:[^:]*:[^:]*:([^:\n]+)", said)
    return f"error: {lines[-1]}" if lines else "ECDSA digest_verify_final:"


def _manifest(text: bytes, end: int) -> Manifest:
    parser = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",))
    try:
        parser.read_string(text.decode())
        tree_bytes = parser.getint("bundle", "verity-size")
        return Manifest(
            version=parser.get("update", "version"),
            compatible=parser.get("update", "compatible"),
            build=parser.get("update", "build", fallback=""),
            description=parser.get("update", "description", fallback=""),
            payload_bytes=end - tree_bytes,
            root=bytes.fromhex(parser.get("bundle", "verity-hash")),
            salt=bytes.fromhex(parser.get("bundle", "verity-salt")),
            tree_bytes=tree_bytes,
            sha256=hashlib.sha256(text).hexdigest(),
            meta={
                name.removeprefix("meta."): dict(parser[name])
                for name in parser.sections()
                if name.startswith("meta.")
            },
        )
    except (configparser.Error, ValueError) as err:
        raise UnusableError(f"Failed to load manifest: {err}") from err
