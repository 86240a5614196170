import CardSecrets
import EMV
import Money
import Payments
import SmartCard
import Text

extension SimulatedIssuer {
    /// The issuer's verdict on a new authorization.
    struct Verdict {
        var response: AuthorizationResponse
        /// The decline reason; nil for an approval.
        var reason: IssuerDeclineReason?
        /// The card's report on earlier scripts.
        var scriptReport: IssuerLedgerEntry.ScriptReport?
        /// The ATC of a card with a genuine cryptogram.
        var counter: UInt16?
    }

    /// Answers an authorization; a repeated one gets its first answer. `judge` decides on a new one and returns nil
    /// if there is no such account.
    func decide(
        _ request: borrowing AuthorizationRequest, account: IssuerAccount?, rule: IssuerRule?, _ judge: () -> Verdict?
    ) throws(IssuerLedgerError) -> AuthorizationResponse {
        if let first = book.firstAnswer(request.key, .authorization), let answer = first.answer {
            let isSame =
                first.requested ?? first.minorUnits == request.amount.minorUnits
                && first.currency == request.amount.currency.code
            // A reversed attempt is not approved again, whatever its first answer was.
            let isBlocked = answer.response.isApproved && book.isReversed(request.key)
            guard isSame, !isBlocked else { return self.answer(.duplicate) }
            var response = answer.response
            if first.requested != nil { response.approvedAmount = request.amount.part(first.minorUnits) }
            return response
        }
        guard !book.isUsed(request.key, otherThan: .authorization), !book.isReversed(request.key) else {
            return answer(.duplicate)
        }
        var verdict = judge() ?? Verdict(response: answer(.unknownCard), reason: .unknownAccount)
        if let percent = rule?.answer.approvedPercent, verdict.response.responseCode == "10" {
            let whole = request.amount.minorUnits
            verdict.response.approvedAmount = request.amount.part(
                max(1, whole / 100 * Int64(percent) + whole % 100 * Int64(percent) / 100))
        }
        var entry = IssuerLedgerEntry(
            .authorization, key: request.key, account: account?.reference, lastFour: request.card.lastFour,
            amount: request.amount, answer: verdict.response)
        (entry.reason, entry.rule, entry.scriptReport) = (verdict.reason, rule?.name, verdict.scriptReport)
        entry.counter = verdict.counter
        if request.isPreauthorization { entry.isHold = true }
        if let part = verdict.response.approvedAmount {
            (entry.minorUnits, entry.requested) = (part.minorUnits, request.amount.minorUnits)
        }
        try record(entry)
        return verdict.response
    }

    /// Decides on a chip card authorization.
    func decide(
        _ request: borrowing AuthorizationRequest, _ card: borrowing OnlineAuthorizationRequest,
        of account: IssuerAccount, check: CardCheck, rule: IssuerRule?
    ) -> Verdict {
        if let answers = account.recordedAnswers { return repeated(answers, of: account, rule: rule) }
        let spent = book.spent(account: account.reference, currency: request.amount.currency.code)
        // Change the session in place: copying it would copy every cryptogram seen.
        var decision = sessions[account.reference, default: IssuerSession()].decide(
            check, account: account, amount: request.amount, spent: spent)
        let number = book.entries.count + 1
        // A rule cannot override a failed cryptogram check.
        guard case .genuine(let context) = check.cryptogram, let masterKey = check.masterKey,
            !decision.isAboutCryptogram
        else {
            var verdict = Verdict(
                response: reply.plain(decision.responseCode, number: number), reason: decision.reason,
                scriptReport: check.scriptReport)
            if case .genuine(let context) = check.cryptogram { verdict.counter = context.atc }
            return verdict
        }
        if let code = rule?.answer.responseCode { decision = IssuerDecision(responseCode: code, .rule) }
        let scripts = rule?.answer.scripts ?? sessions[account.reference]?.takeScripts(account) ?? []
        let response = reply.authenticated(
            decision.responseCode, number: number, to: card, context: context, masterKey: masterKey, scripts: scripts,
            ruleAnswer: rule?.answer ?? IssuerRuleAnswer())
        return Verdict(
            response: response, reason: decision.reason, scriptReport: check.scriptReport, counter: context.atc)
    }

