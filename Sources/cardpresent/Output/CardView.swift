internal import Amounts
internal import CardSecrets
internal import Simulator

/// A simulated card as it is shown.
struct CardView: Encodable, Sendable {
    struct Application: Encodable, Sendable {
        var aid: String
        var label: String
        var last4: String
        /// What the issuer's book and its rules name the account by.
        var accountReference: String
        var currency: String
        var cryptogram: String
        var cvm: [String]
    }

    var name: String
    var description: String
    var answerToReset: String
    var applications: [Application]

    /// - Throws: `CommandFailure`
    init(_ profile: CardProfile) throws(CommandFailure) {
        let references: [String]
        do {
            references = try profile.accountReferences(keys: TestKeys.embedded())
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "the card's account cannot be named: \(error)")
        }
        (name, description) = (profile.name, profile.summary)
        answerToReset = profile.reset.answer(warm: false).hexadecimal
        applications = zip(profile.applications, references).map { application, reference in
            Application(
                aid: application.aid.hexadecimal, label: application.label,
                last4: application.pan.bytes.withUnsafeBytes { digits in
                    String(decoding: digits.suffix(4).map { $0 % 10 + 0x30 }, as: UTF8.self)
                },
                accountReference: reference, currency: application.currency.code,
                cryptogram: "\(application.cryptogram)",
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
            lines.append("    account     \(application.accountReference)")
            lines.append("    currency    \(application.currency)")
            lines.append("    cryptogram  \(application.cryptogram)")
            lines.append(
                "    CVM         " + (application.cvm.isEmpty ? "none" : application.cvm.joined(separator: ", ")))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
