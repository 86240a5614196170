public import Amounts
internal import Cryptography
internal import SettingsFile
internal import SmartCard

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

    fileprivate enum Word: String, CaseIterable {
        case blockApplication, unblockApplication, blockCard, unblockPIN, putData
    }

    /// Without a section: no bound, no special answer, no script.
    init(_ node: SettingsNode?, currency: Currency?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["available", "responseCode", "reachable", "onlinePIN", "scripts"])
        if let amount = try node?.optional("available") {
            guard let currency else { throw amount.error("an account without an application has no currency") }
            available = try amount.money(currency)
        }
        responseCode = try node?.optional("responseCode").map { (node) throws(SettingsError) in
            let code = try node.text(length: 2...2)
            guard code.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else {
                throw node.error("a response code has two digits or upper-case letters")
            }
            return code
        }
        isReachable = try node?.optional("reachable")?.bool() ?? true
        onlinePIN = try node?.optional("onlinePIN").map { (node) throws(SettingsError) in
            try OfflinePINProfile.digits(node)
        }
        scripts = []
        for script in try node?.optional("scripts")?.list(count: 1...8) ?? [] {
            scripts.append(try IssuerScriptCommand(script))
        }
    }
}

extension IssuerScriptCommand {
    fileprivate init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["when", "command", "tag", "value"])
        let comesBeforeFinal =
            (try node.optional("when")?.choice(of: ["beforeFinal": true, "afterFinal": false]) as Bool?) ?? false
        let command: Command
        switch try node.required("command").choice(AccountProfile.Word.self) {
        case .blockApplication: command = .blockApplication
        case .unblockApplication: command = .unblockApplication
        case .blockCard: command = .blockCard
        case .unblockPIN: command = .unblockPIN
        case .putData:
            let tag = BERTag(rawValue: try node.required("tag").hex(length: 2).reduce(0) { $0 << 8 | UInt32($1) })
            command = .putData(tag, try node.required("value").hex(length: 1...32))
        }
        self.init(command, comesBeforeFinal: comesBeforeFinal)
    }
}
