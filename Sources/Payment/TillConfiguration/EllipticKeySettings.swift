import Determinism
import EMV
import Settings

/// One public key of a payment system on an elliptic curve, from a configuration or a key file: its parts and a
/// checksum, or the self-signed certificate in which the system distributes it (EMV Book 2 §11.2).
struct EllipticKeySettings {
    let key: ECCAuthorityKey
    /// Whether a checksum or a signature was verified.
    let isVerified: Bool

    /// The keys of which one makes an entry a key on an elliptic curve.
    static let marks = ["suite", "x", "y", "certificate"]

    private static let keys = ["rid", "index", "suite", "x", "y", "checksum", "expires", "expiry"]

    /// - Parameters:
    ///   - node: the key.
    ///   - requiresChecksum: whether a key without a checksum is refused.
    /// - Throws: ``SettingsFile/SettingsError`` with the location of the error.
    init(_ node: SettingsNode, requiresChecksum: Bool) throws(SettingsError) {
        let expires = try node.optional(CAPublicKeySettings.name("expires", or: "expiry", in: node))?.date()
        if let certificate = try node.optional("certificate") {
            try node.mapping(allowedKeys: ["certificate", "expires", "expiry"])
            let bytes = try certificate.hex(length: 10...256)
            do throws(ECCAuthorityKeyError) {
                key = try ECCAuthorityCertificate.key(bytes, expiry: expires)
            } catch {
                throw certificate.error(error.description)
            }
            isVerified = true
            return
        }
        try node.mapping(allowedKeys: Self.keys)
        let rid = try node.required("rid").hex(length: 5)
        let index = try node.required("index").hex(length: 1).first ?? 0
        let suite = try node.required("suite").choice(of: ["10": CertificateSuite.p256, "11": .p521])
        let x = try node.required("x").hex(length: suite.keyLength...suite.keyLength)
        let y = try node.optional("y")?.hex(length: suite.keyLength...suite.keyLength) ?? []
        let length = suite.hashLength
        let checksum = try node.optional("checksum")?.hex(length: length...length)
        if requiresChecksum { _ = try node.required("checksum") }
        do throws(ECCAuthorityKeyError) {
            key = try ECCAuthorityKey(
                rid: rid, index: index, suite: suite, key: x + y, checksum: checksum, expiry: expires)
        } catch {
            let place =
                switch error {
                case .ridLength: "rid"
                case .checksumMismatch: "checksum"
                case .largerRoot: "y"
                default: "x"
                }
            throw (try node.required(place)).error(error.description)
        }
        isVerified = checksum != nil
    }
}
