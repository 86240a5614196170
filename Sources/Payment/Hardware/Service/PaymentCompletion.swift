import CardSecrets
import Determinism
import EMV
import Money
import Payments
import SmartCard
import Text

/// Brings kernel and host to the same result of a payment, and reverses an approval of the host that the card did not
/// complete.
struct PaymentCompletion: Sendable {
    let outcome: KernelOutcome
    let exchange: HostAuthorizer.Exchange
    let parameters: PaymentIntentParameters
    let host: any PaymentHost
    let created: Timestamp

    func complete() async throws(CardReaderServiceError) -> PaymentIntent {
        // Applies a cancellation that came during the host request.
        let isCancelled = Task.isCancelled
        if let reason = reversalReason(isCancelled: isCancelled) {
            try await reverse(reason)
        } else if let notice {
            await tell(notice)
        }
        switch outcome.decision {
        case .approvedOnline where isUnwantedPart:
            throw .paymentCaptureWithPaymentMethod(
                .paymentDeclinedByCardReader(.partialApproval), details)
        case .approvedOnline where !isCancelled: return intent(advice: nil)
        case .approvedOffline where !isCancelled && (hasBeenTakenBack || parameters.authorizesOnly):
            // Only a host can hold an amount. The issuer may have approved as well: its approval was reversed under the
            // attempt's key, and nothing else may be charged under that key, so the card's own approval is not used.
            throw .paymentCaptureWithPaymentMethod(declineByTerminal, details)
        case .approvedOffline where !isCancelled: return intent(advice: advice(.offlineApproval))
        case .approvedOnline, .approvedOffline, .canceled(.caller):
            throw failure(.commandCanceled(from: .app))
        case .canceled(.cardholder):
            // The cardholder had no other PIN.
            if let wrongPIN { throw .paymentCaptureWithPaymentMethod(wrongPIN, details) }
            throw failure(.commandCanceled(from: .reader))
        case .declinedOnline, .referred: throw .paymentCaptureWithPaymentMethod(declineOfHost, details)
        case .declinedByCard, .declinedOffline:
            throw .paymentCaptureWithPaymentMethod(declineByTerminal, details)
        case .tryAnotherInterface(let error), .terminated(let error):
            let cause = UnderlyingError(error)
            if case .paymentDeclinedByCardReader = cause {
                throw .paymentCaptureWithPaymentMethod(cause, details)
            }
            throw failure(cause)
        }
    }

    /// Whether the terminal declined because the card's cryptogram was not authenticated.
    private var hasUnsignedCryptogram: Bool {
        outcome.decision == .declinedOffline && outcome.offlineAuthentication.result == .failed
            && [.cda, .xda].contains(outcome.offlineAuthentication.method)
    }

    /// The error of a wrong PIN that nothing verified afterwards; nil when no PIN was wrong, or the host has the
    /// payment.
    private var wrongPIN: UnderlyingError? {
        guard case .notAsked = exchange, let triesLeft = outcome.triesLeftAfterWrongPIN,
            [.notPerformed, .failed].contains(outcome.cardholderVerification)
        else { return nil }
        return .paymentDeclinedByCardReader(.wrongPIN(triesLeft: triesLeft))
    }

    private var hasBeenTakenBack: Bool {
        if case .outcomeUnknown = exchange { true } else { false }
    }

    private func reversalReason(isCancelled: Bool) -> ReversalRequest.Reason? {
        switch exchange {
        case .notAsked, .notSent: nil
        case .outcomeUnknown: .timeout
        case .answered(let response):
            if outcome.decision == .approvedOnline {
                isCancelled ? .canceled : isUnwantedPart ? .cardDeclined : nil
            } else if response.isApproved || outcome.isReversalRequired {
                outcome.decision == .declinedByCard || hasUnsignedCryptogram ? .cardDeclined : .canceled
            } else {
                nil
            }
        }
    }

    private func reverse(_ reason: ReversalRequest.Reason) async throws(CardReaderServiceError) {
        try await PaymentReversal(host: host, parameters: parameters)
            .send(reason, iccData: outcome.iccData, details: details)
    }

    /// Sends the host an advice about the end of the transaction. An error does not affect the payment.
    private func tell(_ notice: AdviceRequest) async {
        let host = host
        await Task { try? await host.advise(notice) }.value
    }

    /// The advice for the issuer beside the payment itself; nil when there is none, or when a reversal replaces it.
    private var notice: AdviceRequest? {
        switch exchange {
        case .notAsked, .notSent: outcome.isAdviceRequired && isOfflineDecline ? advice(.offlineDecline) : nil
        case .answered: outcome.scriptResults.isEmpty ? nil : advice(.completion)
        case .outcomeUnknown: nil
        }
    }

    private var isOfflineDecline: Bool { [.declinedOffline, .declinedByCard].contains(outcome.decision) }

    private var declineOfHost: UnderlyingError {
        guard case .answered(let response) = exchange else {
            return .paymentDeclinedByCardReader(.notApproved)
        }
        return .paymentDeclinedByPaymentProcessorAPI(DeclineReason(responseCode: response.responseCode))
    }

    /// The error of a decline by the card or the terminal. A failed connection is not reported as a bad card.
    private var declineByTerminal: UnderlyingError {
        switch exchange {
        case .notAsked where hasUnsignedCryptogram, .answered where hasUnsignedCryptogram:
            .paymentDeclinedByCardReader(.cardNotAuthenticated)
        case .notAsked where outcome.decision == .declinedOffline:
            wrongPIN ?? .paymentDeclinedByCardReader(.declinedByTerminal)
        case .notAsked: wrongPIN ?? .paymentDeclinedByCardReader(.declinedByCard)
        case .answered: .paymentDeclinedByCardReader(.declinedByCard)
        case .notSent(let reason):
            .notConnectedToInternet(
                "the issuer could not be asked: \(reason)"
                    + (parameters.offlineObstacle.map { "; payments go online only: \($0)" } ?? ""))
        case .outcomeUnknown(let reason):
            .requestTimedOut("the issuer did not answer, and the request was taken back: \(reason)")
        }
    }

