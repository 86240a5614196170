import Determinism
public import Hardware
public import Money
public import Payments
import Simulator
import StoreSite
public import Yosemite

extension SimulatedSession {
    // MARK: Readers

    /// Discovers readers with the till and connects one.
    ///
    /// - Parameter name: the reader's name in the plan; nil for the first reader.
    /// - Returns: the reader as the till reports it.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func connect(_ name: String? = nil) async throws(SimulatedSessionError) -> CardReader {
        let reader = try world.reader(name)
        return try await step("connect \(reader.name)") { () async throws(SimulatedSessionError) in
            let connected = try await connectReader(reader)
            self.connected = reader.name
            return connected
        } end: {
            $0.id
        }
    }

    /// Discovers readers with the till, or with another process, and connects one.
    func connectReader(
        _ reader: SessionReader, at process: SessionProcess? = nil
    ) async throws(SimulatedSessionError) -> CardReader {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await perform(at: process) {
            .startCardReaderDiscovery(
                discoveryMethod: .usb, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0)
        } as Void
        var found: [CardReader] = []
        // The first list holds the readers that are plugged in now.
        for await list in lists {
            found = list
            break
        }
        let wanted = await reader.seen()?.id
        guard let seen = found.first(where: { $0.id == wanted }) else { throw .readerNotFound(reader.name) }
        return try await perform(at: process) { .connect(reader: seen, onCompletion: $0) }
    }

    /// Disconnects the reader.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func disconnect() async throws(SimulatedSessionError) {
        try await step("disconnect") { () async throws(SimulatedSessionError) in
            try await perform { .disconnect(onCompletion: $0) } as Void
            self.connected = nil
        } end: {
            "done"
        }
    }

    /// Installs the firmware that is offered for the connected reader.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func installUpdate() async throws(SimulatedSessionError) {
        try await step("update") { () async throws(SimulatedSessionError) in
            try await perform { .startCardReaderUpdate(onCompletion: $0) } as Void
        } end: {
            "done"
        }
    }

    // MARK: Payments

    /// Takes a payment at the connected reader.
    ///
    /// - Parameters:
    ///   - amount: the amount to pay.
    ///   - options: the card, the cardholder, and the conditions.
    /// - Returns: the recorded payment, whatever its outcome.
    /// - Throws: ``SimulatedSessionError`` when the payment could not start, or its outcome could not be recorded.
    public func pay(
        _ amount: Money, _ options: PaymentOptions = PaymentOptions()
    ) async throws(SimulatedSessionError) -> Payment {
        let request = PaymentRequest(
            amount: amount, cardTimeout: options.cardTimeout, forcedOnline: options.isForcedOnline,
            holdDuration: options.isHeld ? Self.holdDuration : nil, allowsPartial: options.allowsPartial)
        return try await collect("pay \(amount)", options) { session, onCompletion in
            .collectPayment(
                request: request, onCardReaderMessage: { session.take($0) },
                onProcessingCompletion: { session.take(processed: $0) },
                onCompletion: onCompletion)
        }
    }

    /// Takes the payment for an order of the store.
    ///
    /// - Parameters:
    ///   - order: the order's number; see ``unpaidOrders``.
    ///   - expected: the total that the customer was shown; nil to accept any total.
    ///   - options: the card, the cardholder, and the conditions.
    /// - Returns: the recorded payment, whatever its outcome.
    /// - Throws: ``SimulatedSessionError`` when the payment could not start, or its outcome could not be recorded.
    public func pay(
        order: Int64, expected: Money? = nil, _ options: PaymentOptions = PaymentOptions()
    ) async throws(SimulatedSessionError) -> Payment {
        let request = OrderPaymentRequest(
            siteID: SessionSite.siteID, orderID: order, expectedAmount: expected, cardTimeout: options.cardTimeout,
            forcedOnline: options.isForcedOnline)
        return try await collect("pay order \(order)", options) { session, onCompletion in
            .collectOrderPayment(
                request: request, onCardReaderMessage: { session.take($0) },
                onProcessingCompletion: { session.take(processed: $0) },
                onCompletion: onCompletion)
        }
    }

    /// Retries a payment that was declined, canceled, or failed.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - options: the card, the cardholder, and the conditions.
    /// - Returns: the recorded payment, whatever its outcome.
    /// - Throws: ``SimulatedSessionError``
    public func retry(
        _ payment: PaymentID, _ options: PaymentOptions = PaymentOptions()
    ) async throws(SimulatedSessionError) -> Payment {
        try await collect("retry \(payment)", options) { session, onCompletion in
            .retryPayment(
                paymentID: payment, cardTimeout: options.cardTimeout,
                forcedOnline: options.isForcedOnline,
                onCardReaderMessage: { session.take($0) }, onProcessingCompletion: { session.take(processed: $0) },
                onCompletion: onCompletion)
        }
    }

    private func collect(
        _ words: String, _ options: PaymentOptions,
        _ makeAction:
            @escaping @Sendable (
                SimulatedSession, @escaping CardPresentPaymentsAction.Completion<Payment>
            ) -> CardPresentPaymentsAction
    ) async throws(SimulatedSessionError) -> Payment {
        let card = try world.card(options.card)
        let reader = try world.reader(options.reader ?? connected)
        return try await step(words) { () async throws(SimulatedSessionError) in
            if options.isByHand {
                world.person.standBack(from: reader, with: card)
            } else {
                world.bringPerson(
                    with: card, to: reader, conduct: options.cardholder, presentsCard: options.presentsCard)
            }
            defer { world.person.attendant.leave() }
            return try await telling(.pay) { () async throws(SimulatedSessionError) in
                try await perform { makeAction(self, $0) }
            }
        } end: { payment in
            ([payment.name, payment.outcome.rawValue] + (payment.errorCode.map { [$0] } ?? [])).joined(separator: " ")
        }
    }

    /// Handles a reader event that a payment reports.
    private func take(_ event: CardReaderEvent) {
        world.toldEvents.add(event)
        let (kind, detail) = SessionEvent.words(event)
        process.life.note(kind, detail)
        world.person.observe(event)
    }

    /// Cancels the current payment and waits until the reader is idle.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func cancel() async throws(SimulatedSessionError) {
        try await step("cancel") { () async throws(SimulatedSessionError) in
            try await perform { .cancelPayment(onCompletion: $0) } as Void
        } end: {
            "done"
        }
    }

    /// How long the issuer holds the amount of a pre-authorization: a week.
    private static let holdDuration = Duration.seconds(7 * 86_400)

    /// Captures a pre-authorization, in full or in part.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - amount: the amount to capture; nil for all.
    /// - Returns: the recorded payment, which is authorized still when the host has not taken the capture.
    /// - Throws: ``SimulatedSessionError``
    public func capture(
        _ payment: PaymentID, amount: Money? = nil
    ) async throws(SimulatedSessionError) -> Payment {
        try await step("capture \(payment) \(amount?.description ?? "all")") {
            () async throws(SimulatedSessionError) in
            try await telling(.capture) { () async throws(SimulatedSessionError) in
                try await perform { .capturePreauthorization(paymentID: payment, amount: amount, onCompletion: $0) }
            }
        } end: {
            "\($0.name) \($0.state.rawValue) \($0.amount.minorUnits)"
        }
    }

    /// Adds an amount to what a pre-authorization holds.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - amount: what is added.
    /// - Returns: the recorded payment. Its last attempt of kind `increment` says what became of it.
    /// - Throws: ``SimulatedSessionError``
    public func increment(_ payment: PaymentID, by amount: Money) async throws(SimulatedSessionError) -> Payment {
        try await step("increment \(payment) \(amount)") { () async throws(SimulatedSessionError) in
            try await telling(.increment) { () async throws(SimulatedSessionError) in
                try await perform {
                    .incrementPreauthorization(paymentID: payment, amount: amount, holdDuration: nil, onCompletion: $0)
                }
            }
        } end: {
            "\($0.name) \($0.state.rawValue) \($0.amount.minorUnits)"
        }
    }

    /// Gives back what a pre-authorization holds.
    ///
    /// - Parameter payment: the payment's number.
    /// - Returns: the recorded payment.
    /// - Throws: ``SimulatedSessionError``
    public func cancelPreauthorization(_ payment: PaymentID) async throws(SimulatedSessionError) -> Payment {
        try await step("cancel \(payment)") { () async throws(SimulatedSessionError) in
            try await telling(.cancelPayment) { () async throws(SimulatedSessionError) in
                try await perform { .cancelPreauthorization(paymentID: payment, onCompletion: $0) }
            }
        } end: {
            "\($0.name) \($0.state.rawValue)"
        }
    }

    /// Refunds a payment, in full or in part.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - amount: the amount to refund; nil for the rest.
    /// - Returns: the recorded payment, whatever the refund's outcome.
    /// - Throws: ``SimulatedSessionError``
    public func refund(
        _ payment: PaymentID, amount: Money? = nil
    ) async throws(SimulatedSessionError) -> Payment {
        try await step("refund \(payment) \(amount?.description ?? "all")") { () async throws(SimulatedSessionError) in
            try await telling(.refund) { () async throws(SimulatedSessionError) in
                try await perform { .refundPayment(paymentID: payment, amount: amount, onCompletion: $0) }
            }
        } end: {
            "\($0.name) refunded \($0.refundedAmount.minorUnits)"
        }
    }

    /// Recovers unfinished payments, as the program does at its start.
    ///
    /// - Returns: the result of the recovery.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func recover() async throws(SimulatedSessionError) -> RecoveryReport {
        try await step("recover") { () async throws(SimulatedSessionError) in
            let report = try await telling(recovery: { () async throws(SimulatedSessionError) in
                try await perform { .recoverPayments(onCompletion: $0) }
            })
            try await followAtNeighbor(recovers: true, settles: false)
            return report
        } end: {
            "finished \($0.finished.count), open \($0.open.count), failed \($0.failed.count)"
        }
    }

    /// Sends the pending payment notifications to the store, or checks one payment again.
    ///
    /// - Parameter payment: the payment's number; nil for all.
    /// - Returns: the notifications by result.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func syncPayments(_ payment: PaymentID? = nil) async throws(SimulatedSessionError) -> OrderPaymentReport {
        try await step("settle \(payment.map(String.init) ?? "all")") { () async throws(SimulatedSessionError) in
            let report: OrderPaymentReport = try await perform {
                .syncOrderPayments(paymentID: payment, onCompletion: $0)
            }
            if payment == nil { try await followAtNeighbor(recovers: false, settles: true) }
            return report
        } end: {
            "confirmed \($0.confirmed.count), open \($0.open.count), refused \($0.refused.count)"
        }
    }

    // MARK: Receipts

    /// Prints the newest receipt of a payment; marks it as a duplicate if it was printed before.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - kind: the kind of receipt; nil for the newest of any kind.
    ///   - copy: the customer's or the merchant's copy.
    /// - Returns: the print job in its last known state.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func printReceipt(
        of payment: PaymentID, kind: ReceiptContent.Kind? = nil, copy: ReceiptCopy = .customer
    ) async throws(SimulatedSessionError) -> ReceiptPrint {
        try await step("print \(payment) \(copy.rawValue)") { () async throws(SimulatedSessionError) in
            let receipt: StoredReceipt = try await performReceipt {
                .loadReceipt(paymentID: payment, kind: kind, onCompletion: $0)
            }
            return try await performReceipt {
                .print(
                    request: ReceiptPrintRequest(receipt, copy: copy), onChange: { _ in },
                    onCompletion: $0)
            }
        } end: {
            "\($0.state.rawValue) \($0.name)"
        }
    }

    // MARK: Time

    /// Lets simulated time pass.
    public func wait(_ duration: Duration) async {
        currentStep.begin("wait", at: world.clock.now())
        try? await world.clock.sleep(for: duration)
    }

    /// The simulated time since the session began.
    public var elapsed: Duration { world.log.elapsed }
}

