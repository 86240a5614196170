import Determinism
import EMV
import Hardware
import Money
import Payments
import Sessions
import Storage
import StripeTerminal
import Terminal
import TerminalServer
import TillConfiguration
import Yosemite

/// The reader and the till of this machine behind terminals: takes payments as `pay` does, with the same journal.
///
/// The till does one thing that moves money at a time, whatever protocol asks for it. A result that is not known is
/// asked for until it is.
actor TillCounter {
    typealias Report = TerminalCounter.Report

    let till: Till
    let world: TillWorld
    let settings: TillConfiguration
    /// What the journal has of the tills' requests.
    let memory: TillMemory
    private let cardTimeout: Duration
    private let progress: ProgressDisplay
    /// Measures the pauses between two recoveries.
    private let wall: any TimeSource
    /// The time of payments.
    let time: any TimeSource
    /// When the open batch began; nil for the first one.
    var batchStart: Timestamp?
    private var running: (key: IdempotencyKey, cancellation: Cancellation)?
    /// The requests that were canceled before they began.
    private var canceled: Set<IdempotencyKey> = []
    /// The newest work: the next one begins after it.
    private var last: Task<Void, Never>?
    private var isClosing = false
    /// The pause before the next recovery.
    private var sleep: Task<Void, Never>?

    /// The first pause between two recoveries, and the longest.
    static let pauses = (first: Duration.seconds(5), longest: Duration.seconds(60))

    /// - Parameters:
    ///   - till: the open till.
    ///   - world: where its work runs.
    ///   - settings: the configuration.
    ///   - cardTimeout: how long a payment waits for a card.
    ///   - progress: shows the cardholder what to do.
    ///   - wall: measures the pauses between two recoveries.
    ///   - memory: what the journal has of the tills' requests.
    init(
        till: Till, world: TillWorld, settings: TillConfiguration, cardTimeout: Duration, progress: ProgressDisplay,
        wall: any TimeSource, memory: TillMemory
    ) {
        (self.till, self.world, self.settings, self.cardTimeout) = (till, world, settings, cardTimeout)
        (self.progress, self.wall, time, self.memory) = (progress, wall, till.time, memory)
        batchStart = memory.batchStart
    }

    /// Carries out work after what was asked for before.
    func inTurn(_ work: @escaping @Sendable () async -> CounterEnd) async -> CounterEnd {
        let earlier = last
        let task = Task {
            await earlier?.value
            return await work()
        }
        last = Task { _ = await task.value }
        return await task.value
    }

    // MARK: Payments

    /// Takes a payment, or a pre-authorization.
    func take(_ request: TerminalRequest, givesReceipts: Bool, report: @escaping Report) async -> CounterEnd {
        let bill: PaymentRequest
        switch request.operation {
        case .payment(let amount, let tip):
            bill = PaymentRequest(
                amount: amount, tip: tip, cardTimeout: cardTimeout, tillRequest: request.key.rawValue)
        case .preauthorization(let amount):
            bill = PaymentRequest(
                amount: amount, cardTimeout: cardTimeout, holdDuration: settings.preauthorizationTime,
                tillRequest: request.key.rawValue)
        default: return end(.failed(.notSupported))
        }
        do throws(AmountLimitError) { try settings.check(bill.amount) } catch {
            if case .aboveMaximum = error { return end(.failed(.amountTooLarge)) }
            return end(.failed(.wrongCurrency))
        }
        guard !isClosing, canceled.remove(request.key) == nil else { return end(.canceled(.byTill)) }
        let cancellation = Cancellation()
        running = (request.key, cancellation)
        defer { running = nil }
        report(.waitingForCard)
        let payment: Payment?
        do throws(CommandFailure) {
            payment = try await world.run { [till, progress] () async throws(CommandFailure) in
                till.prepareForNextPayment()
                return try await till.pay(.amount(bill), cancellation: cancellation) { event in
                    progress.show(event)
                    if let step = TerminalProgress(event) { report(step) }
                }
            }
        } catch {
            if cancellation.isRequested, error.status == .canceled { return end(.canceled(.byTill)) }
            error.report()
            guard error.status == .outcomeUnknown else {
                return end(.failed(error.status == .reader ? .readerDefective : .internalError))
            }
            payment = await find(request, report)
        }
        guard let payment else { return end(nil) }
        return await settle(request, payment, cancellation.isRequested, givesReceipts: givesReceipts, report)
    }

    /// The payment of the journal that a request made, or changed; nil when there is none, or it can't be read now.
    func payment(of key: IdempotencyKey) -> PaymentID? { (try? memory.payment(of: key)) ?? nil }

    /// What the journal has of the payment that a request took; nil while that is open, or can't be read now.
    func standing(of key: IdempotencyKey) -> TerminalStanding? { (try? memory.standing(of: key)) ?? nil }

    /// Finds the payment whose end could not be recorded, by the request that the journal has with it.
    ///
    /// - Returns: nil when the terminal ends before it is found.
    private func find(_ request: TerminalRequest, _ report: Report) async -> Payment? {
        var pause = Self.pauses.first
        report(.recovering)
        while await recover(after: &pause) {
            guard let id = payment(of: request.key) else { continue }
            if let payment = await history(of: id)?.payment { return payment }
        }
        return nil
    }

    /// Finds out how a request ended that ran when the terminal stopped.
    func recover(_ request: TerminalRequest, givesReceipts: Bool, report: @escaping Report) async -> CounterEnd {
        guard let id = payment(of: request.key), let payment = await history(of: id)?.payment else { return end(nil) }
        return await settle(request, payment, false, givesReceipts: givesReceipts, report)
    }

    /// Waits until the result of a request is known.
    func settle(
        _ request: TerminalRequest, _ payment: Payment, _ isCanceled: Bool, givesReceipts: Bool, _ report: Report
    ) async -> CounterEnd {
        var pause = Self.pauses.first
        var outcome = try? memory.outcome(of: request)
        if outcome == nil {
            report(.recovering)
            while await recover(after: &pause) {
                outcome = try? memory.outcome(of: request)
                if outcome != nil { break }
            }
        }
        let known = await history(of: payment.id)?.payment ?? payment
        if request.operation.needsCard { progress.show(known.outcome) }
        if isCanceled, outcome == .canceled(.byCardholder) { outcome = .canceled(.byTill) }
        guard givesReceipts, let outcome else { return end(outcome) }
        return end(outcome.adding(await receipts(of: known, columns: request.receiptColumns)))
    }

    /// Lays out the copies of a payment's newest receipt for a till.
    func receipts(of payment: Payment, columns: Int) async -> [TerminalReceipt] {
        await CounterPaper(columns: columns).receipts(of: payment) { [till, world] copy, width in
            try? await world.run { () async throws(CommandFailure) in
                try await till.text(of: try await till.receipt(of: payment.id), copy: copy, width: width)
            }
        }
    }

    // MARK: The owner

    func isOnline() async -> Bool {
        guard running == nil, !world.isSimulated else { return true }
        do throws(CommandFailure) { try await till.findReader(settings) } catch { return false }
        return true
    }

    /// This terminal's display is the one of `pay`: standard error.
    func show(_ lines: [String]) { StandardError.note(lines.map { "  \($0.harmless)\n" }.joined()) }

    func cancel(_ key: IdempotencyKey) async {
        guard let running, running.key == key else {
            canceled.insert(key)
            return
        }
        await running.cancellation.request()
    }

    /// Cancels the payment that waits for a card, and asks for open results no more: the next start does.
    func close() async {
        isClosing = true
        sleep?.cancel()
        await running?.cancellation.request()
    }

    // MARK: Results

    /// Recovers open payments after a pause, and makes the next pause longer.
    ///
    /// - Returns: false when the terminal ends.
    func recover(after pause: inout Duration) async -> Bool {
        guard !isClosing else { return false }
        let sleep = Task { [wall, pause] in
            // A pause that is cut short means the end.
            do throws(CancellationError) { try await wall.sleep(for: pause) } catch {}
        }
        self.sleep = sleep
        await sleep.value
        guard !isClosing else { return false }
        pause = min(pause * 2, Self.pauses.longest)
        do throws(CommandFailure) {
            try await world.run { [till] () async throws(CommandFailure) in try await till.recover() }
        } catch {
            error.report()
        }
        return true
    }

    func history(of id: PaymentID) async -> PaymentHistory? {
        try? await world.run { [till] () async throws(CommandFailure) in try await till.payment(id) }
    }

    func end(_ outcome: TerminalOutcome?) -> CounterEnd { CounterEnd(outcome: outcome, now: time.now()) }
}

extension TerminalProgress {
    /// The step that an event of the reader shows; nil when it shows none.
    fileprivate init?(_ event: CardReaderEvent) {
        switch event {
        case .waitingForInput: self = .waitingForCard
        case .cardInserted, .cardSwiped: self = .cardPresented
        case .kernel(.choosingApplication): self = .choosingApplication
        case .kernel(.enteringPIN(let prompt)): self = prompt.isRetry ? .wrongPIN : .enteringPIN
        case .authorizing: self = .authorizing
        default: return nil
        }
    }
}
