public import CardSecrets
public import Cryptography
public import Determinism
public import SmartCard

/// The kernel's key pair for one GET PROCESSING OPTIONS (EMV Book E chapter 7). Every activation needs a new one.
public struct KernelKeyPair: Sendable {
    private let key: EllipticCurvePrivateKey

    /// Draws a key pair for a secure channel. Use a secure source such as `SystemRandomSource`.
    ///
    /// - Throws: ``SecureChannelError/cryptography(_:)``
    public init(suite: SecureChannelSuite, random: any RandomSource) throws(SecureChannelError) {
        do throws(CryptographyError) {
            key = try EllipticCurvePrivateKey.random(on: suite.curve, from: random)
        } catch {
            throw .cryptography(error)
        }
    }

    /// The kernel key data (tag 9E): x and y of the public key, 64 bytes on P-256.
    public var keyData: [UInt8] { key.publicKey.coordinates }

    /// Opens the secure channel with the card's answer.
    ///
    /// - Parameter cardKeyData: tag 9F8103: x of the blinded public key, and the enciphered blinding factor.
    /// - Returns: the channel, in which the card has sent its first message.
    /// - Throws: ``SecureChannelError``. All of them mean that deciphering failed (L2 10).
    public func openChannel(cardKeyData: [UInt8]) throws(SecureChannelError) -> SecureChannel {
        try SecureChannel(key, cardKeyData)
    }
}

/// The kernel's side of the secure channel between kernel and card (EMV Book E chapter 7; Book C-8).
///
/// Every message from the card has the next number of the card's counter, from 8000 on, and every enciphered message of
/// the kernel the next number of its own, from 0000 on. The channel can't be copied, so that no number is used twice. A
/// message from the card counts when it arrives, also when it turns out to be wrong.
///
/// The channel alone says nothing about who the card is: ``isBlindedKey(of:)`` ties it to a certified key.
public struct SecureChannel: ~Copyable, Sendable {
    private let keys: ChannelKeys
    private let curve: EllipticCurve
    /// x of the card's public key times the blinding factor.
    private let blindedKey: [UInt8]
    private let blindingFactor: SensitiveBytes
    private var cardCounter: MessageCounter
    private var kernelCounter: MessageCounter

    init(_ kernelKey: EllipticCurvePrivateKey, _ cardKeyData: [UInt8]) throws(SecureChannelError) {
        let length = kernelKey.curve.length
        guard cardKeyData.count == 2 * length else {
            throw .keyDataLength(expected: 2 * length, actual: cardKeyData.count)
        }
        let blinded = Array(cardKeyData.prefix(length))
        var counter = MessageCounter.card
        guard let number = counter.take() else { throw .counterExhausted(.card) }
        let derived = try ChannelKeys.derive(from: Self.sharedX(kernelKey, blinded))
        let enciphered = SensitiveBytes(cardKeyData.suffix(length))
        let factor = try derived.cipher(enciphered, counter: number)
        curve = kernelKey.curve
        blindedKey = blinded
        blindingFactor = factor
        keys = derived
        cardCounter = counter
        kernelCounter = MessageCounter.kernel
    }

    private static func sharedX(
        _ kernelKey: EllipticCurvePrivateKey, _ blindedKey: [UInt8]
    ) throws(SecureChannelError) -> SensitiveBytes {
        do throws(CryptographyError) {
            // Either root of x gives the same common x.
            let point = try EllipticCurvePoint(smallerRootOf: blindedKey, on: kernelKey.curve)
            return try kernelKey.sharedX(with: point)
        } catch {
            if case .pointNotOnCurve = error { throw .blindedKeyNotOnCurve }
            throw .cryptography(error)
        }
    }

    /// The number of the card's next enciphered message: 8000 and the number of messages so far. The answer to GET
    /// PROCESSING OPTIONS is the first.
    public var nextCardNumber: UInt16 { cardCounter.value }

    /// The number of the kernel's next enciphered message.
    public var nextKernelNumber: UInt16 { kernelCounter.value }

