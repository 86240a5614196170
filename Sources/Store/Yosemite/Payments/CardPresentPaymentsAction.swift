public import Concurrency
public import Hardware
public import Money
public import Networking
public import Payments
public import Storage

/// The actions of ``CardPresentPaymentsStore``. Every completion is called exactly once.
public enum CardPresentPaymentsAction: Action {
    /// Receives the result of an action, once.
    public typealias Completion<Value> = @Sendable (Result<Value, CardPresentPaymentsError>) -> Void
    /// Receives the events of the reader during a payment, in order.
    public typealias Messages = @Sendable (CardReaderEvent) -> Void

    /// Selects the payment gateway account of a store site. A change disconnects the reader.
    case use(account: PaymentGatewayAccount)
    /// Returns the selected account; nil when there is none.
    case selectedPaymentGatewayAccount(onCompletion: @Sendable (PaymentGatewayAccount?) -> Void)
    /// Returns the gateway extension of the selected account; nil when there is none.
    case loadActivePaymentGatewayExtension(onCompletion: @Sendable (PaymentGatewayExtension?) -> Void)
    /// Fetches the store site's accounts with both payment gateways and stores them. Succeeds when at least one gateway
    /// answers.
    case loadAccounts(siteID: Int64, onCompletion: Completion<[PaymentGatewayAccount]>)
    /// Requests a single-use token from the selected gateway that lets a reader connect.
    case loadConnectionToken(siteID: Int64, onCompletion: Completion<ReaderConnectionToken>)
    /// Requests the location of the store's readers from the selected gateway.
    case loadDefaultReaderLocation(siteID: Int64, onCompletion: Completion<ReaderLocation>)

    /// Returns whether this machine supports a type of reader.
    case checkDeviceSupport(
        readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod, onCompletion: @Sendable (Bool) -> Void)
    /// Discovers readers until discovery is canceled. `onReaderDiscovered` receives every change of the list.
    case startCardReaderDiscovery(
        discoveryMethod: CardReaderDiscoveryMethod, onReaderDiscovered: @Sendable ([CardReader]) -> Void,
        onCompletion: Completion<Void>)
    case cancelCardReaderDiscovery(onCompletion: Completion<Void>)
    case connect(reader: CardReader, onCompletion: Completion<CardReader>)
    case disconnect(onCompletion: Completion<Void>)
    /// Returns the session of the reader, which answers queries about it while their subscriptions are kept.
    case loadReaderSession(onCompletion: @Sendable (ReaderSession) -> Void)
    /// Calls `onChange` with the connected readers: now, and after every change of the list or of a reader's battery
    /// level, one call at a time. The calls end when the returned subscription is canceled or released.
    case observeConnectedReaders(
        onChange: @Sendable ([CardReader]) -> Void, onCompletion: Completion<Subscription>)
    /// Returns a stream of the connected readers: the current list, then each change.
    case publishCardReaderConnections(onCompletion: @Sendable (AsyncStream<[CardReader]>) -> Void)

    /// Returns a stream of the reconnection states: the current state, then each change.
    case observeCardReaderReconnection(onCompletion: @Sendable (AsyncStream<CardReaderReconnectionState>) -> Void)
    /// Cancels the reconnection of a lost reader. Succeeds when none was lost.
    case cancelCardReaderReconnection(onCompletion: Completion<Void>)

    /// Returns the remembered readers, the most recently used first.
    case loadRememberedCardReaders(onCompletion: Completion<[RememberedCardReader]>)
    /// Makes a reader the preferred one, as if it had just been used.
    case rememberCardReader(readerID: String, name: String, onCompletion: Completion<Void>)
    /// Forgets a reader, or all readers when `readerID` is nil. Completes with the number of forgotten readers.
    case forgetCardReaders(readerID: String?, onCompletion: Completion<Int>)

