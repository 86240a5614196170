public import Amounts
internal import Cryptography
internal import SettingsFile

/// What the issuer holds for a card, and how it treats it.
public struct AccountProfile: Sendable {
    /// What may be spent; nil when there is no bound.
    public var available: Money?
    /// DE 39 of every answer, two characters; nil when the issuer decides by the account.
    public var responseCode: String?
    /// Whether the issuer answers at all.
    public var isReachable: Bool
    /// The PIN that the issuer verifies online, one digit a byte; nil when it verifies none.
    public var onlinePIN: SealedBytes?
    /// Commands that the issuer sends to the card with its first answer.
    public var scripts: [IssuerScriptCommand]

    /// Without a section: no bound, no special answer, no script.
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
