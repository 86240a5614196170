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
    /// What deciphers PINs.
    let pinDecipherment: RSAPrivateKey

    init(
        applicationCryptogram: consuming SensitiveBytes, scriptMAC: consuming SensitiveBytes,
        scriptConfidentiality: consuming SensitiveBytes, pinDecipherment: consuming RSAPrivateKey
    ) {
        self.applicationCryptogram = applicationCryptogram
        self.scriptMAC = scriptMAC
        self.scriptConfidentiality = scriptConfidentiality
        self.pinDecipherment = pinDecipherment
    }
}
