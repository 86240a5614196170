import EMV
import SmartCard
import Synchronization

/// The rules that hold after every payment, for any card, cardholder, and issuer.
struct OutcomeRules {
    let outcome: KernelOutcome
    let terminal: TerminalConfiguration
    let request: TransactionRequest
    /// What the issuer answered, once for each time that it was asked.
    let issuerAnswers: [OnlineAuthorizationResult]
    /// How often the cardholder was asked for a PIN.
    let prompts: Int
    /// How often the cardholder was asked for an application.
    let choices: Int

    /// The rules that are broken, in words; empty when the payment ended as it may.
    var violations: [String] {
        (onlineRules + decisionRules + approvalRules + authenticationRules + verificationRules + completionRules
            + dataRules).filter { !$0.holds }.map(\.text)
    }

    private struct Rule {
        let text: String
        let holds: Bool

        init(_ text: String, _ holds: Bool) { (self.text, self.holds) = (text, holds) }
    }

    private var results: TerminalVerificationResults { outcome.verificationResults }
    private var status: TransactionStatusInformation { outcome.statusInformation }
    private var decision: TransactionDecision { outcome.decision }

    /// The issuer's response; nil without a request or a response.
    private var issuerAnswer: IssuerAnswer? {
        guard case .answered(let answer) = issuerAnswers.first else { return nil }
        return answer
    }

    private var issuerMeaning: AuthorizationResponseCode.Meaning? {
        issuerAnswer.flatMap { AuthorizationResponseCode(bytes: $0.authorizationResponseCode) }?.meaning
    }

    /// Whether the issuer approved, or sent an unreadable response.
    private var issuerMayHaveApproved: Bool {
        issuerAnswer != nil && (issuerMeaning == nil || issuerMeaning == .approval)
    }

    private var onlineRules: [Rule] {
        [
            Rule("at most one request is sent", issuerAnswers.count <= 1),
            Rule("the outcome shows whether a request was sent", outcome.wasSentOnline == !issuerAnswers.isEmpty),
            Rule(
                "an offline terminal sends no request",
                terminal.type.connectivity != .offlineOnly || issuerAnswers.isEmpty),
            Rule(
                "a reversal is due exactly when the issuer may have approved and the payment was not made",
                outcome.isReversalRequired == (issuerMayHaveApproved && decision != .approvedOnline)),
        ]
    }

    private var decisionRules: [Rule] {
        var rules: [Rule] = []
        switch decision {
        case .approvedOnline:
            rules.append(Rule("an online approval comes from the issuer", issuerMeaning == .approval))
            rules.append(Rule("the card confirmed the issuer's approval", outcome.cryptogram?.type == .tc))
            rules.append(
                Rule(
                    "the response code is the issuer's",
                    outcome.responseCode?.bytes == issuerAnswer?.authorizationResponseCode))
        case .approvedOffline:
            rules.append(Rule("the card approved offline", outcome.cryptogram?.type == .tc))
            rules.append(
                Rule(
                    "an offline approval says why the issuer was not asked",
                    outcome.responseCode == .offlineApproved && issuerAnswers.isEmpty
                        || outcome.responseCode == .unableToGoOnlineApproved && issuerAnswer == nil))
        case .declinedOnline: rules.append(Rule("the issuer declined", issuerMeaning == .decline))
        case .referred: rules.append(Rule("the issuer referred", issuerMeaning == .referral))
        case .declinedByCard: rules.append(Rule("the card declined", outcome.cryptogram?.type == .aac))
        case .declinedOffline:
            rules.append(Rule("an offline decline has a response code", outcome.responseCode != nil))
        case .canceled(.cardholder):
            rules.append(Rule("the cardholder was asked", prompts + choices > 0))
            rules.append(Rule("a sent payment is not canceled", issuerAnswers.isEmpty))
        case .canceled(.caller): break
        case .tryAnotherInterface:
            rules.append(Rule("without an application there is no payment", outcome.application == nil))
            rules.append(Rule("without an application nothing is requested", issuerAnswers.isEmpty && prompts == 0))
        case .terminated(let error): rules.append(Rule("an error explains itself", !error.description.isEmpty))
        }
        return rules
    }