    /// Whether the host approved only a part of the amount (response code 10), which does not cover the payment and is
    /// not taken.
    private var isUnwantedPart: Bool {
        if case .answered(let response) = exchange { parameters.isUnwantedPart(response) } else { false }
    }

    private var approvedAmount: Money {
        if case .answered(let response) = exchange {
            parameters.amount(approvedBy: response)
        } else {
            parameters.amount
        }
    }

    /// Returns the error of a failure that is not a decline: with the card's data when the host has received the
    /// payment.
    private func failure(_ error: UnderlyingError) -> CardReaderServiceError {
        switch exchange {
        case .notAsked, .notSent: .paymentMethodCollection(error)
        case .outcomeUnknown, .answered: .paymentCaptureWithPaymentMethod(error, details)
        }
    }

    private func intent(advice: AdviceRequest?) -> PaymentIntent {
        PaymentIntent(
            key: parameters.key, status: .requiresCapture, created: created, amount: approvedAmount,
            metadata: parameters.metadata, details: details, advice: advice)
    }

    private func advice(_ purpose: AdviceRequest.Purpose) -> AdviceRequest {
        var advice = AdviceRequest(
            key: parameters.key, stan: parameters.stan, amount: parameters.amount,
            lastFour: outcome.pan?.lastFour ?? "", iccData: outcome.iccData, purpose: purpose)
        (advice.prefix, advice.card) = (outcome.issuerPrefix, outcome.card)
        return advice
    }

    private var details: CardDetails {
        var details = CardDetails(outcome)
        guard case .answered(let response) = exchange else { return details }
        details.hostReference = response.reference
        details.judgePIN(response)
        return details
    }
}

extension PaymentIntentParameters {
    /// Whether an approval is of a part that is not taken, or of one that the host does not name.
    func isUnwantedPart(_ response: AuthorizationResponse) -> Bool {
        response.responseCode == "10" && (!allowsPartial || response.approvedAmount == nil)
    }

    /// Returns the amount that an approval is for.
    func amount(approvedBy response: AuthorizationResponse) -> Money {
        response.responseCode == "10" ? response.approvedAmount ?? amount : amount
    }
}

extension CardDetails {
    /// Creates the storable card details from the kernel's outcome.
    init(_ outcome: KernelOutcome) {
        self.init(
            brand: outcome.application?.brand?.rawValue ?? "unknown", lastFour: outcome.pan?.lastFour,
            entryMode: .chip, cardholderVerification: CardholderVerification(outcome),
            pinTriesLeft: outcome.triesLeftAfterWrongPIN,
            aid: outcome.application.map { $0.aid.hexadecimal },
            applicationName: outcome.application?.displayName,
            accountType: outcome.application.flatMap { AccountType(application: $0.aid) }
                ?? outcome.accountType.flatMap { AccountType(code: $0) },
            terminalVerificationResults: outcome.verificationResults.bytes.hexadecimal,
            transactionStatusInformation: outcome.statusInformation.bytes.hexadecimal,
            applicationCryptogram: outcome.cryptogram.map { $0.value.hexadecimal },
            cryptogramType: outcome.cryptogram.map { Self.name(of: $0.type) },
            issuerApplicationData: outcome.issuerApplicationData.map(\.hexadecimal),
            applicationTransactionCounter: outcome.cryptogram?.counter,
            authorizationResponseCode: outcome.responseCode?.description,
            authorizationCode: outcome.authorizationCode,
            offlineDataAuthentication: OfflineDataAuthentication(outcome.offlineAuthentication.method),
            offlineDataAuthenticationResult: outcome.offlineAuthentication.result.rawValue,
            offlineDataAuthenticationReason: outcome.offlineAuthentication.reason?.description)
        if let languages = outcome.application?.languages, !languages.isEmpty { self.languages = languages }
    }

    private static func name(of type: CryptogramType) -> String {
        switch type {
        case .tc: "TC"
        case .arqc: "ARQC"
        case .aac: "AAC"
        }
    }
}

extension CardDetails.OfflineDataAuthentication {
    init(_ method: OfflineAuthenticationMethod) {
        self =
            switch method {
            case .none: .none
            case .sda: .sda
            case .dda: .dda
            case .cda: .cda
            case .xda: .xda
            }
    }
}

extension CardDetails.CardholderVerification {
    /// A wrong PIN that ended the payment is a failed verification, although the kernel performed none to its end.
    init(_ outcome: KernelOutcome) {
        let isStopped = outcome.cardholderVerification == .notPerformed && outcome.triesLeftAfterWrongPIN != nil
        self = isStopped ? .failed : Self(outcome.cardholderVerification)
    }

    init(_ kind: CardholderVerificationKind) {
        self =
            switch kind {
            case .notPerformed, .noCVMRequired: .none
            case .failed: .failed
            case .signature: .signature
            case .plaintextOfflinePIN: .offlinePIN
            case .encipheredOfflinePIN: .encipheredOfflinePIN
            case .plaintextOfflinePINAndSignature: .offlinePINAndSignature
            case .encipheredOfflinePINAndSignature: .encipheredOfflinePINAndSignature
            case .onlinePIN: .onlinePIN
            }
    }
}
