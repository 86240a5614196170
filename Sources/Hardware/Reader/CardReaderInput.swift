/// The ways in which a reader is ready to take a card. Written as a list of words, for example `["insert", "swipe"]`.
public struct CardReaderInput: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let swipe = CardReaderInput(rawValue: 1)
    public static let insert = CardReaderInput(rawValue: 2)
    public static let tap = CardReaderInput(rawValue: 4)

    /// Each way with its word.
    private static let table: KeyValuePairs<String, CardReaderInput> = ["insert": insert, "swipe": swipe, "tap": tap]

    /// The words of the ways that are in it.
    public var words: [String] { Self.table.filter { contains($0.value) }.map(\.key) }

    public init(from decoder: any Decoder) throws {
        self = []
        for word in try [String](from: decoder) {
            guard let way = Self.table.first(where: { $0.key == word })?.value else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "no way to present a card: '\(word)'"))
            }
            insert(way)
        }
    }

    public func encode(to encoder: any Encoder) throws { try words.encode(to: encoder) }
}
