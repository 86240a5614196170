import CardSecrets
import Cryptography

/// A card's magnetic stripe: the encoded characters of its tracks with parity and LRC, correct or damaged.
public struct SimulatedMagneticStripe: Sendable {
    /// Tracks 1, 2, and 3, one encoded character per byte; nil for an empty track.
    let tracks: [SealedBytes?]

    /// Encodes a stripe from its profile.
    ///
    /// - Throws: a failure of libcrypto.
    public init(_ profile: MagneticStripeProfile, keys: TestKeys) throws {
        var digits = profile.pan.copy()
        defer { digits.wipe() }
        let expiry = Array(profile.expiry.encoded.prefix(2))
        var value = try CardVerificationValue.compute(
            digits, expiry: expiry, serviceCode: profile.serviceCode, key: keys.cardVerificationKey)
        if profile.fault == .wrongVerificationValue { value[0] = (value[0] + 1) % 10 }
        defer { value.wipe() }
        let text = Text(profile, digits: digits, expiry: expiry, verificationValue: value)
        tracks = (1...3).map { number in
            guard profile.tracks.contains(number) else { return nil }
            var content = number == 1 ? text.trackOne : number == 2 ? text.trackTwo : text.trackThree
            var characters = (number == 1 ? TrackCharacters.alphanumeric : .numeric).encode(content)
            defer {
                content.wipe()
                characters.wipe()
            }
            profile.fault?.damage(&characters)
            return SealedBytes(characters)
        }
    }

    /// The text of the tracks, sentinels included (ISO/IEC 7813, ISO/IEC 4909).
    private struct Text {
        let profile: MagneticStripeProfile
        let pan: [UInt8]
        let dates: [UInt8]
        let verificationValue: [UInt8]

        init(_ profile: MagneticStripeProfile, digits: [UInt8], expiry: [UInt8], verificationValue: [UInt8]) {
            self.profile = profile
            pan = Self.ascii(digits)
            let code = [profile.serviceCode / 100 % 10, profile.serviceCode / 10 % 10, profile.serviceCode % 10]
            dates = Self.ascii(expiry.flatMap { [$0 >> 4, $0 & 0x0F] } + code.map { UInt8($0) })
            self.verificationValue = Self.ascii(verificationValue)
        }

        var trackOne: [UInt8] {
            // A PIN verification field of five zeros and the issuer's discretionary data surround the verification
            // value.
            Array("%B".utf8) + pan + Array("^\(profile.cardholderName)^".utf8) + dates + Array("00000".utf8)
                + verificationValue + Array("000000?".utf8)
        }

        var trackTwo: [UInt8] {
            Array(";".utf8) + pan + Array("=".utf8) + dates + Array("00000".utf8) + verificationValue
                + Array("?".utf8)
        }

        var trackThree: [UInt8] { Array(";01".utf8) + pan + Array("==1000000000000000000?".utf8) }

        private static func ascii(_ digits: [UInt8]) -> [UInt8] { digits.map { $0 + 0x30 } }
    }
}

/// Encodes and decodes track characters (ISO/IEC 7811-6). Independent of the driver's codec, so that tests compare
/// two implementations.
struct TrackCharacters {
    /// The number of data bits: 6 for track 1, 4 for tracks 2 and 3.
    let dataBits: UInt8
    /// The character encoded as all zero bits.
    let zero: UInt8

    static let alphanumeric = TrackCharacters(dataBits: 6, zero: UInt8(ascii: " "))
    static let numeric = TrackCharacters(dataBits: 4, zero: UInt8(ascii: "0"))

    /// Returns the characters with parity bits, followed by the LRC character.
    func encode(_ text: [UInt8]) -> [UInt8] {
        var data = text.map { ($0 &- zero) & mask }
        data.append(data.reduce(0, ^))
        defer { data.wipe() }
        return data.map(withParity)
    }

    /// Returns the characters without the LRC; nil if a parity bit or the LRC is wrong.
    func decode(_ characters: [UInt8]) -> [UInt8]? {
        var sum: UInt8 = 0
        for character in characters {
            guard withParity(character & mask) == character else { return nil }
            sum ^= character & mask
        }
        return sum == 0 ? characters.dropLast().map { ($0 & mask) + zero } : nil
    }

    private var mask: UInt8 { 1 << dataBits - 1 }

    private func withParity(_ data: UInt8) -> UInt8 {
        data.nonzeroBitCount.isMultiple(of: 2) ? data | 1 << dataBits : data
    }
}

/// Builds the reports that a reader of a kind sends for a swipe.
struct SwipeReports {
    let kind: SimulatedMSRModel.Kind

    /// Decodes the tracks of a stripe: nil for an empty track, no characters for a track that cannot be decoded.
    private func decode(_ stripe: SimulatedMagneticStripe) -> [[UInt8]?] {
        zip(stripe.tracks, [TrackCharacters.alphanumeric, .numeric, .numeric]).map { track, characters in
            guard let track else { return nil }
            var encoded = track.copy()
            defer { encoded.wipe() }
            return characters.decode(encoded) ?? []
        }
    }

