public import Determinism
public import Hardware
import Money
import Networking
public import Payments
public import Storage
import Synchronization

/// Takes card-present payments and records them.
public final class CardPresentPaymentsStore: Store {
    private let service: any CardReaderService
    private let session: ReaderSession
    private let host: JournalingPaymentHost
    private let journal: PaymentJournal
    private let receipts: ReceiptWriter
    private let history: StoredCardHistory?
    private let readers: ReaderRegister?
    private let site: PaymentSite?
    private let accounts: GatewayAccounts
    private let orderPayment: OrderPaymentRoute?
    private let captures: OrderPaymentNotifications
    private let identity: TillIdentity
    private let time: any TimeSource
    private let exclusion = PaymentExclusion()
    private let discovery = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - host: The payment host.
    ///   - journal: The record of all payments.
    ///   - merchant: The merchant on receipts.
    ///   - languages: The languages of receipts among which a card chooses; empty for none.
    ///   - history: The same card history that the reader service uses; nil for none.
    ///   - readers: The remembered readers; nil to remember none.
    ///   - site: The store site that the user is signed in to; nil for none. Its records are in the journal's database.
    ///   - orderPayment: How orders become paid at the store site; nil for its gateway, or else the till.
    ///   - time: The time source for the dates of records.
    ///   - random: The source of a new identity of the database, when the host may know numbers that the journal
    ///     doesn't.
    ///   - makeService: Creates the reader service for a host that writes the journal before it forwards anything to
    ///     `host`.
    public init(
        host: any PaymentHost, journal: PaymentJournal, merchant: Merchant,
        languages: [ReceiptLanguage] = [], history: StoredCardHistory? = nil,
        readers: ReaderRegister? = nil, site: PaymentSite? = nil, orderPayment: OrderPaymentRoute? = nil,
        time: any TimeSource, random: any RandomSource,
        service makeService: (any PaymentHost) -> any CardReaderService
    ) {
        let journaling = JournalingPaymentHost(host: host, journal: journal, time: time)
        (self.host, self.journal, self.history, self.time) = (journaling, journal, history, time)
        (self.readers, self.site, self.orderPayment) = (readers, site, orderPayment)
        identity = TillIdentity(journal: journal, host: host, time: time, random: random)
        accounts = GatewayAccounts(site: site)
        captures = OrderPaymentNotifications(journal: journal, site: site, time: time)
        receipts = ReceiptWriter(merchant: merchant, languages: languages, journal: journal, time: time)
        service = makeService(journaling)
        session = ReaderSession(service)
    }

