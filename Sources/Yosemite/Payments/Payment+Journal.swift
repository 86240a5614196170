internal import Amounts
internal import Hardware
public import Storage

extension Payment {
    /// The read-only value of a stored payment, with what its store site knows of it.
    init(_ stored: Storage.Payment, in journal: PaymentJournal) throws(JournalError) {
        self.init(stored)
        if stored.orderID != nil { capture = try journal.capture(of: stored.id).flatMap(PaymentCapture.init) }
    }

    /// Reads a payment, with what its store site knows of it.
    init(_ id: PaymentID, in journal: PaymentJournal) throws(JournalError) {
        try self.init(try journal.payment(id), in: journal)
    }

    /// The read-only value of a stored payment.
    init(_ stored: Storage.Payment) {
        let details = stored.details
        self.init(
            id: stored.id.rawValue, siteID: stored.siteID, orderID: stored.orderID, amount: stored.amount,
            refundedMinorUnits: stored.refundedAmount.minorUnits, state: stored.state.rawValue,
            outcome: Outcome(stored.state, errorCode: details.errorCode), createdAt: stored.createdAt,
            updatedAt: stored.updatedAt, card: CardPresentTransactionDetails(details), errorCode: details.errorCode,
            errorMessage: details.errorMessage)
    }
}

extension PaymentCapture {
    /// Nil while there is nothing to tell.
    init?(_ stored: SiteCapture) {
        guard let intentID = stored.intentID, let state = State(rawValue: stored.state.rawValue) else { return nil }
        self.init(
            state: state, gateway: stored.gateway, intentID: intentID, siteAddress: stored.siteAddress,
            orderNumber: stored.orderNumber, tries: stored.tries, orderStatus: stored.orderStatus,
            receiptID: stored.receiptID, reason: stored.lastError, updatedAt: stored.updatedAt)
    }
}

extension PaymentState {
    /// Whether the money was taken, and everybody knows it but perhaps the store.
    var isTaken: Bool { [.captured, .partiallyRefunded, .refunded].contains(self) }
}

extension Payment.Outcome {
    /// What a stored payment's state, and the code of the error that ended it, mean for the clerk.
    public init(_ state: PaymentState, errorCode: String?) {
        self =
            switch state {
            case .authorized, .captured, .partiallyRefunded, .refunded: .approved
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: errorCode == PaymentFailure.cancelledCode ? .cancelled : .failed
            case .unknown: .unknown
            case .pending: .pending
            // Taken back: because somebody stopped it, or because it was not to be.
            case .reversed:
                switch errorCode {
                case PaymentFailure.cancelledCode, PaymentFailure.interruptedCode: .cancelled
                case PaymentFailure.declinedByCardCode, PaymentFailure.declinedByHostCode, PaymentFailure.referredCode:
                    .declined
                default: .failed
                }
            }
    }
}

extension CardPresentTransactionDetails {
    /// What was stored of a card; nil when no card was read.
    init?(_ stored: PaymentDetails) {
        guard let brand = stored.brand else { return nil }
        self.init(
            brand: brand, lastFour: stored.last4,
            entryMode: stored.entryMode.flatMap(EntryMode.init) ?? .chip,
            cardholderVerification: stored.cvm.flatMap(CardholderVerification.init) ?? .none, aid: stored.aid,
            applicationName: stored.applicationName, terminalVerificationResults: stored.tvr,
            transactionStatusInformation: stored.tsi, applicationCryptogram: stored.cryptogram,
            cryptogramType: stored.cryptogramType,
            applicationTransactionCounter: stored.atc.flatMap { UInt16($0, radix: 16) },
            authorizationResponseCode: stored.arc, authorizationCode: stored.authCode,
            hostReference: stored.hostReference,
            offlineDataAuthentication: stored.odaMethod.flatMap(OfflineDataAuthentication.init) ?? .none,
            offlineDataAuthenticationResult: stored.odaResult ?? "notPerformed",
            offlineDataAuthenticationReason: stored.odaReason)
    }
}

extension PaymentDetails {
    /// What is stored of a card and of why a payment failed.
    init(_ card: CardPresentTransactionDetails?, failure: PaymentFailure? = nil) {
        self.init()
        errorCode = failure?.code
        errorMessage = failure?.message
        declineReason = failure?.declineReason?.rawValue
        guard let card else { return }
        (brand, last4) = (card.brand, card.lastFour)
        (entryMode, cvm) = (card.entryMode.rawValue, card.cardholderVerification.rawValue)
        (authCode, aid, applicationName) = (card.authorizationCode, card.aid, card.applicationName)
        (tvr, tsi) = (card.terminalVerificationResults, card.transactionStatusInformation)
        (cryptogram, cryptogramType) = (card.applicationCryptogram, card.cryptogramType)
        odaMethod = card.offlineDataAuthentication.rawValue
        (odaResult, odaReason) = (card.offlineDataAuthenticationResult, card.offlineDataAuthenticationReason)
        (arc, hostReference) = (card.authorizationResponseCode, card.hostReference)
        atc = card.applicationTransactionCounter.map { counter in
            let digits = String(counter, radix: 16, uppercase: true)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