    /// Returns the reports of a swipe, in the order of sending.
    func reports(_ stripe: SimulatedMagneticStripe) -> [[UInt8]] {
        var tracks = decode(stripe)
        defer { for index in tracks.indices { tracks[index]?.wipe() } }
        switch kind {
        case .pointOfSale: return [[0x01] + lengths(tracks) + fields(tracks, sizes: [79, 40, 107])]
        case .fixedReport: return [statuses(tracks) + lengths(tracks) + [0] + fields(tracks, sizes: [110, 110, 110])]
        case .encrypted:
            let noise = tracks.map { track in
                track.map { $0.indices.map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 89) } }
            }
            return [
                statuses(tracks) + lengths(tracks) + [0] + fields(noise, sizes: [112, 112, 112])
                    + [UInt8](repeating: 0xA5, count: 12)
            ]
        case .keyboard: return typed(tracks)
        }
    }

    private func statuses(_ tracks: [[UInt8]?]) -> [UInt8] { tracks.map { $0?.isEmpty == true ? 1 : 0 } }

    private func lengths(_ tracks: [[UInt8]?]) -> [UInt8] { tracks.map { UInt8(clamping: $0?.count ?? 0) } }

    private func fields(_ tracks: [[UInt8]?], sizes: [Int]) -> [UInt8] {
        zip(tracks, sizes).flatMap { track, size in
            let data = (track ?? []).prefix(size)
            return data + [UInt8](repeating: 0, count: size - data.count)
        }
    }

    /// Returns key-down and key-up reports for each character, then Enter. Track 3 starts with `+` to distinguish it
    /// from track 2; a track that cannot be decoded is typed as `E`.
    private func typed(_ tracks: [[UInt8]?]) -> [[UInt8]] {
        var text: [UInt8] = []
        defer { text.wipe() }
        for (track, start) in zip(tracks, "%;+".utf8) {
            guard let track else { continue }
            text += [start] + (track.isEmpty ? [UInt8(ascii: "E"), UInt8(ascii: "?")] : Array(track.dropFirst()))
        }
        text.append(0x0A)
        return text.flatMap { character in
            let (key, isShifted) = Self.key(character)
            return [[isShifted ? 0x02 : 0x00, 0, key, 0, 0, 0, 0, 0], [UInt8](repeating: 0, count: 8)]
        }
    }

    private static let unshifted = Array("1234567890\n\u{1B}\u{08}\t -=[]\\#;'`,./".utf8)
    private static let shifted = Array("!@#$%^&*()\n\u{1B}\u{08}\t _+{}|~:\"~<>?".utf8)

    /// Returns the usage of a key on a US keyboard, and whether it needs Shift.
    private static func key(_ character: UInt8) -> (UInt8, isShifted: Bool) {
        if (0x41...0x5A).contains(character) { return (character - 0x41 + 0x04, true) }
        if let place = unshifted.firstIndex(of: character), place != 20 { return (UInt8(0x1E + place), false) }
        return (shifted.firstIndex(of: character).map { UInt8(0x1E + $0) } ?? 0, true)
    }
}

/// The card verification value of a stripe (CVV, CVC 1): three digits computed over PAN, expiry, and service code by
/// the method of Visa and Mastercard (IBM ICSF, "CVV generate").
enum CardVerificationValue {
    /// Computes the verification value.
    ///
    /// - Parameters:
    ///   - digits: the digits of the PAN, one per byte with values 0...9.
    ///   - expiry: YYMM in BCD, two bytes.
    ///   - serviceCode: three digits.
    ///   - key: both halves of the issuer's CVK, 16 bytes.
    /// - Returns: three digits, one per byte with values 0...9.
    /// - Throws: a failure of libcrypto.
    static func compute(
        _ digits: some Collection<UInt8>, expiry: [UInt8], serviceCode: UInt16, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> [UInt8] {
        let date = expiry.flatMap { [$0 >> 4, $0 & 0x0F] }
        let code = [serviceCode / 100 % 10, serviceCode / 10 % 10, serviceCode % 10].map { UInt8($0) }
        // 32 digits leave room for a PAN of 19.
        var data = Array(digits) + date + code
        data += [UInt8](repeating: 0, count: max(0, 32 - data.count))
        var blocks = stride(from: 0, to: 32, by: 2).map { data[$0] << 4 | data[$0 + 1] }
        defer {
            data.wipe()
            blocks.wipe()
        }
        let first = key.withUnsafeBytes { SensitiveBytes($0.prefix(8)) }
        var chained = try TripleDES.encrypt(Array(blocks.prefix(8)), key: first)
        defer { chained.wipe() }
        for (place, byte) in blocks.suffix(8).enumerated() { chained[place] ^= byte }
        let nibbles = try TripleDES.encrypt(chained, key: key).flatMap { [$0 >> 4, $0 & 0x0F] }
        // Decimal digits come first, then the hexadecimal letters converted to digits.
        return Array((nibbles.filter { $0 <= 9 } + nibbles.filter { $0 > 9 }.map { $0 - 10 }).prefix(3))
    }
}
