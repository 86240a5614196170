/// Why values are no terminal configuration. Each names the field and what it must be.
public enum TerminalConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An AID of fewer than 5 or more than 16 bytes.
    case aidLength(Int)
    /// A text of a wrong length, or with characters other than printable ASCII.
    case text(field: String, lengths: ClosedRange<Int>)
    /// A number with too many digits.
    case number(field: String, maximum: UInt64)
    /// Percentages outside 0...99, or a maximum below the target.
    case randomSelection(target: Int, maximum: Int)
    /// An application without a version number to compare with the card's.
    case noVersion(aid: [UInt8])
    /// No application at all, or the same AID twice.
    case applications
    /// PINs are typed on the reader's keys alone, and the capabilities claim a method that needs the terminal's.
    case capabilitiesBeyondReaderPINPad
    /// A default data object list that cannot be read.
    case dataObjectList(DataObjectListError)

    public var description: String {
        switch self {
        case .aidLength(let count): "an AID of \(count) bytes: it must have 5 to 16"
        case .text(let field, let lengths):
            "\(field): give \(lengths.lowerBound) to \(lengths.upperBound) printable ASCII characters"
        case .number(let field, let maximum): "\(field): give a number up to \(maximum)"
        case .randomSelection(let target, let maximum):
            "random selection of \(target) to \(maximum) percent: give 0 to 99, the maximum not below the target"
        case .noVersion(let aid): "application \(aid.hexadecimal) has no version number: give at least one"
        case .applications: "the terminal's applications: give at least one, and each AID once"
        case .capabilitiesBeyondReaderPINPad:
            "PINs are typed on the reader alone, where they cannot be enciphered: leave enciphered offline and "
                + "online PIN out of the capabilities"
        case .dataObjectList(let error): "a default data object list: \(error)"
        }
    }
}
