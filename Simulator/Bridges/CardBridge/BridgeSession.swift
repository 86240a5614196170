/// A peer's request to the card.
enum CardRequest: Hashable, Sendable {
    /// Powers up and resets the card. A powered card gets a warm reset.
    case powerOn
    case powerOff
    /// A warm reset.
    case reset
    /// Returns the last answer to reset without another reset.
    case answerToReset
    /// A command of any length.
    case command([UInt8])
}

/// The next step on a connection.
enum BridgeStep: Hashable, Sendable {
    /// Send these bytes.
    case send([UInt8])
    /// Pass the request to the card and its answer to the session.
    case ask(CardRequest)
}

/// A bridge protocol on one connection, without I/O: bytes in, steps out.
protocol BridgeSession: Sendable {
    /// Returns what to send at the start of the connection.
    func greeting() -> [UInt8]

    /// Takes bytes from the peer, in fragments of any length.
    mutating func receive(_ bytes: [UInt8])

    /// Returns the steps for the next complete message; nil until there is one. Perform the steps and pass the card's
    /// answers to the session before the next call.
    ///
    /// - Throws: ``BridgeError/malformed(_:)``, ``BridgeError/refused(code:)``
    mutating func next() throws(BridgeError) -> [BridgeStep]?

    /// Takes the card's answer, empty from a mute card and for power off.
    ///
    /// - Returns: what to send; nil if the protocol cannot express a mute card, so that the connection must end.
    mutating func answer(_ bytes: [UInt8], to request: CardRequest) -> [UInt8]?

    /// Returns what to send before this side closes the connection.
    func farewell() -> [UInt8]
}

extension [UInt8] {
    /// Removes and returns the first `count` bytes; nil if there are fewer.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }

