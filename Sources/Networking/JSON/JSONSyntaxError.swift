/// Why bytes are not a JSON text.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Problem: Hashable, Sendable {
        case empty
        /// It ends inside a value.
        case cut
        /// It begins like HTML or XML.
        case markup
        /// A text is not UTF-8.
        case notUTF8
        case unexpectedByte(UInt8)
        case malformedNumber
        case malformedText
        /// Lists and objects in one another, more than a hundred of them.
        case tooDeep
        /// More follows after the value.
        case trailingBytes
        case tooLong
    }

    public let problem: Problem
    /// In bytes from the start.
    public let offset: Int

    public var description: String {
        switch problem {
        case .empty: "it is empty"
        case .cut: "it is cut off after \(offset) bytes"
        case .markup: "it is a web page or other markup"
        case .notUTF8: "it is not UTF-8 (byte \(offset))"
        case .unexpectedByte(let byte): "byte \(offset) is \(PercentEncoding.escape(byte)), where it cannot stand"
        case .malformedNumber: "the number at byte \(offset) is malformed"
        case .malformedText: "the text at byte \(offset) is malformed"
        case .tooDeep: "it is nested too deeply (byte \(offset))"
        case .trailingBytes: "more follows after its end (byte \(offset))"
        case .tooLong: "it is too long"
        }
    }
}
