import Determinism
import Payments
import Simulator
import Synchronization

/// The way from the tills of a session to the issuer, when it has no wire.
final class SessionLink: Sendable {
    private let clock: SimulationClock
    private let faults = Mutex<[LinkFault]>([])
    let issuer: ServerLife

    init(clock: SimulationClock) { (self.clock, issuer) = (clock, ServerLife(time: clock)) }

    func add(_ fault: LinkFault) { faults.withLock { $0.append(fault) } }

    /// Removes all faults and starts the issuer. Requests that are under way still arrive.
    func recover() {
        faults.withLock { $0 = [] }
        issuer.recover()
    }

    private func take(_ message: IssuerMessageKind) -> LinkFault? {
        faults.withLock { faults in
            let place = faults.firstIndex { ($0.message == nil || $0.message == message) && $0.remaining > 0 }
            guard let place else { return nil }
            faults[place].remaining -= 1
            return faults[place]
        }
    }

    /// Whether something may happen to the next request.
    var hasFaults: Bool { faults.withLock { $0.contains { $0.remaining > 0 } } }

    /// Begins a request.
    ///
    /// - Returns: the number for ``end(_:)``.
    func begin() throws(PaymentHostError) -> Int {
        guard !issuer.isDown else { throw .notSent("the simulated issuer is starting again") }
        return issuer.deaths
    }

    /// Ends a request. The answer of an issuer that has died since it began is lost.
    func end(_ deaths: Int) throws(PaymentHostError) {
        guard issuer.deaths == deaths else { throw .outcomeUnknown("the simulated issuer has died") }
    }

    /// Sends a request. `late` delivers it again, or later.
    func send<Answer>(
        _ message: IssuerMessageKind, late: @escaping @Sendable () async -> Void,
        _ body: () async throws(PaymentHostError) -> Answer
    ) async throws(PaymentHostError) -> Answer {
        let deaths = try begin()
        var double: DoubledRequest?
        if let fault = take(message) {
            switch fault.kind {
            case .doubled:
                let copy = DoubledRequest()
                arrive(after: fault.delay) { if copy.wasSent { await late() } }
                double = copy
            case .delayed where fault.delay >= SimulatedIssuer.longestWait:
                arrive(after: fault.delay, late)
                try await wait(SimulatedIssuer.longestWait)
                throw .outcomeUnknown("no answer from the simulated issuer in \(SimulatedIssuer.longestWait)")
            case .delayed: try await wait(fault.delay)
            }
        }
        try end(deaths)
        let answer: Answer
        do throws(PaymentHostError) { answer = try await body() } catch {
            if case .notSent = error { double?.cancel() }
            throw error
        }
        try end(deaths)
        return answer
    }

    private func arrive(after delay: Duration, _ late: @escaping @Sendable () async -> Void) {
        clock.schedule(after: delay) { [issuer] in
            guard !issuer.isDown else { return }
            Task { await late() }
        }
    }

    private func wait(_ duration: Duration) async throws(PaymentHostError) {
        do throws(CancellationError) { try await clock.sleep(for: duration) } catch {
            throw .outcomeUnknown("the answer of the simulated issuer was not waited for")
        }
    }
}

/// A request that may arrive twice: there is no copy of one that was never sent.
private final class DoubledRequest: Sendable {
    private let isCanceled = Atomic(false)

    var wasSent: Bool { !isCanceled.load(ordering: .relaxed) }

    func cancel() { isCanceled.store(true, ordering: .relaxed) }
}

/// The issuer behind its link.
struct LinkedHost: PaymentHost {
    let host: any PaymentHost
    let link: SessionLink

    var name: String { host.name }
    var canBeAsked: Bool { host.canBeAsked }
    var knowsKeys: Bool { host.knowsKeys }
    var adviceLimits: AdviceLimits? { host.adviceLimits }

    func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        try await host.identity(of: subject)
    }

    /// The request of a swiped card is neither delayed nor doubled.
    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        // Without a fault, no copy of card data is made.
        guard link.hasFaults, let copy = LateAuthorization(request) else {
            let deaths = try link.begin()
            let answer = try await host.authorize(request)
            try link.end(deaths)
            return answer
        }
        return try await link.send(.authorize, late: { [host] in _ = try? await host.authorize(copy.request) }) {
            () async throws(PaymentHostError) in try await host.authorize(copy.request)
        }
    }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        try await link.send(.reverse, late: { [host] in _ = try? await host.reverse(request) }) {
            () async throws(PaymentHostError) in try await host.reverse(request)
        }
    }

    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        try await link.send(.advise, late: { [host] in _ = try? await host.advise(advice) }) {
            () async throws(PaymentHostError) in try await host.advise(advice)
        }
    }

    func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) async throws(PaymentHostError) -> InquiryResult {
        try await link.send(.inquire, late: { [host] in _ = try? await host.inquire(key, identity: identity) }) {
            () async throws(PaymentHostError) in try await host.inquire(key, identity: identity)
        }
    }

    /// A question about numbers has no faults of its own, because a process asks once, when it opens.
    func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        guard !link.issuer.isDown else { throw .notSent("the simulated issuer is starting again") }
        return try await host.lastNumbers(of: identities)
    }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await link.send(.refund, late: { [host] in _ = try? await host.refund(request) }) {
            () async throws(PaymentHostError) in try await host.refund(request)
        }
    }

    func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await link.send(.authorize, late: { [host] in _ = try? await host.increment(request) }) {
            () async throws(PaymentHostError) in try await host.increment(request)
        }
    }
}
