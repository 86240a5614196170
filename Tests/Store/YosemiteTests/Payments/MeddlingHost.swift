import Payments
import Synchronization

/// A host that lets a test do something around its messages, or answer one itself.
struct MeddlingHost: PaymentHost {
    let host: any PaymentHost
    var before: @Sendable () async -> Void = {}
    var after: @Sendable () async -> Void = {}
    /// Before the question about the identity of the database.
    var questioned: @Sendable () throws(PaymentHostError) -> Void = {}
    /// After the answer about the identity of the database.
    var asked: @Sendable () async -> Void = {}
    /// Answers refunds in the host's place.
    var refundAnswer: AuthorizationResponse?
    /// How many advices may wait; nil for what the host says.
    var limits: AdviceLimits?

    var name: String { host.name }

    var canBeAsked: Bool { host.canBeAsked }

    var knowsKeys: Bool { host.knowsKeys }

    var adviceLimits: AdviceLimits? { limits ?? host.adviceLimits }

    var sealsCardData: Bool { host.sealsCardData }

    func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {
        try await host.checkCardData(for: message, of: original, key: key)
    }

    func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        try await host.identity(of: subject)
    }

    func authorize(_ request: borrowing AuthorizationRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        await before()
        let response = try await host.authorize(request)
        await after()
        return response
    }

    func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        await before()
        try await host.reverse(request)
        await after()
    }

    func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        await before()
        try await host.advise(advice)
        await after()
    }

    func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) async throws(PaymentHostError) -> InquiryResult {
        try await host.inquire(key, identity: identity)
    }

    func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        try questioned()
        let numbers = try await host.lastNumbers(of: identities)
        await asked()
        return numbers
    }

    func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        await before()
        if let refundAnswer { return refundAnswer }
        let response = try await host.refund(request)
        await after()
        return response
    }

    func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        await before()
        let response = try await host.increment(request)
        await after()
        return response
    }
}

/// Something that is filled in later.
final class Later<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)

    /// Hands it out once.
    func take() -> Value? {
        stored.withLock { stored in
            defer { stored = nil }
            return stored
        }
    }

    var value: Value? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
