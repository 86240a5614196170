public import EMV
public import Sessions
import SmartCard
public import Text

/// An exchange with the card, decoded from its masked form in the events.
public struct DecodedExchange: Sendable {
    /// The command, and the answer if there is one.
    public let values: [DecodedValue]
    /// Why decoding stopped early; nil if all of it was decoded.
    public let problem: String?

    /// Decodes an event; nil for one that is no exchange.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - earlier: the events before it, in which the card asked for the command's data.
    public init?(_ event: SessionEvent, after earlier: ArraySlice<SessionEvent>) {
        guard event.kind == .apdu else { return nil }
        // `COMMAND RESPONSE`, `COMMAND failed REASON`, or `COMMAND not_sent ANSWER`.
        let words = event.detail.split(separator: " ")
        guard let command = words.first, let sent = MaskedInput(command) else { return nil }
        let received = words.dropFirst().first.flatMap { MaskedInput($0) }
        let whole = received.map { sent.followed(by: $0) } ?? sent
        guard let decoding = EMVDecoder.decode(whole.bytes, as: received == nil ? .command : .exchange) else {
            return nil
        }
        var values = decoding.values.map { whole.hiding($0) }
        if let objects = RequestedData(of: sent, after: earlier)?.objects,
            let place = values.first?.children.firstIndex(where: { $0.offset == RequestedData.begin })
        {
            (values[0].children[place].children, values[0].children[place].meaning) = (objects, nil)
            values[0].children[place].isMasked = false
        }
        self.values = values
        problem = decoding.problem?.description
    }

    /// Decodes every exchange of a session.
    ///
    /// - Parameter events: the session's events from the first one on.
    /// - Returns: the decoded exchanges, with the numbers of their events.
    public static func all(in events: [SessionEvent]) -> [(event: Int, exchange: DecodedExchange)] {
        events.indices.compactMap { index in
            DecodedExchange(events[index], after: events[..<index]).map { (events[index].number, $0) }
        }
    }

    /// The JSON form, as the route of the service that decodes an event has it: keys without a value are left out.
    public var json: JSONValue {
        let values = JSONValue.Member("values", .list(values.map { Self.json($0) }))
        return .object([values] + (problem.map { [JSONValue.Member("problem", .text($0))] } ?? []))
    }

    private static func json(_ value: DecodedValue) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append(JSONValue.Member(name, .text(text))) }
        }
        add("tag", value.tag?.description)
        add("name", value.name)
        add("format", value.format?.rawValue)
        add("source", value.source?.rawValue)
        members.append(JSONValue.Member("offset", JSONValue(value.offset)))
        members.append(JSONValue.Member("length", JSONValue(value.length)))
        add("hex", value.hex)
        add("meaning", value.meaning)
        members.append(JSONValue.Member("masked", .bool(value.isMasked)))
        members.append(JSONValue.Member("flags", .list(value.flags.map { flag($0) })))
        members.append(JSONValue.Member("problems", .list(value.problems.map { JSONValue.text($0) })))
        members.append(JSONValue.Member("children", .list(value.children.map { json($0) })))
        return .object(members)
    }

    private static func flag(_ flag: DecodedValue.Flag) -> JSONValue {
        ["byte": JSONValue(flag.byte), "mask": .text([flag.mask].hexadecimal), "name": .text(flag.name)]
    }
}

/// The data of a command, which has no tags, named by the data object list with which the card asked for it.
private struct RequestedData {
    let objects: [DecodedValue]

    /// The offset of a command's data.
    static let begin = 5

