public import CardSecrets

/// Why a track is not what it should be. It says where, and never what stands there.
public struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. Positions count the characters of the track from 1, the start sentinel.
    public enum Fault: Hashable, Sendable {
        /// The reader could not decode the track: a dirty or worn stripe, or a swipe too slow or too fast.
        case notDecoded
        /// The reader gives the track enciphered.
        case encrypted
        /// The swipe ended in the middle of the track.
        case incomplete
        case noStartSentinel
        case noEndSentinel
        /// More characters than the track holds.
        case tooLong(Int)
        /// A character that has no place there.
        case character(position: Int)
        /// A character with an even number of ones.
        case parity(position: Int)
        /// The redundancy character does not fit the others.
        case redundancyCheck
        /// A format code that is none of a payment card.
        case formatCode
        /// A field has no separator behind it.
        case noSeparator(position: Int)
        case account(PrimaryAccountNumberError)
        case country(position: Int)
        case name(position: Int)
        case expiry(position: Int)
        case serviceCode(position: Int)
    }

    public let track: StripeTrack
    public let fault: Fault

    public init(_ track: StripeTrack, _ fault: Fault) { (self.track, self.fault) = (track, fault) }

    public var description: String { "\(track): \(fault)" }
}

extension TrackError.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notDecoded: "the reader could not decode it"
        case .encrypted: "the reader gives it enciphered"
        case .incomplete: "the swipe broke off"
        case .noStartSentinel: "it does not begin with a start sentinel"
        case .noEndSentinel: "it does not end with an end sentinel"
        case .tooLong(let count): "\(count) characters are more than it holds"
        case .character(let position): "character \(position) has no place there"
        case .parity(let position): "character \(position) has wrong parity"
        case .redundancyCheck: "the redundancy check fails"
        case .formatCode: "it is not in the format of payment cards"
        case .noSeparator(let position): "there is no separator behind the field that begins at character \(position)"
        case .account(let error): error.description
        case .country(let position): "the country code at character \(position) is not three digits"
        case .name(let position): "the name at character \(position) has more than 26 characters"
        case .expiry(let position): "the expiry date at character \(position) is no year and month"
        case .serviceCode(let position): "the service code at character \(position) is not three digits"
        }
    }
}
