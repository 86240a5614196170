public import CardSecrets

/// A track of a magnetic stripe (ISO/IEC 7811-6).
public enum MagneticTrack: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Alphanumeric: account number, name, expiration date, service code (ISO/IEC 7813 structure B).
    case one = 1
    /// Numeric: account number, expiration date, service code (ISO/IEC 7813).
    case two
    /// Numeric, originally rewritten by terminals (ISO/IEC 4909).
    case three

    /// The character set of the track.
    public var characterSet: TrackCharacterSet { self == .one ? .alphanumeric : .numeric }

    /// The most characters, including sentinels and redundancy character (ISO/IEC 7811-6).
    public var maximumLength: Int {
        switch self {
        case .one: 79
        case .two: 40
        case .three: 107
        }
    }

    public var description: String { "track \(rawValue)" }
}

/// The fault of a track. It has the position, and never the content.
public struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault. Positions count the characters of the track from 1, the start sentinel.
    public enum Fault: Hashable, Sendable {
        /// The reader could not decode the track: a dirty or worn stripe, or a swipe too slow or too fast.
        case notDecoded
        /// The reader delivers the track encrypted.
        case encrypted
        /// The swipe ended in the middle of the track.
        case incomplete
        case noStartSentinel, noEndSentinel
        /// More characters than the track holds.
        case tooLong(Int)
        /// An invalid character.
        case character(position: Int)
        /// A character with wrong parity.
        case parity(position: Int)
        /// The redundancy character does not match the others.
        case redundancyCheck
        /// The format code is not that of a payment card.
        case formatCode
        /// A field has no separator after it.
        case noSeparator(position: Int)
        case account(PrimaryAccountNumberError)
        case country(position: Int)
        case name(position: Int)
        case expiry(position: Int)
        case serviceCode(position: Int)
    }

    public let track: MagneticTrack
    public let fault: Fault

    /// Takes the track and its fault, without a part of its content.
    public init(_ track: MagneticTrack, _ fault: Fault) { (self.track, self.fault) = (track, fault) }

    public var description: String { "\(track): \(fault)" }
}

extension TrackError.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notDecoded: "the reader could not decode it"
        case .encrypted: "the reader encrypts it"
        case .incomplete: "the swipe is incomplete"
        case .noStartSentinel: "it does not begin with a start sentinel"
        case .noEndSentinel: "it does not end with an end sentinel"
        case .tooLong(let count): "\(count) characters are too many"
        case .character(let position): "character \(position) is invalid"
        case .parity(let position): "character \(position) has wrong parity"
        case .redundancyCheck: "the redundancy check fails"
        case .formatCode: "it is not in the format of payment cards"
        case .noSeparator(let position): "no separator after the field at character \(position)"
        case .account(let error): error.description
        case .country(let position): "the country code at character \(position) is not three digits"
        case .name(let position): "the name at character \(position) has more than 26 characters"
        case .expiry(let position): "the expiration date at character \(position) is not a year and month"
        case .serviceCode(let position): "the service code at character \(position) is not three digits"
        }
    }
}