extension SimulatedSession {
    /// Performs an act now, later, or when an event occurs.
    ///
    /// - Parameters:
    ///   - act: the act.
    ///   - trigger: when to perform it; nil for now.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    public func perform(_ act: SessionAct, when trigger: SessionTrigger? = nil) throws(SimulatedSessionError) {
        world.perform(act, when: trigger, try world.deed(act) ?? tillDeed(act))
    }

    /// Returns the work of an act on the till.
    private func tillDeed(_ act: SessionAct) -> @Sendable () -> Void {
        { [weak self] in
            switch act {
            case .cancelPayment: self?.send { .cancelPayment(onCompletion: { _ in }) }
            case .cancelRefund: self?.send { .cancelRefund(onCompletion: { _ in }) }
            case .cancelUpdate: self?.send { .cancelCardReaderUpdate(onCompletion: { _ in }) }
            case .crash: self?.crash()
            case .leaseLoss: self?.process.loseLease()
            // An event of a transaction may have triggered it.
            case .neighbor(let act): if let self { Task { await self.performAtNeighbor(act) } }
            case .neighborPays(let bill): if let self { Task { await self.payAtNeighbor(bill) } }
            default: break
            }
        }
    }

    /// Chooses an application in a payment by hand.
    ///
    /// - Parameter index: the application's index in ``SessionNeed/application(_:)``; nil to cancel.
    /// - Returns: false when the payment isn't waiting for a choice, or has no such application.
    public func choose(_ index: Int?) -> Bool { world.person.attendant.choose(index) }

    /// Adds a reader to the session.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when its name is taken, or the bus is full.
    public func add(_ reader: PlannedReader) throws(SimulatedSessionError) { try world.add(reader) }

    /// Dispatches an action to the till without waiting for its result.
    private func send(_ makeAction: () -> CardPresentPaymentsAction) {
        let process = process
        guard process.life.isAlive else { return }
        try? process.stores.dispatch(makeAction())
    }
}