    /// Appends four bytes, most significant first.
    mutating func append(bigEndian word: UInt32) {
        for shift in stride(from: 24, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
    }

    /// Returns the big-endian number in four bytes at `offset`; nil if there are fewer.
    func bigEndianWord(at offset: Int) -> UInt32? {
        guard offset >= 0, count - offset >= 4 else { return nil }
        return self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The card's side of vpcd, the virtual reader of the vsmartcard project for pcscd.
///
/// Each message is a length (two bytes, most significant first) followed by that many bytes. One byte is a control
/// code: 00 power off, 01 power on, 02 reset, 04 get the answer to reset. More bytes are a command. Only 04 and
/// commands are answered. pcscd requests the answer to reset several times a second to detect the card, so that
/// request must not reset it.
struct VPCDSession: BridgeSession {
    private static let orders: [UInt8: CardRequest] = [
        0x00: .powerOff, 0x01: .powerOn, 0x02: .reset, 0x04: .answerToReset,
    ]

    private var received: [UInt8] = []

    func greeting() -> [UInt8] { [] }

    mutating func receive(_ bytes: [UInt8]) { received += bytes }

    mutating func next() throws(BridgeError) -> [BridgeStep]? {
        guard received.count >= 2 else { return nil }
        let length = Int(received[0]) << 8 | Int(received[1])
        guard let message = received.take(2 + length) else { return nil }
        guard let first = message.dropFirst(2).first else { throw .malformed("an empty message") }
        guard length == 1 else { return [.ask(.command(Array(message.dropFirst(2))))] }
        guard let request = Self.orders[first] else { throw .malformed("control code \(first) is not 0, 1, 2, or 4") }
        return [.ask(request)]
    }

    mutating func answer(_ bytes: [UInt8], to request: CardRequest) -> [UInt8]? {
        switch request {
        case .powerOn, .powerOff, .reset: return []
        case .answerToReset, .command:
            // vpcd, and pcscd with it, would wait forever for the rest of an empty message.
            guard !bytes.isEmpty else { return nil }
            let body = bytes.prefix(Int(UInt16.max))
            return [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
        }
    }

    func farewell() -> [UInt8] { [] }
}

/// The card's side of VSCard, spoken by QEMU's `ccid-card-passthru` on its character device.
///
/// The card initializes and QEMU replies; the card adds a reader and QEMU assigns a number; the card is inserted with
/// its answer to reset. Then QEMU sends commands. QEMU initializes again whenever it recreates its side of the card.
/// Power and reset stay inside QEMU: the card does not see them and keeps its state.
struct VSCardSession: BridgeSession {
    /// The message that the next acknowledgment confirms.
    private enum Awaited { case nothing, reader, card }

    private static let magic = Array("VSCD".utf8)
    /// Version 0.0.2.
    private static let version: UInt32 = 2
    private static let readerName = Array("CardPresent\0".utf8)

    private var received: [UInt8] = []
    private var awaited = Awaited.nothing
    private var reader = VSCardMessage.undefinedReader
    private var isCardIn = false

    func greeting() -> [UInt8] {
        var payload = Self.magic
        payload.append(bigEndian: Self.version)
        // No capabilities.
        payload.append(bigEndian: 0)
        return VSCardMessage(kind: .initialize, reader: VSCardMessage.undefinedReader, payload: payload).bytes
    }

    mutating func receive(_ bytes: [UInt8]) { received += bytes }

    mutating func next() throws(BridgeError) -> [BridgeStep]? {
        guard let message = try VSCardMessage.take(from: &received) else { return nil }
        switch message.kind {
        case .initialize:
            guard message.payload.starts(with: Self.magic) else { throw .malformed("a greeting without 'VSCD'") }
            (awaited, isCardIn) = (.reader, false)
            let add = VSCardMessage(
                kind: .readerAdd, reader: VSCardMessage.undefinedReader, payload: Self.readerName)
            return [.ask(.powerOff), .send(add.bytes)]
        case .error:
            guard let code = message.payload.bigEndianWord(at: 0) else { throw .malformed("an error without a code") }
            guard code == 0 else { throw .refused(code: code) }
            defer { awaited = .nothing }
            guard awaited == .reader else { return [] }
            reader = message.reader
            return [.ask(.powerOn)]
        case .apdu:
            reader = message.reader
            return [.ask(.command(message.payload))]
        case .flush:
            return [.send(VSCardMessage(kind: .flushComplete, reader: message.reader).bytes)]
        case .readerAdd, .readerRemove, .answerToReset, .cardRemove, .flushComplete:
            throw .malformed("a message of type \(message.kind.rawValue), which only a card sends")
        }
    }

    mutating func answer(_ bytes: [UInt8], to request: CardRequest) -> [UInt8]? {
        switch request {
        case .powerOn, .reset, .answerToReset:
            // A card that does not answer to reset cannot be inserted.
            guard !bytes.isEmpty else { return [] }
            (awaited, isCardIn) = (.card, true)
            return VSCardMessage(kind: .answerToReset, reader: reader, payload: bytes).bytes
        case .powerOff:
            return []
        case .command:
            return VSCardMessage(kind: .apdu, reader: reader, payload: bytes).bytes
        }
    }

    // QEMU ignores the end of a connection: without this message the card would stay inserted.
    func farewell() -> [UInt8] {
        isCardIn ? VSCardMessage(kind: .cardRemove, reader: reader).bytes : []
    }
}

/// A message of QEMU's VSCard protocol: type, reader, and length, four bytes each, most significant first, followed
/// by the payload.
struct VSCardMessage: Hashable, Sendable {
    enum Kind: UInt32, Sendable {
        case initialize = 1
        /// A code; 0 acknowledges the last message.
        case error = 2
        case readerAdd = 3
        case readerRemove = 4
        /// The answer to reset of an inserted card.
        case answerToReset = 5
        case cardRemove = 6
        /// A command to the card, or its answer.
        case apdu = 7
        case flush = 8
        case flushComplete = 9
    }

    static let headerLength = 12
    /// The maximum payload: an extended APDU, with a margin.
    static let maximumPayload = 65_600
    /// The reader number before one is assigned.
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

    /// Removes and returns the first complete message; nil until there is one.
    ///
    /// - Throws: ``BridgeError/malformed(_:)``
    static func take(from received: inout [UInt8]) throws(BridgeError) -> VSCardMessage? {
        guard let type = received.bigEndianWord(at: 0), let reader = received.bigEndianWord(at: 4),
            let length = received.bigEndianWord(at: 8)
        else { return nil }
        guard let kind = Kind(rawValue: type) else { throw .malformed("message type \(type) is not in 1...9") }
        guard length <= maximumPayload else { throw .malformed("a message of \(length) bytes") }
        guard let message = received.take(headerLength + Int(length)) else { return nil }
        return VSCardMessage(kind: kind, reader: reader, payload: Array(message.dropFirst(headerLength)))
    }
}
