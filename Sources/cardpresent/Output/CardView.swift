internal import Amounts
internal import CardSecrets
internal import Simulator

/// A simulated card as it is shown.
struct CardView: Encodable, Sendable {
    struct Application: Encodable, Sendable {
        var aid: String
        var label: String
        var last4: String
        var currency: String
        var cryptogram: String
        var cvm: [String]
    }

    var name: String
    var description: String
    var answerToReset: String
    var applications: [Application]

    init(_ profile: CardProfile) {
        (name, description) = (profile.name, profile.summary)
        answerToReset = profile.reset.answer(warm: false).hexadecimal
        applications = profile.applications.map { application in
            Application(
                aid: application.aid.hexadecimal, label: application.label,
                last4: application.pan.bytes.withUnsafeBytes { digits in
                    String(decoding: digits.suffix(4).map { $0 % 10 + 0x30 }, as: UTF8.self)
                },
                currency: application.currency.code, cryptogram: "\(application.cryptogram)",
                cvm: application.cardholderVerification?.rules.map { "\($0.method)" } ?? [])
        }
    }

    /// For people.
    var text: String {
        var lines = [name, "  " + description]
        lines.append("  ATR           " + (answerToReset.isEmpty ? "none: the card is mute" : answerToReset))
        for application in applications {
            lines.append("  application   \(application.label) (\(application.aid))")
            lines.append("    PAN         **** **** **** \(application.last4)")
            lines.append("    currency    \(application.currency)")
            lines.append("    cryptogram  \(application.cryptogram)")
            lines.append(
                "    CVM         " + (application.cvm.isEmpty ? "none" : application.cvm.joined(separator: ", ")))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
