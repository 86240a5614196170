public import Amounts
public import Hardware

/// What ``CardPresentPaymentsStore`` does. Every completion is called exactly once.
public enum CardPresentPaymentsAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, CardPresentPaymentsError>) -> Void
    public typealias Messages = @Sendable (CardReaderEvent) -> Void

    /// Chooses the payment gateway account of a store site. Another account than before disconnects the reader.
    case use(account: PaymentGatewayAccount)
    /// The account that is in use; nil when there is none.
    case selectedPaymentGatewayAccount(onCompletion: @Sendable (PaymentGatewayAccount?) -> Void)
    /// The gateway extension of the account in use; nil when there is none.
    case loadActivePaymentGatewayExtension(onCompletion: @Sendable (PaymentGatewayExtension?) -> Void)
    /// Fetches the payment gateway accounts of a store site.
    case loadAccounts(siteID: Int64, onCompletion: Completion<[PaymentGatewayAccount]>)

    /// Whether this machine can use a kind of reader.
    case checkDeviceSupport(
        readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod, onCompletion: @Sendable (Bool) -> Void)
    /// Looks for readers until discovery is cancelled. `onReaderDiscovered` gets every change of the list.
    case startCardReaderDiscovery(
        discoveryMethod: CardReaderDiscoveryMethod, onReaderDiscovered: @Sendable ([CardReader]) -> Void,
        onCompletion: Completion<Void>)
    case cancelCardReaderDiscovery(onCompletion: Completion<Void>)
    case connect(reader: CardReader, onCompletion: Completion<CardReader>)
    case disconnect(onCompletion: Completion<Void>)
    /// Hands out the list of connected readers, now and after each change, until the stream is let go.
    case publishCardReaderConnections(onCompletion: @Sendable (AsyncStream<[CardReader]>) -> Void)

    /// Hands out what is done to get a lost reader back, now and after each change, until the stream is let go.
    case observeCardReaderReconnection(onCompletion: @Sendable (AsyncStream<CardReaderReconnectionState>) -> Void)
    /// Gives up getting a lost reader back. Succeeds when none was lost.
    case cancelCardReaderReconnection(onCompletion: Completion<Void>)

    /// The readers that were used and not forgotten, the last one first.
    case loadRememberedCardReaders(onCompletion: Completion<[RememberedCardReader]>)
    /// Makes a reader the one that is preferred, as if it had been used now.
    case rememberCardReader(readerID: String, name: String, onCompletion: Completion<Void>)
    /// Forgets a reader, or all of them when none is named. Completes with how many were forgotten.
    case forgetCardReaders(readerID: String?, onCompletion: Completion<Int>)

    /// Takes a payment and records it. Completes with the payment as recorded, whatever its outcome;
    /// fails only when nothing could be recorded or started.
    case collectPayment(
        request: PaymentRequest, onCardReaderMessage: Messages,
        onProcessingCompletion: @Sendable (PaymentIntent) -> Void,
        onCompletion: Completion<Payment>)
    /// Tries a payment again that was declined, cancelled or failed. Refused while its outcome is unknown. How long to
    /// wait for a card, and whether the issuer is to be asked whatever the card says, is said anew.
    case retryPayment(
        paymentID: Int64, cardTimeout: Duration, forcedOnline: Bool, onCardReaderMessage: Messages,
        onProcessingCompletion: @Sendable (PaymentIntent) -> Void, onCompletion: Completion<Payment>)
    /// Cancels the running payment. Completes after the payment has, with the reader idle; succeeds when no payment
    /// runs.
    case cancelPayment(onCompletion: Completion<Void>)

    /// Gives money back for a captured payment; the whole remaining amount when `amount` is nil. Completes with
    /// the payment as recorded, whatever became of the refund: ``Payment/refundedMinorUnits`` and the payment's
    /// history tell. Fails only when nothing could be recorded or started.
    case refundPayment(paymentID: Int64, amount: Money?, onCompletion: Completion<Payment>)
    /// Cancels a refund that has not been sent yet.
    case cancelRefund(onCompletion: Completion<Void>)

    /// Hands out the state of firmware updates, now and after each change.
    case observeCardReaderUpdateState(
        onCompletion: @Sendable (AsyncStream<CardReaderSoftwareUpdateState>) -> Void)
    /// Installs the firmware that is offered for the connected reader. Completes with the reader as usable as before, or
    /// with why it is not updated. Refused while a payment runs.
    case startCardReaderUpdate(onCompletion: Completion<Void>)
    /// Cancels the firmware update that runs. Completes with the reader working as before; fails when none runs, or when
    /// it has come so far that the reader would be left without firmware.
    case cancelCardReaderUpdate(onCompletion: Completion<Void>)

    /// Disconnects the reader and forgets everything but the records.
    case reset(onCompletion: Completion<Void>)
    /// Fetches a charge of the payment gateway.
    case fetchWCPayCharge(siteID: Int64, chargeID: String, onCompletion: Completion<Void>)

    /// Finishes every attempt that was left in the middle by a process that is gone.
    case recoverPayments(onCompletion: Completion<RecoveryReport>)
    /// Payments, newest first.
    case loadPayments(limit: Int?, onCompletion: Completion<[Payment]>)
    /// Payments of one order, newest first.
    case loadOrderPayments(siteID: Int64, orderID: Int64, onCompletion: Completion<[Payment]>)
    /// One payment with the story of its attempts.
    case loadPayment(paymentID: Int64, onCompletion: Completion<PaymentHistory>)

    public var redactedDescription: [String: String] {
        switch self {
        case .use(let account): ["site": String(account.siteID), "gateway": account.gatewayID]
        case .loadAccounts(let siteID, _): ["site": String(siteID)]
        case .checkDeviceSupport(let type, let method, _): ["reader": type.rawValue, "method": method.rawValue]
        case .startCardReaderDiscovery(let method, _, _): ["method": method.rawValue]
        case .connect(let reader, _): ["reader": reader.id]
        case .rememberCardReader(let id, _, _): ["reader": id]
        case .forgetCardReaders(let id, _): ["reader": id ?? "all"]
        case .collectPayment(let request, _, _, _):
            ["amount": request.amount.description, "order": request.orderID.map(String.init) ?? "none"]
        case .retryPayment(let id, _, _, _, _, _), .loadPayment(let id, _): ["payment": Payment.name(of: id)]
        case .refundPayment(let id, let amount, _):
            ["payment": Payment.name(of: id), "amount": amount?.description ?? "all"]
        case .fetchWCPayCharge(let siteID, let chargeID, _): ["site": String(siteID), "charge": chargeID]
        case .loadOrderPayments(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        case .loadPayments(let limit, _): ["limit": limit.map(String.init) ?? "none"]
        case .selectedPaymentGatewayAccount, .loadActivePaymentGatewayExtension, .cancelCardReaderDiscovery,
            .disconnect, .publishCardReaderConnections, .cancelPayment, .cancelRefund, .observeCardReaderUpdateState,
            .startCardReaderUpdate, .cancelCardReaderUpdate, .reset, .recoverPayments, .observeCardReaderReconnection,
            .cancelCardReaderReconnection, .loadRememberedCardReaders:
            [:]
        }
    }
}
