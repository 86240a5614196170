import Terminal

/// The work of one counter: one thing after another, and of each its steps in their order and then its end.
struct CounterQueue {
    /// What a counter does for a request.
    typealias Work =
        @Sendable (any TerminalCounter, @escaping TerminalCounter.Report) async -> CounterEnd

    let counter: any TerminalCounter
    /// The newest work: the next one begins after it.
    private(set) var last: Task<Void, Never>?

    init(_ counter: any TerminalCounter) { self.counter = counter }

    /// Adds work.
    ///
    /// - Parameters:
    ///   - work: what to do.
    ///   - tell: gets the steps.
    ///   - end: gets the end, after all steps.
    mutating func add(
        _ work: @escaping Work, tell: @escaping @Sendable (TerminalProgress) async -> Void,
        end: @escaping @Sendable (CounterEnd) async -> Void
    ) {
        let (earlier, counter) = (last, counter)
        last = Task {
            await earlier?.value
            let (steps, next) = AsyncStream.makeStream(of: TerminalProgress.self)
            let telling = Task { for await step in steps { await tell(step) } }
            let result = await work(counter) { next.yield($0) }
            next.finish()
            await telling.value
            await end(result)
        }
    }
}

extension TerminalOutcome {
    /// Returns the steps that lead to this outcome where a reader told of none, and the outcome. A request whose host
    /// was asked and that was canceled all the same has failed: what the host may have approved was taken back.
    func prepared(from progress: TerminalProgress) -> (steps: [TerminalProgress], outcome: TerminalOutcome) {
        switch self {
        case .canceled: return ([], progress.canBeCanceled ? self : .failed(.internalError))
        case .failed, .done: return (progress == .cardPresented ? [.authorizing] : [], self)
        case .approved, .declined:
            let steps: [TerminalProgress] =
                switch progress {
                case .accepted: [.waitingForCard, .cardPresented, .authorizing]
                case .waitingForCard: [.cardPresented, .authorizing]
                case .cardPresented, .choosingApplication, .enteringPIN, .wrongPIN: [.authorizing]
                case .authorizing, .recovering, .removingCard, .working: []
                }
            return (steps, self)
        }
    }
}
