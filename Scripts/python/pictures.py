"""Pictures of a page as a few lines of text each, to compare them with those that are committed."""
import struct
import zlib

# A cell of 40 pixels of the page is a character: its brightness from 0 to 63.
LEVELS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/"
CELL, SCALE = 40, 0.125
# Another version of the browser draws letters a little differently; a missing or moved part of the page is more.
LEVEL_TOLERANCE, SHARE_TOLERANCE = 2, 0.02


def pixels(png):
    """The brightness of the pixels of a PNG file, by row."""
    place, data, width, height, channels = 8, b"", 0, 0, 0
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        content = png[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", content)
            channels = {0: 1, 2: 3, 6: 4}[color]
            assert depth == 8 and not interlace
        elif kind == b"IDAT":
            data += content
        place += length + 12
    data, stride = zlib.decompress(data), width * channels
    rows, before = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        filter_, line = data[start], bytearray(data[start + 1:start + 1 + stride])
        for x in range(stride):
            left, up = line[x - channels] if x >= channels else 0, before[x]
            if filter_ == 1:
                line[x] = (line[x] + left) & 255
            elif filter_ == 2:
                line[x] = (line[x] + up) & 255
            elif filter_ == 3:
                line[x] = (line[x] + (left + up) // 2) & 255
            elif filter_ == 4:
                corner = before[x - channels] if x >= channels else 0
                guess = left + up - corner
                _, best = min((abs(guess - value), order) for order, value in enumerate((left, up, corner)))
                line[x] = (line[x] + (left, up, corner)[best]) & 255
        rows.append([sum(line[x:x + min(3, channels)]) // min(3, channels) for x in range(0, stride, channels)])
        before = line
    return rows


def cells(png):
    """The lines of a picture that was taken at SCALE."""
    rows, side = pixels(png), int(CELL * SCALE)
    lines = []
    for top in range(0, len(rows) - side + 1, side):
        line = ""
        for left in range(0, len(rows[0]) - side + 1, side):
            block = [value for row in rows[top:top + side] for value in row[left:left + side]]
            line += LEVELS[sum(block) // len(block) // 4]
        lines.append(line)
    return lines


def read(path):
    """The committed pictures by name: blocks of lines, the first of which is the name."""
    try:
        with open(path, encoding="ascii") as file:
            blocks = file.read().strip().split("\n\n")
    except FileNotFoundError:
        return {}
    return {block.split("\n")[0]: block.split("\n")[1:] for block in blocks}


def write(path, pictures):
    with open(path, "w", encoding="ascii") as file:
        file.write("\n\n".join("\n".join([name, *lines]) for name, lines in sorted(pictures.items())) + "\n")


def difference(wanted, found):
    """What is different, in words; nothing for two pictures that look alike."""
    if abs(len(wanted) - len(found)) > max(1, len(wanted) // 50):
        return f"{len(found) * CELL} pixels high, not {len(wanted) * CELL}"
    pairs = [(y, x, one, other) for y, lines in enumerate(zip(wanted, found)) for x, (one, other) in enumerate(zip(*lines))]
    other = [(y, x) for y, x, one, two in pairs if abs(LEVELS.index(one) - LEVELS.index(two)) > LEVEL_TOLERANCE]
    if len(other) <= SHARE_TOLERANCE * len(pairs):
        return ""
    return (f"{len(other)} of {len(pairs)} cells differ, from {min(y for y, _ in other) * CELL} to "
            f"{(max(y for y, _ in other) + 1) * CELL} pixels from the top")
