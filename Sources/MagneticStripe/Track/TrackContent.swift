internal import CardSecrets

/// The characters of a track between its sentinels, in ASCII and of the track's own set.
struct TrackContent: ~Copyable {
    /// No track fills more bytes than this in any encoding, clocking bits included.
    private static let longestDelivery = 4096

    let track: StripeTrack
    let characters: SensitiveBytes

    /// - Throws: ``TrackError``
    init(_ track: StripeTrack, _ delivery: borrowing TrackDelivery) throws(TrackError) {
        guard delivery.bytes.count <= Self.longestDelivery else {
            throw TrackError(track, .tooLong(delivery.bytes.count))
        }
        switch delivery.encoding {
        case .ascii: self = try Self.ascii(track, delivery.bytes)
        case .characters: self = try Self.characters(track, delivery.bytes)
        case .bits: self = try Self.bits(track, delivery.bytes)
        }
    }

    private init(_ track: StripeTrack, _ characters: UnsafeRawBufferPointer.SubSequence) throws(TrackError) {
        // Two sentinels and the redundancy character come on top, delivered or not.
        guard characters.count + 3 <= track.maximumLength else {
            throw TrackError(track, .tooLong(characters.count + 3))
        }
        self.track = track
        self.characters = SensitiveBytes(characters)
    }

    private static func ascii(
        _ track: StripeTrack, _ bytes: borrowing SensitiveBytes
    ) throws(TrackError) -> TrackContent {
        try bytes.withUnsafeBytes { (bytes) throws(TrackError) in
            let set = track.characterSet
            if let wrong = bytes.firstIndex(where: { !set.contains($0) }) {
                throw TrackError(track, .character(position: wrong + 1))
            }
            guard bytes.first == set.startSentinel else {
                // Without sentinels; an end alone is half a track.
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

    /// Reads characters with parity, up to the redundancy character. Whatever stands behind it is not looked at.
    private static func characters(
        _ track: StripeTrack, _ bytes: borrowing SensitiveBytes
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
        _ track: StripeTrack, _ bytes: UnsafeRawBufferPointer
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
        _ track: StripeTrack, _ bytes: borrowing SensitiveBytes
    ) throws(TrackError) -> TrackContent {
        do throws(TrackError) {
            return try characters(track, split(track, bytes, isReversed: false))
        } catch {
            // A card that was swiped the other way round. When that does not read either, what stands in the first
            // order is the better explanation.
            do throws(TrackError) {
                return try characters(track, split(track, bytes, isReversed: true))
            } catch _ {
                throw error
            }
        }
    }

    /// Cuts the bits, from the first one that is set, into characters.
    private static func split(
        _ track: StripeTrack, _ bytes: borrowing SensitiveBytes, isReversed: Bool
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
