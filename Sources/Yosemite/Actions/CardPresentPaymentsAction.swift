public import Amounts
public import Hardware
public import Networking

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
    /// Fetches the accounts of a store site with both payment gateways, and keeps them. Succeeds when one of the gateways
    /// answers.
    case loadAccounts(siteID: Int64, onCompletion: Completion<[PaymentGatewayAccount]>)
    /// Asks the gateway in use for what lets one of its readers connect, once.
    case loadConnectionToken(siteID: Int64, onCompletion: Completion<ReaderConnectionToken>)
    /// Asks the gateway in use where the store's readers are.
    case loadDefaultReaderLocation(siteID: Int64, onCompletion: Completion<ReaderLocation>)

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
    /// Hands out the session with the reader, which answers queries about it as long as their subscriptions are kept.
    case loadReaderSession(onCompletion: @Sendable (ReaderSession) -> Void)
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
    /// Asks the store what an order costs now, and refuses one that cannot be paid with a card at the till.
    case quoteOrder(siteID: Int64, orderID: Int64, onCompletion: Completion<OrderQuote>)
    /// Takes the payment of an order of the store site and records it: the order is fetched anew, refused when it cannot
    /// be paid, and shown the payment once the card is approved. Completes with the payment as recorded:
    /// ``Payment/capture`` says what the store knows of it.
    case collectOrderPayment(
        request: OrderPaymentRequest, onCardReaderMessage: Messages,
        onProcessingCompletion: @Sendable (PaymentIntent) -> Void, onCompletion: Completion<Payment>)
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
    /// Fetches a charge of WooPayments and keeps it; one that does not exist is forgotten. Fails when the gateway in use is
    /// another one.
    case fetchWCPayCharge(siteID: Int64, chargeID: String, onCompletion: Completion<WCPayCharge>)

    /// Finishes every attempt that was left in the middle by a process that is gone.
    case recoverPayments(onCompletion: Completion<RecoveryReport>)
    /// Tells the store site of every payment that it has still to be told of; with a payment named, looks again at that
    /// one, though the site refused it or something is in conflict.
    case settleCaptures(paymentID: Int64?, onCompletion: Completion<CaptureReport>)
    /// Payments, newest first.
    case loadPayments(limit: Int?, onCompletion: Completion<[Payment]>)
    /// Payments of one order, newest first.
    case loadOrderPayments(siteID: Int64, orderID: Int64, onCompletion: Completion<[Payment]>)
    /// One payment with the story of its attempts.
    case loadPayment(paymentID: Int64, onCompletion: Completion<PaymentHistory>)

    public var redactedDescription: [String: String] {
        switch self {
        case .use(let account): ["site": String(account.siteID), "gateway": account.gatewayID]
        case .loadAccounts(let siteID, _), .loadDefaultReaderLocation(let siteID, _): ["site": String(siteID)]
        case .loadConnectionToken(let siteID, _): ["site": String(siteID)]
        case .checkDeviceSupport(let type, let method, _): ["reader": type.rawValue, "method": method.rawValue]
        case .startCardReaderDiscovery(let method, _, _): ["method": method.rawValue]
        case .connect(let reader, _): ["reader": reader.id]
        case .rememberCardReader(let id, _, _): ["reader": id]
        case .forgetCardReaders(let id, _): ["reader": id ?? "all"]
        case .collectPayment(let request, _, _, _):
            ["amount": request.amount.description, "order": request.orderID.map(String.init) ?? "none"]
        case .collectOrderPayment(let request, _, _, _):
            ["site": String(request.siteID), "order": String(request.orderID)]
        case .quoteOrder(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        case .settleCaptures(let id, _): ["payment": id.map { Payment.name(of: $0) } ?? "all"]
        case .retryPayment(let id, _, _, _, _, _), .loadPayment(let id, _): ["payment": Payment.name(of: id)]
        case .refundPayment(let id, let amount, _):
            ["payment": Payment.name(of: id), "amount": amount?.description ?? "all"]
        case .fetchWCPayCharge(let siteID, let chargeID, _): ["site": String(siteID), "charge": chargeID]
        case .loadOrderPayments(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        case .loadPayments(let limit, _): ["limit": limit.map(String.init) ?? "none"]
        case .selectedPaymentGatewayAccount, .loadActivePaymentGatewayExtension, .cancelCardReaderDiscovery,
            .disconnect, .loadReaderSession, .publishCardReaderConnections, .cancelPayment, .cancelRefund,
            .observeCardReaderUpdateState,
            .startCardReaderUpdate, .cancelCardReaderUpdate, .reset, .recoverPayments, .observeCardReaderReconnection,
            .cancelCardReaderReconnection, .loadRememberedCardReaders:
            [:]
        }
    }
}
