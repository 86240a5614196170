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
        /// Whether a payment or a refund is running.
        var isBusy = false
        var isCancelled = false
        var running: Task<Void, Never>?
    }

    private let service: any CardReaderService
    private let host: JournallingPaymentHost
    private let journal: PaymentJournal
    private let receipts: ReceiptComposer
    private let time: any TimeSource
    private let state = Mutex(State())

    /// - Parameters:
    ///   - service: makes the reader service around the host that it is to talk to, which writes the
    ///     journal before it passes anything on to `host`.
    ///   - host: the payment host.
    ///   - journal: where everything is recorded.
    ///   - merchant: stands at the head of receipts.
    public init(
        host: any PaymentHost, journal: PaymentJournal, merchant: Merchant, time: any TimeSource,
        service makeService: (any PaymentHost) -> any CardReaderService
    ) {
        let journalling = JournallingPaymentHost(host: host, journal: journal, time: time)
        (self.host, self.journal, self.time) = (journalling, journal, time)
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
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.connect(reader) }
        case .disconnect(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.disconnect() }
        case .publishCardReaderConnections(let onCompletion):
            Task { [service] in onCompletion(await service.connectedReaders) }

        case .collectPayment(let request, let onMessage, let onProcessed, let onCompletion):
            collect(request, onMessage, onProcessed, onCompletion) { [journal, host, time] () throws(JournalError) in
                try journal.begin(
                    siteID: request.siteID, orderID: request.orderID, amount: request.amount, hostName: host.name,
                    at: time.now())
            }
        case .retryPayment(let id, let onMessage, let onProcessed, let onCompletion):
            retry(PaymentID(rawValue: id), onMessage, onProcessed, onCompletion)
        case .cancelPayment(let onCompletion), .cancelRefund(let onCompletion): cancel(onCompletion)
        case .refundPayment(let id, let amount, let onCompletion):
            let refund = RefundCollection(
                journal: journal, host: host, service: service, receipts: receipts, time: time)
            runAlone(onCompletion) { () async throws(CardPresentPaymentsError) in
                try await refund.run(PaymentID(rawValue: id), amount: amount)
            }

        case .observeCardReaderUpdateState(let onCompletion):
            Task { [service] in onCompletion(await service.softwareUpdateEvents) }
        case .startCardReaderUpdate(let onCompletion):
            answer(onCompletion) { [service] () throws(CardReaderServiceError) in try await service.installUpdate() }
        case .reset(let onCompletion):
            Task {
                await self.endDiscovery()
                await self.service.clear()
                self.state.withLock { $0.account = nil }
                onCompletion(.success(()))
            }

        case .recoverPayments(let onCompletion): recover(onCompletion)
        case .loadPayments(let limit, let onCompletion):
            read(onCompletion) { [journal] () throws(JournalError) in
                try journal.payments(limit: limit).map(Payment.init)
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
            journal: journal, host: host, service: service, receipts: receipts, time: time)
        runAlone(onCompletion) { () async throws(CardPresentPaymentsError) in
            let entry: JournalEntry
            do throws(JournalError) { entry = try begin() } catch { throw .journal(error) }
            return try await collection.run(entry, request: request, onMessage: onMessage, onProcessed: onProcessed)
        }
    }

    private func retry(
        _ id: PaymentID, _ onMessage: @escaping CardPresentPaymentsAction.Messages,
        _ onProcessed: @escaping @Sendable (PaymentIntent) -> Void,
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Payment>
    ) {
        do throws(JournalError) {
            let payment = try journal.payment(id)
            let request = PaymentRequest(siteID: payment.siteID, orderID: payment.orderID, amount: payment.amount)
            collect(request, onMessage, onProcessed, onCompletion) { [journal, host, time] () throws(JournalError) in
                try journal.retry(id, hostName: host.name, at: time.now())
            }
        } catch {
            onCompletion(.failure(.journal(error)))
        }
    }

    /// Runs one payment or refund, and nothing else that moves money beside it.
    private func runAlone(
        _ onCompletion: @escaping CardPresentPaymentsAction.Completion<Payment>,
        _ body: @escaping @Sendable () async throws(CardPresentPaymentsError) -> Payment
    ) {
        let isFree = state.withLock { state in
            guard !state.isBusy else { return false }
            (state.isBusy, state.isCancelled) = (true, false)
            return true
        }
        guard isFree else {
            onCompletion(.failure(.busy))
            return
        }
        let task = Task {
            let result: Result<Payment, CardPresentPaymentsError>
            do throws(CardPresentPaymentsError) {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            self.state.withLock { ($0.isBusy, $0.running) = (false, nil) }
            onCompletion(result)
        }
        let isCancelled = state.withLock { state in
            // It may have come to its end already.
            if state.isBusy { state.running = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels what runs and waits until the reader is idle. A cancel that comes before the task exists
    /// is kept for it.
    private func cancel(_ onCompletion: @escaping CardPresentPaymentsAction.Completion<Void>) {
        let running = state.withLock { state in
            state.isCancelled = state.isBusy
            return state.running
        }
        running?.cancel()
        Task {
            await running?.value
            onCompletion(.success(()))
        }
    }

    private func recover(_ onCompletion: @escaping CardPresentPaymentsAction.Completion<RecoveryReport>) {
        guard !state.withLock({ $0.isBusy }) else {
            onCompletion(.failure(.busy))
            return
        }
        let recovery = PaymentRecovery(journal: journal, host: host, receipts: receipts, time: time)
        Task {
            do throws(JournalError) {
                onCompletion(.success(try await recovery.run()))
            } catch {
                onCompletion(.failure(.journal(error)))
            }
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
