/// Decoded values as a tree for people.
extension Decoding {
    /// A line for each value, its parts indented, ended by a newline.
    public var text: String {
        var lines: [String] = []
        for value in values { value.write(to: &lines, indent: "") }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension DecodedValue {
    /// Bytes on a line of digits.
    private static let lineLength = 32

    fileprivate func write(to lines: inout [String], indent: String) {
        let inner = indent + "    "
        var line = indent + (tag.map { "\($0)  " } ?? "") + name + facts
        let digits = hex ?? ""
        let isShort = digits.utf8.count <= Self.lineLength * 2
        if isShort, !digits.isEmpty { line += "  " + digits }
        if let meaning { line += (isShort && !digits.isEmpty ? " = " : ": ") + meaning }
        lines.append(line)
        if !isShort {
            var rest = digits[...]
            while !rest.isEmpty {
                lines.append(inner + rest.prefix(Self.lineLength * 2))
                rest = rest.dropFirst(Self.lineLength * 2)
            }
        }
        for problem in problems { lines.append(inner + "! " + problem) }
        for flag in flags { lines.append(inner + flag.place + "  " + flag.name) }
        for child in children { child.write(to: &lines, indent: inner) }
    }

    /// Format, length and source, as far as they are known.
    private var facts: String {
        guard tag != nil, length > 0 || hex != nil else { return "" }
        let count = length == 1 ? "1 byte" : "\(length) bytes"
        let facts = [format?.rawValue, count, source?.rawValue].compactMap(\.self)
        return " (" + facts.joined(separator: ", ") + ")"
    }
}

extension DecodedValue.Flag {
    /// Byte and bits as EMV counts them: `1.8` is the leftmost bit, `1.8-7` the leftmost two.
    fileprivate var place: String {
        let high = 8 - mask.leadingZeroBitCount
        let low = mask.trailingZeroBitCount + 1
        return high == low ? "\(byte).\(high)" : "\(byte).\(high)-\(low)"
    }
}