    /// Repeats the recorded response for a recorded card; declines anything that was not recorded.
    private func repeated(_ answers: [IssuerAnswer], of account: IssuerAccount, rule: IssuerRule?) -> Verdict {
        let number = book.paymentCount(account: account.reference)
        guard number >= 0, number < answers.count else {
            return Verdict(response: answer(.unknownCard), reason: .unknownAccount)
        }
        var response = reply.plain("00", number: book.entries.count + 1)
        response.answer = answers[Int(number)]
        if let code = rule?.answer.responseCode { response.answer.authorizationResponseCode = Array(code.utf8) }
        return Verdict(response: response, reason: response.isApproved ? nil : .rule)
    }

    /// Decides on a swiped card. The response has no issuer data, because no chip could read them.
    func decide(
        _ request: borrowing AuthorizationRequest, of account: IssuerAccount, check: MagneticStripeCheck,
        rule: IssuerRule?
    ) -> Verdict {
        let spent = book.spent(account: account.reference, currency: request.amount.currency.code)
        var decision = sessions[account.reference, default: IssuerSession()].decide(
            check, account: account, amount: request.amount, spent: spent)
        // A rule cannot override a failed stripe check.
        if check.refusal == nil, let code = rule?.answer.responseCode {
            decision = IssuerDecision(responseCode: code, .rule)
        }
        var response = reply.plain(decision.responseCode, number: book.entries.count + 1)
        if response.isApproved, let code = rule?.answer.authorizationCode { response.answer.authorizationCode = code }
        return Verdict(response: response, reason: decision.reason)
    }

    /// Answers a refund; a repeated one gets its first answer. A rule can only decline it.
    func decide(_ request: HostRefundRequest, rule: IssuerRule?) throws(IssuerLedgerError) -> AuthorizationResponse {
        if let first = book.firstAnswer(request.key, .refund), let answer = first.answer {
            let isSame =
                first.original == request.original && first.minorUnits == request.amount.minorUnits
                && first.currency == request.amount.currency.code
            let isBlocked = answer.response.isApproved && book.isReversed(request.key)
            return isSame && !isBlocked ? answer.response : self.answer(.duplicate)
        }
        guard request.key != request.original, !book.isUsed(request.key, otherThan: .refund),
            !book.isReversed(request.key)
        else { return answer(.duplicate) }
        let payment = book.payment(request.original)
        var decision: IssuerDecision
        if let payment {
            let isCovered =
                payment.currency == request.amount.currency.code
                && request.amount.minorUnits <= book.charged(request.original)
            decision = isCovered ? IssuerDecision(.approved) : IssuerDecision(.invalidAmount, .refundTooLarge)
        } else {
            decision = IssuerDecision(.noSuchPayment, .noSuchPayment)
        }
        if decision.reason == nil, let code = rule?.answer.responseCode {
            decision = IssuerDecision(responseCode: code, .rule)
        }
        let response = reply.plain(decision.responseCode, number: book.entries.count + 1)
        var entry = IssuerLedgerEntry(
            .refund, key: request.key, original: request.original, account: payment?.account,
            lastFour: payment?.lastFour, amount: request.amount, answer: response)
        (entry.reason, entry.rule) = (decision.reason, rule?.name)
        try record(entry)
        return response
    }

    /// Records the terminal's advice. Only an approval by the card moves money.
    func take(_ advice: AdviceRequest, account: String?, rule: IssuerRule?) throws(IssuerLedgerError) {
        var entry: IssuerLedgerEntry
        switch advice.purpose {
        case .offlineApproval, .capture:
            guard book.firstAnswer(advice.key, .advice) == nil else { return }
            entry = IssuerLedgerEntry(
                .advice, key: advice.key, account: account, lastFour: advice.lastFour, amount: advice.amount,
                answer: answer(.approved))
        case .offlineDecline, .completion:
            guard !book.hasNotice(advice.key) else { return }
            entry = IssuerLedgerEntry(
                .notice, key: advice.key, account: account, lastFour: advice.lastFour, amount: advice.amount)
        }
        entry.scriptResults = Self.scriptResults(advice.iccData)
        entry.rule = rule?.name
        try record(entry)
    }

