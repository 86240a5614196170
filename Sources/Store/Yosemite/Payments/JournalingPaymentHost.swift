internal import Determinism
public import Payments
internal import Storage
internal import Synchronization

/// A payment host that writes the journal before it sends anything.
///
/// It connects the reader service, which is independent of storage, with the real host. A request that is not in the
/// journal is not sent.
public final class JournalingPaymentHost: PaymentHost {
    /// The progress of an attempt at the host.
    enum Phase: Hashable, Sendable {
        case nothingSent
        /// The request was not delivered to the host.
        case undelivered
        /// The host answered and moved no money.
        case refused
        /// The host moved money, or may have.
        case moved
        /// A reversal was sent and not confirmed.
        case reversing
        /// Reversed, after no answer or an invalid one.
        case reversed
        /// Reversed, after an approval.
        case voided
    }

    private struct Entry {
        var attempt: Int64
        var phase: Phase
        /// Whether the host has approved.
        var isApproved = false
    }

    private let host: any PaymentHost
    private let journal: PaymentJournal
    private let time: any TimeSource
    private let entries = Mutex<[IdempotencyKey: Entry]>([:])

    init(host: any PaymentHost, journal: PaymentJournal, time: any TimeSource) {
        (self.host, self.journal, self.time) = (host, journal, time)
    }

    public var name: String { host.name }

    /// Allows messages for an attempt that is in the journal.
    func open(_ attempt: PaymentAttempt) {
        let phase: Phase = attempt.state == .created ? .nothingSent : .moved
        entries.withLock {
            $0[attempt.key] = Entry(attempt: attempt.id, phase: phase)
        }
    }

    /// Ends the messages for an attempt.
    ///
    /// - Returns: The progress of the attempt.
    func close(_ key: IdempotencyKey) -> Phase {
        entries.withLock { $0.removeValue(forKey: key)?.phase ?? .nothingSent }
    }

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let key = request.key
        try begin(key)
        do throws(PaymentHostError) {
            let response = try await host.authorize(request)
            note(response, of: key)
            return response
        } catch {
            note(error, of: key)
            throw error
        }
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try begin(request.key)
        do throws(PaymentHostError) {
            let response = try await host.refund(request)
            note(response, of: request.key)
            return response
        } catch {
            note(error, of: request.key)
            throw error
        }
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let attempt = try attempt(request.key)
        do throws(JournalError) {
            try journal.markReversing(attempt, reason: request.reason.rawValue, at: time.now())
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
        setPhase(.reversing, of: request.key)
        try await host.reverse(request)
        entries.withLock {
            guard let entry = $0[request.key] else { return }
            $0[request.key]?.phase = entry.isApproved ? .voided : .reversed
        }
    }

    /// Sends the advice of an approval at once. An advice that moves no money stays in the journal until the payment is
    /// recorded: see ``AdviceDelivery``.
    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        guard !advice.purpose.movesMoney else { return try await forward(advice) }
        let attempt = try attempt(advice.key)
        do throws(JournalError) {
            try journal.keepAdvice(StoredAdvice(advice).text, for: attempt)
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
    }

    /// Sends an advice of any purpose.
    func forward(_ advice: AdviceRequest) async throws(PaymentHostError) { try await host.advise(advice) }

    public func inquire(_ key: IdempotencyKey) async throws(PaymentHostError) -> InquiryResult {
        try await host.inquire(key)
    }

    public func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        try await host.lastNumbers(of: identities)
    }

    private func begin(_ key: IdempotencyKey) throws(PaymentHostError) {
        let attempt = try attempt(key)
        do throws(JournalError) {
            try journal.markAuthorizing(attempt, at: time.now())
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
        // Until the host answers otherwise.
        setPhase(.moved, of: key)
    }

    private func note(_ response: AuthorizationResponse, of key: IdempotencyKey) {
        if response.isApproved {
            entries.withLock { $0[key]?.isApproved = true }
        } else {
            setPhase(.refused, of: key)
        }
    }

    private func note(_ error: PaymentHostError, of key: IdempotencyKey) {
        if case .notSent = error { setPhase(.undelivered, of: key) }
    }

    private func attempt(_ key: IdempotencyKey) throws(PaymentHostError) -> Int64 {
        guard let entry = entries.withLock({ $0[key] }) else {
            throw .notSent("attempt \(key) is not in the journal")
        }
        return entry.attempt
    }

    private func setPhase(_ phase: Phase, of key: IdempotencyKey) {
        entries.withLock { $0[key]?.phase = phase }
    }
}
