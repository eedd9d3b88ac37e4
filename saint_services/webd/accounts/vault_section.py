"""Users and tokens as a part of a backup. Nothing in it lets anybody in: passwords and secrets are
hashes. Who is signed in, and the claim code, stay out.
"""

from ...lib.access.levels import Level
from ...lib.backup.sections import Section
from ...lib.errors import Code, SaintError
from .users import Book
from .vault import Vault


def users_section(vault: Vault) -> Section[Book]:
    """Of that vault."""

    async def current() -> Book:
        return vault.book

    async def check(book: Book) -> list[str]:
        if not book.users:
            return ["users: there are none in it; whoever has the claim code may claim the robot"]
        if not any(user.role == Level.ADMIN.word for user in book.users):
            text = "users: none of them is admin, so that nobody could change anything"
            raise SaintError(Code.REQUEST_INVALID, text, fix="Take another backup.")
        return []

    return Section("users", Book, 1, current, check, vault.replace)
