"""A 5 x 7 font for ASCII 32 to 126, drawn for small displays.

A glyph is 7 rows from the top, each one character of base 32: its 5 bits are the 5 dots.
"""

GLYPH_WIDTH = 5
_FIRST, _LAST = 32, 126
_ROWS = (
    # space ! " # $ % & ' ( ) * + , - . /
    "0000000 4444004 AAA0000 AAVAVAA 4FKE5U4 OP248J3 CIK8LID 4480000 "
    "2488842 8422248 04LEL40 044V440 0000C48 000V000 00000CC 01248G0 "
    # 0 to 9
    "EHJLPHE 4C4444E EH1248V V2421HE 26AIV22 VGU11HE 68GUHHE V124888 EHHEHHE EHHF12C "
    # : ; < = > ? @
    "0CC0CC0 0CC0C48 248G842 00V0V00 8421248 EH12404 EH1DLLE "
    # A to Z
    "EHHVHHH UHHUHHU EHGGGHE UHHHHHU VGGUGGV VGGUGGG EHGNHHF HHHVHHH E44444E 72222IC "
    "HIKOKIH GGGGGGV HRLLHHH HHPLJHH EHHHHHE UHHUGGG EHHHLID UHHUKIH FGGE11U V444444 "
    "HHHHHHE HHHHHA4 HHHLLLA HHA4AHH HHHA444 V1248GV "
    # [ \ ] ^ _ `
    "E88888E 0G84210 E22222E 4AH0000 000000V 8420000 "
    # a to z
    "00E1FHF GGMPHHU 00EGGHE 11DJHHF 00EHVGE 698S888 0FHHF1E GGMPHHH 40C444E 20622IC "
    "GGIKOKI C44444E 00QLLHH 00MPHHH 00EHHHE 00UHUGG 00DJF11 00MPGGG 00EGE1U 88S8896 "
    "00HHHJD 00HHHA4 00HHLLA 00HA4AH 00HHF1E 00V248V "
    # { | } ~
    "2448442 4444444 8442448 008L200"
)


def _columns(rows: str) -> bytes:
    """Return a glyph in the display's form: a byte per column, lowest bit on top."""
    bits = [int(row, 32) for row in rows]
    return bytes(
        sum((bits[y] >> (GLYPH_WIDTH - 1 - x) & 1) << y for y in range(7))
        for x in range(GLYPH_WIDTH)
    )


_GLYPHS = tuple(_columns(rows) for rows in _ROWS.split())


def text_row(text: str, width: int) -> bytes:
    """Render a row of text as columns, cut or filled to `width`; unknown characters become '?'."""
    row = bytearray()
    for character in text[: width // (GLYPH_WIDTH + 1)]:
        code = ord(character) if _FIRST <= ord(character) <= _LAST else ord("?")
        row += _GLYPHS[code - _FIRST] + b"\0"
    return bytes(row.ljust(width, b"\0"))


def read_row(columns: bytes) -> str:
    """Read the text of a row; unknown glyphs become '?'."""
    cells = (columns[x : x + GLYPH_WIDTH] for x in range(0, len(columns) - GLYPH_WIDTH, 6))
    found = (chr(_FIRST + _GLYPHS.index(cell)) if cell in _GLYPHS else "?" for cell in cells)
    return "".join(found).rstrip()
