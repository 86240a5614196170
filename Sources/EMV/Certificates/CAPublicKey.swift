public import Cryptography
public import Determinism

/// A payment system's certification authority public key, as a terminal holds it (EMV Book 2 §5.1,
/// §11.2.1; Book 4 §10.2).
public struct CAPublicKey: Hashable, Sendable {
    /// The payment system: the registered application provider identifier, 5 bytes.
    public let rid: [UInt8]
    /// Names the key within the payment system (tags 8F and 9F22).
    public let index: UInt8
    /// Modulus and exponent.
    public let key: RSAPublicKey
    /// The last day on which certificates under this key are to be accepted; nil when none is set.
    public let expiry: CivilDate?
    /// SHA-1 over RID, index, modulus and exponent, 20 bytes: what a payment system publishes beside
    /// the key so that a wrong transcription is found.
    public let checksum: [UInt8]

    /// - Parameters:
    ///   - rid: 5 bytes.
    ///   - index: the key's number within the payment system.
    ///   - modulus: big-endian, 64...248 bytes, no leading zero byte.
    ///   - exponent: `[3]` or `[1, 0, 1]`.
    ///   - checksum: what ``checksum`` must come out as, 20 bytes; nil when the source states none.
    ///   - expiry: the last day on which the key may be used.
    /// - Throws: ``CAPublicKeyError``
    public init(
        rid: [UInt8], index: UInt8, modulus: [UInt8], exponent: [UInt8], checksum: [UInt8]?, expiry: CivilDate? = nil
    ) throws(CAPublicKeyError) {
        guard rid.count == 5 else { throw .ridLength(rid.count) }
        guard (64...248).contains(modulus.count) else { throw .modulusLength(modulus.count) }
        guard exponent == [3] || exponent == [1, 0, 1] else { throw .exponent(exponent) }
        let computed: [UInt8]
        do throws(CryptographyError) {
            key = try RSAPublicKey(modulus: modulus, exponent: exponent)
            (self.rid, self.index, self.expiry) = (rid, index, expiry)
            computed = try SHA1.hash(rid + [index] + modulus + exponent)
        } catch {
            throw .cryptography(error)
        }
        if let checksum, checksum != computed { throw .checksumMismatch(rid: rid, index: index) }
        self.checksum = computed
    }
}