    /// Returns tag 9F5B in the ledger's form: complete results only, at most as many as the kernel creates.
    static func scriptResults(_ objects: [BERTLV]) -> String? {
        guard let value = objects.first(0x9F5B)?.value, !value.isEmpty, value.count.isMultiple(of: 5),
            value.count <= 255
        else { return nil }
        return value.lowercaseHexadecimal
    }

    /// Returns an answer without issuer data for the card.
    private func answer(_ code: ResponseCode) -> AuthorizationResponse {
        reply.plain(code.rawValue, number: book.entries.count + 1)
    }
}

extension Money {
    /// An amount in the same currency.
    fileprivate func part(_ minorUnits: Int64) -> Money? { try? Money(minorUnits: minorUnits, currency: currency) }
}

extension IssuerDecision {
    /// Whether the cryptogram was rejected.
    fileprivate var isAboutCryptogram: Bool {
        switch reason {
        case .missingCryptogramData, .unknownCryptogramVersion, .unknownKeyIndex, .wrongCryptogram,
            .replayedCryptogram, .counterNotRising:
            true
        default: false
        }
    }
}

/// Why the simulated issuer declined, in more detail than the response code.
public enum IssuerDeclineReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// No account has this PAN.
    case unknownAccount
    /// Input data of the cryptogram are missing or have a wrong length.
    case missingCryptogramData
    /// Issuer application data (tag 9F10) in an unknown layout.
    case unknownCryptogramVersion
    /// The card's keys come from an unknown master key.
    case unknownKeyIndex
    /// The cryptogram is wrong.
    case wrongCryptogram
    /// The cryptogram was used before.
    case replayedCryptogram
    /// The account requires a rising ATC, and it did not rise.
    case counterNotRising
    /// The card verification value of the stripe is wrong or missing.
    case wrongVerificationValue
    /// A chip card was swiped without a reported chip failure.
    case chipNotUsed
    /// A domestic card was used abroad.
    case abroad
    /// The account has a fixed response code.
    case accountResponse
    case expiredCard
    case wrongPIN
    case pinRequired
    case tooManyPINTries
    case overAmountLimit
    case insufficientFunds
    /// A rule has a fixed response code.
    case rule
    /// The payment of a refund is not in the ledger.
    case noSuchPayment
    /// The refund exceeds what is left of the payment.
    case refundTooLarge
}

/// The issuer's response and its reason.
struct IssuerDecision: Hashable, Sendable {
    /// DE 39.
    var responseCode: String
    /// The decline reason; nil for an approval.
    var reason: IssuerDeclineReason?

    init(_ code: ResponseCode, _ reason: IssuerDeclineReason? = nil) {
        (responseCode, self.reason) = (code.rawValue, reason)
    }

    init(responseCode: String, _ reason: IssuerDeclineReason) {
        self.responseCode = responseCode
        self.reason = ["00", "10", "11"].contains(responseCode) ? nil : reason
    }
}

/// The response codes (DE 39) of the simulated issuer.
enum ResponseCode: String {
    case approved = "00"
    /// A decline without a reason for the terminal.
    case doNotHonor = "05"
    case invalidAmount = "13"
    case unknownCard = "14"
    case noSuchPayment = "25"
    case insufficientFunds = "51"
    case expiredCard = "54"
    case wrongPIN = "55"
    case overAmountLimit = "61"
    /// Not allowed in this country.
    case restrictedCard = "62"
    case pinRequired = "70"
    case tooManyPINTries = "75"
    /// The card verification value is wrong or missing.
    case wrongVerificationValue = "82"
    /// The cryptogram is wrong or was used before.
    case cryptographicFailure = "88"
    /// The idempotency key belongs to another message, or to a reversed attempt.
    case duplicate = "94"
}
