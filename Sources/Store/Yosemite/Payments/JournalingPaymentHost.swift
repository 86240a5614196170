import Determinism
import EMV
import Payments
import Storage
import Synchronization

/// A payment host that writes the journal before it sends anything.
///
/// It connects the reader service, which is independent of storage, with the real host. A request that is not in the
/// journal is not sent.
final class JournalingPaymentHost: PaymentHost {
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
        /// The code with which the host declined, in words.
        var refusal: String?
        /// What is in the journal of the attempt's message.
        var identity: MessageIdentity?
    }

    private let host: any PaymentHost
    private let journal: PaymentJournal
    private let time: any TimeSource
    private let entries = Mutex<[IdempotencyKey: Entry]>([:])

    init(host: any PaymentHost, journal: PaymentJournal, time: any TimeSource) {
        (self.host, self.journal, self.time) = (host, journal, time)
    }

    var name: String { host.name }

    var canBeAsked: Bool { host.canBeAsked }

    var knowsKeys: Bool { host.knowsKeys }

    var adviceLimits: AdviceLimits? { host.adviceLimits }

    var sealsCardData: Bool { host.sealsCardData }

    /// Fails only when card data can't be opened. What else is wrong shows when the message is sent.
    func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {
        guard sealsCardData else { return }
        do throws(PaymentHostError) { try await host.checkCardData(for: message, of: original, key: key) } catch {
            if error.isOfClosedCardData { throw error }
        }
    }

    func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        try await host.identity(of: subject)
    }

    func destination(of subject: MessageSubject) -> String? { host.destination(of: subject) }

    /// Allows messages for an attempt that is in the journal.
    func open(_ attempt: PaymentAttempt) {
        let phase: Phase = attempt.state == .created ? .nothingSent : .moved
        entries.withLock {
            $0[attempt.key] = Entry(attempt: attempt.id, phase: phase, identity: attempt.identity)
        }
    }

    /// Ends the messages for an attempt.
    ///
    /// - Returns: The progress of the attempt.
    func close(_ key: IdempotencyKey) -> Phase {
        entries.withLock { $0.removeValue(forKey: key)?.phase ?? .nothingSent }
    }

    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let key = request.key
        try await begin(sealsCardData ? request.sealableSubject : request.subject)
        do throws(PaymentHostError) {
            let response = try await host.authorize(request) {
                [self] (identity: MessageIdentity, reason: String) async throws(PaymentHostError) -> Void in
                try change(key, to: identity, because: reason)
            }
            note(response, of: key)
            return response
        } catch {
            note(error, of: key)
            throw error
        }
    }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await begin(request.subject)
        do throws(PaymentHostError) {
            let response = try await host.refund(request)
            note(response, of: request.key)
            return response
        } catch {
            note(error, of: request.key)
            throw error
        }
    }

    func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try await begin(request.subject)
        do throws(PaymentHostError) {
            let response = try await host.increment(request)
            note(response, of: request.key)
            return response
        } catch {
            note(error, of: request.key)
            throw error
        }
    }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let attempt = try attempt(request.key)
        var reversal = request
        reversal.identity = request.identity ?? entries.withLock { $0[request.key]?.identity }
        if let identity = reversal.identity {
            try await checkCardData(for: .reversal, of: identity, key: request.key)
        }
        do throws(JournalError) {
            try journal.markReversing(attempt, reason: request.reason.rawValue, at: time.now())
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
        setPhase(.reversing, of: request.key)
        try await host.reverse(reversal)
        entries.withLock {
            guard let entry = $0[request.key] else { return }
            $0[request.key]?.phase = entry.isApproved ? .voided : .reversed
        }
    }

    /// Sends the advice of an approval at once. An advice that moves no money stays in the journal until the payment is
    /// recorded: see ``AdviceDelivery``.
    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        let attempt = try attempt(advice.key)
        guard !advice.purpose.movesMoney else { return try await forward(advice, of: attempt) }
        let identity = await sealedIdentity(of: advice)
        do throws(JournalError) {
            try journal.keepAdvice(stored(advice).text, identity: identity, for: attempt)
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
    }

    /// Returns what the journal keeps of an advice that is the attempt's first message, with the card data that it
    /// demands, enciphered. An advice is kept also when that can't be done: it then waits for a person.
    ///
    /// - Returns: nil when the host seals no card data, and when the attempt has a message before.
    func sealedIdentity(of advice: AdviceRequest?) async -> MessageIdentity? {
        guard sealsCardData, let advice, advice.card != nil,
            entries.withLock({ $0[advice.key]?.identity }) == nil
        else { return nil }
        return try? await host.identity(of: advice.subject)
    }

    /// Sends an advice of any purpose about an attempt. It may be the attempt's first message.
    func forward(_ advice: AdviceRequest, of attempt: Int64) async throws(PaymentHostError) {
        var advice = advice
        if advice.identity == nil, let identity = try await host.identity(of: advice.subject) {
            do throws(JournalError) {
                advice.identity = try journal.keepIdentity(
                    identity, for: attempt, isCompletion: advice.purpose == .capture)
            } catch {
                throw .notSent("the journal cannot be written: \(error)")
            }
        }
        try await host.advise(advice)
    }

    /// Sends a reversal that the journal has already.
    func forward(_ reversal: ReversalRequest) async throws(PaymentHostError) { try await host.reverse(reversal) }

    func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) async throws(PaymentHostError) -> InquiryResult {
        try await host.inquire(key, identity: identity)
    }

    func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        try await host.lastNumbers(of: identities)
    }

    private func begin(_ subject: MessageSubject) async throws(PaymentHostError) {
        let attempt = try attempt(subject.key)
        let identity = try await host.identity(of: subject)
        do throws(JournalError) {
            try journal.markAuthorizing(attempt, identity: identity, at: time.now())
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
        entries.withLock { entries in
            // Until the host answers otherwise.
            entries[subject.key]?.phase = .moved
            entries[subject.key]?.identity = identity
        }
    }

    /// Records that the request goes to another host, for which the message has other parts.
    private func change(
        _ key: IdempotencyKey, to identity: MessageIdentity, because reason: String
    ) throws(PaymentHostError) {
        let attempt = try attempt(key)
        do throws(JournalError) {
            try journal.changeHost(of: attempt, to: identity, because: reason, at: time.now())
        } catch {
            throw .notSent("the journal cannot be written: \(error)")
        }
        entries.withLock { $0[key]?.identity = identity }
    }

    /// Returns an advice for the journal, with the host that it goes to where there are several: the card number, which
    /// chooses it, is not kept.
    func stored(_ advice: AdviceRequest) -> StoredAdvice {
        StoredAdvice(advice, destination: destination(of: advice.subject))
    }

    private func note(_ response: AuthorizationResponse, of key: IdempotencyKey) {
        if response.isApproved {
            entries.withLock { entries in
                guard var entry = entries[key] else { return }
                entry.isApproved = true
                entry.identity = entry.identity?.answered(
                    reference: response.reference, authorizationCode: response.answer.authorizationCode)
                entries[key] = entry
            }
        } else {
            setPhase(.refused, of: key)
            entries.withLock { $0[key]?.refusal = response.declineWords }
        }
    }

    /// The code with which the host declined an attempt that is open here, in words; nil when it did not, or has no
    /// words for it.
    func refusal(of key: IdempotencyKey) -> String? { entries.withLock { $0[key]?.refusal } }

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
