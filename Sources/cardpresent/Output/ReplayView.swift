internal import Amounts
internal import CardSecrets
internal import EMV
internal import EMVReplay
internal import SmartCard

/// The result of `emv replay`.
struct ReplayView: Encodable, Sendable {
    /// Whether the kernel told the card what the recorded terminal told it.
    var agrees: Bool
    var decision: String
    @Nullable var reason: String? = nil
    var amount: String
    @Nullable var aid: String? = nil
    @Nullable var last4: String? = nil
    var oda: String
    var odaResult: String
    @Nullable var odaReason: String? = nil
    var tvr: String
    var tsi: String
    var cvmResults: String
    @Nullable var cryptogramType: String? = nil
    @Nullable var cryptogram: String? = nil
    var differences: [DifferenceView]

    init(_ report: CardReplayReport) {
        let outcome = report.outcome
        agrees = report.agrees
        (decision, reason) = Self.words(outcome.decision)
        amount = report.request.amount.description
        aid = outcome.application?.aid.hexadecimal
        last4 = outcome.pan?.lastFour
        (oda, odaResult) = (
            outcome.offlineAuthentication.method.rawValue, outcome.offlineAuthentication.result.rawValue
        )
        odaReason = outcome.offlineAuthentication.reason?.description
        tvr = outcome.verificationResults.description
        tsi = outcome.statusInformation.description
        cvmResults = outcome.cvmResults.bytes.hexadecimal
        cryptogramType = outcome.cryptogram.map { "\($0.type)".uppercased() }
        cryptogram = outcome.cryptogram?.value.hexadecimal
        differences = report.differences.map(DifferenceView.init)
    }

    private static func words(_ decision: TransactionDecision) -> (String, String?) {
        switch decision {
        case .approvedOnline: ("approvedOnline", nil)
        case .approvedOffline: ("approvedOffline", nil)
        case .declinedOnline: ("declinedOnline", nil)
        case .declinedByCard: ("declinedByCard", nil)
        case .declinedOffline: ("declinedOffline", nil)
        case .referred: ("referred", nil)
        case .cancelled: ("cancelled", nil)
        case .tryAnotherInterface(let error): ("tryAnotherInterface", error.description)
        case .terminated(let error): ("terminated", error.description)
        }
    }

    /// For people.
    var text: String {
        var lines = [
            "decision     \(decision)" + (reason.map { ": \($0)" } ?? ""),
            "amount       \(amount)",
            "application  \(aid ?? "none")",
            "card         \(last4.map { "**** \($0)" } ?? "not read")",
            "oda          \(oda), \(odaResult)" + (odaReason.map { ": \($0)" } ?? ""),
            "TVR          \(tvr)",
            "TSI          \(tsi)",
            "CVM results  \(cvmResults)",
            "cryptogram   \(cryptogramType.map { "\($0) \(cryptogram ?? "")" } ?? "none")", "",
        ]
        lines.append(agrees ? "The kernel told the card what the recorded terminal told it." : "The two part:")
        lines += differences.map { "  \($0.place): \($0.command): \($0.text)" + ($0.matters ? "" : " (harmless)") }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Where kernel and recorded terminal part, as JSON.
struct DifferenceView: Encodable, Sendable {
    /// nil behind the end of the trace.
    @Nullable var line: Int? = nil
    var command: String
    /// `value`, `bytes`, `cryptogram`, `onlyRecorded` or `onlyKernel`
    var kind: String
    var matters: Bool
    var tag: String?
    var name: String?
    var recorded: String?
    var kernel: String?

    init(_ difference: ReplayDifference) {
        (line, command, matters) = (difference.line, difference.command, difference.matters)
        switch difference.kind {
        case .value(let tag, let name, let recorded, let kernel):
            (kind, self.tag, self.name) = ("value", tag.description, name)
            (self.recorded, self.kernel) = (recorded, kernel)
        case .bytes(let recorded, let kernel):
            (kind, self.recorded, self.kernel) = ("bytes", recorded, kernel)
        case .cryptogram(let recorded, let kernel):
            (kind, self.recorded, self.kernel) = ("cryptogram", recorded, kernel)
        case .onlyRecorded: kind = "onlyRecorded"
        case .onlyKernel: kind = "onlyKernel"
        }
    }

    var text: String {
        switch kind {
        case "onlyRecorded": "only the recorded terminal sent it"
        case "onlyKernel": "only the kernel sent it"
        default:
            (tag.map { $0 + (name.map { " (\($0))" } ?? "") + ": " } ?? "")
                + "recorded \(recorded ?? ""), kernel \(kernel ?? "")"
        }
    }
}

extension DifferenceView {
    fileprivate var place: String { line.map { "line \($0)" } ?? "end" }
}
