"""Pages: what is served, with which headers, and what is not."""

import base64
import gzip
import hashlib
import json
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from saint_services.webd.pages.assets import Assets
from tests.unit.webd.web_rig import Rig

ROOT = Path(__file__).resolve().parents[4]


async def test_page_is_served_with_strict_headers(rig: Rig) -> None:
    async with rig.http.get(rig.url + "/") as response:
        text = await response.text()
    assert response.status == 200 and "<title>SAINT.OS</title>" in text
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "Server" not in response.headers


async def test_policy_names_the_import_map_that_is_served(rig: Rig) -> None:
    async with rig.http.get(rig.url + "/") as response:
        text = await response.text()
    inside = text.partition('<script type="importmap">')[2].partition("</script>")[0]
    assert '"three"' in inside
    digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in response.headers["Content-Security-Policy"]


async def test_known_etag_is_not_sent_again(rig: Rig) -> None:
    async with rig.http.get(rig.url + "/app.js") as first:
        etag = first.headers["ETag"]
        assert first.headers["Content-Type"].startswith("text/javascript")
    async with rig.http.get(rig.url + "/app.js", headers={"If-None-Match": etag}) as again:
        assert again.status == 304 and await again.read() == b""


async def test_gzip_only_when_requested(rig: Rig) -> None:
    plain = (ROOT / "web/app.js").read_bytes()
    async with rig.http.get(
        rig.url + "/app.js", headers={"Accept-Encoding": "identity"}
    ) as response:
        assert await response.read() == plain
    async with rig.http.get(
        rig.url + "/app.js", headers={"Accept-Encoding": "gzip"}, auto_decompress=False
    ) as response:
        assert gzip.decompress(await response.read()) == plain


@pytest.mark.parametrize(
    "path",
    ["/package.json", "/.npmrc", "/node_modules/lit-html/lit-html.js", "/..%2fpyproject.toml",
     "/%2e%2e/pyproject.toml", "/vendor/@types/trusted-types/index.d.ts", "/vendor/lit-html",
     "/vendor/lit-html/%2e%2e/../package.json", "/vendor/lit-html/package.json", "/lib", "/x%00y",
     "/README.md", "/nowhere"],
)  # fmt: skip
async def test_other_files_are_not_served(rig: Rig, path: str) -> None:
    async with rig.http.get(URL(rig.url + path, encoded=True)) as response:
        assert response.status == 404
        assert (await response.json())["code"] == "not_found"


@pytest.mark.parametrize(
    "path",
    ["/nodes", "/nodes/", "/nodes/sim_head", "/nodes/adopt/sim_head", "/nodes/sim_head/adopt",
     "/nodes/sim_arm_left/calibrate/arms.left.joint_1", "/routes", "/routes/edit/rc_drive",
     "/routes/Fahrt%20%26%20Kopf%2F2", "/inputs", "/inputs/livelink", "/settings",
     "/settings/network", "/logs", "/dashboard", "/self-test/sim_head", "/reference/head"],
)  # fmt: skip
async def test_address_of_a_page_opens_it(rig: Rig, path: str) -> None:
    async with (
        rig.http.get(rig.url + "/") as front,
        rig.http.get(URL(rig.url + path, encoded=True)) as response,
    ):
        assert response.status == 200
        assert await response.text() == await front.text()
        assert (
            response.headers["Content-Security-Policy"] == front.headers["Content-Security-Policy"]
        )


@pytest.mark.parametrize(
    "path", ["/zebra", "/nodes.html", "/api", "/api/nodes", "/pages/nodes", "/lib/nodes", "/Nodes",
             "/nodes/1/2/3/4/5", "/nodes/../lib"],
)  # fmt: skip
async def test_address_of_no_page_is_not_found(rig: Rig, path: str) -> None:
    async with rig.http.get(URL(rig.url + path, encoded=True)) as response:
        assert response.status == 404


async def test_browser_at_no_page_gets_the_page_that_says_so(rig: Rig) -> None:
    typed = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    async with rig.http.get(rig.url + "/zebra", headers=typed) as response:
        assert response.status == 404 and "<title>SAINT.OS</title>" in await response.text()
    async with rig.http.get(rig.url + "/api/zebra", headers=typed) as response:
        assert response.status == 404 and (await response.json())["code"] == "not_found"


async def test_strange_host_is_refused(rig: Rig) -> None:
    for path in ("/", "/api/ws", "/metrics"):
        async with rig.http.get(rig.url + path, headers={"Host": "evil.example"}) as response:
            assert response.status == 403


async def test_plain_request_to_the_socket_is_refused(rig: Rig) -> None:
    async with rig.http.get(rig.url + "/api/ws") as response:
        assert response.status == 426


async def test_other_methods_are_refused(rig: Rig) -> None:
    async with rig.http.post(rig.url + "/", data=b"x") as response:
        assert response.status == 405
        assert (await response.json())["code"] == "request_invalid"


def test_vendored_package_is_served_and_links_out_are_not(tmp_path: Path) -> None:
    web = tmp_path / "web"
    package = web / "node_modules" / "good"
    package.mkdir(parents=True)
    (web / "package.json").write_text(json.dumps({"dependencies": {"good": "1.0.0"}}))
    (package / "good.js").write_text("1")
    (web / "node_modules" / "bad").mkdir()
    (web / "node_modules" / "bad" / "bad.js").write_text("1")
    (tmp_path / "secret.js").write_text("1")
    (web / "link.js").symlink_to(tmp_path / "secret.js")
    assets = Assets(web)
    assert assets.get("vendor/good/good.js") is not None
    assert assets.missing() == []
    assert assets.get("vendor/bad/bad.js") is None
    assert assets.get("vendor/good/../bad/bad.js") is None
    assert assets.get("link.js") is None


def test_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"good": "1.0.0"}}))
    assert Assets(tmp_path).missing() == ["good"]


def test_lock_file_names_no_download_address() -> None:
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    locked = lock["packages"]
    for entry in locked.values():
        entry.pop("funding", None)  # where its makers take donations
    assert "resolved" not in json.dumps(lock) and "http" not in json.dumps(lock)
    package = json.loads((ROOT / "web/package.json").read_text())
    assert all(version[0].isdigit() for version in package["dependencies"].values())
    assert all("integrity" in entry for name, entry in locked.items() if name)


async def test_control_socket_needs_no_token(locked: Rig) -> None:
    connector = aiohttp.UnixConnector(str(locked.robot.runtime / "webd.sock"))
    async with (
        aiohttp.ClientSession(connector=connector) as inside,
        inside.get("http://localhost/metrics") as answer,
        locked.http.get(locked.url + "/metrics") as outside,
    ):
        assert (answer.status, outside.status) == (200, 401)
