public import Money
import Settings

/// The card's own risk management (EMV Book 3 §9.2.1 and §10.8).
public struct CardRiskRules: Hashable, Sendable {
    /// The card's decision when its other rules do not demand another one.
    public enum Decision: Hashable, Sendable {
        /// Every transaction goes online.
        case online
        /// Transactions in the application currency are approved offline until their total exceeds this amount.
        case offlineUpTo(Money)
        /// Every transaction is declined offline.
        case decline
    }

    public var decision: Decision
    /// Whether a transaction that could not go online is approved if the terminal requests it.
    public var approvesUnableToGoOnline: Bool
    /// Whether an issuer approval requires a correct ARPC.
    public var requiresIssuerAuthentication: Bool
    /// Tags 9F14 and 9F23: after how many consecutive offline transactions a terminal should, and must, go online.
    public var consecutiveOfflineLimits: ConsecutiveOfflineLimits?
    /// The offline total beyond which the card declines a payment that cannot go online.
    public var upperOfflineLimit: Money?
    /// The card's actions on its own findings.
    public var actions = CardActions()

    /// The values of tags 9F14 (lower) and 9F23 (upper), in transactions.
    public struct ConsecutiveOfflineLimits: Hashable, Sendable {
        public var lower: UInt8
        public var upper: UInt8
    }

    /// The card's offline limits before any issuer script.
    var limits: OfflineLimits {
        var limits = OfflineLimits(
            lowerCount: consecutiveOfflineLimits?.lower, upperCount: consecutiveOfflineLimits?.upper,
            upperAmount: upperOfflineLimit?.minorUnits)
        if case .offlineUpTo(let limit) = decision { limits.lowerAmount = limit.minorUnits }
        return limits
    }

    /// Always online, without exceptions.
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
            throw limit.error("an offline limit has an effect only with 'decision: offline'")
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
    /// Decodes an amount in major units, for example `12.50`.
    func money(_ currency: Currency) throws(SettingsError) -> Money {
        let text = try text()
        do {
            return try Money(text, currency: currency)
        } catch {
            throw self.error("\(error)")
        }
    }

    /// Decodes a currency by its ISO 4217 code.
    func currency() throws(SettingsError) -> Currency {
        let text = try text()
        do {
            return try Currency(code: text)
        } catch {
            throw self.error("\(error)")
        }
    }
}