    /// Terminal action codes (EMV Book 3 §10.7). The card's own are not known here: they only add to them.
    private var approvalRules: [Rule] {
        guard decision == .approvedOffline else { return [] }
        let codes = terminal.applications.first?.actionCodes ?? ActionCodes(denial: [], online: [], default: [])
        // Found after the decision: while the data for the card was put together.
        let found = results.subtracting(.defaultTDOLUsed)
        var deciding = codes.denial
        if outcome.responseCode == .unableToGoOnlineApproved || terminal.type.connectivity == .offlineOnly {
            deciding.formUnion(codes.default)
        } else {
            deciding.formUnion(codes.online)
        }
        let authentication = outcome.offlineAuthentication
        return [
            Rule(
                "a terminal that only works online approves nothing itself", terminal.type.connectivity != .onlineOnly),
            Rule(
                "nothing is approved offline that the terminal is to decline or to ask about",
                found.isDisjoint(with: deciding)),
            Rule(
                "an offline approval is signed if it was to be",
                authentication.method != .cda || authentication.result != .notPerformed),
        ]
    }

    private var authenticationRules: [Rule] {
        let (method, result) = (outcome.offlineAuthentication.method, outcome.offlineAuthentication.result)
        let failures: [(OfflineAuthenticationMethod, TerminalVerificationResults)] = [
            (.sda, .sdaFailed), (.dda, .ddaFailed), (.cda, .cdaFailed),
        ]
        return failures.map { kind, bit in
            Rule("TVR: \(kind.rawValue) failed", results.contains(bit) == (method == kind && result == .failed))
        } + [
            Rule(
                "TSI: offline data authentication was performed",
                status.contains(.offlineDataAuthenticationPerformed) == (result != .notPerformed)),
            Rule(
                "TVR: offline data authentication was not performed",
                !results.contains(.offlineDataAuthenticationNotPerformed) || method == .none && result == .notPerformed),
            Rule("TVR: SDA selected", results.contains(.sdaSelected) == (method == .sda)),
            Rule(
                "a cryptogram that was found signed is one that the card signed",
                method != .cda || result != .passed || outcome.cryptogram?.type == .aac
                    || outcome.cryptogram.map { ArbitraryPayment.signedCryptograms.contains($0.value) } ?? true),
            Rule("a failure has a reason", (outcome.offlineAuthentication.reason != nil) == (result == .failed)),
        ]
    }

    private var verificationRules: [Rule] {
        let isPerformed = status.contains(.cardholderVerificationPerformed)
        let bits: TerminalVerificationResults = [
            .cardholderVerificationFailed, .unrecognizedCVM, .pinTryLimitExceeded, .pinPadNotWorking, .pinNotEntered,
            .onlinePINEntered,
        ]
        return [
            Rule(
                "TVR: cardholder verification failed",
                results.contains(.cardholderVerificationFailed) == (outcome.cvmResults.result == .failed)),
            Rule(
                "TSI: cardholder verification was performed",
                isPerformed || outcome.cvmResults == .notPerformed && results.isDisjoint(with: bits)),
            Rule(
                "TVR: online PIN entered",
                !results.contains(.onlinePINEntered) || outcome.cardholderVerification == .onlinePIN),
            Rule("a PIN is asked for in cardholder verification only", prompts == 0 || isPerformed),
        ]
    }

