public import Determinism
public import Money
public import Simulator
import TillConfiguration

/// The meaning of the last two digits of an amount: the card, and what becomes of the connection. The issuer answers
/// other digits by the rules `cents`.
public struct ZVTTestAmount: Sendable {
    /// The place in a dialog where the connection is cut.
    public enum Cut: Sendable {
        /// Instead of the status information: the till never learns of the result.
        case beforeStatus
        /// Instead of the completion: the till has taken the result.
        case beforeCompletion
    }

    /// The card that is presented; nil when no card is presented.
    public let card: String?
    /// Where the connection is cut; nil for nowhere.
    public let cut: Cut?

    /// The card of other amounts, and of refunds.
    public static let standardCard = "visa-credit"
    private static let names = [
        standardCard, "mastercard-credit", "maestro", "pin-required", "pin-second-try", "removed-early",
    ]

    /// Reads an amount.
    public init(_ amount: Money) {
        switch amount.minorUnits % 100 {
        case 66: (card, cut) = (nil, nil)
        case 67: (card, cut) = ("pin-required", nil)
        case 69: (card, cut) = ("pin-second-try", nil)
        case 70: (card, cut) = ("removed-early", nil)
        case 72: (card, cut) = ("mastercard-credit", nil)
        case 73: (card, cut) = ("maestro", nil)
        case 97: (card, cut) = (Self.standardCard, .beforeStatus)
        case 98: (card, cut) = (Self.standardCard, .beforeCompletion)
        default: (card, cut) = (Self.standardCard, nil)
        }
    }

    /// The cards that amounts choose. Their accounts have no limit.
    public static func planned() throws(CardProfileError) -> [PlannedCard] {
        var cards: [PlannedCard] = []
        for name in names {
            var profile = try CardProfileLibrary.profile(name)
            profile.account.available = nil
            cards.append(PlannedCard(profile, name: name))
        }
        return cards
    }

    /// The issuer's answers to amounts.
    public static func rules() throws -> IssuerRules { try IssuerRulesLibrary.rules("cents") }

    /// The session of a terminal whose cardholders follow the amounts.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)``
    public static func plan(seed: UInt64, start: Timestamp) throws(SimulatedSessionError) -> SessionPlan {
        do {
            var plan = SessionPlan(cards: try planned(), seed: seed)
            plan.issuerRules = try rules()
            plan.till = try TillConfiguration(yaml: "currency: EUR\n", file: "simulated terminal")
            (plan.start, plan.logsExchanges) = (start, false)
            return plan
        } catch { throw .plan("\(error)") }
    }
}
