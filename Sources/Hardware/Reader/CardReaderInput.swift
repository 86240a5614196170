/// The ways in which a reader is ready to take a card.
public struct CardReaderInput: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let swipe = CardReaderInput(rawValue: 1)
    public static let insert = CardReaderInput(rawValue: 2)
    public static let tap = CardReaderInput(rawValue: 4)
}
