public import CardSecrets
public import Cryptography

/// The card's side of the secure channel (EMV Book E chapter 7), for simulated cards: the mirror image of
/// ``SecureChannel``.
public struct CardSecureChannel: ~Copyable, Sendable {
    /// The card key data (tag 9F8103): x of the public key times the blinding factor, and the enciphered factor.
    public let keyData: [UInt8]
    private let keys: ChannelKeys
    private var cardCounter: MessageCounter
    private var kernelCounter: MessageCounter

    /// Opens the channel with the kernel's key of GET PROCESSING OPTIONS.
    ///
    /// - Parameters:
    ///   - key: the card's certified key pair.
    ///   - kernelKeyData: tag 9E, x and y, 64 bytes on P-256.
    ///   - blindingFactor: a new one for every GET PROCESSING OPTIONS, other than 1.
    /// - Throws: ``SecureChannelError``
    public init(
        key: EllipticCurvePrivateKey, kernelKeyData: [UInt8], blindingFactor: borrowing EllipticCurveScalar
    ) throws(SecureChannelError) {
        let length = key.curve.length
        guard kernelKeyData.count == 2 * length else {
            throw .keyDataLength(expected: 2 * length, actual: kernelKeyData.count)
        }
        let factor = blindingFactor.bytes()
        let one = SensitiveBytes([UInt8](repeating: 0, count: length - 1) + [1])
        guard !factor.isEqual(to: one) else { throw .blindingFactorOfOne }
        var counter = MessageCounter.card
        guard let number = counter.take() else { throw .counterExhausted(.card) }
        let blinded: [UInt8]
        do throws(CryptographyError) { blinded = try key.publicKey.multiplied(by: blindingFactor).x } catch {
            throw .cryptography(error)
        }
        let derived = try ChannelKeys.derive(from: Self.sharedX(key, kernelKeyData, blindingFactor))
        keyData = try blinded + derived.cipher(factor, counter: number).copied()
        keys = derived
        cardCounter = counter
        kernelCounter = MessageCounter.kernel
    }

    private static func sharedX(
        _ key: EllipticCurvePrivateKey, _ kernelKeyData: [UInt8], _ factor: borrowing EllipticCurveScalar
    ) throws(SecureChannelError) -> SensitiveBytes {
        do throws(CryptographyError) {
            let kernelKey = try EllipticCurvePoint(coordinates: kernelKeyData, on: key.curve)
            return try key.sharedX(with: kernelKey, blindedBy: factor)
        } catch {
            if case .pointNotOnCurve = error { throw .kernelKeyNotOnCurve }
            throw .cryptography(error)
        }
    }

    /// Enciphers the data objects of a record, without a template.
    ///
    /// - Returns: the value field of template DA.
    /// - Throws: ``SecureChannelError``
    public mutating func sealRecord(_ content: borrowing SensitiveBytes) throws(SecureChannelError) -> [UInt8] {
        let number = try takeCardNumber()
        return try keys.cipher(content, counter: number).copied()
    }

    /// Enciphers a data envelope for the answer to READ DATA, and appends the MAC.
    ///
    /// - Throws: ``SecureChannelError``
    public mutating func sealEnvelope(_ envelope: DataEnvelope) throws(SecureChannelError) -> [UInt8] {
        let number = try takeCardNumber()
        let enciphered = try keys.cipher(SensitiveBytes(envelope.encoded), counter: number).copied()
        return try enciphered + keys.mac(enciphered, counter: number)
    }

    /// Deciphers the data field of WRITE DATA.
    ///
    /// - Returns: the envelope as it was encoded. Nothing proves yet that it is one.
    /// - Throws: ``SecureChannelError``
    public mutating func openWritten(_ data: [UInt8]) throws(SecureChannelError) -> SensitiveBytes {
        guard let number = kernelCounter.take() else { throw .counterExhausted(.kernel) }
        return try keys.cipher(SensitiveBytes(data), counter: number)
    }

    /// Returns the answer to WRITE DATA: the MAC of the plain envelope, 8 bytes.
    ///
    /// - Throws: ``SecureChannelError``
    public mutating func acknowledge(_ envelope: DataEnvelope) throws(SecureChannelError) -> [UInt8] {
        let number = try takeCardNumber()
        return try keys.mac(envelope.encoded, counter: number)
    }

    /// Returns the IAD-MAC, 8 bytes, for the issuer application data that the cryptogram covers.
    ///
    /// - Throws: ``SecureChannelError/cryptography(_:)``
    public borrowing func iadMAC(of input: ApplicationMACInput) throws(SecureChannelError) -> [UInt8] {
        try keys.macPlus(input.encoded)
    }

    /// Returns the EDA-MAC (tag 9F8105), 8 bytes.
    ///
    /// - Throws: ``SecureChannelError/cryptography(_:)``
    public borrowing func edaMAC(cryptogram: [UInt8], iadMAC: [UInt8]) throws(SecureChannelError) -> [UInt8] {
        try keys.mac(cryptogram + iadMAC, counter: 0)
    }

    private mutating func takeCardNumber() throws(SecureChannelError) -> UInt16 {
        guard let number = cardCounter.take() else { throw .counterExhausted(.card) }
        return number
    }
}
