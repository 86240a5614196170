import CardSecrets
public import Settings
public import Simulator
public import StripeTerminal

/// The cards of the protocol's test helper as cards of a simulated session.
public enum TestCards {
    /// A card that looks like a built-in one, has the test card's number, and gets one response or the issuer's own.
    private struct Kind {
        let profile: String
        var responseCode: String?
    }

    /// The kinds of ``StripeTerminal/StripeTestCard/all``, by number; others are Visa cards that are approved.
    private static func kind(_ number: String) -> Kind {
        switch number {
        case "4000056655665556": Kind(profile: "visa-debit")
        case "5555555555554444", "5105105105105100": Kind(profile: "mastercard-credit")
        case "5200828282828210": Kind(profile: "mastercard-debit")
        case "378282246310005", "371449635398431": Kind(profile: "amex")
        case "6011111111111117", "6011000990139424": Kind(profile: "discover")
        case "3056930009020004", "36227206271667": Kind(profile: "diners")
        case "3566002020360505": Kind(profile: "jcb")
        case "6200000000000005": Kind(profile: "unionpay")
        case "4001007020000002": Kind(profile: "pin-required")
        case "4001000360000005": Kind(profile: "online-pin")
        case "4000000000000002": Kind(profile: "visa-credit", responseCode: "05")
        case "4000000000009995": Kind(profile: "visa-credit", responseCode: "51")
        case "4000000000009987": Kind(profile: "visa-credit", responseCode: "41")
        case "4000000000009979": Kind(profile: "visa-credit", responseCode: "43")
        case "4000000000000069": Kind(profile: "visa-credit", responseCode: "54")
        case "4000000000000119": Kind(profile: "visa-credit", responseCode: "96")
        default: Kind(profile: "visa-credit")
        }
    }

    /// The name of a card in a session. It is not the number, which no log has.
    public static func name(of card: StripeTestCard) -> String {
        "test-card-\(StripeTestCard.all.firstIndex(of: card) ?? 0)"
    }

    /// All test cards. Their accounts have no limit.
    public static func planned() throws(CardProfileError) -> [PlannedCard] { try made.get() }

    /// Read once: each terminal has them.
    private static let made = Result { () throws(CardProfileError) in try make() }

    private static func make() throws(CardProfileError) -> [PlannedCard] {
        var cards: [PlannedCard] = []
        for card in StripeTestCard.all {
            let kind = kind(card.number)
            var profile = try CardProfileLibrary.profile(kind.profile)
            var digits = card.number.utf8.map { $0 &- 0x30 }
            for index in profile.applications.indices { profile.applications[index].pan = SealedBytes(digits) }
            digits.wipe()
            profile.account.available = nil
            profile.account.responseCode = kind.responseCode
            cards.append(PlannedCard(profile, name: name(of: card)))
        }
        return cards
    }

    /// The rules for the last two digits of an amount that simulated readers of the protocol have.
    public static func rules() throws(SettingsError) -> IssuerRules {
        let rules = [1, 5, 55, 65, 75].map { cents in
            let code = (cents < 10 ? "0" : "") + "\(cents)"
            return "  - { name: \"\(code)\", when: { cents: \(cents) }, answer: { responseCode: \"\(code)\" } }\n"
        }
        return try IssuerRules(yaml: "rules:\n" + rules.joined(), file: "test amounts")
    }
}
