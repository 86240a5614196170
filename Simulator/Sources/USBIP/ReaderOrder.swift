/// What somebody does to readers that others use, as a line of text tells it:
///
///     insert [PLACE]          put the card of a slot in
///     remove [PLACE]          pull it out
///     swipe [READER]          draw the reader's first card through its head for magnetic stripes
///     unplug [READER]         pull the reader out
///     plug [READER]           plug it in again
///     pin DIGITS [READER]     type this PIN when the reader asks for one
///
/// READER is a bus ID, `1-1` without one; PLACE is a bus ID, and behind a slash a slot, counted from 0 through all
/// interfaces of the device.
public enum ReaderOrder: Sendable {
    /// A slot of a reader.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        public var busID: String
        public var slot: Int

        public init(busID: String = "1-1", slot: Int = 0) { (self.busID, self.slot) = (busID, slot) }

        public var description: String { slot == 0 ? busID : "\(busID)/\(slot)" }
    }

    case insert(Place)
    case remove(Place)
    case swipe(busID: String)
    case plug(busID: String)
    case unplug(busID: String)
    /// One digit a byte.
    case pin(SealedBytes, busID: String)

    private enum Verb: String, CaseIterable { case insert, remove, swipe, plug, unplug, pin }

    /// Reads a line. It may hold a PIN, so no `String` is made of a word that could be one.
    ///
    /// - Throws: ``ReaderOrderError``
    public init(line: SealedBytes) throws(ReaderOrderError) {
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
        default: throw .unknown
        }
    }

    private static func place(_ word: [UInt8]?) throws(ReaderOrderError) -> Place {
        guard let word else { return Place() }
        let parts = word.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return Place(busID: try reader(word)) }
        guard let slot = Int(String(decoding: parts[1], as: UTF8.self)), (0...15).contains(slot) else {
            throw .unknown
        }
        return Place(busID: try reader(Array(parts[0])), slot: slot)
    }

    /// A bus ID has digits, dashes and dots.
    private static func reader(_ word: [UInt8]?) throws(ReaderOrderError) -> String {
        guard let word else { return Place().busID }
        guard (1...15).contains(word.count), word.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E })
        else { throw .unknown }
        return String(decoding: word, as: UTF8.self)
    }
}

/// Why an order was not carried out. No text repeats what was given: it may hold a PIN.
public enum ReaderOrderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No such order.
    case unknown
    /// A PIN has 4 to 12 digits.
    case notAPIN
    case noSuchPlace(ReaderOrder.Place)
    case hasCard(ReaderOrder.Place)
    case hasNoCard(ReaderOrder.Place)
    case pluggedIn(busID: String)
    case unplugged(busID: String)
    case hasNoPINPad(busID: String)
    /// It has no head for magnetic stripes.
    case readsNoStripes(busID: String)
    /// The card has no magnetic stripe.
    case hasNoStripe(busID: String)

    public var description: String {
        switch self {
        case .unknown: "no such order: insert, remove, swipe, unplug and plug take a reader, pin takes digits"
        case .notAPIN: "a PIN has 4 to 12 digits"
        case .noSuchPlace(let place): "there is no slot \(place)"
        case .hasCard(let place): "there is a card in \(place) already"
        case .hasNoCard(let place): "there is no card in \(place)"
        case .pluggedIn(let busID): "\(busID) is plugged in already"
        case .unplugged(let busID): "\(busID) is not plugged in"
        case .hasNoPINPad(let busID): "\(busID) has no PIN pad"
        case .readsNoStripes(let busID): "\(busID) reads no magnetic stripes"
        case .hasNoStripe(let busID): "the card at \(busID) has no magnetic stripe"
        }
    }
}
