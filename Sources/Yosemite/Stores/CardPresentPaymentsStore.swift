internal import Amounts
public import Determinism
public import Hardware
public import Storage
internal import Synchronization

/// Takes card-present payments and records them.
public final class CardPresentPaymentsStore: Store {
    public typealias SupportedAction = CardPresentPaymentsAction

    private struct State {
        var account: PaymentGatewayAccount?
        var discovery: Task<Void, Never>?
        var running: Running?
    }

    /// The one thing that moves money now.
    private struct Running {
        enum Kind { case payment, refund, recovery }

        let kind: Kind
        let task: Task<Void, Never>
    }

    private let service: any CardReaderService
    private let host: JournallingPaymentHost
    private let journal: PaymentJournal
    private let receipts: ReceiptComposer
    private let history: StoredCardHistory?
    private let readers: ReaderRegister?
    private let time: any TimeSource
    private let state = Mutex(State())

    /// - Parameters:
    ///   - host: the payment host.
    ///   - journal: where everything is recorded.
    ///   - merchant: stands at the head of receipts.
    ///   - history: remembers cards that approved offline; the one that the reader service asks. Nil when nobody does.
    ///   - readers: remembers the readers that are used; nil when none is to be remembered.
    ///   - time: what the records are dated by.
    ///   - makeService: makes the reader service around the host that it is to talk to, which writes the
    ///     journal before it passes anything on to `host`.
    public init(
        host: any PaymentHost, journal: PaymentJournal, merchant: Merchant, history: StoredCardHistory? = nil,
        readers: ReaderRegister? = nil, time: any TimeSource,
        service makeService: (any PaymentHost) -> any CardReaderService
    ) {
        let journalling = JournallingPaymentHost(host: host, journal: journal, time: time)
        (self.host, self.journal, self.history, self.time) = (journalling, journal, history, time)
        self.readers = readers
        receipts = ReceiptComposer(merchant: merchant, time: time)
        service = makeService(journalling)
    }

