public import Amounts
internal import Determinism
public import Hardware
internal import Simulator
public import Yosemite

extension SimulatedSession {
    // MARK: Readers

    /// Has the till look for readers, and connects one.
    ///
    /// - Parameter name: the reader as the plan calls it; nil for the first one.
    /// - Returns: the reader as the till has it.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func connect(_ name: String? = nil) async throws(SimulatedSessionError) -> CardReader {
        let reader = try world.reader(name)
        return try await step("connect \(reader.name)") { () async throws(SimulatedSessionError) in
            let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
            try await perform {
                .startCardReaderDiscovery(
                    discoveryMethod: .usb, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0)
            } as Void
            var found: [CardReader] = []
            // The first list holds what is plugged in now.
            for await list in lists {
                found = list
                break
            }
            let wanted = await reader.seen()?.id
            guard let seen = found.first(where: { $0.id == wanted }) else { throw .readerNotFound(reader.name) }
            let connected: CardReader = try await perform { .connect(reader: seen, onCompletion: $0) }
            self.connected = reader.name
            return connected
        } end: {
            $0.id
        }
    }

    /// Lets go of the reader.
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
    ///   - amount: what is to be paid.
    ///   - options: who pays, and how.
    /// - Returns: the payment as it is recorded, however it ended.
    /// - Throws: ``SimulatedSessionError`` when nothing was started, or its end could not be recorded.
    public func pay(
        _ amount: Money, _ options: PaymentOptions = PaymentOptions()
    ) async throws(SimulatedSessionError) -> Yosemite.Payment {
        let request = PaymentRequest(
            amount: amount, cardTimeout: options.cardTimeout, forcedOnline: options.isForcedOnline)
        return try await collect("pay \(amount)", options) { session, onCompletion in
            .collectPayment(
                request: request, onCardReaderMessage: { session.take($0) }, onProcessingCompletion: { _ in },
                onCompletion: onCompletion)
        }
    }

    /// Takes the payment of an order of the store.
    ///
    /// - Parameters:
    ///   - order: its number at the store; see ``unpaidOrders``.
    ///   - expected: what the customer was told; nil when nobody was told anything.
    ///   - options: who pays, and how.
    /// - Returns: the payment as it is recorded, however it ended.
    /// - Throws: ``SimulatedSessionError`` when nothing was started, or its end could not be recorded.
    public func pay(
        order: Int64, expected: Money? = nil, _ options: PaymentOptions = PaymentOptions()
    ) async throws(SimulatedSessionError) -> Yosemite.Payment {
        let request = OrderPaymentRequest(
            siteID: SessionSite.siteID, orderID: order, expectedAmount: expected, cardTimeout: options.cardTimeout,
            forcedOnline: options.isForcedOnline)
        return try await collect("pay order \(order)", options) { session, onCompletion in
            .collectOrderPayment(
                request: request, onCardReaderMessage: { session.take($0) }, onProcessingCompletion: { _ in },
                onCompletion: onCompletion)
        }
    }

    /// Tries a payment again that was declined, cancelled or failed.
    ///
    /// - Parameters:
    ///   - payment: its number.
    ///   - options: who pays, and how.
    /// - Returns: the payment as it is recorded, however it ended.
    /// - Throws: ``SimulatedSessionError``
    public func retry(
        _ payment: Int64, _ options: PaymentOptions = PaymentOptions()
    ) async throws(SimulatedSessionError) -> Yosemite.Payment {
        try await collect("retry \(payment)", options) { session, onCompletion in
            .retryPayment(
                paymentID: payment, cardTimeout: options.cardTimeout, forcedOnline: options.isForcedOnline,
                onCardReaderMessage: { session.take($0) }, onProcessingCompletion: { _ in }, onCompletion: onCompletion)
        }
    }

    private func collect(
        _ words: String, _ options: PaymentOptions,
        _ makeAction:
            @escaping @Sendable (
                SimulatedSession, @escaping CardPresentPaymentsAction.Completion<Yosemite.Payment>
            ) -> CardPresentPaymentsAction
    ) async throws(SimulatedSessionError) -> Yosemite.Payment {
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
            return try await perform { makeAction(self, $0) }
        } end: { payment in
            ([payment.name, payment.outcome.rawValue] + (payment.errorCode.map { [$0] } ?? [])).joined(separator: " ")
        }
    }

    /// What a payment tells of the reader.
    private func take(_ event: CardReaderEvent) {
        world.toldEvents.add(event)
        let (kind, detail) = SessionEvent.words(event)
        process.life.note(kind, detail)
        world.person.observe(event)
    }

    /// Asks the till to cancel the payment that runs, and waits until the reader is idle.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func cancel() async throws(SimulatedSessionError) {
        try await step("cancel") { () async throws(SimulatedSessionError) in
            try await perform { .cancelPayment(onCompletion: $0) } as Void
        } end: {
            "done"
        }
    }

    /// Gives money back.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - amount: how much; nil for all that is left.
    /// - Returns: the payment as it is recorded, whatever became of the refund.
    /// - Throws: ``SimulatedSessionError``
    public func refund(
        _ payment: Int64, amount: Money? = nil
    ) async throws(SimulatedSessionError) -> Yosemite.Payment {
        try await step("refund \(payment) \(amount?.description ?? "all")") { () async throws(SimulatedSessionError) in
            try await perform { .refundPayment(paymentID: payment, amount: amount, onCompletion: $0) }
        } end: {
            "\($0.name) refunded \($0.refundedMinorUnits)"
        }
    }

    /// Finishes what was left in the middle, as the program does when it begins.
    ///
    /// - Returns: what was done.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func recover() async throws(SimulatedSessionError) -> RecoveryReport {
        try await step("recover") { () async throws(SimulatedSessionError) in
            try await perform { .recoverPayments(onCompletion: $0) }
        } end: {
            "finished \($0.finished.count), open \($0.open.count), failed \($0.failed.count)"
        }
    }

    /// Tells the store of every payment that it has still to be told of, or looks again at one.
    ///
    /// - Parameter payment: its number; nil for all.
    /// - Returns: what became of them.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func settle(_ payment: Int64? = nil) async throws(SimulatedSessionError) -> CaptureReport {
        try await step("settle \(payment.map(String.init) ?? "all")") { () async throws(SimulatedSessionError) in
            try await perform { .settleCaptures(paymentID: payment, onCompletion: $0) }
        } end: {
            "confirmed \($0.confirmed.count), open \($0.open.count), refused \($0.refused.count)"
        }
    }

    // MARK: Receipts

    /// Prints the newest receipt of a payment; one that was printed before comes as a duplicate.
    ///
    /// - Parameters:
    ///   - payment: its number.
    ///   - kind: which receipt; nil for the newest of any kind.
    ///   - copy: for whom.
    /// - Returns: the print, as far as it came.
    /// - Throws: ``SimulatedSessionError``
    @discardableResult
    public func printReceipt(
        of payment: Int64, kind: ReceiptContent.Kind? = nil, copy: ReceiptCopy = .customer
    ) async throws(SimulatedSessionError) -> ReceiptPrint {
        try await step("print \(payment) \(copy.rawValue)") { () async throws(SimulatedSessionError) in
            let receipt: StoredReceipt = try await performReceipt {
                .loadReceipt(paymentID: payment, kind: kind, onCompletion: $0)
            }
            return try await performReceipt {
                .print(
                    request: ReceiptPrintRequest(receiptID: receipt.id, copy: copy), onChange: { _ in },
                    onCompletion: $0)
            }
        } end: {
            "\($0.state.rawValue) \($0.name)"
        }
    }

    // MARK: Time

    /// Lets time go by.
    public func wait(_ duration: Duration) async {
        currentStep.begin("wait", at: world.clock.now())
        try? await world.clock.sleep(for: duration)
    }

    /// Since the session began, on its clock.
    public var elapsed: Duration { world.log.elapsed }
}
