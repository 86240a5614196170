/// The part that an answer and its request have in common: how a connection with several requests under way finds the
/// right one.
public struct MessageKey: Hashable, Sendable, CustomStringConvertible {
    /// The type of the answer.
    public let answer: MessageType
    /// The values of the key's fields, without spaces on the right; empty for an absent field.
    public let values: [String]

    /// Makes the key of a request; nil for an answer.
    ///
    /// - Parameters:
    ///   - message: the request.
    ///   - form: its form in the profile, which names the type of the answer; nil for the one of the standard.
    ///   - fields: the fields of the key, without those of card data.
    public init?(request message: ISOMessage, form: MessageForm? = nil, fields: [Int]) {
        guard let answer = form?.answer ?? message.type.answer else { return nil }
        self.answer = answer
        values = Self.values(message, fields)
    }

    /// Makes the key of an answer; nil for a request.
    public init?(answer message: ISOMessage, fields: [Int]) {
        guard message.type.isAnswer else { return nil }
        answer = message.type
        values = Self.values(message, fields)
    }

    private static func values(_ message: ISOMessage, _ fields: [Int]) -> [String] {
        fields.map { field in
            guard let text = message.text(of: field) else { return "" }
            guard let last = text.lastIndex(where: { $0 != " " }) else { return "" }
            return String(text[...last])
        }
    }

    public var description: String { "\(answer) \(values.joined(separator: " "))" }
}

extension MatchingRules {
    /// Returns the fields that an answer should repeat and has with another value. A field that the answer leaves out
    /// is not counted.
    public func differences(between request: ISOMessage, and answer: ISOMessage) -> [Int] {
        echoed.filter { field in
            guard let sent = request.bytes(of: field), let got = answer.bytes(of: field) else { return false }
            return sent != got
        }
    }
}