    /// Deciphers an enciphered record.
    ///
    /// A record has no MAC: the hash of the static data in the card's certificate protects it. So a wrong number or key
    /// gives bytes that are no data objects, or the wrong ones.
    ///
    /// - Parameter value: the value field of template DA in the answer to READ RECORD. Records must be passed in the
    ///   order in which the card sent them; a plain record (template 70) is not passed, and does not count.
    /// - Returns: the data objects of the record, without a template.
    /// - Throws: ``SecureChannelError``
    public mutating func openRecord(_ value: [UInt8]) throws(SecureChannelError) -> SensitiveBytes {
        let number = try takeCardNumber()
        return try keys.cipher(SensitiveBytes(value), counter: number)
    }

    /// Verifies and deciphers the answer to READ DATA.
    ///
    /// - Parameters:
    ///   - answer: the enciphered data object and its MAC of 8 bytes, which is computed over the ciphertext.
    ///   - tag: the data envelope that was asked for, 9F8111...9F811A.
    /// - Returns: the value of the envelope, 0...243 bytes.
    /// - Throws: ``SecureChannelError``. The transaction goes on without the envelope.
    public mutating func openEnvelope(
        _ answer: [UInt8], tag: BERTag
    ) throws(SecureChannelError) -> SensitiveBytes {
        let number = try takeCardNumber()
        guard answer.count >= ChannelKeys.macLength else { throw .answerLength(answer.count) }
        let enciphered = Array(answer.dropLast(ChannelKeys.macLength))
        let expected = try keys.mac(enciphered, counter: number)
        guard expected.isEqualInConstantTime(to: Array(answer.suffix(ChannelKeys.macLength))) else {
            throw .wrongMAC(.readData)
        }
        let plain = try keys.cipher(SensitiveBytes(enciphered), counter: number)
        return try DataEnvelope.value(of: plain, tag: tag)
    }

    /// Enciphers a data envelope for WRITE DATA.
    ///
    /// - Returns: the data field of the command, as long as the encoded envelope.
    /// - Throws: ``SecureChannelError``
    public mutating func sealEnvelope(_ envelope: DataEnvelope) throws(SecureChannelError) -> [UInt8] {
        guard let number = kernelCounter.take() else { throw .counterExhausted(.kernel) }
        return try keys.cipher(SensitiveBytes(envelope.encoded), counter: number).copied()
    }

    /// Verifies the answer to WRITE DATA: a MAC of 8 bytes over the plain envelope. It counts as a message of the card.
    ///
    /// - Throws: ``SecureChannelError``. It is unknown then whether the card has written the envelope.
    public mutating func checkWritten(
        _ envelope: DataEnvelope, answer: [UInt8]
    ) throws(SecureChannelError) {
        let number = try takeCardNumber()
        guard answer.count == ChannelKeys.macLength else { throw .answerLength(answer.count) }
        let expected = try keys.mac(envelope.encoded, counter: number)
        guard expected.isEqualInConstantTime(to: answer) else { throw .wrongMAC(.writeData) }
    }

    /// Returns whether the card's blinded key is the certified one times the deciphered blinding factor. If not, local
    /// authentication has failed, and the transaction goes on.
    ///
    /// A factor of 0, 1, or not below the order is refused: it blinds nothing.
    ///
    /// - Throws: ``SecureChannelError/cryptography(_:)``
    public borrowing func isBlindedKey(of cardKey: EllipticCurvePoint) throws(SecureChannelError) -> Bool {
        let one = SensitiveBytes([UInt8](repeating: 0, count: curve.length - 1) + [1])
        guard cardKey.curve == curve, !blindingFactor.isEqual(to: one) else { return false }
        do throws(CryptographyError) {
            let factor = try EllipticCurveScalar(blindingFactor, on: curve)
            return try cardKey.multiplied(by: factor).x == blindedKey
        } catch {
            if case .unusableScalar = error { return false }
            throw .cryptography(error)
        }
    }

    /// Returns the IAD-MAC (tag 9F8109), 8 bytes, which the card has put into its issuer application data before it
    /// made the cryptogram.
    ///
    /// - Throws: ``SecureChannelError/cryptography(_:)``
    public borrowing func iadMAC(of input: ApplicationMACInput) throws(SecureChannelError) -> [UInt8] {
        try keys.macPlus(input.encoded)
    }