    /// Finds the list in the earlier answers of the application; nil without one that fits.
    init?(of command: MaskedInput, after earlier: ArraySlice<SessionEvent>) {
        guard command.isClear, command.bytes.count > Self.begin else { return nil }
        // A GET PROCESSING OPTIONS has its data in the template 83.
        let (wanted, begin): (BERTag, Int)
        switch command.bytes[1] {
        case 0xA8: (wanted, begin) = (0x9F38, Self.begin + 2)
        case 0x88: (wanted, begin) = (0x9F49, Self.begin)
        case 0xAE: (wanted, begin) = (0x8C, Self.begin)
        default: return nil
        }
        var tag = wanted
        for event in earlier.reversed() where event.kind == .apdu {
            let words = event.detail.split(separator: " ")
            guard let sent = words.first.flatMap({ MaskedInput($0) }), sent.bytes.count > 1,
                let received = words.dropFirst().first.flatMap({ MaskedInput($0) })
            else { continue }
            // The second GENERATE AC has a list of its own.
            if tag == 0x8C, sent.bytes[1] == 0xAE { tag = 0x8D }
            let exchange = sent.followed(by: received)
            let values = EMVDecoder.decode(exchange.bytes, as: .exchange)?.values ?? []
            if let list = values.lazy.compactMap({ Self.find(tag, in: $0) }).first {
                guard let bytes = exchange.content(of: list), let list = try? DataObjectList(bytes),
                    let objects = Self.objects(list, in: command.bytes, from: begin)
                else { return nil }
                self.objects = objects
                return
            }
            if sent.bytes[1] == 0xA4 { return nil }
        }
        return nil
    }

    private static func find(_ tag: BERTag, in value: DecodedValue) -> DecodedValue? {
        value.tag == tag ? value : value.children.lazy.compactMap { find(tag, in: $0) }.first
    }

    private static func objects(_ list: DataObjectList, in bytes: [UInt8], from begin: Int) -> [DecodedValue]? {
        let length = Int(bytes[Self.begin - 1]) - (begin - Self.begin)
        guard list.filledLength == length, begin + length <= bytes.count else { return nil }
        var (objects, offset): ([DecodedValue], Int) = ([], begin)
        for entry in list.entries {
            let value = Array(bytes[offset..<(offset + entry.length)])
            if let object = EMVDecoder.decode(value, as: .value(of: entry.tag))?.values.first {
                objects.append(moved(object, by: offset))
            }
            offset += entry.length
        }
        return objects
    }

    private static func moved(_ value: DecodedValue, by offset: Int) -> DecodedValue {
        var value = value
        value.offset += offset
        value.children = value.children.map { moved($0, by: offset) }
        return value
    }
}

/// Bytes of which some are masked.
private struct MaskedInput {
    private(set) var bytes: [UInt8] = []
    /// The offsets of the masked bytes, which are zero in `bytes`.
    private var masked: Set<Int> = []

    /// Reads hexadecimal digits, with two asterisks for a masked byte; nil for other text.
    init?(_ text: Substring) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        for place in stride(from: 0, to: digits.count, by: 2) {
            if digits[place] == UInt8(ascii: "*"), digits[place + 1] == UInt8(ascii: "*") {
                masked.insert(bytes.count)
                bytes.append(0)
            } else {
                guard let byte = [UInt8](hexadecimalDigits: digits[place...(place + 1)]) else { return nil }
                bytes += byte
            }
        }
    }

    /// Whether no byte is masked.
    var isClear: Bool { masked.isEmpty }

    /// Returns the bytes of a data object's value; nil when some of them are masked.
    func content(of value: DecodedValue) -> [UInt8]? {
        let begin = value.offset + header(at: value.offset, of: value)
        let range = begin..<(begin + value.length)
        guard range.upperBound <= bytes.count, !masked.contains(where: range.contains) else { return nil }
        return Array(bytes[range])
    }

    func followed(by other: MaskedInput) -> MaskedInput {
        var whole = self
        whole.masked.formUnion(other.masked.map { $0 + bytes.count })
        whole.bytes += other.bytes
        return whole
    }

    /// Returns a decoded value without what was decoded from masked bytes.
    func hiding(_ value: DecodedValue) -> DecodedValue {
        var value = value
        value.children = value.children.map { hiding($0) }
        // A header of a data object has at most 4 bytes of tag and 3 of length.
        let end = value.offset + value.length + (value.tag == nil ? 0 : header(at: value.offset, of: value))
        guard masked.contains(where: { (value.offset..<max(value.offset, end)).contains($0) }) else { return value }
        value.hex = nil
        guard value.children.isEmpty else { return value }
        (value.meaning, value.flags, value.problems, value.isMasked) = ("masked", [], [], true)
        return value
    }

    /// The number of bytes before the value of a data object.
    private func header(at offset: Int, of value: DecodedValue) -> Int {
        let tag = value.tag?.bytes.count ?? 0
        let place = offset + tag
        guard bytes.indices.contains(place) else { return tag }
        return tag + 1 + (bytes[place] > 0x80 ? Int(bytes[place] & 0x7F) : 0)
    }
}
