/// A track of a magnetic stripe (ISO/IEC 7811-6).
public enum StripeTrack: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Alphanumeric: account, name, expiry, service code (ISO/IEC 7813 structure B).
    case one = 1
    /// Numeric: account, expiry, service code (ISO/IEC 7813).
    case two
    /// Numeric, once meant to be written at the terminal (ISO/IEC 4909).
    case three

    /// How its characters are written.
    public var characterSet: StripeCharacterSet { self == .one ? .alphanumeric : .numeric }

    /// The most characters it holds, sentinels and redundancy character included (ISO/IEC 7811-6).
    public var maximumLength: Int {
        switch self {
        case .one: 79
        case .two: 40
        case .three: 107
        }
    }

    public var description: String { "track \(rawValue)" }
}
