/// How a message is filled up to whole blocks before its MAC is made (ISO/IEC 9797-1 §6.3).
public enum MACPadding: Hashable, Sendable {
    /// Method 1: bytes 00 up to a whole block, none when the message is whole already. An empty
    /// message becomes one block of 00.
    case zeros
    /// Method 2: a byte 80, then bytes 00 up to a whole block.
    case markerAndZeros

    func padded(_ message: [UInt8], blockLength: Int) -> [UInt8] {
        var padded = message
        if self == .markerAndZeros { padded.append(0x80) }
        let missing = (blockLength - padded.count % blockLength) % blockLength
        padded.append(contentsOf: repeatElement(0, count: padded.isEmpty ? blockLength : missing))
        return padded
    }
}
