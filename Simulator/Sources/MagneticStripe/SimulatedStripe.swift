internal import CardSecrets
internal import Cryptography

/// A card's magnetic stripe: the characters of its tracks with parity and redundancy, right or wrong.
public struct SimulatedStripe: Sendable {
    /// What is on tracks 1, 2 and 3, one character a byte; nil for a track with nothing on it.
    let tracks: [SealedBytes?]

    /// Writes a stripe as a profile describes it.
    ///
    /// - Throws: a failure of libcrypto.
    public init(_ profile: StripeProfile, keys: TestKeys) throws {
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
            var characters = (number == 1 ? StripeCharacters.alphanumeric : .numeric).encode(content)
            defer {
                content.wipe()
                characters.wipe()
            }
            profile.fault?.damage(&characters)
            return SealedBytes(characters)
        }
    }

    /// The text between the sentinels and those themselves (ISO/IEC 7813, ISO/IEC 4909).
    private struct Text {
        let profile: StripeProfile
        let pan: [UInt8]
        let dates: [UInt8]
        let verificationValue: [UInt8]

        init(_ profile: StripeProfile, digits: [UInt8], expiry: [UInt8], verificationValue: [UInt8]) {
            self.profile = profile
            pan = Self.ascii(digits)
            let code = [profile.serviceCode / 100 % 10, profile.serviceCode / 10 % 10, profile.serviceCode % 10]
            dates = Self.ascii(expiry.flatMap { [$0 >> 4, $0 & 0x0F] } + code.map { UInt8($0) })
            self.verificationValue = Self.ascii(verificationValue)
        }

        var trackOne: [UInt8] {
            // A PIN verification field of five zeros, and what the issuer keeps for itself, stand around the value.
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
