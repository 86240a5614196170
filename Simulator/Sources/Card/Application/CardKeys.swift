internal import CardSecrets
internal import Cryptography

/// The secret keys that one application of a card holds.
final class CardKeys: Sendable {
    /// The ICC master key for application cryptograms.
    let applicationCryptogram: SensitiveBytes
    /// The ICC master key for the MACs of issuer scripts.
    let scriptMAC: SensitiveBytes
    /// The ICC master key for what is secret in issuer scripts.
    let scriptConfidentiality: SensitiveBytes
    /// What deciphers PINs; nil when none comes enciphered.
    let pinDecipherment: RSAPrivateKey?
    /// What the card signs with; nil when it has no key of its own.
    let signing: RSAPrivateKey?

    init(
        applicationCryptogram: consuming SensitiveBytes, scriptMAC: consuming SensitiveBytes,
        scriptConfidentiality: consuming SensitiveBytes, pinDecipherment: RSAPrivateKey?, signing: RSAPrivateKey?
    ) {
        self.applicationCryptogram = applicationCryptogram
        self.scriptMAC = scriptMAC
        self.scriptConfidentiality = scriptConfidentiality
        self.pinDecipherment = pinDecipherment
        self.signing = signing
    }
}
