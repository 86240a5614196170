import CardSecrets
public import Determinism
import Text

/// A message of a trace: when it went which way, its fields, and its frame. It has no card number, no track, no PIN
/// block, no expiration date, and no key: what a dump masks is masked here, too, also in the bytes of the frame.
public struct TracedMessage: Hashable, Sendable {
    public enum Direction: String, Hashable, Sendable {
        case sent, received
    }

    public let direction: Direction
    public let time: Timestamp
    /// Nil for bytes that are no message of the profile.
    public let type: MessageType?
    /// Which message of the profile it is, or answers; nil for one that answers nothing.
    public let kind: MessageKind?
    /// The bytes of header and message.
    public let byteCount: Int
    public let entries: [MessageDump.Entry]
    /// The frame in hexadecimal digits, with `**` for each byte of a masked field. Nil for what answers nothing:
    /// nothing tells which card number it may have.
    public let frame: String?
    /// Why the bytes are no message, or why the message counts as none; nil when neither is so.
    public private(set) var problem: String?

    /// - Parameters:
    ///   - direction: the way of the message.
    ///   - body: header and message.
    ///   - kind: which message of the profile it is, or answers; nil for one that answers nothing.
    ///   - request: the request that it answers, whose card number is masked in it; nil for none.
    ///   - codec: the codec of the profile.
    ///   - profile: the profile of the host.
    ///   - time: the moment of the message.
    public init(
        _ direction: Direction, _ body: [UInt8], kind: MessageKind?, answering request: ISOMessage? = nil,
        codec: MessageCodec, profile: MessageProfile, at time: Timestamp
    ) {
        (self.direction, self.time, self.kind, byteCount) = (direction, time, kind, body.count)
        let decoded: DecodedMessage
        do throws(MessageError) { decoded = try codec.decode(body, showsPlaces: true) } catch {
            (type, entries, frame, problem) = (nil, [], nil, CardNumberMask.masked("\(error)"))
            return
        }
        (type, problem) = (decoded.message.type, nil)
        let dump = MessageDump(decoded, profile, answering: request)
        // The field of a new key is of free use otherwise.
        let keyField = decoded.message.type.messageClass == 8 ? profile.messages[.keyExchange]?.keyExchange?.field : nil
        entries = dump.entries.map { entry in
            if entry.field == keyField { return entry.hidden }
            return kind == nil ? entry.strictlyMasked : entry
        }
        frame = kind == nil ? nil : Self.frame(body, entries, profile.frame)
    }

    /// Returns the message with the reason why it counts as none, such as a wrong MAC.
    public func refused(because reason: String) -> TracedMessage {
        var message = self
        message.problem = problem ?? reason
        return message
    }

    private static func frame(_ body: [UInt8], _ entries: [MessageDump.Entry], _ format: FrameFormat) -> String? {
        guard var frame = format.frame(body) else { return nil }
        defer { frame.wipe() }
        let start = format.headLength
        var isHidden = [Bool](repeating: false, count: frame.count)
        func hide(_ range: Range<Int>) {
            for index in range.clamped(to: isHidden.indices) { isHidden[index] = true }
        }
        for entry in entries where entry.isMasked {
            hide(start + entry.offset..<start + entry.offset + entry.byteCount)
        }
        // A check byte over card data tells a little of it.
        if format.check == .xorFromSTX { hide(frame.count - 1..<frame.count) }
        return frame.indices.map { isHidden[$0] ? "**" : frame[$0].hexadecimal }.joined()
    }

    /// The message as one line of JSON.
    public var jsonLine: String {
        var members: [JSONValue.Member] = [
            .init("direction", .text(direction.rawValue)), .init("time", .text("\(time)")),
            .init("type", type.map { JSONValue.text("\($0)") } ?? .null),
            .init("kind", kind.map { JSONValue.text($0.rawValue) } ?? .null), .init("bytes", JSONValue(byteCount)),
            .init("fields", .list(entries.map(\.traceJSON))), .init("frame", frame.map { JSONValue.text($0) } ?? .null),
        ]
        if let problem { members.append(.init("problem", .text(problem))) }
        return JSONValue.object(members).jsonText
    }
}

extension MessageDump.Entry {
    /// Whether the bytes of the field must not be shown: the value or a part is masked, or can't be read.
    fileprivate var isMasked: Bool {
        value.contains("*") || parts.contains { $0.name == "?" || $0.value.contains("*") }
    }

    /// The entry without its value.
    fileprivate var hidden: Self { with(String(repeating: "*", count: max(1, value.count)), []) }

    /// The entry with everything masked that may be a card number.
    fileprivate var strictlyMasked: Self {
        with(
            CardNumberMask.masked(value),
            parts.map { MessageDump.Part(name: $0.name, value: CardNumberMask.masked($0.value)) })
    }

    private func with(_ value: String, _ parts: [MessageDump.Part]) -> Self {
        Self(
            field: field, name: name, format: format, offset: offset, byteCount: byteCount, value: value, parts: parts)
    }

    fileprivate var traceJSON: JSONValue {
        var members: [JSONValue.Member] = [
            .init("field", JSONValue(field)), .init("name", .text(name)), .init("value", .text(value)),
        ]
        if !parts.isEmpty {
            members.append(.init("parts", .list(parts.map { ["name": .text($0.name), "value": .text($0.value)] })))
        }
        return .object(members)
    }
}
