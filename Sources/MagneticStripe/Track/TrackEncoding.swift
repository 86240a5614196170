/// How a reader delivers a track.
public enum TrackEncoding: Hashable, Sendable {
    /// In ASCII: the characters with both sentinels, or without either. Behind the end sentinel the redundancy
    /// character may stand, also in ASCII. The reader has checked parity.
    case ascii
    /// A character a byte, as on the stripe: the data bits lowest, the parity bit above them. From the start
    /// sentinel to the redundancy character.
    case characters
    /// The bits of the stripe, the first one in the highest bit of the first byte, with clocking zeros around
    /// them. A card that was swiped the other way round is read from behind.
    case bits
}