    /// Takes a payment and records it. Completes with the recorded payment, whatever its outcome; fails only when
    /// nothing could be recorded or started. Like every payment and refund, it fails with
    /// ``CardPresentPaymentsError/restored(_:)`` when the database turns out to be a restored backup, until
    /// ``recoverPayments(onCompletion:)`` has reported it.
    case collectPayment(
        request: PaymentRequest, onCardReaderMessage: Messages,
        onProcessingCompletion: @Sendable (PaymentIntent) -> Void,
        onCompletion: Completion<Payment>)
    /// Fetches the current amount of an order, and fails if it cannot be paid by card at the till.
    case quoteOrder(siteID: Int64, orderID: Int64, onCompletion: Completion<OrderQuote>)
    /// Takes the payment of an order and records it: fetches the order again, fails if it cannot be paid, and notifies
    /// the store site after the approval. Completes with the recorded payment; ``Payment/notification`` is the state of
    /// the notification.
    case collectOrderPayment(
        request: OrderPaymentRequest, onCardReaderMessage: Messages,
        onProcessingCompletion: @Sendable (PaymentIntent) -> Void, onCompletion: Completion<Payment>)
    /// Retries a payment that was declined, canceled, or failed. Fails while its outcome is unknown. The timeout and
    /// the online preference apply to the new attempt.
    case retryPayment(
        paymentID: PaymentID, cardTimeout: Duration, forcedOnline: Bool, onCardReaderMessage: Messages,
        onProcessingCompletion: @Sendable (PaymentIntent) -> Void, onCompletion: Completion<Payment>)
    /// Cancels the running payment. Completes after the payment, with the reader idle; succeeds when no payment is
    /// running.
    case cancelPayment(onCompletion: Completion<Void>)

    /// Loads the order of a payment, and returns what lines of it cost.
    case quoteRefund(paymentID: PaymentID, items: [RefundItem], onCompletion: Completion<RefundQuote>)
    /// Refunds a captured payment; the whole remaining amount when `amount` is nil. `lines` are those of the order that
    /// the refund names, as ``quoteRefund(paymentID:items:onCompletion:)`` returns them: they determine the amount, and
    /// another one is an error. The store site gets them with the refund. `tillRequest` is the name of the till's
    /// request that it is for, as the journal keeps it. Completes with the recorded
    /// payment, whatever the outcome of the refund: see ``Payment/refundedAmount`` and the payment's history. Fails
    /// only when nothing could be recorded or started.
    case refundPayment(
        paymentID: PaymentID, amount: Money?, lines: [RefundedLine] = [], tillRequest: String? = nil,
        onCompletion: Completion<Payment>)
    /// Captures a pre-authorization: all of it, or a part. Completes with the recorded payment, which is `authorized`
    /// still when the host has not taken the capture yet: recovery sends it again. Fails when nothing is held, and when
    /// `amount` is more than what is held.
    case capturePreauthorization(paymentID: PaymentID, amount: Money?, onCompletion: Completion<Payment>)
    /// Adds an amount to what a pre-authorization holds. Completes with the recorded payment, whose amount is the sum
    /// when the host has approved, and what it was otherwise: the last attempt of kind `increment` says why. It is
    /// taken back when the host does not answer. Then it expires after `holdDuration`; nil when that stays as it was.
    /// Fails when nothing is held, when the hold has expired, and while another increment has no result.
    case incrementPreauthorization(
        paymentID: PaymentID, amount: Money, holdDuration: Duration?, onCompletion: Completion<Payment>)
    /// Gives back what a pre-authorization holds. Completes with the recorded payment, whose outcome is unknown when
    /// the host has not confirmed it: recovery sends the reversal again. Fails when nothing is held.
    case cancelPreauthorization(paymentID: PaymentID, onCompletion: Completion<Payment>)
    /// Cancels a refund that has not been sent yet.
    case cancelRefund(onCompletion: Completion<Void>)

