/// The server's side of a connection, without I/O: bytes in, steps out. A client makes one request; after importing a
/// device it sends commands until it disconnects.
struct USBIPSession: Sendable {
    /// The next step.
    enum Step: Hashable, Sendable {
        /// Answer the request. Report a granted import to ``imported(device:)``; otherwise the connection ends.
        case answer(USBIPRequest)
        case perform(USBIPCommand)
    }

    private enum Phase {
        case request
        /// A request is being answered.
        case answering
        case commands(device: UInt32)
    }

    private var received: [UInt8] = []
    private var phase = Phase.request

    /// Whether the client owes bytes: a request, or the rest of a command. A client with a device can stay silent.
    var isOwed: Bool {
        if case .request = phase { true } else { !received.isEmpty }
    }

    /// Takes bytes from the client, in fragments of any length.
    mutating func receive(_ bytes: [UInt8]) { received += bytes }

    /// Returns the next complete message; nil until there is one.
    ///
    /// - Throws: ``BridgeError/malformed(_:)``
    mutating func next() throws(BridgeError) -> Step? {
        switch phase {
        case .request:
            guard let request = try USBIPRequest.take(from: &received) else { return nil }
            phase = .answering
            return .answer(request)
        case .answering:
            return nil
        case .commands(let device):
            return try USBIPCommand.take(from: &received, device: device).map { .perform($0) }
        }
    }

    /// Records that the client imported the device with this number.
    mutating func imported(device: UInt32) { phase = .commands(device: device) }
}

/// An action on readers for USB/IP clients, as a line of text:
///
///     insert [PLACE]          insert the card of a slot
///     remove [PLACE]          remove it
///     swipe [READER]          swipe the reader's first card
///     unplug [READER]         unplug the reader
///     plug [READER]           plug it in again
///     pin DIGITS [READER]     enter this PIN at the next prompts
///     away NUMBER [PLACE]     move the card out of the field at this exchange from now, counted from 1
///     crowd [PLACE]           hold a second card to the field
///     alone [PLACE]           take the second card away
///     unlock [PLACE]          unlock the device in the field
///
/// READER is a bus ID, by default `1-1`. PLACE is a bus ID, optionally followed by a slash and a slot, counted from 0
/// across all interfaces of the device.
public enum ReaderAction: Sendable {
    /// A slot of a reader.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        public var busID: String
        public var slot: Int

        /// Takes the bus ID of a reader, and the number of a slot from 0.
        public init(busID: String = "1-1", slot: Int = 0) { (self.busID, self.slot) = (busID, slot) }

