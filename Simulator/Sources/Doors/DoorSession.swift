/// What the other side of a door wants of the card.
enum CardRequest: Hashable, Sendable {
    /// Power and reset. A card that has power gets a warm reset.
    case powerOn
    case powerOff
    /// A warm reset.
    case reset
    /// The bytes of the last answer to reset, without another reset.
    case answerToReset
    /// A command, however many bytes it has.
    case command([UInt8])
}

/// What comes next on a connection.
enum DoorStep: Hashable, Sendable {
    /// Send these bytes.
    case send([UInt8])
    /// Ask the card, and hand its answer to the session.
    case ask(CardRequest)
}

/// A door's protocol on one connection, without I/O: bytes come in, steps come out.
protocol DoorSession: Sendable {
    /// What to send as soon as the connection is made.
    func greeting() -> [UInt8]

    /// Takes bytes of the other side, however they were cut.
    mutating func receive(_ bytes: [UInt8])

    /// The steps that the next whole message asks for; nil until one is there. The steps must be done, and the
    /// card's answers handed over, before this is called again.
    ///
    /// - Throws: ``DoorError/malformed(_:)``, ``DoorError/refused(code:)``
    mutating func next() throws(DoorError) -> [DoorStep]?

    /// Takes the card's answer, empty from a mute card and to power off.
    ///
    /// - Returns: what to send; nil when the protocol has no word for a card that stays mute, and the connection
    ///   has to end.
    mutating func answer(_ bytes: [UInt8], to request: CardRequest) -> [UInt8]?

    /// What to send before this side ends the connection.
    func farewell() -> [UInt8]
}

extension [UInt8] {
    /// Takes the first `count` bytes out; nil when there are fewer.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }

    /// Appends four bytes, the highest first.
    mutating func append(bigEndian word: UInt32) {
        for shift in stride(from: 24, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
    }

    /// The number that the first four bytes from `offset` are, the highest first; nil when there are fewer.
    func bigEndianWord(at offset: Int) -> UInt32? {
        guard offset >= 0, count - offset >= 4 else { return nil }
        return self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
