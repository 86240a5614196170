internal import Hardware

/// A reader of `readers list`: what it is, and whether it was used before.
struct ListedReaderView: Encodable, Sendable {
    var reader: CardReader
    var isRemembered: Bool

    private enum CodingKeys: CodingKey { case isRemembered }

    /// The reader's own keys, and one more.
    func encode(to encoder: any Encoder) throws {
        try reader.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isRemembered, forKey: .isRemembered)
    }

    var line: String { isRemembered ? reader.line.dropLast() + ", remembered\n" : reader.line }
}
