/// A message of QEMU's VSCard protocol: type, reader and length, four bytes each, the highest first, then so many
/// bytes.
struct VSCardMessage: Hashable, Sendable {
    enum Kind: UInt32, Sendable {
        case initialise = 1
        /// A code; 0 says that the last message was good.
        case error = 2
        case readerAdd = 3
        case readerRemove = 4
        /// The answer to reset of a card that is put in.
        case answerToReset = 5
        case cardRemove = 6
        /// A command to the card, or its answer.
        case apdu = 7
        case flush = 8
        case flushComplete = 9
    }

    static let headerLength = 12
    /// An extended APDU, with room to spare.
    static let maximumPayload = 65_600
    /// The reader while it has no number yet.
    static let undefinedReader = UInt32.max

    var kind: Kind
    var reader: UInt32
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: kind.rawValue)
        bytes.append(bigEndian: reader)
        bytes.append(bigEndian: UInt32(clamping: payload.count))
        return bytes + payload
    }

    /// Takes the first whole message out of what has come; nil until there is one.
    ///
    /// - Throws: ``DoorError/malformed(_:)``
    static func take(from received: inout [UInt8]) throws(DoorError) -> VSCardMessage? {
        guard let type = received.bigEndianWord(at: 0), let reader = received.bigEndianWord(at: 4),
            let length = received.bigEndianWord(at: 8)
        else { return nil }
        guard let kind = Kind(rawValue: type) else { throw .malformed("message type \(type) is none of 1 to 9") }
        guard length <= maximumPayload else { throw .malformed("a message of \(length) bytes") }
        guard let message = received.take(headerLength + Int(length)) else { return nil }
        return VSCardMessage(kind: kind, reader: reader, payload: Array(message.dropFirst(headerLength)))
    }
}
