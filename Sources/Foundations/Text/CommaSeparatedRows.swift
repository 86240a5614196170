/// The rows of a text of comma-separated values (RFC 4180). Lines may end with LF alone.
public struct CommaSeparatedRows: Sequence {
    /// A row of fields.
    public struct Row: Hashable, Sendable {
        /// The line on which it begins, from 1.
        public let line: Int
        /// The fields; one that is empty for an empty line.
        public let fields: [String]
        /// What is wrong with it; nil when nothing is.
        public let problem: String?
    }

    private let text: String

    /// Takes a text, which may begin with a byte order mark.
    public init(_ text: String) { self.text = text }

    public func makeIterator() -> AnyIterator<Row> {
        var bytes = Array(text.utf8)[...]
        // The mark that some programs put in front (U+FEFF).
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        var line = 1
        return AnyIterator { bytes.isEmpty ? nil : Self.row(&bytes, &line) }
    }

    /// Takes one row, with the end of its line.
    private static func row(_ bytes: inout ArraySlice<UInt8>, _ line: inout Int) -> Row {
        let first = line
        var (fields, field, problem) = ([String](), [UInt8](), String?.none)
        var (isQuoted, wasQuoted) = (false, false)
        func end() { fields.append(String(decoding: field, as: UTF8.self)) }
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\n") { line += 1 }
            switch byte {
            case UInt8(ascii: "\"") where isQuoted:
                if bytes.first == byte {
                    field.append(byte)
                    bytes = bytes.dropFirst()
                } else {
                    isQuoted = false
                }
            case _ where isQuoted: field.append(byte)
            case UInt8(ascii: "\"") where field.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
            case UInt8(ascii: ","):
                end()
                (field, wasQuoted) = ([], false)
            case UInt8(ascii: "\r") where bytes.first == UInt8(ascii: "\n"): break
            case UInt8(ascii: "\n"):
                end()
                return Row(line: first, fields: fields, problem: problem)
            default:
                if wasQuoted || byte == UInt8(ascii: "\"") { problem = "a quotation mark is in the wrong place" }
                field.append(byte)
            }
        }
        end()
        return Row(line: first, fields: fields, problem: isQuoted ? "a quotation mark is not closed" : problem)
    }
}
