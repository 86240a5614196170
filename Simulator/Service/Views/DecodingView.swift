internal import EMV
internal import Sessions
internal import SmartCard
internal import Text

/// An exchange with the card, decoded from its masked form in the events.
struct DecodedExchange: Sendable {
    let values: [DecodedValue]
    /// Why decoding stopped early; nil if all of it was decoded.
    let problem: String?

    /// Decodes an event; nil for one that is no exchange.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - earlier: the events before it, in which the card asked for the command's data.
    init?(_ event: SessionEvent, after earlier: ArraySlice<SessionEvent>) {
        guard event.kind == .apdu else { return nil }
        // `COMMAND RESPONSE`, `COMMAND failed REASON`, or `COMMAND not_sent ANSWER`.
        let words = event.detail.split(separator: " ")
        guard let command = words.first, let sent = MaskedBytes(command) else { return nil }
        let received = words.dropFirst().first.flatMap { MaskedBytes($0) }
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
}

/// The data of a command, which has no tags, named by the data object list with which the card asked for it.
private struct RequestedData {
    let objects: [DecodedValue]

    /// The offset of a command's data.
    static let begin = 5

    /// Finds the list in the earlier answers of the application; nil without one that fits.
    init?(of command: MaskedBytes, after earlier: ArraySlice<SessionEvent>) {
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
            guard let sent = words.first.flatMap({ MaskedBytes($0) }), sent.bytes.count > 1,
                let received = words.dropFirst().first.flatMap({ MaskedBytes($0) })
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
private struct MaskedBytes {
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

    func followed(by other: MaskedBytes) -> MaskedBytes {
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

extension Views {
    static let decodedExchange = View<DecodedExchange>(
        .key("values", .list(.named("DecodedValue")), "The command, and the answer if there is one.") {
            $0.values.map(decodedValue.json)
        },
        .key("problem", .text, "Why decoding stopped early.") { $0.problem })

    /// A value with its parts, as `cardpresent emv decode --json` shows it; keys without a value are left out.
    static let decodedValue: View<DecodedValue> = View(
        .key("tag", .text) { $0.tag?.description },
        .key("name", .text) { $0.name },
        .key("format", .text, "The format: a, an, ans, n, cn, or b.") { $0.format?.rawValue },
        .key("source", .text, "Where the value comes from: card, terminal, or issuer.") { $0.source?.rawValue },
        .key("offset", .count, "The offset of its first byte in command and answer.") { $0.offset },
        .key("length", .count, "The length in bytes.") { $0.length },
        .key("hex", .text) { $0.hex },
        .key("meaning", .text) { $0.meaning },
        .key("masked", .boolean, "Whether it is not shown because it is, or may be, card data.") { $0.isMasked },
        .key("flags", .list(flag.schema), "The bits that are set, and all bit fields.") { $0.flags.map(flag.json) },
        .key("problems", .list(.text)) { $0.problems },
        .key("children", .list(.named("DecodedValue")), "Its parts.") { $0.children.map(decodedPart) })

    private static func decodedPart(_ value: DecodedValue) -> JSONValue { decodedValue.json(value) }

    private static let flag = View<DecodedValue.Flag>(
        .key("byte", .count, "1 is the leftmost byte.") { $0.byte },
        .key("mask", .text, "The bits in hexadecimal digits: 80 is b8.") { [$0.mask].hexadecimal },
        .key("name", .text) { $0.name })
}