    /// Verifies the EDA-MAC (tag 9F8105), which ties the cryptogram to the channel.
    ///
    /// - Parameters:
    ///   - mac: 8 bytes.
    ///   - cryptogram: the application cryptogram (tag 9F26), 8 bytes.
    ///   - iadMAC: the result of ``iadMAC(of:)``.
    /// - Throws: ``SecureChannelError/wrongMAC(_:)`` (L2 13, the application ends), or
    ///   ``SecureChannelError/cryptography(_:)``.
    public borrowing func checkEDAMAC(
        _ mac: [UInt8], cryptogram: [UInt8], iadMAC: [UInt8]
    ) throws(SecureChannelError) {
        let expected = try keys.mac(cryptogram + iadMAC, counter: 0)
        guard expected.isEqualInConstantTime(to: mac) else { throw .wrongMAC(.enhancedDataAuthentication) }
    }

    private mutating func takeCardNumber() throws(SecureChannelError) -> UInt16 {
        guard let number = cardCounter.take() else { throw .counterExhausted(.card) }
        return number
    }
}

/// Why a message does not belong to a secure channel. It contains lengths and names, never data.
public enum SecureChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One of the two sides.
    public enum Side: String, Hashable, Sendable { case card, kernel }

    /// A MAC of the channel.
    public enum MAC: String, Hashable, Sendable {
        case readData = "the answer to READ DATA"
        case writeData = "the answer to WRITE DATA"
        case enhancedDataAuthentication = "the cryptogram (EDA-MAC, 9F8105)"
    }

    /// The key data (9F8103 of the card, 9E of the kernel) have another length, in bytes.
    case keyDataLength(expected: Int, actual: Int)
    /// No point of the curve has the x of the card's blinded key (9F8103).
    case blindedKeyNotOnCurve
    /// The kernel's key (9E) is no point of the curve.
    case kernelKeyNotOnCurve
    /// The blinding factor is 1, which blinds nothing.
    case blindingFactorOfOne
    /// One side has sent as many messages as the channel can carry.
    case counterExhausted(Side)
    /// An answer that is too short for its MAC, or too long; its length in bytes.
    case answerLength(Int)
    /// The MAC is not that of this message and of its number in this channel.
    case wrongMAC(MAC)
    /// The deciphered bytes are not the one data envelope that was asked for; the offset of the first wrong byte.
    case notTheEnvelope(BERTag, offset: Int)
    /// The tag is no data envelope (9F8111 to 9F811A).
    case noEnvelopeTag(BERTag)
    /// A data envelope of more than 243 bytes.
    case envelopeTooLong(BERTag, Int)
    /// libcrypto failed, or the random source repeats itself.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .keyDataLength(let expected, let actual):
            "secure channel: key data of \(actual) bytes instead of \(expected)"
        case .blindedKeyNotOnCurve: "secure channel: the card's blinded key (9F8103) is no point of the curve"
        case .kernelKeyNotOnCurve: "secure channel: the kernel's key (9E) is no point of the curve"
        case .blindingFactorOfOne: "secure channel: a blinding factor of 1 blinds nothing"
        case .counterExhausted(let side): "secure channel: the \(side.rawValue) has sent too many messages"
        case .answerLength(let count): "secure channel: an answer of \(count) bytes does not fit its MAC of 8 bytes"
        case .wrongMAC(let mac): "secure channel: wrong MAC of \(mac.rawValue)"
        case .notTheEnvelope(let tag, let offset):
            "secure channel: the answer is not the data envelope \(tag), at offset \(offset)"
        case .noEnvelopeTag(let tag): "\(tag) is no data envelope: use 9F8111 to 9F811A"
        case .envelopeTooLong(let tag, let count):
            "data envelope \(tag) has \(count) bytes: it takes \(DataEnvelope.longest)"
        case .cryptography(let error): "secure channel: \(error)"
        }
    }
}