    public func onAction(_ action: CardPresentPaymentsAction) {
        switch action {
        case .use(let account): use(account)
        case .selectedPaymentGatewayAccount(let onCompletion): onCompletion(state.withLock { $0.account })
        case .loadActivePaymentGatewayExtension(let onCompletion):
            onCompletion(state.withLock { $0.account }.flatMap { PaymentGatewayExtension(rawValue: $0.gatewayID) })
        case .loadAccounts(_, let onCompletion): onCompletion(.failure(.noStoreSite))
        case .fetchWCPayCharge(_, _, let onCompletion): onCompletion(.failure(.noStoreSite))

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
                // A reader that cannot be written down takes payments all the same.
                try? readers?.remember(id: connected.id, name: connected.name, at: time.now())
                return connected
            }
        case .disconnect(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.disconnect() }
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
            collect(request, onMessage, onProcessed, onCompletion) { [journal, host, time] () throws(JournalError) in
                try journal.begin(
                    siteID: request.siteID, orderID: request.orderID, amount: request.amount, hostName: host.name,
                    at: time.now())
            }
        case .retryPayment(let id, let cardTimeout, let forcedOnline, let onMessage, let onProcessed, let onCompletion):
            retry(
                PaymentID(rawValue: id), cardTimeout: cardTimeout, forcedOnline: forcedOnline, onMessage, onProcessed,
                onCompletion)
        case .cancelPayment(let onCompletion): cancel(.payment, onCompletion)
        case .cancelRefund(let onCompletion): cancel(.refund, onCompletion)
        case .refundPayment(let id, let amount, let onCompletion):
            let refund = RefundCollection(
                journal: journal, host: host, service: service, receipts: receipts, time: time)
            runAlone(.refund, onCompletion) { () async throws(CardPresentPaymentsError) in
                try await refund.run(PaymentID(rawValue: id), amount: amount)
            }

        case .observeCardReaderUpdateState(let onCompletion):
            Task { [service] in onCompletion(await service.softwareUpdateEvents) }
        case .startCardReaderUpdate(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.installUpdate() }
        case .cancelCardReaderUpdate(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.cancelUpdate() }
        case .reset(let onCompletion):
            Task {
                await self.endDiscovery()
                await self.endRunning()
                await self.service.clear()
                self.state.withLock { $0.account = nil }
                onCompletion(.success(()))
            }

        case .recoverPayments(let onCompletion): recover(onCompletion)
        case .loadPayments(let limit, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try journal.payments(limit: limit).map(Payment.init)
            }
        case .loadOrderPayments(let siteID, let orderID, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try journal.payments(matching: PaymentFilter(siteID: siteID, orderID: orderID)).map(Payment.init)
            }
        case .loadPayment(let id, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try PaymentHistory(PaymentID(rawValue: id), in: journal)
            }
        }
    }

    // MARK: Payments

    private func collect(
        _ request: PaymentRequest, _ onMessage: @escaping CardPresentPaymentsAction.Messages,
        _ onProcessed: @escaping @Sendable (PaymentIntent) -> Void,
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Payment>,
        begin: @escaping @Sendable () throws(JournalError) -> JournalEntry
    ) {
        let collection = PaymentCollection(
            journal: journal, host: host, service: service, receipts: receipts, history: history, time: time)
        runAlone(.payment, onCompletion) { () async throws(CardPresentPaymentsError) in
            let entry: JournalEntry
            do throws(JournalError) { entry = try begin() } catch { throw .journal(error) }
            return try await collection.run(entry, request: request, onMessage: onMessage, onProcessed: onProcessed)
        }
    }

    private func retry(
        _ id: PaymentID, cardTimeout: Duration, forcedOnline: Bool,
        _ onMessage: @escaping CardPresentPaymentsAction.Messages,
        _ onProcessed: @escaping @Sendable (PaymentIntent) -> Void,
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Payment>
    ) {
        do throws(JournalError) {
            let payment = try journal.payment(id)
            let request = PaymentRequest(
                siteID: payment.siteID, orderID: payment.orderID, amount: payment.amount, cardTimeout: cardTimeout,
                forcedOnline: forcedOnline)
            collect(request, onMessage, onProcessed, onCompletion) { [journal, host, time] () throws(JournalError) in
                try journal.retry(id, hostName: host.name, at: time.now())
            }
        } catch {
            onCompletion(.failure(.journal(error)))
        }
    }

    /// Runs one payment, refund or recovery, and nothing else that moves money beside it: recovery would take a
    /// running attempt for one that was left in the middle.
    private func runAlone<Value: Sendable>(
        _ kind: Running.Kind, _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Value>,
        _ body: @escaping @Sendable () async throws(CardPresentPaymentsError) -> Value
    ) {
        let isFree = state.withLock { state in
            guard state.running == nil else { return false }
            // Made under the lock: a cancel that comes next finds it.
            let task = Task {
                let result: Result<Value, CardPresentPaymentsError>
                do throws(CardPresentPaymentsError) {
                    result = .success(try await body())
                } catch {
                    result = .failure(error)
                }
                self.state.withLock { $0.running = nil }
                onCompletion(result)
            }
            state.running = Running(kind: kind, task: task)
            return true
        }
        if !isFree { onCompletion(.failure(.busy)) }
    }

    /// Cancels what runs, if it is of this kind, and waits until the reader is idle.
    private func cancel(_ kind: Running.Kind, _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Void>) {
        let running = state.withLock { $0.running }
        guard let running, running.kind == kind else {
            onCompletion(.success(()))
            return
        }
        running.task.cancel()
        Task {
            await running.task.value
            onCompletion(.success(()))
        }
    }

    /// Cancels a payment that runs, and waits until it, or whatever else runs, is recorded.
    private func endRunning() async {
        let running = state.withLock { $0.running }
        if running?.kind == .payment { running?.task.cancel() }
        await running?.task.value
    }

    private func recover(_ onCompletion: @escaping CardPresentPaymentsAction.Completion<RecoveryReport>) {
        let recovery = PaymentRecovery(journal: journal, host: host, receipts: receipts, time: time)
        runAlone(.recovery, onCompletion) { () async throws(CardPresentPaymentsError) in
            do throws(JournalError) { return try await recovery.run() } catch { throw .journal(error) }
        }
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
        let previous = state.withLock { state in
            defer { state.discovery = task }
            return state.discovery
        }
        previous?.cancel()
    }

    private func endDiscovery() async {
        let discovery = state.withLock { state in
            defer { state.discovery = nil }
            return state.discovery
        }
        discovery?.cancel()
        await discovery?.value
        await service.cancelDiscovery()
    }

    private func use(_ account: PaymentGatewayAccount) {
        let previous = state.withLock { state in
            defer { state.account = account }
            return state.account
        }
        // The first account is no change: a reader that was connected before it stays connected.
        guard let previous, previous != account else { return }
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