    public func onAction(_ action: CardPresentPaymentsAction) {
        switch action {
        case .use(let account): use(account)
        case .selectedPaymentGatewayAccount(let onCompletion): onCompletion(accounts.current)
        case .loadActivePaymentGatewayExtension(let onCompletion):
            onCompletion(accounts.current.flatMap { PaymentGatewayExtension(rawValue: $0.gatewayID) })
        case .loadAccounts(let siteID, let onCompletion):
            ask(onCompletion) { [accounts] () throws(CardPresentPaymentsError) in
                try await accounts.load(siteID: siteID)
            }
        case .loadConnectionToken(let siteID, let onCompletion):
            ask(onCompletion) { [accounts] () throws(CardPresentPaymentsError) in
                try await accounts.connectionToken(siteID: siteID)
            }
        case .loadDefaultReaderLocation(let siteID, let onCompletion):
            ask(onCompletion) { [accounts] () throws(CardPresentPaymentsError) in
                try await accounts.defaultReaderLocation(siteID: siteID)
            }
        case .fetchWCPayCharge(let siteID, let chargeID, let onCompletion):
            ask(onCompletion) { [accounts] () throws(CardPresentPaymentsError) in
                try await accounts.charge(chargeID, siteID: siteID)
            }

        case .checkDeviceSupport(let type, let method, let onCompletion):
            Task { [service] in onCompletion(await service.checkSupport(for: type, discoveryMethod: method)) }
        case .startCardReaderDiscovery(let method, let onReaderDiscovered, let onCompletion):
            startDiscovery(method, onReaderDiscovered, onCompletion)
        case .cancelCardReaderDiscovery(let onCompletion):
            Task {
                await self.endDiscovery()
                onCompletion(.success(()))
            }
        case .connect(let reader, let onCompletion):
            answer(onCompletion) { [service, readers, time] () throws(CardReaderServiceError) in
                let connected = try await service.connect(reader)
                // A reader that cannot be stored can still take payments.
                try? readers?.remember(id: connected.id, name: connected.name, at: time.now())
                return connected
            }
        case .disconnect(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.disconnect() }
        case .loadReaderSession(let onCompletion): onCompletion(session)
        case .observeConnectedReaders(let onChange, let onCompletion):
            onCompletion(.success(session.observeReaders(onChange)))
        case .publishCardReaderConnections(let onCompletion):
            Task { [service] in onCompletion(await service.connectedReaders) }
        case .observeCardReaderReconnection(let onCompletion):
            Task { [service] in onCompletion(await service.reconnectionStates) }
        case .cancelCardReaderReconnection(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in await service.cancelReconnection() }

        case .loadRememberedCardReaders(let onCompletion):
            look(onCompletion) { [readers] () throws(StorageError) in
                try readers?.readers().map(RememberedCardReader.init) ?? []
            }
        case .rememberCardReader(let id, let name, let onCompletion):
            look(onCompletion) { [readers, time] () throws(StorageError) in
                try readers?.remember(id: id, name: name, at: time.now())
            }
        case .forgetCardReaders(let id, let onCompletion):
            look(onCompletion) { [readers] () throws(StorageError) in try readers?.forget(id: id) ?? 0 }

        case .collectPayment(let request, let onMessage, let onProcessed, let onCompletion):
            collect(onMessage, onProcessed, onCompletion) { [journal, host, time] () throws(CardPresentPaymentsError) in
                let bill = request.tip.flatMap { ReceiptBill(request.amount, tip: $0) } ?? .none
                do throws(JournalError) {
                    let now = time.now()
                    let entry = try journal.begin(
                        siteID: request.siteID, orderID: request.orderID, amount: request.amount,
                        heldUntil: request.holdDuration.map { now.advanced(by: $0) }, hostName: host.name,
                        tillRequest: request.tillRequest, at: now)
                    return (entry, request, bill)
                } catch {
                    throw .journal(error)
                }
            }
        case .quoteOrder(let siteID, let orderID, let onCompletion):
            ask(onCompletion) { [site, accounts, orderPayment] () throws(CardPresentPaymentsError) in
                guard let site, site.siteID == siteID else { throw .noStoreSite }
                return try await OrderPreparation(site: site, accounts: accounts, route: orderPayment)
                    .quote(orderID: orderID)
            }
        case .collectOrderPayment(let request, let onMessage, let onProcessed, let onCompletion):
            collect(onMessage, onProcessed, onCompletion) {
                [self] () async throws(CardPresentPaymentsError) in try await begin(request)
            }
        case .retryPayment(let id, let cardTimeout, let forcedOnline, let onMessage, let onProcessed, let onCompletion):
            collect(onMessage, onProcessed, onCompletion) { [self] () async throws(CardPresentPaymentsError) in
                try await retry(id, cardTimeout: cardTimeout, forcedOnline: forcedOnline)
            }
        case .cancelPayment(let onCompletion): cancel(.payment, onCompletion)
        case .cancelRefund(let onCompletion): cancel(.refund, onCompletion)
        case .quoteRefund(let id, let items, let onCompletion):
            ask(onCompletion) { [journal, site] () throws(CardPresentPaymentsError) in
                try await RefundPreparation(journal: journal, site: site).quote(id, items)
            }
        case .refundPayment(let id, let amount, let lines, let tillRequest, let onCompletion):
            let operation = {
                @Sendable [collection, identity]
                () async throws(CardPresentPaymentsError) -> Payment in
                try await identity.prepare()
                return try await collection.refund(id, amount: amount, lines: lines, tillRequest: tillRequest)
            }
            exclusion.run(.refund, operation, onEnd: onCompletion)
        case .capturePreauthorization(let id, let amount, let onCompletion):
            changeHeld(onCompletion) { holds throws(CardPresentPaymentsError) in
                try await holds.capture(id, amount: amount)
            }
        case .incrementPreauthorization(let id, let amount, let holdDuration, let onCompletion):
            changeHeld(onCompletion) { holds throws(CardPresentPaymentsError) in
                try await holds.increment(id, by: amount, holdDuration: holdDuration)
            }
        case .cancelPreauthorization(let id, let onCompletion):
            changeHeld(onCompletion) { holds throws(CardPresentPaymentsError) in try await holds.cancel(id) }

        case .observeCardReaderUpdateState(let onCompletion):
            Task { [service] in onCompletion(await service.softwareUpdateEvents) }
        case .startCardReaderUpdate(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.installUpdate() }
        case .cancelCardReaderUpdate(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.cancelUpdate() }
        case .reset(let onCompletion):
            Task {
                await self.endDiscovery()
                await self.exclusion.clear()
                await self.captures.finish()
                await self.service.clear()
                self.accounts.forget()
                onCompletion(.success(()))
            }

        case .recoverPayments(let onCompletion): recover(onCompletion)
        case .syncOrderPayments(let id, let onCompletion):
            ask(onCompletion) { [captures] () async throws(CardPresentPaymentsError) in
                do throws(JournalError) {
                    return if let id { try await captures.sync(id) } else { try await captures.syncOpen() }
                } catch {
                    throw .journal(error)
                }
            }
        case .acceptOrderPayment(let id, let reason, let onCompletion):
            read(onCompletion) { [journal, time] () throws(JournalError) in
                try journal.acceptNotifications(of: id, reason: reason, at: time.now())
            }
        case .loadPaymentsToReview(let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in try journal.paymentsToReview() }
        case .loadPayments(let filter, let limit, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try journal.payments(matching: filter, limit: limit, withNotifications: true)
            }
        case .loadOrderPayments(let siteID, let orderID, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try journal.payments(matching: PaymentFilter(siteID: siteID, orderID: orderID))
            }
        case .loadPayment(let id, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try journal.history(of: id)
            }
        }
    }

