import Determinism
import EMV
import Hardware
import Money
import Payments
import Sessions
import StripeTerminal
import Terminal
import TerminalServer
import TillConfiguration
import Yosemite

/// The reader and the till of this machine behind a terminal: takes payments as `pay` does, with the same journal.
///
/// The till does one thing that moves money at a time. A result that is not known is asked for until it is.
actor TillCounter: TerminalCounter {
    private let till: Till
    private let world: TillWorld
    private let settings: TillConfiguration
    private let cardTimeout: Duration
    private let progress: ProgressDisplay
    /// Measures the pauses between two recoveries.
    private let wall: any TimeSource
    /// The time of payments.
    private let time: any TimeSource
    /// The payments of the journal by the requests that made them.
    private var payments: [IdempotencyKey: PaymentID] = [:]
    private var running: (key: IdempotencyKey, cancellation: Cancellation)?
    /// The requests that were canceled before they began.
    private var canceled: Set<IdempotencyKey> = []
    private var count = 0
    private var isClosing = false
    /// The pause before the next recovery.
    private var sleep: Task<Void, Never>?

    /// The first pause between two recoveries, and the longest.
    private static let pauses = (first: Duration.seconds(5), longest: Duration.seconds(60))

    /// - Parameters:
    ///   - till: the open till.
    ///   - world: where its work runs.
    ///   - settings: the configuration.
    ///   - cardTimeout: how long a payment waits for a card.
    ///   - progress: shows the cardholder what to do.
    ///   - wall: measures the pauses between two recoveries.
    ///   - time: the time of payments.
    init(
        till: Till, world: TillWorld, settings: TillConfiguration, cardTimeout: Duration, progress: ProgressDisplay,
        wall: any TimeSource, time: any TimeSource
    ) {
        (self.till, self.world, self.settings, self.cardTimeout) = (till, world, settings, cardTimeout)
        (self.progress, self.wall, self.time) = (progress, wall, time)
    }

    // MARK: Payments

    func take(
        _ request: TerminalRequest, with card: StripeTestCard?, at moment: Timestamp, report: @escaping Report
    ) async -> CounterEnd {
        let bill: PaymentRequest
        switch request.operation {
        case .payment(let amount, let tip):
            bill = PaymentRequest(amount: amount, tip: tip, cardTimeout: cardTimeout)
        case .preauthorization(let amount):
            bill = PaymentRequest(
                amount: amount, cardTimeout: cardTimeout, holdDuration: settings.preauthorizationTime)
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
        let newest: PaymentID?
        do throws(CommandFailure) { newest = try await newestPayment() } catch {
            error.report()
            return end(.failed(.internalError))
        }
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
            payment = await find(bill.amount, after: newest, report)
        }
        guard let payment else { return end(nil) }
        payments[request.key] = payment.id
        return await settle(payment, bill.amount, cancellation, report)
    }

    private func newestPayment() async throws(CommandFailure) -> PaymentID? {
        try await world.run { [till] () async throws(CommandFailure) in try await till.payments(limit: 1).first?.id }
    }

    /// Finds the payment whose end could not be recorded: the only one with its amount since then.
    ///
    /// - Returns: nil when the terminal ends before it is found, and when another till's may be meant: a person has to
    ///   look then, and the terminal takes no other payment.
    private func find(_ amount: Money, after newest: PaymentID?, _ report: Report) async -> Payment? {
        var pause = Self.pauses.first
        report(.recovering)
        while await recover(after: &pause) {
            let later = try? await world.run { [till] () async throws(CommandFailure) in
                try await till.payments(limit: 100)
            }
            let found = (later ?? []).filter { payment in
                payment.amount == amount && newest.map { payment.id > $0 } ?? true
            }
            if found.count == 1 { return found[0] }
            guard later == nil || found.isEmpty else {
                StandardError.complain(
                    "one of the payments \(found.map(\.name).joined(separator: ", ")) is this terminal's: look at them "
                        + "with 'cardpresent payments show', and start the terminal again")
                return nil
            }
        }
        return nil
    }

    /// Waits until the result of a payment is known.
    private func settle(
        _ payment: Payment, _ amount: Money, _ cancellation: Cancellation, _ report: Report
    ) async -> CounterEnd {
        var payment = payment
        if payment.outcome == .unknown || payment.outcome == .pending {
            var pause = Self.pauses.first
            report(.recovering)
            while await recover(after: &pause) {
                payment = await history(of: payment.id)?.payment ?? payment
                if payment.outcome != .unknown, payment.outcome != .pending { break }
            }
        }
        progress.show(payment.outcome)
        return end(outcome(of: payment, amount, isCanceled: cancellation.isRequested))
    }

    /// - Returns: nil while the result is not known.
    private func outcome(of payment: Payment, _ amount: Money, isCanceled: Bool) -> TerminalOutcome? {
        count += 1
        let outcome = TerminalOutcome(payment, amount: amount, number: count, offset: offset(of: payment))
        return isCanceled && outcome == .canceled(.byCardholder) ? .canceled(.byTill) : outcome
    }

    private func offset(of payment: Payment) -> Int { time.offsetSeconds(at: payment.updatedAt) }

    // MARK: Changes

    func change(_ request: TerminalRequest, at moment: Timestamp) async -> CounterEnd {
        let operation = request.operation
        let key: IdempotencyKey
        let work: @Sendable (Till, PaymentID) async throws(CommandFailure) -> Payment
        switch operation {
        case .capture(.request(let original), let part):
            key = original
            let amount: Money? = if case .part(let money) = part { money } else { nil }
            work = { till, id throws(CommandFailure) in try await till.capture(id, amount: amount) }
        case .release(.request(let original)):
            key = original
            work = { till, id throws(CommandFailure) in try await till.cancelPreauthorization(id) }
        case .giveBack(.request(let original), let amount):
            key = original
            work = { till, id throws(CommandFailure) in try await till.refund(id, amount: amount) }
        default: return end(.failed(.notSupported))
        }
        guard let id = payments[key] else { return end(.failed(.unknownTransaction)) }
        var payment: Payment
        do throws(CommandFailure) {
            payment = try await world.run { [till] () async throws(CommandFailure) in try await work(till, id) }
        } catch {
            error.report()
            guard error.status == .outcomeUnknown else { return end(.failed(.notReversible)) }
            guard let known = await history(of: id)?.payment else { return end(nil) }
            payment = known
        }
        // What was begun is finished, or given up, before the till hears of it.
        var last = await history(of: id)?.attempts.last?.attempt
        if last?.state.needsRecovery ?? true {
            var pause = Self.pauses.first
            while await recover(after: &pause) {
                guard let now = await history(of: id), let attempt = now.attempts.last?.attempt else { continue }
                (payment, last) = (now.payment, attempt)
                if !attempt.state.needsRecovery { break }
            }
        }
        guard let last, !last.state.needsRecovery else { return end(nil) }
        let isDone =
            switch operation {
            case .release: payment.state == .reversed || payment.state == .canceled
            case .giveBack: last.state == .captured
            default: payment.state.isCaptured
            }
        guard isDone else {
            guard last.state == .declined else { return end(.failed(.notReversible)) }
            let date = payment.updatedAt.civil(offsetSeconds: offset(of: payment))
            return end(.declined(TerminalDecline(responseCode: nil, date: date)))
        }
        count += 1
        return end(
            .approved(
                TerminalTransaction(payment, amount: payment.amount, number: count, offset: offset(of: payment))))
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
    private func recover(after pause: inout Duration) async -> Bool {
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

    private func history(of id: PaymentID) async -> PaymentHistory? {
        try? await world.run { [till] () async throws(CommandFailure) in try await till.payment(id) }
    }

    private func end(_ outcome: TerminalOutcome?) -> CounterEnd { CounterEnd(outcome: outcome, now: time.now()) }
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
