import CardSecrets
public import Determinism
import EMV
public import Money
import NexoTerminal
public import Payments
public import Simulator
import Text

/// The cards of simulated cardholders at a nexo-compatible terminal.
public enum NexoTestCards {
    /// The built-in profiles of the cards; the first is the standard card.
    public static let names = [
        "visa-credit", "visa-debit", "mastercard-credit", "maestro", "amex", "pin-required", "online-pin",
    ]
    /// The card that is presented when none is named.
    public static let standard = "visa-credit"

    /// The response codes that amounts ask for.
    private static let codes = ["01", "05", "13", "14", "51", "54", "55", "57", "61", "62", "65", "75", "91", "96"]

    /// The answer of a cardholder to an amount.
    public enum Deed: Hashable, Sendable {
        /// Presents this card of the plan.
        case present(String)
        case cancel
    }

    /// The standard card answers amounts as the vendor's test cards do; others are approved by their accounts.
    public static func deed(_ card: String?, for amount: Money?) -> Deed {
        let card = card ?? standard
        guard card == standard, let amount, let test = NexoTestAmount(minorUnits: amount.minorUnits) else {
            return .present(card)
        }
        switch test {
        case .cardholderCancels: return .cancel
        case .responseCode(let code): return .present(variant(code))
        }
    }

    private static func variant(_ code: String) -> String { "\(standard)/\(code)" }

    /// A test number of its own for each response code, because an account is found by its number.
    private static func number(_ code: String) -> [UInt8] {
        let digits = ("4761739001900" + code).utf8.map { $0 &- 0x30 }
        let check = (UInt8(0)...9).first { CheckDigit.isValid(digits + [$0]) } ?? 0
        return digits + [check]
    }

    /// The cards, and for each response code a copy of the standard card whose issuer answers with it. Their accounts
    /// have no limit.
    public static func planned() throws(CardProfileError) -> [PlannedCard] { try made.get() }

    /// Read once: each terminal has them.
    private static let made = Result { () throws(CardProfileError) in try make() }

    private static func make() throws(CardProfileError) -> [PlannedCard] {
        var cards: [PlannedCard] = []
        for name in names {
            var profile = try CardProfileLibrary.profile(name)
            profile.account.available = nil
            cards.append(PlannedCard(profile, name: name))
        }
        for code in codes {
            var profile = try CardProfileLibrary.profile(standard)
            profile.account.available = nil
            profile.account.responseCode = code
            let number = number(code)
            for index in profile.applications.indices { profile.applications[index].pan = SealedBytes(number) }
            cards.append(PlannedCard(profile, name: variant(code)))
        }
        return cards
    }

    /// The session of one terminal.
    public static func plan(seed: UInt64, start: Timestamp) throws(CardProfileError) -> SessionPlan {
        var plan = SessionPlan(cards: try planned(), seed: seed)
        (plan.start, plan.logsExchanges) = (start, false)
        return plan
    }

    /// What a reader shows of a card that it reads and does not charge.
    public static func details(_ name: String) -> CardDetails? {
        guard let application = (try? CardProfileLibrary.profile(name))?.applications.first else { return nil }
        let lastFour = application.pan.bytes.withUnsafeBytes { $0.suffix(4).map { String($0) }.joined() }
        return CardDetails(
            brand: CardBrand(aid: application.aid)?.rawValue ?? "", lastFour: lastFour, entryMode: .chip,
            cardholderVerification: .none, aid: application.aid.hexadecimal, applicationName: application.label)
    }
}
