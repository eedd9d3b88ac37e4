"""Control plane of webd: users, tokens, browsers that are signed in, the audit log."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from . import Reply, Request

LONGEST_PASSWORD = 256

Role = Literal["viewer", "operator", "admin"]
# What every keyboard has: the name is typed at each sign-in and stands in logs.
UserName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,31}$")]
TokenName = Annotated[str, StringConstraints(min_length=1, max_length=40, strip_whitespace=True)]
TokenId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{1,16}$")]


class UserParams(Request):
    """One user."""

    name: UserName


class AddUser(UserParams):
    """Somebody new."""

    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)
    role: Role


class SetRole(UserParams):
    """What the user may do from now on."""

    role: Role


class SetPassword(UserParams):
    """A new one, given by an admin; the user is signed out everywhere."""

    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)


class ChangePassword(Request):
    """One's own."""

    old_password: str = Field(max_length=LONGEST_PASSWORD, repr=False)
    password: str = Field(max_length=LONGEST_PASSWORD, repr=False)


class AddToken(Request):
    """For one program or device."""

    name: TokenName
    role: Role


class TokenParams(Request):
    """One token."""

    token_id: TokenId


class SessionParams(Request):
    """One browser that is signed in."""

    session_id: TokenId


class GetAuditLog(Request):
    """A part of the log, newest first."""

    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=20_000)
    search: str = Field(default="", max_length=64)  # in names, addresses and what was done


class UserInfo(Reply):
    """Somebody with a password."""

    name: str
    role: Role
    made_s: float


class UserList(Reply):
    """All users."""

    users: list[UserInfo]
    is_required: bool  # false: nobody is asked, everybody is admin


class TokenInfo(Reply):
    """A program's way in, without the secret."""

    id: str
    name: str
    role: Role
    made_s: float
    used_s: float  # 0: never


class TokenList(Reply):
    """All tokens."""

    tokens: list[TokenInfo]


class NewToken(Reply):
    """A token with its secret, which is told this once."""

    token: TokenInfo
    secret: str


class SessionInfo(Reply):
    """A browser that is signed in."""

    id: str
    user: str
    via: Literal["password", "token"]
    made_s: float
    seen_s: float
    address: str
    browser: str
    is_own: bool  # the one that asks


class SessionList(Reply):
    """All that the caller may end: an admin's are everybody's."""

    sessions: list[SessionInfo]


class ClaimInfo(Reply):
    """How a robot without an owner gets one."""

    is_claimed: bool
    code: str  # empty once there is an owner


class Account(Reply):
    """Who a browser is for the robot."""

    robot: str
    is_claimed: bool
    has_lost_users: bool = False  # it was claimed; its users are lost and a new code claims it
    is_secure: bool  # by TLS
    user: str  # empty: nobody
    level: str  # "viewer", "operator", "admin"; empty: nobody
    via: str  # "session", "token", "socket", "open"; empty: nobody


class AuditEntry(Reply):
    """Who did what, when, from where. `refused`: why it was not done; empty: it was."""

    time_s: float
    who: str
    level: str
    address: str
    what: str
    detail: str
    source: str = ""  # what was used: "websocket:page-3", "saintctl"
    refused: str = ""


class AuditReply(Reply):
    """Newest first."""

    entries: list[AuditEntry]
