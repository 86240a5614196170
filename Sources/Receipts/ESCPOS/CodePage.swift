/// A table of a printer's characters: those of ASCII, and 128 more.
public struct CodePage: Hashable, Sendable {
    /// The name by which manuals know it, for example `PC858`.
    public let name: String
    /// The characters of the bytes 80 to FF; U+FFFD where there is none.
    let upperHalf: [Unicode.Scalar]
    private let bytes: [Unicode.Scalar: UInt8]

    init(_ name: String, _ upperHalf: String) {
        self.name = name
        self.upperHalf = Array(upperHalf.unicodeScalars)
        bytes = Dictionary(
            zip(self.upperHalf, UInt8(0x80)...0xFF).filter { $0.0 != "\u{FFFD}" },
            uniquingKeysWith: { first, _ in first })
    }

    /// The byte of a character; nil when the table does not have it.
    func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (0x20...0x7E).contains(scalar.value) ? UInt8(scalar.value) : bytes[scalar]
    }

    /// The character of a byte; nil when there is none.
    public func scalar(of byte: UInt8) -> Unicode.Scalar? {
        guard byte >= 0x80 else { return (0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : nil }
        let index = Int(byte) - 0x80
        return upperHalf.indices.contains(index) && upperHalf[index] != "\u{FFFD}" ? upperHalf[index] : nil
    }
}
