"""Prints as JSON what a module has of the names of package.SIGNATURES: parameters by name, and the
fields of messages. Started by a test with the Python of build/menlo, for the real livekit.rtc.
"""

import importlib
import inspect
import json
import sys
from typing import Any

ENUMS = {
    "VideoCodec": ["VP8"],
    "EncodedFrameType": ["ENCODED_FRAME_KEY", "ENCODED_FRAME_DELTA"],
    "VideoEncoderBackend": ["ENCODER_BACKEND_PRE_ENCODED"],
    "TrackSource": ["SOURCE_CAMERA", "SOURCE_MICROPHONE"],
    "ConnectionState": ["CONN_CONNECTED", "CONN_RECONNECTING", "CONN_DISCONNECTED"],
}


def described(module: Any, names: list[str]) -> dict[str, Any]:
    """Parameters by name; None where the module lacks one."""
    found: dict[str, Any] = {}
    for name in names:
        at = module
        for word in name.split("."):
            at = getattr(at, word, None)
        if at is None:
            found[name] = None
            continue
        parameters = inspect.signature(at).parameters.values()
        found[name] = {
            each.name: each.kind is not inspect.Parameter.KEYWORD_ONLY
            for each in parameters
            if each.name != "self"
        }
        if "." in name:
            found[name + " is awaited"] = inspect.iscoroutinefunction(at)
    for name, members in ENUMS.items():
        found[name] = {each: int(getattr(getattr(module, name), each)) for each in members}
    options = module.TrackPublishOptions(source=1, video_codec=0, video_encoder=6, simulcast=False)
    found["TrackPublishOptions"] = [options.source, options.video_encoder, options.simulcast]
    return found


if __name__ == "__main__":
    print(json.dumps(described(importlib.import_module("livekit.rtc"), json.load(sys.stdin))))
