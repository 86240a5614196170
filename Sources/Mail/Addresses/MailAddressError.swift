/// Why a text is no address for mail, and where. It repeats nothing of the text but one character: an address is
/// somebody's own.
public struct MailAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case nothingThere
        /// There is no `@` behind the local part.
        case noAtSign
        case noLocalPart
        case noDomain
        /// Two dots side by side, or a dot at an end.
        case nothingBetweenDots
        case unexpected(Unicode.Scalar)
        /// A character that is not ASCII.
        case notASCII(Unicode.Scalar)
        case control(Unicode.Scalar)
        /// A quoted string without its end.
        case openQuote
        /// An address in brackets, or in angle brackets, without its end.
        case openBracket
        /// A part of a host's name begins or ends with a hyphen.
        case hyphenAtEnd
        /// More octets than RFC 5321 §4.5.3.1 lets a local part or a domain have, or RFC 1035 §2.3.4 a part of a name.
        case tooLong(limit: Int)
    }

    public let reason: Reason
    /// The character at which it is found, counted from 1.
    public let position: Int

    public init(_ reason: Reason, at position: Int) { (self.reason, self.position) = (reason, position) }

    public var description: String {
        let what =
            switch reason {
            case .nothingThere: "there is no address"
            case .noAtSign: "an '@' is missing"
            case .noLocalPart: "nothing stands before the '@'"
            case .noDomain: "nothing stands behind the '@'"
            case .nothingBetweenDots: "a dot has nothing beside it"
            case .unexpected(let scalar): "'\(scalar)' cannot stand there"
            case .notASCII(let scalar): "'\(scalar)' is not ASCII: many mail servers take no such address"
            case .control(let scalar): "a control character (U+\(Self.hexadecimal(scalar))) cannot stand there"
            case .openQuote: "a quotation mark is never closed"
            case .openBracket: "a bracket is never closed"
            case .hyphenAtEnd: "a part of the host's name begins or ends with a hyphen"
            case .tooLong(let limit): "this part has more than \(limit) characters"
            }
        return "character \(position): \(what)"
    }

    /// What to do about it; nil where the description says it.
    public var fix: String? {
        switch reason {
        case .notASCII: "write a host's name in its ASCII form, which begins with 'xn--'"
        default: nil
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