    // MARK: Payments

    private var collection: PaymentCollection {
        PaymentCollection(
            journal: journal, host: host, service: service, receipts: receipts, history: history, captures: captures,
            time: time)
    }

    private typealias Begun = (entry: JournalEntry, request: PaymentRequest, bill: ReceiptBill)

    private func collect(
        _ onMessage: @escaping CardPresentPaymentsAction.Messages,
        _ onProcessed: @escaping @Sendable (PaymentIntent) -> Void,
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Payment>,
        begin: @escaping @Sendable () async throws(CardPresentPaymentsError) -> Begun
    ) {
        let operation = { @Sendable [collection, identity] () async throws(CardPresentPaymentsError) -> Payment in
            try await identity.prepare()
            let (entry, request, bill) = try await begin()
            return try await collection.run(
                entry, request: request, bill: bill, onMessage: onMessage, onProcessed: onProcessed)
        }
        exclusion.run(.payment, operation, onEnd: onCompletion)
    }

    private func begin(_ request: OrderPaymentRequest) async throws(CardPresentPaymentsError) -> Begun {
        guard let site, site.siteID == request.siteID else { throw .noStoreSite }
        let prepared = try await OrderPreparation(site: site, accounts: accounts, route: orderPayment).run(
            orderID: request.orderID, expected: request.expectedAmount)
        let entry = try recording { () throws(JournalError) in
            try journal.begin(prepared.order, amount: prepared.amount, hostName: host.name, at: time.now())
        }
        return (
            entry,
            PaymentRequest(
                siteID: request.siteID, orderID: request.orderID, amount: prepared.amount,
                cardTimeout: request.cardTimeout, accountType: request.accountType,
                forcedOnline: request.forcedOnline, metadata: prepared.metadata), prepared.bill
        )
    }

    private func retry(
        _ id: PaymentID, cardTimeout: Duration, forcedOnline: Bool
    ) async throws(CardPresentPaymentsError) -> Begun {
        let payment = try recording { () throws(JournalError) in try journal.payment(id) }
        var request = PaymentRequest(
            siteID: payment.siteID, orderID: payment.orderID, amount: payment.amount, cardTimeout: cardTimeout,
            forcedOnline: forcedOnline)
        let capture = try recording { () throws(JournalError) in try journal.notification(of: id) }
        // The items of an amount without an order can only come from the receipt of the previous attempt.
        var bill = receipts.bill(of: id)
        if let order = payment.orderID, let capture {
            guard let site, site.covers(capture, of: payment) else { throw .noStoreSite }
            let prepared = try await OrderPreparation(site: site, accounts: accounts, route: orderPayment).run(
                orderID: order, expected: payment.amount)
            (request.metadata, bill) = (prepared.metadata, prepared.bill)
        }
        return (
            try recording { () throws(JournalError) in try journal.retry(id, hostName: host.name, at: time.now()) },
            request, bill
        )
    }

