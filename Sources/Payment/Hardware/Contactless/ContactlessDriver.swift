import CCID
import Determinism
import EMV
import EntryPoint
import SmartCard

/// Runs Entry Point over the field of a reader: carries out its actions, and tells it what happens there.
///
/// The caller waits for cards, because other inputs may be open at the same time, and asks the host.
actor ContactlessDriver {
    /// What has to happen next.
    enum Step: Sendable {
        /// A card has to come into the field; after a collision, all cards but one have to leave it.
        case waitsForCards(isCrowded: Bool)
        /// The host has to be asked.
        case asksHost(FinalOutcome)
        /// The transaction is over. Without an outcome, the host's answer decides.
        case ended(FinalOutcome?)
    }

    private var entryPoint: ContactlessEntryPoint
    private nonisolated let watch: FieldWatch
    private let time: any TimeSource
    private let events: EventRelay
    private let trace: (@Sendable (TraceEntry) -> Void)?
    /// The card in the field.
    private var channel: (any CardChannel)?
    private var delivered: FinalOutcome?
    private var taps = 0
    private var messages = MessageQueue()
    private var turning: Task<Void, Never>?
    private var removal: Task<Void, Never>?

    init(
        _ terminal: ContactlessTerminal, _ configuration: EntryPointConfiguration, field: any ContactlessField,
        time: any TimeSource, random: any RandomSource, events: EventRelay, trace: (@Sendable (TraceEntry) -> Void)?
    ) {
        entryPoint = ContactlessEntryPoint(configuration: configuration, kernels: terminal.kernels, random: random)
        watch = FieldWatch(field: field, time: time)
        (self.time, self.events, self.trace) = (time, events, trace)
    }

    // MARK: The transaction

    /// Begins a transaction.
    ///
    /// - Throws: ``UnderlyingError``: the configuration does not fit the payment, or the reader failed.
    func begin(_ request: TransactionRequest) async throws(UnderlyingError) -> Step {
        let actions: [EntryPointAction]
        do throws(EntryPointError) { actions = try entryPoint.begin(request) } catch {
            throw .internalServiceError(error.description)
        }
        return try await carryOut(actions)
    }

    /// Waits for a change in the field.
    ///
    /// - Returns: Nil when nothing happened in time.
    /// - Throws: ``UnderlyingError``
    nonisolated func nextEvent(isCrowded: Bool, timeout: Duration) async throws(UnderlyingError) -> FieldEvent? {
        try await watch.next(isCrowded: isCrowded, timeout: timeout)
    }

    /// Goes on with a card in the field, or with several.
    ///
    /// - Throws: ``UnderlyingError``
    func take(_ event: FieldEvent) async throws(UnderlyingError) -> Step {
        switch event {
        case .card(let card):
            taps += 1
            guard taps <= ContactlessTerminal.maximumTaps else { return try await stop() }
            channel = trace.map { TracingCardChannel(card, record: $0) } ?? card
            events.send(.cardTapped)
            return try await advance(.cardDetected)
        case .collision: return try await advance(.collision)
        case .collisionEnded: return try await advance(.collisionEnded)
        }
    }

    /// Goes on with the host's answer.
    ///
    /// - Throws: ``UnderlyingError``
    func take(_ answer: OnlineAuthorizationResult) async throws(UnderlyingError) -> Step {
        await stopWatchingRemoval()
        return try await advance(.hostAnswered(answer))
    }

    /// Ends a transaction that waits for a card: another input has one, or none came.
    ///
    /// - Throws: ``UnderlyingError``
    func stop() async throws(UnderlyingError) -> Step {
        switch entryPoint.phase {
        case .polling, .collision: return try await advance(.stop)
        default: return .ended(delivered)
        }
    }

    /// Switches the field off, whatever the transaction was about to do, and shows the messages that still wait.
    func close() async {
        await stopWatchingRemoval()
        turning?.cancel()
        while let next = messages.nextChange { for message in messages.advance(to: next) { show(message) } }
        channel = nil
        try? await watch.field.switchField(on: false)
        await watch.field.indicate(.off)
    }

    /// The tags, offsets, and status words that Entry Point found on the last card and did not follow.
    var findings: [SelectionFinding] { entryPoint.findings }

    private func advance(_ event: EntryPointEvent) async throws(UnderlyingError) -> Step {
        try await carryOut(try handle(event))
    }

    private func handle(_ event: EntryPointEvent) throws(UnderlyingError) -> [EntryPointAction] {
        do throws(EntryPointError) { return try entryPoint.handle(event) } catch {
            throw .internalServiceError(error.description)
        }
    }

    // MARK: Actions

    private func carryOut(_ first: [EntryPointAction]) async throws(UnderlyingError) -> Step {
        var actions = first
        while true {
            var command: CommandAPDU?
            for action in actions {
                switch action {
                case .show(let message):
                    add(message)
                    if let indication = ContactlessIndication(message) { await watch.field.indicate(indication) }
                case .poll: try await watch.field.switchField(on: true)
                case .transmit(let next): command = next
                case .pauseField(let duration):
                    try await switchFieldOff()
                    // A canceled payment need not wait: the next exchange ends it.
                    try? await time.sleep(for: duration)
                case .switchFieldOff: try await switchFieldOff()
                case .deliver(let outcome): delivered = outcome
                case .watchRemoval(let limit): watchRemoval(within: limit)
                case .applyHostDecision: delivered = nil
                }
            }
            guard let command else { return step }
            actions = try handle(await exchange(command))
        }
    }

    /// The step that Entry Point's phase stands for, after its actions.
    private var step: Step {
        switch (entryPoint.phase, delivered) {
        case (.polling, _): .waitsForCards(isCrowded: false)
        case (.collision, _): .waitsForCards(isCrowded: true)
        case (.awaitingHost, let outcome?): .asksHost(outcome)
        case (_, let outcome): .ended(outcome)
        }
    }

    private func exchange(_ command: CommandAPDU) async -> EntryPointEvent {
        guard let channel else { return .failed(.cardRemoved) }
        let start = time.reading()
        do throws(CardChannelError) {
            let response = try await channel.transmit(command)
            return .response(response, took: time.elapsed(since: start))
        } catch {
            self.channel = nil
            return .failed(await watch.fault(after: error))
        }
    }

    private func switchFieldOff() async throws(UnderlyingError) {
        channel = nil
        try await watch.field.switchField(on: false)
    }

    // MARK: Removal

    /// Watches for the card to leave, while the host is asked.
    private func watchRemoval(within limit: Duration) {
        let watch = watch
        removal = Task { [weak self] in
            let isGone = try? await watch.field.waitForCard(present: false, timeout: limit)
            guard let isGone, !Task.isCancelled else { return }
            await self?.note(isGone ? .cardRemoved : .removalTimedOut)
        }
    }

    private func note(_ event: EntryPointEvent) {
        for case .show(let message) in (try? entryPoint.handle(event)) ?? [] { add(message) }
    }

    private func stopWatchingRemoval() async {
        removal?.cancel()
        await removal?.value
        removal = nil
    }

    // MARK: Messages

    private func add(_ message: UserInterfaceRequest) {
        messages.add(message)
        turn()
    }

    /// Shows the messages whose time has come, and waits for the next one.
    private func turn() {
        let now = time.now()
        for message in messages.advance(to: now) { show(message) }
        turning?.cancel()
        turning = nil
        guard let next = messages.nextChange else { return }
        let wait = Duration.milliseconds(next.milliseconds - now.milliseconds)
        turning = Task { [weak self, time] in
            guard (try? await time.sleep(for: wait)) != nil else { return }
            await self?.turn()
        }
    }

    private func show(_ message: UserInterfaceRequest) { events.send(.readerMessage(message)) }
}