    private var completionRules: [Rule] {
        let failed = outcome.scriptResults.filter { $0.outcome != .successful }
        let riskBits: TerminalVerificationResults = [
            .floorLimitExceeded, .lowerOfflineLimitExceeded, .upperOfflineLimitExceeded, .randomlySelectedForOnline,
        ]
        return [
            Rule(
                "TSI: terminal risk management was performed",
                outcome.cryptogram == nil || results.isDisjoint(with: riskBits)
                    || status.contains(.terminalRiskManagementPerformed)),
            Rule(
                "TVR: random selection is for amounts below the floor limit",
                !results.isSuperset(of: [.floorLimitExceeded, .randomlySelectedForOnline])),
            Rule(
                "TVR: the merchant forced it online", !results.contains(.merchantForcedOnline) || request.forcedOnline),
            Rule(
                "TSI: card risk management was performed",
                outcome.cryptogram == nil || status.contains(.cardRiskManagementPerformed)),
            Rule(
                "TSI: issuer authentication was performed",
                !status.contains(.issuerAuthenticationPerformed) || issuerAnswer?.issuerAuthenticationData != nil),
            Rule(
                "TVR: issuer authentication failed",
                !results.contains(.issuerAuthenticationFailed) || issuerAnswer?.issuerAuthenticationData != nil),
            Rule(
                "TSI: scripts were processed",
                status.contains(.scriptProcessingPerformed) == !outcome.scriptResults.isEmpty),
            Rule(
                "TVR: a script failed before the final cryptogram",
                results.contains(.scriptFailedBeforeFinalCryptogram)
                    == failed.contains(where: \.isBeforeFinalCryptogram)),
            Rule(
                "TVR: a script failed after the final cryptogram",
                results.contains(.scriptFailedAfterFinalCryptogram)
                    == failed.contains(where: { !$0.isBeforeFinalCryptogram })),
            Rule("no script without an answer of the issuer", outcome.scriptResults.isEmpty || issuerAnswer != nil),
        ]
    }

    private var dataRules: [Rule] {
        func value(_ tag: BERTag) -> [UInt8]? { outcome.iccData.first { $0.tag == tag }?.value }
        let secret = outcome.iccData.filter { DataElement[$0.tag]?.isSecret ?? true }
        return [
            Rule("what leaves the kernel holds no card data", secret.isEmpty),
            Rule(
                "there is ICC data exactly when there is a cryptogram",
                outcome.iccData.isEmpty == (outcome.cryptogram == nil)),
            Rule("9F26 is the card's cryptogram", value(0x9F26) == outcome.cryptogram?.value),
            Rule("95 is the TVR", outcome.iccData.isEmpty || value(0x95) == results.bytes),
            Rule("9B is the TSI", outcome.iccData.isEmpty || value(0x9B) == status.bytes),
            Rule("9F34 is the CVM result", outcome.iccData.isEmpty || value(0x9F34) == outcome.cvmResults.bytes),
            Rule("8A is the response code", outcome.iccData.isEmpty || value(0x8A) == outcome.responseCode?.bytes),
        ]
    }
}

/// An issuer that approves only cryptograms of its own card.
final class CheckingIssuer: OnlineAuthorizer {
    private let answer: OnlineAuthorizationResult
    private let genuine: Set<[UInt8]>?
    private let seen = Mutex<[OnlineAuthorizationResult]>([])

    /// - Parameters:
    ///   - answer: what it answers.
    ///   - genuine: the cryptograms (9F26) that the card makes; nil to believe every one.
    init(_ answer: OnlineAuthorizationResult, genuine: Set<[UInt8]>?) {
        (self.answer, self.genuine) = (answer, genuine)
    }

    /// What it answered, once for each time that it was asked.
    var answers: [OnlineAuthorizationResult] { seen.withLock { $0 } }

    func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        var answer = answer
        let cryptogram = request.iccData.first(0x9F26)?.value
        if let genuine, !genuine.contains(cryptogram ?? []), case .answered = answer {
            answer = .answered(IssuerAnswer(authorizationResponseCode: Array("05".utf8)))
        }
        seen.withLock { $0.append(answer) }
        return answer
    }
}
