import CardSecrets
import Cryptography
public import Money
import Settings

/// The issuer's account for a card and its treatment.
public struct AccountProfile: Sendable {
    /// The available amount; nil without a limit.
    public var available: Money?
    /// DE 39 of every response, two characters; nil if the issuer decides by the account.
    public var responseCode: String?
    /// Whether the issuer responds at all.
    public var isReachable: Bool
    /// The PIN that the issuer verifies online, one digit per byte; nil if it verifies none.
    public var onlinePIN: SealedBytes?
    /// The issuer script commands sent with the first response.
    public var scripts: [IssuerScriptCommand]

    /// Decodes the `account` section. Without it there is no limit, no fixed response, and no script.
    init(_ node: SettingsNode?, currency: Currency?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["available", "responseCode", "reachable", "onlinePIN", "scripts"])
        if let amount = try node?.optional("available") {
            guard let currency else { throw amount.error("an account without an application has no currency") }
            available = try amount.money(currency)
        }
        responseCode = try node?.optional("responseCode").map { (node) throws(SettingsError) in
            try node.responseCode()
        }
        isReachable = try node?.optional("reachable")?.bool() ?? true
        onlinePIN = try node?.optional("onlinePIN").map { (node) throws(SettingsError) in
            try OfflinePINProfile.digits(node)
        }
        scripts = []
        if let list = try node?.optional("scripts") {
            for script in try list.list(count: 1...8) { scripts.append(try IssuerScriptCommand(script)) }
            try IssuerScriptTemplate.check(IssuerScriptTemplate.grouping(scripts), list)
        }
    }
}

/// Reads the PAN of a profile. Profiles are files on disk, so a PAN that could be a real one is rejected.
enum TestPAN {
    /// Prefixes of test numbers published by schemes and processors, and the range that ISO/IEC 7812-1 assigns to
    /// national standards bodies.
    private static let prefixes = [
        "400000", "401288", "411111", "424242", "450644", "476173", "222300", "520082", "541333", "555555", "679999",
        "374245", "378282", "601100", "305693", "362272", "353011", "356600", "620000", "622126", "628000", "9",
    ]

    /// - Returns: the digits, one per byte with values 0...9.
    /// - Throws: `SettingsError`, which never quotes the number.
    static func read(_ node: SettingsNode) throws(SettingsError) -> SealedBytes {
        let text = try node.concealed.text()
        var digits = text.utf8.map { $0 &- 0x30 }
        defer { digits.wipe() }
        guard digits.allSatisfy({ $0 <= 9 }), (8...19).contains(digits.count) else {
            throw node.error("a PAN must have 8 to 19 digits and nothing else")
        }
        guard prefixes.contains(where: { text.hasPrefix($0) }) else {
            throw node.error(
                "the PAN is not a known test number",
                fix: "use one that starts with " + prefixes.joined(separator: ", "))
        }
        guard let pan = Self.number(digits), pan.hasValidCheckDigit else {
            throw node.error("the check digit of the PAN is wrong", fix: "see ISO/IEC 7812-1 annex B")
        }
        return SealedBytes(digits)
    }

    /// Returns the PAN with these digits, one per byte.
    static func number(_ digits: some Collection<UInt8>) -> PrimaryAccountNumber? {
        var packed = pack(digits)
        defer { packed.wipe() }
        return try? PrimaryAccountNumber(compressedNumeric: packed)
    }

    /// Packs two digits per byte, right-padded with F.
    static func pack(_ nibbles: some Collection<UInt8>) -> [UInt8] {
        var packed: [UInt8] = []
        var high: UInt8?
        for nibble in nibbles {
            if let first = high {
                packed.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        if let high { packed.append(high << 4 | 0x0F) }
        return packed
    }
}
