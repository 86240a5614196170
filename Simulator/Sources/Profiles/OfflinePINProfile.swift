internal import CardSecrets
internal import SettingsFile

/// The PIN that the card itself verifies.
public struct OfflinePINProfile: Sendable {
    /// 4...12 digits, one a byte with values 0...9.
    public var digits: SealedBytes
    /// Wrong tries in a row that block the PIN, 1...15.
    public var tryLimit: UInt8
    /// Tries that the card begins with, 0...``tryLimit``.
    public var triesLeft: UInt8
    /// Whether VERIFY takes the PIN in the clear.
    public var acceptsPlaintext: Bool
    /// The key under which VERIFY takes the PIN enciphered; nil when it does not.
    public var encipherment: Encipherment?

    public enum Encipherment: String, Hashable, Sendable, CaseIterable {
        /// A key of its own for PINs, with a certificate in tag 9F2D.
        case pinKey
        /// The key that the card signs with, certified in tag 9F46.
        case iccKey
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["value", "tryLimit", "triesLeft", "plaintext", "encipheredUnder"])
        digits = try Self.digits(try node.required("value"))
        tryLimit = UInt8(try node.optional("tryLimit")?.int(in: 1...15) ?? 3)
        triesLeft = UInt8(try node.optional("triesLeft")?.int(in: 0...Int(tryLimit)) ?? Int(tryLimit))
        acceptsPlaintext = try node.optional("plaintext")?.bool() ?? true
        encipherment = try node.optional("encipheredUnder")?.choice(Encipherment.self)
    }

    /// Reads 4 to 12 digits, one a byte with values 0...9. The error never quotes them.
    static func digits(_ node: SettingsNode) throws(SettingsError) -> SealedBytes {
        var digits = try node.concealed.text(length: 4...12).utf8.map { $0 &- 0x30 }
        defer { digits.wipe() }
        guard digits.allSatisfy({ $0 <= 9 }), (4...12).contains(digits.count) else {
            throw node.error("a PIN has 4 to 12 digits and nothing else")
        }
        return SealedBytes(digits)
    }
}
