public import CardSecrets
public import Cryptography
public import Determinism

/// A PIN on its way to the card, under the card's public key (EMV Book 2 §7.2).
public enum OfflinePINEncipherment {
    /// Why no enciphered PIN data could be made. Carries no digit of the PIN.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The card's unpredictable number (GET CHALLENGE) has this many bytes, and must have eight.
        case challengeLength(Int)
        /// The PIN is not one.
        case pin(PINBlockError)
        /// The card's key is not fit for it, or libcrypto failed.
        case cryptography(CryptographyError)

        public var description: String {
            switch self {
            case .challengeLength(let count): "the card's challenge has \(count) bytes: it must have 8"
            case .pin(let error): error.description
            case .cryptography(let error): "encipherment of the PIN: \(error)"
            }
        }
    }

    /// The data field of VERIFY with P2 88: as long as the modulus.
    ///
    /// - Parameters:
    ///   - pin: 4...12 digits, one a byte with values 0...9.
    ///   - challenge: the card's answer to GET CHALLENGE, 8 bytes.
    ///   - key: the card's key for PIN encipherment, or its key for data authentication when it has no other.
    ///   - random: where the padding comes from, so that the same PIN never looks the same.
    /// - Returns: the enciphered block.
    /// - Throws: ``Failure``
    public static func encipher(
        pin: borrowing SensitiveBytes, challenge: [UInt8], key: ICCPublicKey, random: any RandomSource
    ) throws(Failure) -> [UInt8] {
        guard challenge.count == 8 else { throw .challengeLength(challenge.count) }
        let block: SensitiveBytes
        do throws(PINBlockError) { block = try PINBlock.formatTwo(pin: pin) } catch { throw .pin(error) }
        // A key has at least 64 bytes, so that there is always padding.
        var data = [UInt8]()
        data.reserveCapacity(key.key.length)
        defer { data.wipe() }
        data.append(0x7F)
        block.withUnsafeBytes { data.append(contentsOf: $0) }
        data.append(contentsOf: challenge)
        data.append(contentsOf: random.bytes(key.key.length - data.count))
        do throws(CryptographyError) { return try key.key.apply(data) } catch { throw .cryptography(error) }
    }
}
