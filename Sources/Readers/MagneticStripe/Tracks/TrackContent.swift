public import CardSecrets

/// The characters of a track between its sentinels, in ASCII and of the track's own set.
struct TrackContent: ~Copyable {
    /// No track needs more bytes than this in any encoding, clocking bits included.
    private static let longestDelivery = 4096

    let track: MagneticTrack
    let characters: SensitiveBytes

    /// - Throws: ``TrackError``
    init(_ track: MagneticTrack, _ delivery: borrowing TrackDelivery) throws(TrackError) {
        guard delivery.bytes.count <= Self.longestDelivery else {
            throw TrackError(track, .tooLong(delivery.bytes.count))
        }
        switch delivery.encoding {
        case .ascii: self = try Self.ascii(track, delivery.bytes)
        case .characters: self = try Self.characters(track, delivery.bytes)
        case .bits: self = try Self.bits(track, delivery.bytes)
        }
    }

    private init(_ track: MagneticTrack, _ characters: UnsafeRawBufferPointer.SubSequence) throws(TrackError) {
        // Add two sentinels and the redundancy character, delivered or not.
        guard characters.count + 3 <= track.maximumLength else {
            throw TrackError(track, .tooLong(characters.count + 3))
        }
        self.track = track
        self.characters = SensitiveBytes(characters)
    }

    private static func ascii(
        _ track: MagneticTrack, _ bytes: borrowing SensitiveBytes
    ) throws(TrackError) -> TrackContent {
        try bytes.withUnsafeBytes { (bytes) throws(TrackError) in
            let set = track.characterSet
            if let wrong = bytes.firstIndex(where: { !set.contains($0) }) {
                throw TrackError(track, .character(position: wrong + 1))
            }
            guard bytes.first == set.startSentinel else {
                // Without sentinels; an end sentinel alone is half a track.
                guard !bytes.isEmpty, !bytes.contains(set.endSentinel) else {
                    throw TrackError(track, .noStartSentinel)
                }
                return try TrackContent(track, bytes[...])
            }
            guard let end = bytes.firstIndex(of: set.endSentinel) else { throw TrackError(track, .noEndSentinel) }
            let behind = bytes[(end + 1)...]
            if let redundancy = behind.first {
                guard behind.count == 1 else { throw TrackError(track, .character(position: end + 3)) }
                let sum = bytes[...end].reduce(0) { $0 ^ ($1 - set.base) }
                guard redundancy == set.base + sum else { throw TrackError(track, .redundancyCheck) }
            }
            return try TrackContent(track, bytes[1..<end])
        }
    }

    /// Reads characters with parity, up to the redundancy character. Ignores the bytes after it.
    private static func characters(
        _ track: MagneticTrack, _ bytes: borrowing SensitiveBytes
    ) throws(TrackError) -> TrackContent {
        let set = track.characterSet
        let text = try bytes.withUnsafeBytes { (bytes) throws(TrackError) in
            let length = try lengthWithRedundancy(track, bytes)
            return SensitiveBytes(count: length) { buffer in
                for place in buffer.indices { buffer[place] = set.character(bytes[place]) ?? set.base }
            }
        }
        return try ascii(track, text)
    }

    private static func lengthWithRedundancy(
        _ track: MagneticTrack, _ bytes: UnsafeRawBufferPointer
    ) throws(TrackError) -> Int {
        let set = track.characterSet
        var hasEnded = false
        for (place, bits) in bytes.enumerated() {
            guard let character = set.character(bits) else { throw TrackError(track, .parity(position: place + 1)) }
            guard place > 0 || character == set.startSentinel else { throw TrackError(track, .noStartSentinel) }
            if hasEnded { return place + 1 }
            hasEnded = character == set.endSentinel
        }
        throw TrackError(track, bytes.isEmpty ? .noStartSentinel : hasEnded ? .redundancyCheck : .noEndSentinel)
    }

