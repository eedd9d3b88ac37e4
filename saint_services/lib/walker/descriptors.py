"""Builds the classes of the protobuf library of the tables. The library is imported at the first
call: processes without a walking controller do not load it.
"""

from functools import cache
from typing import Any

from .model import Protocol
from .tables import TABLES, FieldRow, Messages


@cache
def classes(protocol: Protocol) -> dict[str, Any]:
    """Return the message classes of a protocol by name."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    table = TABLES[protocol]
    package = f"saint.{protocol.value}"
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{protocol.value}.proto", package=package, syntax="proto3"
    )
    for name, rows in table.items():
        message = file.message_type.add(name=name)
        for row in rows:
            message.field.add(**_field(row, table, package))
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = {name: pool.FindMessageTypeByName(f"{package}.{name}") for name in table}
    if hasattr(message_factory, "GetMessageClass"):
        return {name: message_factory.GetMessageClass(each) for name, each in found.items()}
    factory = message_factory.MessageFactory(pool)  # Debian 13 has protobuf 3.21
    return {name: factory.GetPrototype(each) for name, each in found.items()}


def _field(row: FieldRow, table: Messages, package: str) -> dict[str, Any]:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Kind

    label = Kind.LABEL_REPEATED if row.is_repeated else Kind.LABEL_OPTIONAL
    made: dict[str, Any] = {"name": row.name, "number": row.number, "label": label}
    if row.kind in table:
        return made | {"type": Kind.TYPE_MESSAGE, "type_name": f".{package}.{row.kind}"}
    return made | {"type": Kind.Type.Value(f"TYPE_{row.kind.upper()}")}
