"""Users, access tokens, sign-ins and the audit log, served by webd."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from . import Reply, Request

LONGEST_PASSWORD = 256

Role = Literal["viewer", "operator", "admin"]
# ASCII: users type the name at each sign-in, and logs contain it.
UserName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,31}$")]
TokenName = Annotated[str, StringConstraints(min_length=1, max_length=40, strip_whitespace=True)]
TokenId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{1,16}$")]


class UserParams(Request):
    """A user by name."""

    name: UserName


class AddUser(UserParams):
    """Add a user."""

    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)
    role: Role = Field(description="What the user may do.")


class SetRole(UserParams):
    """Set the role of a user."""

    role: Role = Field(description="What the user may do.")


class SetPassword(UserParams):
    """Set another user's password, as an admin; signs the user out everywhere."""

    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)


class ChangePassword(Request):
    """Change one's own password."""

    old_password: str = Field(max_length=LONGEST_PASSWORD, repr=False)
    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)


class RequireSignIn(Request):
    """Whether a sign-in is required; otherwise everyone who reaches the robot is admin."""

    required: bool


class AddToken(Request):
    """Add an access token for a program or device."""

    name: TokenName = Field(description="The program that uses the token: workshop-panel.")
    role: Role = Field(description="What the program may do.")


class TokenParams(Request):
    """An access token."""

    token_id: TokenId


class SessionParams(Request):
    """A browser session."""

    session_id: TokenId


class GetAuditLog(Request):
    """A page of the audit log, newest first."""

    limit: int = Field(default=100, ge=1, le=500, description="Number of entries.")
    offset: int = Field(default=0, ge=0, le=20_000)
    search: str = Field(
        default="", max_length=64, description="Text in names, addresses and actions."
    )


class UserInfo(Reply):
    """A user with a password."""

    name: str
    role: Role
    made_s: float


class UserList(Reply):
    """All users."""

    users: list[UserInfo]
    is_required: bool  # false: no sign-in, every client is admin


class TokenInfo(Reply):
    """An access token without its secret."""

    id: str
    name: str
    role: Role
    made_s: float
    used_s: float  # 0: never


class TokenList(Reply):
    """All tokens."""

    tokens: list[TokenInfo]


class NewToken(Reply):
    """A new token with its secret, which is returned this once."""

    token: TokenInfo
    secret: str


class SessionInfo(Reply):
    """A browser session."""

    id: str
    user: str
    via: Literal["password", "token"]
    made_s: float
    seen_s: float
    address: str
    browser: str
    is_own: bool  # the session of this request


class SessionList(Reply):
    """The sessions that the caller may end; for an admin those of all users."""

    sessions: list[SessionInfo]


class ClaimInfo(Reply):
    """How a robot without users gets its first admin."""

    is_claimed: bool
    code: str  # empty if the robot is claimed


class Account(Reply):
    """The user and rights of a connection."""

    robot: str
    is_claimed: bool
    has_lost_users: bool = False  # its users are lost; a new code claims the robot again
    is_secure: bool  # by TLS
    user: str  # empty: not signed in
    level: str  # "viewer", "operator", "admin"; empty: none
    via: str  # "session", "token", "socket", "open"; empty: none


class AuditEntry(Reply):
    """Who did what, when and from where. `refused`: why it was refused; empty: it was done."""

    time_s: float
    who: str
    level: str
    address: str
    what: str
    detail: str
    source: str = ""  # the program: "websocket:page-3", "saintctl"
    refused: str = ""


class AuditReply(Reply):
    """Entries, newest first."""

    entries: list[AuditEntry]