    /// Captures, raises, or cancels a pre-authorization, alone.
    private func changeHeld(
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Payment>,
        _ body: @escaping @Sendable (Preauthorizations) async throws(CardPresentPaymentsError) -> Payment
    ) {
        let holds = Preauthorizations(journal: journal, host: host, receipts: receipts, time: time)
        let operation = { @Sendable [identity] () async throws(CardPresentPaymentsError) -> Payment in
            try await identity.prepare()
            return try await body(holds)
        }
        exclusion.run(.preauthorization, operation, onEnd: onCompletion)
    }

    /// Cancels the running operation, if it is of this kind, and waits until the reader is idle.
    private func cancel(
        _ kind: PaymentExclusion.Kind, _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Void>
    ) {
        // At once, so that a call from within the payment stops it immediately.
        let running = exclusion.cancel(kind)
        Task {
            await running?.value
            onCompletion(.success(()))
        }
    }

    private func recover(_ onCompletion: @escaping CardPresentPaymentsAction.Completion<RecoveryReport>) {
        let recovery = PaymentRecovery(
            journal: journal, host: host, identity: identity, receipts: receipts, time: time)
        let operation = { @Sendable () async throws(CardPresentPaymentsError) -> RecoveryReport in
            do throws(JournalError) { return try await recovery.run() } catch { throw .journal(error) }
        }
        exclusion.run(.recovery, operation, onEnd: onCompletion)
    }

    // MARK: Readers

    private func startDiscovery(
        _ method: CardReaderDiscoveryMethod, _ onReaderDiscovered: @escaping @Sendable ([CardReader]) -> Void,
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Void>
    ) {
        let task = Task { [service] in
            do throws(CardReaderServiceError) {
                try await service.start(method)
            } catch {
                onCompletion(.failure(.reader(error)))
                return
            }
            let readers = await service.discoveredReaders
            onCompletion(.success(()))
            for await list in readers { onReaderDiscovered(list) }
        }
        let previous = discovery.withLock { discovery in
            defer { discovery = task }
            return discovery
        }
        previous?.cancel()
    }

    private func endDiscovery() async {
        let running = discovery.withLock { discovery in
            defer { discovery = nil }
            return discovery
        }
        running?.cancel()
        await running?.value
        await service.cancelDiscovery()
    }

    private func use(_ account: PaymentGatewayAccount) {
        // The first account is not a change: a connected reader stays connected.
        guard accounts.use(account) else { return }
        Task { [service] in try? await service.disconnect() }
    }

    // MARK: Answers

    private func answer<Value: Sendable>(
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Value>,
        _ body: @escaping @Sendable () async throws(CardReaderServiceError) -> Value
    ) {
        Task {
            do throws(CardReaderServiceError) {
                onCompletion(.success(try await body()))
            } catch {
                onCompletion(.failure(.reader(error)))
            }
        }
    }

    private func ask<Value: Sendable>(
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Value>,
        _ body: @escaping @Sendable () async throws(CardPresentPaymentsError) -> Value
    ) {
        Task {
            do throws(CardPresentPaymentsError) {
                onCompletion(.success(try await body()))
            } catch {
                onCompletion(.failure(error))
            }
        }
    }

    private func look<Value>(
        _ onCompletion: CardPresentPaymentsAction.Completion<Value>, _ body: () throws(StorageError) -> Value
    ) {
        do throws(StorageError) {
            onCompletion(.success(try body()))
        } catch {
            onCompletion(.failure(.journal(.storage(error))))
        }
    }

    private func read<Value>(
        _ onCompletion: CardPresentPaymentsAction.Completion<Value>, _ body: () throws(JournalError) -> Value
    ) {
        do throws(JournalError) {
            onCompletion(.success(try body()))
        } catch {
            onCompletion(.failure(.journal(error)))
        }
    }
}

/// Reads or writes the journal, and converts its errors.
private func recording<Value>(_ body: () throws(JournalError) -> Value) throws(CardPresentPaymentsError) -> Value {
    do throws(JournalError) { return try body() } catch { throw .journal(error) }
}
