"""Decodes a report with the published protocol buffers and with menlo-sdk, unmodified: hexadecimal
digits in, one line of JSON out. Started by tests with the Python of build/menlo.
"""

import dataclasses
import json
import sys

from google.protobuf.json_format import MessageToDict
from menlo.asimov.transport._wire import decode_state  # type: ignore[import-not-found]

# The descriptors of the published package; the module's place is menlo-sdk's own business.
from menlo.asimov.transport._wire import _pb  # type: ignore[import-not-found]  # isort: skip

data = bytes.fromhex(sys.stdin.read())
message = _pb()[2].RobotState()
message.ParseFromString(data)
read = dataclasses.asdict(decode_state(data))
print(
    json.dumps(
        {
            "fields": MessageToDict(message, preserving_proto_field_name=True),
            "sdk": read,
            "unknown": len(data) - len(message.SerializeToString()),
        },
        default=str,
    )
)