        public var description: String { slot == 0 ? busID : "\(busID)/\(slot)" }
    }

    case insert(Place)
    case remove(Place)
    case swipe(busID: String)
    case plug(busID: String)
    case unplug(busID: String)
    /// One digit per byte.
    case pin(SealedBytes, busID: String)
    case fieldFault(SimulatedFieldFault, Place)
    case unlock(Place)

    private enum Verb: String, CaseIterable {
        case insert, remove, swipe, plug, unplug, pin, away, crowd, alone, unlock
    }

    /// The time after which a reader misses a card that has left its field.
    private static let noticeTime = Duration.milliseconds(900)

    /// Parses a line. It can hold a PIN, so words that could be one are never made into a `String`.
    ///
    /// - Throws: ``ReaderActionError``
    public init(line: SealedBytes) throws(ReaderActionError) {
        var bytes = line.copy()
        defer { for index in bytes.indices { bytes[index] = 0 } }
        var words = bytes.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.map(Array.init)
        defer { for index in words.indices { for byte in words[index].indices { words[index][byte] = 0 } } }
        guard let verb = Verb.allCases.first(where: { Array($0.rawValue.utf8) == words.first }) else {
            throw .unknown
        }
        switch (verb, words.count) {
        case (.insert, 1...2): self = .insert(try Self.place(words.dropFirst().first))
        case (.remove, 1...2): self = .remove(try Self.place(words.dropFirst().first))
        case (.swipe, 1...2): self = .swipe(busID: try Self.reader(words.dropFirst().first))
        case (.plug, 1...2): self = .plug(busID: try Self.reader(words.dropFirst().first))
        case (.unplug, 1...2): self = .unplug(busID: try Self.reader(words.dropFirst().first))
        case (.pin, 2...3):
            guard (4...12).contains(words[1].count), words[1].allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw .notAPIN
            }
            var digits = words[1].map { $0 - 0x30 }
            defer { for index in digits.indices { digits[index] = 0 } }
            let pin = SealedBytes(digits)
            self = .pin(pin, busID: try Self.reader(words.dropFirst(2).first))
        case (.away, 2...3):
            guard let number = Int(String(decoding: words[1].prefix(4), as: UTF8.self)), (1...999).contains(number)
            else { throw .unknown }
            self = .fieldFault(
                .movedAway(atExchange: number, noticedAfter: Self.noticeTime, backAfter: nil),
                try Self.place(words.dropFirst(2).first))
        case (.crowd, 1...2):
            self = .fieldFault(.severalCards(isTold: true), try Self.place(words.dropFirst().first))
        case (.alone, 1...2): self = .fieldFault(.oneCardLeft, try Self.place(words.dropFirst().first))
        case (.unlock, 1...2): self = .unlock(try Self.place(words.dropFirst().first))
        default: throw .unknown
        }
    }

    private static func place(_ word: [UInt8]?) throws(ReaderActionError) -> Place {
        guard let word else { return Place() }
        let parts = word.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return Place(busID: try reader(word)) }
        guard let slot = Int(String(decoding: parts[1], as: UTF8.self)), (0...15).contains(slot) else {
            throw .unknown
        }
        return Place(busID: try reader(Array(parts[0])), slot: slot)
    }

    /// Parses a bus ID of digits, dashes, and dots.
    private static func reader(_ word: [UInt8]?) throws(ReaderActionError) -> String {
        guard let word else { return Place().busID }
        guard (1...15).contains(word.count), word.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E })
        else { throw .unknown }
        return String(decoding: word, as: UTF8.self)
    }
}

/// An error performing an action. No text repeats the input, because it can hold a PIN.
public enum ReaderActionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no such action.
    case unknown
    /// A PIN must have 4 to 12 digits.
    case notAPIN
    case noSuchPlace(ReaderAction.Place)
    case hasCard(ReaderAction.Place)
    case hasNoCard(ReaderAction.Place)
    case pluggedIn(busID: String)
    case unplugged(busID: String)
    case hasNoPINPad(busID: String)
    /// The reader has no magnetic stripe head.
    case readsNoStripes(busID: String)
    /// The slot has contacts, or its card is no device.
    case isNoField(ReaderAction.Place)
    /// The card has no magnetic stripe.
    case hasNoStripe(busID: String)

    public var description: String {
        switch self {
        case .unknown:
            "unknown action; use insert, remove, swipe, unplug, plug, crowd, alone, or unlock with a reader, pin with "
                + "digits, or away with a number"
        case .notAPIN: "a PIN must have 4 to 12 digits"
        case .noSuchPlace(let place): "there is no slot \(place)"
        case .hasCard(let place): "\(place) already has a card"
        case .hasNoCard(let place): "there is no card in \(place)"
        case .pluggedIn(let busID): "\(busID) is already plugged in"
        case .unplugged(let busID): "\(busID) is not plugged in"
        case .hasNoPINPad(let busID): "\(busID) has no PIN pad"
        case .readsNoStripes(let busID): "\(busID) reads no magnetic stripes"
        case .isNoField(let place): "\(place) is no field with such a card"
        case .hasNoStripe(let busID): "the card at \(busID) has no magnetic stripe"
        }
    }
}