    private static func bits(
        _ track: MagneticTrack, _ bytes: borrowing SensitiveBytes
    ) throws(TrackError) -> TrackContent {
        do throws(TrackError) {
            return try characters(track, split(track, bytes, isReversed: false))
        } catch {
            // The card may have been swiped in the opposite direction. If that cannot be read either, the error of the
            // first direction is the better explanation.
            do throws(TrackError) {
                return try characters(track, split(track, bytes, isReversed: true))
            } catch _ {
                throw error
            }
        }
    }

    /// Splits the bits, from the first one bit on, into characters.
    private static func split(
        _ track: MagneticTrack, _ bytes: borrowing SensitiveBytes, isReversed: Bool
    ) -> SensitiveBytes {
        let width = track.characterSet.dataBits + 1
        return bytes.withUnsafeBytes { bytes in
            let count = bytes.count * 8
            func isSet(_ position: Int) -> Bool {
                let position = isReversed ? count - 1 - position : position
                return bytes[position / 8] & (0x80 >> UInt8(position % 8)) != 0
            }
            let start = (0..<count).first(where: isSet) ?? count
            return SensitiveBytes(count: (count - start) / width) { buffer in
                for place in buffer.indices {
                    for bit in 0..<width where isSet(start + place * width + bit) { buffer[place] |= 1 << UInt8(bit) }
                }
            }
        }
    }
}

/// A reader's result for one track.
public enum TrackReading: ~Copyable, Sendable {
    /// The track is empty, or the reader has no head for it.
    case absent
    /// The reader reported a fault.
    case failed(TrackError.Fault)
    case read(TrackDelivery)
}

/// The bytes of a track as a reader delivers them.
public struct TrackDelivery: ~Copyable, Sendable {
    public let bytes: SensitiveBytes
    public let encoding: TrackEncoding

    /// Takes the bytes over, as the reader delivered them.
    public init(_ bytes: consuming SensitiveBytes, _ encoding: TrackEncoding = .ascii) {
        self.bytes = bytes
        self.encoding = encoding
    }
}

/// The encoding in which a reader delivers a track.
public enum TrackEncoding: Hashable, Sendable {
    /// ASCII: the characters with both sentinels, or without either. The redundancy character may follow the end
    /// sentinel, also in ASCII. The reader has checked parity.
    case ascii
    /// One raw character per byte: the data bits lowest, the parity bit above them. From the start sentinel to the
    /// redundancy character.
    case characters
    /// The raw bits, the first one in the highest bit of the first byte, with clocking zeros around them. A card that
    /// was swiped in the opposite direction is read backward.
    case bits
}

/// The two character sets of magnetic stripes (ISO/IEC 7811-6): data bits, lowest first, and an odd parity bit.
public enum TrackCharacterSet: Hashable, Sendable {
    /// Six data bits: ASCII 20 to 5F.
    case alphanumeric
    /// Four data bits: ASCII 30 to 3F.
    case numeric

    /// Bits of a character without the parity bit.
    public var dataBits: Int { self == .alphanumeric ? 6 : 4 }

    /// The ASCII character with all data bits zero.
    public var base: UInt8 { self == .alphanumeric ? 0x20 : 0x30 }

    /// The start sentinel of a track: `%` or `;`.
    public var startSentinel: UInt8 { self == .alphanumeric ? 0x25 : 0x3B }

    /// The end sentinel of a track: `?`.
    public var endSentinel: UInt8 { 0x3F }

    /// The separator between the fields of a track: `^` or `=`.
    public var separator: UInt8 { self == .alphanumeric ? 0x5E : 0x3D }

    /// Returns whether an ASCII character belongs to the set.
    func contains(_ character: UInt8) -> Bool { (base..<base + (1 << UInt8(dataBits))).contains(character) }

    /// Reads the lowest ``dataBits`` bits of `bits` and the parity bit above them.
    ///
    /// - Returns: the character in ASCII; nil when the parity is even.
    func character(_ bits: UInt8) -> UInt8? {
        let width = UInt8(dataBits)
        let bits = bits & (1 << (width + 1) - 1)
        return bits.nonzeroBitCount.isMultiple(of: 2) ? nil : base + (bits & (1 << width - 1))
    }
}
