/// One exchange with a card as it may be written down: hexadecimal digits, and `**` for each byte of
/// card data that nobody may see.
public struct TraceEntry: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// Response data, SW1, SW2.
        case response(String)
        case failure(CardChannelError)
        /// A PIN entry at the reader ended without a PIN, so that the card got no command.
        case notSent(PINPadAnswer)
    }

    public let command: String
    public let outcome: Outcome

    /// One JSON object without a line break: `{"c":"00A404…","r":"6F…9000"}`, or with `"e"` and the
    /// error's text in place of `"r"` when there was no response.
    public var jsonLine: String {
        switch outcome {
        case .response(let response): #"{"c":"\#(command)","r":"\#(response)"}"#
        case .failure(let error): #"{"c":"\#(command)","e":"\#(Self.escaped(error.description))"}"#
        case .notSent(let answer): #"{"c":"\#(command)","e":"\#(Self.escaped(answer.description))"}"#
        }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\u{00}"..."\u{1F}": escaped += "\\u00" + HexText.encode([UInt8(truncatingIfNeeded: scalar.value)])
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
