public import Amounts
internal import SettingsFile

/// What the card itself thinks of a transaction: its risk management (EMV Book 3 §9.2.1 and §10.8).
public struct CardRiskRules: Hashable, Sendable {
    public enum Decision: Hashable, Sendable {
        /// Every transaction goes to the issuer.
        case online
        /// Transactions in the application currency are approved offline until their sum passes this.
        case offlineUpTo(Money)
        /// Every transaction is declined offline.
        case decline
    }

    public var decision: Decision
    /// Whether a transaction that could not go online is approved all the same when the terminal asks for it.
    public var approvesUnableToGoOnline: Bool
    /// Whether an approval by the issuer counts only with a right ARPC.
    public var requiresIssuerAuthentication: Bool
    /// Tags 9F14 and 9F23: after how many transactions offline a terminal should, and must, go online.
    public var consecutiveOfflineLimits: ConsecutiveOfflineLimits?
    /// The sum of offline payments beyond which the card declines what it cannot ask its issuer about.
    public var upperOfflineLimit: Money?
    /// What the card does about its own findings.
    public var actions = CardActions()

    public struct ConsecutiveOfflineLimits: Hashable, Sendable {
        public var lower: UInt8
        public var upper: UInt8
    }

    /// The card's own limits, until an issuer script changes them.
    var limits: OfflineLimits {
        var limits = OfflineLimits(
            lowerCount: consecutiveOfflineLimits?.lower, upperCount: consecutiveOfflineLimits?.upper,
            upperAmount: upperOfflineLimit?.minorUnits)
        if case .offlineUpTo(let limit) = decision { limits.lowerAmount = limit.minorUnits }
        return limits
    }

    /// Online always; nothing special otherwise.
    static let standard = CardRiskRules(
        decision: .online, approvesUnableToGoOnline: false, requiresIssuerAuthentication: false,
        consecutiveOfflineLimits: nil)

    private enum Word: String, CaseIterable { case online, offline, decline }
}

extension CardRiskRules {
    init(_ node: SettingsNode, currency: Currency) throws(SettingsError) {
        try node.mapping(allowedKeys: [
            "decision", "offlineLimit", "unableToGoOnline", "requiresIssuerAuthentication",
            "consecutiveOfflineLimits", "upperOfflineLimit", "actions",
        ])
        let word = try node.required("decision").choice(Word.self)
        if word != .offline, let limit = try node.optional("offlineLimit") {
            throw limit.error("an offline limit means something only with 'decision: offline'")
        }
        decision =
            switch word {
            case .online: .online
            case .offline: .offlineUpTo(try node.required("offlineLimit").money(currency))
            case .decline: .decline
            }
        if let node = try node.optional("upperOfflineLimit") {
            let upper = try node.money(currency)
            if case .offlineUpTo(let lower) = decision, upper.minorUnits < lower.minorUnits {
                throw node.error("the upper limit is below 'offlineLimit'")
            }
            upperOfflineLimit = upper
        }
        actions = try CardActions(try node.optional("actions"))
        approvesUnableToGoOnline =
            try node.optional("unableToGoOnline")?.choice(of: ["approve": true, "decline": false]) ?? false
        requiresIssuerAuthentication = try node.optional("requiresIssuerAuthentication")?.bool() ?? false
        if let limits = try node.optional("consecutiveOfflineLimits") {
            try limits.mapping(allowedKeys: ["lower", "upper"])
            let lower = try limits.required("lower").int(in: 0...255)
            let upper = try limits.required("upper").int(in: lower...255)
            consecutiveOfflineLimits = ConsecutiveOfflineLimits(lower: UInt8(lower), upper: UInt8(upper))
        } else {
            consecutiveOfflineLimits = nil
        }
    }
}

extension SettingsNode {
    /// An amount in major units, for example `12.50`.
    func money(_ currency: Currency) throws(SettingsError) -> Money {
        let text = try text()
        do {
            return try Money(text, currency: currency)
        } catch {
            throw self.error("\(error)")
        }
    }

    /// A currency by its ISO 4217 letters.
    func currency() throws(SettingsError) -> Currency {
        let text = try text()
        do {
            return try Currency(code: text)
        } catch {
            throw self.error("\(error)")
        }
    }
}
