/// The parts of a message that name the one that it reverses, completes, or repeats (field 90 of 1987, field 56 of 1993
/// and 2003).
public struct OriginalData: Hashable, Sendable {
    public var type: MessageType
    /// Field 11 of the original.
    public var traceNumber: String
    /// Field 7 of the original in field 90, field 12 in field 56.
    public var time: String
    /// Field 32 of the original; empty without one.
    public var acquirer: String
    /// Field 33 of the original, which field 56 does not have; empty without one.
    public var forwarder: String

    public init(
        type: MessageType, traceNumber: String, time: String, acquirer: String = "", forwarder: String = ""
    ) {
        (self.type, self.traceNumber, self.time) = (type, traceNumber, time)
        (self.acquirer, self.forwarder) = (acquirer, forwarder)
    }

    /// The digits of an institution in field 90.
    private static let institutionLength = 11

    /// Reads field 90: 42 digits. Institutions lose the zeros on their left, so that an absent one is empty.
    public init?(field90 text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 42, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let type = MessageType(text.prefix(4))
        else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        func institution(_ range: Range<Int>) -> String { String(part(range).drop { $0 == "0" }) }
        self.init(
            type: type, traceNumber: part(4..<10), time: part(10..<20), acquirer: institution(20..<31),
            forwarder: institution(31..<42))
    }

    /// The text of field 90; nil when a part does not fit.
    public var field90: String? {
        let institutions = [acquirer, forwarder].map {
            String(repeating: "0", count: max(0, Self.institutionLength - $0.utf8.count)) + $0
        }
        let text = "\(type)\(traceNumber)\(time)\(institutions.joined())"
        guard traceNumber.utf8.count == 6, time.utf8.count == 10, text.utf8.count == 42,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return text
    }

    /// Reads field 56: type, trace number, time, and the institution with its length in two digits.
    public init?(field56 text: String, _ version: MessageVersion) {
        let lengths = version == .v2003 ? (12, 14) : (6, 12)
        let digits = Array(text.utf8)
        let fixed = 4 + lengths.0 + lengths.1 + 2
        guard digits.count >= fixed, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let type = MessageType(text.prefix(4))
        else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        guard Int(part(fixed - 2..<fixed)) == digits.count - fixed else { return nil }
        self.init(
            type: type, traceNumber: part(4..<4 + lengths.0), time: part(4 + lengths.0..<fixed - 2),
            acquirer: part(fixed..<digits.count))
    }

    /// Returns the text of field 56; nil when a part does not fit.
    public func field56(_ version: MessageVersion) -> String? {
        let lengths = version == .v2003 ? (12, 14) : (6, 12)
        let count = acquirer.utf8.count
        let text = "\(type)\(traceNumber)\(time)\(count < 10 ? "0" : "")\(count)\(acquirer)"
        guard traceNumber.utf8.count == lengths.0, time.utf8.count == lengths.1, count <= Self.institutionLength,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return text
    }
}
