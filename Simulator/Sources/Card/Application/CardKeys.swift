public import CardSecrets
public import Cryptography

/// The secret keys that one application of a card holds.
final class CardKeys: Sendable {
    /// The ICC master key for application cryptograms.
    let applicationCryptogram: SensitiveBytes
    /// The ICC master key for the MACs of issuer scripts.
    let messageIntegrity: SensitiveBytes
    /// The ICC master key for secrets in issuer scripts.
    let messageConfidentiality: SensitiveBytes
    /// What deciphers PINs; nil when the card takes none enciphered.
    let pinDecipherment: RSAKey?

    /// A private key that several owners share.
    final class RSAKey: Sendable {
        let key: RSAPrivateKey

        init(_ key: consuming RSAPrivateKey) { self.key = key }
    }

    init(
        applicationCryptogram: consuming SensitiveBytes, messageIntegrity: consuming SensitiveBytes,
        messageConfidentiality: consuming SensitiveBytes, pinDecipherment: RSAKey?
    ) {
        self.applicationCryptogram = applicationCryptogram
        self.messageIntegrity = messageIntegrity
        self.messageConfidentiality = messageConfidentiality
        self.pinDecipherment = pinDecipherment
    }
}