    /// Returns a stream of the firmware update states: the current state, then each change.
    case observeCardReaderUpdateState(
        onCompletion: @Sendable (AsyncStream<CardReaderSoftwareUpdateState>) -> Void)
    /// Installs the available update on the connected reader. Completes when the reader can be used as before; fails
    /// with the reason when it was not updated, and while a payment is running.
    case startCardReaderUpdate(onCompletion: Completion<Void>)
    /// Cancels the running firmware update. Completes with the reader working as before; fails when no update is
    /// running, or when the reader would be left without firmware.
    case cancelCardReaderUpdate(onCompletion: Completion<Void>)

    /// Disconnects the reader and resets everything except the records.
    case reset(onCompletion: Completion<Void>)
    /// Fetches a charge of WooPayments and stores it; deletes the stored one if it does not exist. Fails when another
    /// gateway is selected.
    case fetchWCPayCharge(siteID: Int64, chargeID: String, onCompletion: Completion<WCPayCharge>)

    /// Finishes every attempt that an ended process left open, and reports whether the database was restored from a
    /// backup: see ``RecoveryReport/restored``.
    case recoverPayments(onCompletion: Completion<RecoveryReport>)
    /// Notifies the store site of every payment with an open notification; with `paymentID`, checks that payment again,
    /// even if the site rejected it or there is a conflict.
    case syncOrderPayments(paymentID: PaymentID?, onCompletion: Completion<OrderPaymentReport>)
    /// Records that a person accepts that the store site does not show a payment or its refunds, and why: it is dealt
    /// with there, and nothing is sent any more. Completes with the payment.
    case acceptOrderPayment(paymentID: PaymentID, reason: String, onCompletion: Completion<Payment>)
    /// Returns the payments that people have to decide about, newest first: the store site rejects the payment or one
    /// of its refunds, or shows something else.
    case loadPaymentsToReview(onCompletion: Completion<[Payment]>)
    /// Returns the payments that match a filter, newest first.
    case loadPayments(
        matching: PaymentFilter = PaymentFilter(), limit: Int?, onCompletion: Completion<[Payment]>)
    /// Returns the payments of one order, newest first.
    case loadOrderPayments(siteID: Int64, orderID: Int64, onCompletion: Completion<[Payment]>)
    /// Returns one payment with the history of its attempts.
    case loadPayment(paymentID: PaymentID, onCompletion: Completion<PaymentHistory>)

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
        case .syncOrderPayments(let id, _): ["payment": id?.description ?? "all"]
        case .acceptOrderPayment(let id, _, _): ["payment": id.description]
        case .retryPayment(let id, _, _, _, _, _), .loadPayment(let id, _): ["payment": id.description]
        case .quoteRefund(let id, let items, _): ["payment": id.description, "lines": String(items.count)]
        case .refundPayment(let id, let amount, let lines, _, _):
            ["payment": id.description, "amount": amount?.description ?? "all", "lines": String(lines.count)]
        case .capturePreauthorization(let id, let amount, _):
            ["payment": id.description, "amount": amount?.description ?? "all"]
        case .incrementPreauthorization(let id, let amount, _, _):
            ["payment": id.description, "amount": amount.description]
        case .cancelPreauthorization(let id, _): ["payment": id.description]
        case .fetchWCPayCharge(let siteID, let chargeID, _): ["site": String(siteID), "charge": chargeID]
        case .loadOrderPayments(let siteID, let orderID, _): ["site": String(siteID), "order": String(orderID)]
        case .loadPayments(_, let limit, _): ["limit": limit.map(String.init) ?? "none"]
        case .selectedPaymentGatewayAccount, .loadActivePaymentGatewayExtension, .cancelCardReaderDiscovery,
            .disconnect, .loadReaderSession, .observeConnectedReaders, .publishCardReaderConnections, .cancelPayment,
            .cancelRefund, .observeCardReaderUpdateState,
            .startCardReaderUpdate, .cancelCardReaderUpdate, .reset, .recoverPayments, .observeCardReaderReconnection,
            .cancelCardReaderReconnection, .loadRememberedCardReaders, .loadPaymentsToReview:
            [:]
        }
    }
}
