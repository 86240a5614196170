internal import Amounts
internal import Determinism
internal import Hardware
internal import Yosemite

/// A payment as JSON.
struct PaymentView: Encodable, Sendable {
    var id: String
    var state: String
    var outcome: String
    /// Minor units
    var amount: Int64
    var refunded: Int64
    var currency: String
    @Nullable var order: Int64? = nil
    @Nullable var brand: String? = nil
    @Nullable var last4: String? = nil
    @Nullable var entryMode: String? = nil
    @Nullable var cvm: String? = nil
    /// The same in words, and how an offline PIN went to the card.
    @Nullable var cvmDescription: String? = nil
    @Nullable var authCode: String? = nil
    /// What the store knows of it; nil when it is for no order of a store, or was not approved.
    var capture: CaptureView?
    var createdAt: String
    var updatedAt: String

    init(_ payment: Payment) {
        (id, state, outcome) = (payment.name, payment.state, payment.outcome.rawValue)
        (amount, refunded) = (payment.amount.minorUnits, payment.refundedMinorUnits)
        (currency, order) = (payment.amount.currency.code, payment.orderID)
        let card = payment.card
        (brand, last4, entryMode) = (card?.brand, card?.lastFour, card?.entryMode.rawValue)
        cvm = card?.cardholderVerification.family.rawValue
        cvmDescription = card?.cardholderVerification.words
        authCode = card?.authorizationCode
        capture = payment.capture.map(CaptureView.init)
        (createdAt, updatedAt) = (payment.createdAt.description, payment.updatedAt.description)
    }
}

/// The EMV part of a payment as JSON.
struct EMVView: Encodable, Sendable {
    @Nullable var aid: String? = nil
    @Nullable var applicationName: String? = nil
    @Nullable var tvr: String? = nil
    @Nullable var tsi: String? = nil
    @Nullable var cryptogram: String? = nil
    @Nullable var cryptogramType: String? = nil
    @Nullable var atc: UInt16? = nil
    @Nullable var responseCode: String? = nil
    var oda: String
    var odaResult: String
    /// Why it failed; nil when it did not.
    var odaReason: String?

    init(_ card: CardPresentTransactionDetails) {
        (aid, applicationName) = (card.aid, card.applicationName)
        (tvr, tsi) = (card.terminalVerificationResults, card.transactionStatusInformation)
        (cryptogram, cryptogramType) = (card.applicationCryptogram, card.cryptogramType)
        (atc, responseCode) = (card.applicationTransactionCounter, card.authorizationResponseCode)
        (oda, odaResult) = (card.offlineDataAuthentication.rawValue, card.offlineDataAuthenticationResult)
        odaReason = card.offlineDataAuthenticationReason
    }
}

/// The result of `pay` and of `refund`.
struct OutcomeView: Encodable, Sendable {
    var outcome: String
    var payment: PaymentView?
    @Nullable var emv: EMVView? = nil
    var error: ErrorView?
    /// The prints of the receipts; nil when none was asked for.
    var prints: [ReceiptPrintView]?
    /// Why a receipt was not printed. It changes nothing about the outcome.
    var printError: ErrorView?

    init(_ payment: Payment, failure: CommandFailure?) {
        outcome = Self.outcome(failure)
        self.payment = PaymentView(payment)
        emv = payment.card.map(EMVView.init)
        error = failure.map(ErrorView.init)
    }

    /// Of a command that came to no payment, or to none that it knows of.
    init(_ failure: CommandFailure) { (outcome, error) = (Self.outcome(failure), ErrorView(failure)) }

    private static func outcome(_ failure: CommandFailure?) -> String {
        switch failure?.status {
        case nil: "approved"
        case .declined: "declined"
        case .cancelled: "cancelled"
        case .outcomeUnknown: "unknown"
        default: "failed"
        }
    }
}
