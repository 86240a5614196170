/// A set of fields: the bits of the three bitmaps. Bit 1 is the highest one of the first byte.
public struct FieldSet: Hashable, Sendable, Sequence, CustomStringConvertible {
    /// The bits 1...64, 65...128, and 129...192.
    var words: (primary: UInt64, secondary: UInt64, tertiary: UInt64) = (0, 0, 0)

    public init() {}

    public init(_ fields: some Sequence<Int>) {
        for field in fields { insert(field) }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { words.primary | words.secondary | words.tertiary == 0 }

    /// The number of fields.
    public var count: Int {
        words.primary.nonzeroBitCount + words.secondary.nonzeroBitCount + words.tertiary.nonzeroBitCount
    }

    private static func bit(_ field: Int) -> UInt64 { 1 << UInt64(63 - (field - 1) & 63) }

    /// Whether a field is in the set.
    public func contains(_ field: Int) -> Bool {
        switch field {
        case 1...64: words.primary & Self.bit(field) != 0
        case 65...128: words.secondary & Self.bit(field) != 0
        case 129...192: words.tertiary & Self.bit(field) != 0
        default: false
        }
    }

    /// Adds a field. A number outside 1...192 changes nothing.
    public mutating func insert(_ field: Int) {
        switch field {
        case 1...64: words.primary |= Self.bit(field)
        case 65...128: words.secondary |= Self.bit(field)
        case 129...192: words.tertiary |= Self.bit(field)
        default: break
        }
    }

    /// Removes a field.
    public mutating func remove(_ field: Int) {
        switch field {
        case 1...64: words.primary &= ~Self.bit(field)
        case 65...128: words.secondary &= ~Self.bit(field)
        case 129...192: words.tertiary &= ~Self.bit(field)
        default: break
        }
    }

    /// Returns the fields of this set that another one has not.
    public func subtracting(_ other: FieldSet) -> FieldSet {
        var result = self
        result.words.primary &= ~other.words.primary
        result.words.secondary &= ~other.words.secondary
        result.words.tertiary &= ~other.words.tertiary
        return result
    }

    /// The fields in ascending order.
    public func makeIterator() -> Iterator { Iterator(words: [words.primary, words.secondary, words.tertiary]) }

    public struct Iterator: IteratorProtocol {
        var words: InlineArray<3, UInt64>
        var index = 0

        public mutating func next() -> Int? {
            while index < 3 {
                let zeros = words[index].leadingZeroBitCount
                guard zeros < 64 else {
                    index += 1
                    continue
                }
                words[index] &= ~(1 << (63 - zeros))
                return index * 64 + zeros + 1
            }
            return nil
        }
    }

    public static func == (first: FieldSet, second: FieldSet) -> Bool { first.words == second.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.primary)
        hasher.combine(words.secondary)
        hasher.combine(words.tertiary)
    }

    /// The numbers with commas.
    public var description: String { map(String.init).joined(separator: ", ") }
}
