public import CardSecrets
public import Money
public import Payments
public import TillConfiguration

/// One of several payment hosts.
public struct HostMember: Sendable {
    /// Its name in the configuration and in the journal.
    public let name: String
    /// Its address, `HOST:PORT` in lower case, as the messages in the journal have it.
    public let address: String
    /// What sends its messages.
    public let host: AcquirerHost

    public init(name: String, address: String, host: AcquirerHost) {
        (self.name, self.address, self.host) = (name, address, host)
    }
}

/// Several payment hosts that speak ISO 8583. The routes of the configuration choose one for each payment.
///
/// When not one byte of a request left for its host, the next one of the failover takes over, after the journal has
/// that. A request that may have left is never sent to another host. A reversal, a capture, a refund, and a repeat go
/// to the host that has the original, by the address in the journal, whatever the routes say by now.
public actor RoutedHosts: PaymentHost {
    public nonisolated let name: String
    /// Whether one of them can be asked. The others don't say what became of a message.
    public nonisolated var canBeAsked: Bool { members.contains { $0.host.canBeAsked } }
    public nonisolated var knowsKeys: Bool { false }
    /// The lowest limits of all, because the card says only later which host its advice is for.
    public nonisolated var adviceLimits: AdviceLimits? {
        let all = members.compactMap(\.host.adviceLimits)
        guard let count = all.map(\.count).min(), let age = all.map(\.age).min() else { return nil }
        return AdviceLimits(count: count, age: age)
    }
    /// Whether one of them seals card data.
    public nonisolated var sealsCardData: Bool { members.contains { $0.host.sealsCardData } }
    /// The hosts, the default one first.
    public nonisolated let members: [HostMember]

    private nonisolated let routing: HostRouting
    private nonisolated let availability: HostAvailability
    /// Where the messages about the last attempts go, oldest first.
    private var plans: [(key: IdempotencyKey, plan: Plan)] = []
    /// The host under whose key the last PIN is.
    private var pinHost: String?

    /// How many plans are kept between the journal and the request.
    private static let mostPlans = 1024

    /// Where a message goes.
    private struct Plan {
        var member: HostMember
        /// The hosts that may take over, in this order.
        var others: [HostMember] = []
        /// The addresses of those that could not be reached.
        var passedOver: [String] = []
        /// The names of those that rest, and would have got the message otherwise.
        var rested: [String] = []
    }

    /// - Parameters:
    ///   - name: the name in the journal, which all of them share.
    ///   - members: the hosts, the default one first.
    ///   - routing: which payments go where.
    ///   - availability: which hosts failed a moment ago. The links of the members tell it.
    public init(
        name: String, _ members: [HostMember], routing: HostRouting, availability: HostAvailability
    ) {
        (self.name, self.members, self.routing, self.availability) = (name, members, routing, availability)
    }

    public nonisolated func destination(of subject: MessageSubject) -> String? {
        if let destination = subject.destination { return destination }
        return routed(subject.prefix, subject.amount.currency).first?.address
    }

    /// The hosts for a payment: that of its route, then those that may take over.
    private nonisolated func routed(_ prefix: CardPrefix?, _ currency: Currency) -> [HostMember] {
        routing.hosts(for: prefix, currency: currency).compactMap { name in members.first { $0.name == name } }
    }

    /// The same hosts, but those that failed a moment ago come last.
    private nonisolated func candidates(_ prefix: CardPrefix?, _ currency: Currency) -> [HostMember] {
        let (all, resting) = (routed(prefix, currency), availability.resting)
        return all.filter { !resting.contains($0.name) } + all.filter { resting.contains($0.name) }
    }

    public func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        let plan = try plan(for: subject)
        keep(plan, for: subject.key)
        return try await plan.member.host.identity(of: subject)?
            .going(to: plan.member.name, passingOver: plan.passedOver, rested: plan.rested)
    }

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse { try await send(request, nil) }

    public func authorize(
        _ request: borrowing AuthorizationRequest, onChange: @escaping HostChange
    ) async throws(PaymentHostError) -> AuthorizationResponse { try await send(request, onChange) }

    private func send(
        _ request: borrowing AuthorizationRequest, _ onChange: HostChange?
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let subject = sealsCardData ? request.sealableSubject : request.subject
        var plan = if let kept = self.plan(of: subject.key) { kept } else { try self.plan(for: subject) }
        while true {
            let failure: AuthorizationFailure
            do throws(AuthorizationFailure) { return try await plan.member.host.attempt(request) } catch {
                failure = error
            }
            // Without a journal that has it first, no other host gets the request.
            guard failure.mayGoElsewhere, let onChange, let next = await successor(of: plan, subject) else {
                throw failure.error
            }
            try await onChange(
                next.identity,
                "to the host \(next.plan.member.name), because of \(plan.member.name): \(failure.error)")
            plan = next.plan
            keep(plan, for: subject.key)
        }
    }

    /// Returns where a request goes for which nothing left; nil when no host is left.
    private func successor(
        of plan: Plan, _ subject: MessageSubject
    ) async -> (plan: Plan, identity: MessageIdentity)? {
        var next = plan
        next.passedOver.append(plan.member.address)
        while !next.others.isEmpty {
            next.member = next.others.removeFirst()
            // A host whose profile has no such message can't take over.
            guard let identity = try? await next.member.host.identity(of: subject) else { continue }
            return (next, identity.going(to: next.member.name, passingOver: next.passedOver))
        }
        return nil
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        guard let original = request.originalIdentity else { throw Self.noOriginal }
        return try await member(of: original).host.refund(request)
    }

    public func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        guard let original = request.originalIdentity else { throw Self.noOriginal }
        return try await member(of: original).host.increment(request)
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        let member: HostMember
        if let identity = request.identity {
            member = try self.member(of: identity)
        } else if let plan = plan(of: request.key) {
            member = plan.member
        } else {
            throw .notSent("the journal does not have the message to take back")
        }
        try await member.host.reverse(request)
    }

    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        let member: HostMember
        if let identity = advice.original ?? advice.identity {
            member = try self.member(of: identity)
        } else if let plan = plan(of: advice.key) {
            member = plan.member
        } else {
            member = try self.plan(for: advice.subject).member
        }
        try await member.host.advise(advice)
    }

    public func checkCardData(
        for message: MessageOfOriginal, of original: MessageIdentity, key: IdempotencyKey
    ) async throws(PaymentHostError) {
        try await member(of: original).host.checkCardData(for: message, of: original, key: key)
    }

    public func inquire(
        _ key: IdempotencyKey, identity: MessageIdentity?
    ) async throws(PaymentHostError) -> InquiryResult {
        let member: HostMember
        if let identity {
            member = try self.member(of: identity)
        } else if let plan = plan(of: key) {
            member = plan.member
        } else {
            throw .notSent("the journal does not have the message to ask about")
        }
        return try await member.host.inquire(key, identity: identity)
    }

    public func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        throw .notSent("the host '\(name)' does not say which numbers it knows")
    }
}

extension RoutedHosts {
    private static var noOriginal: PaymentHostError {
        .notSent("the journal does not say which host has the payment, and no other one gets its messages")
    }

    /// Returns where the first message about a subject goes.
    private func plan(for subject: MessageSubject) throws(PaymentHostError) -> Plan {
        if let destination = subject.destination { return Plan(member: try member(at: destination)) }
        switch subject.kind {
        case .sale, .preauthorization:
            let found = candidates(subject.prefix, subject.amount.currency)
            if subject.isPINOfHost {
                // Only the host that gave the key can open the PIN.
                guard let member = found.first(where: { $0.name == pinHost }) else {
                    throw .notSent(
                        "the PIN is under a key of the host '\(pinHost ?? "")', which does not get the payment")
                }
                return Plan(member: member, rested: restedBefore(member, subject))
            }
            guard let first = found.first else { throw .notSent("no route has a host") }
            return Plan(member: first, others: Array(found.dropFirst()), rested: restedBefore(first, subject))
        case .advice(let purpose) where purpose != .capture:
            // It tells what has happened already, so it waits for its host, and no other one gets it.
            guard let first = routed(subject.prefix, subject.amount.currency).first else {
                throw .notSent("no route has a host")
            }
            return Plan(member: first)
        default: throw Self.noOriginal
        }
    }

    /// The names of the hosts of a route before a member, which rest.
    private func restedBefore(_ member: HostMember, _ subject: MessageSubject) -> [String] {
        let resting = availability.resting
        return routed(subject.prefix, subject.amount.currency).prefix { $0.name != member.name }.map(\.name)
            .filter { resting.contains($0) }
    }

    private func plan(of key: IdempotencyKey) -> Plan? { plans.last { $0.key == key }?.plan }

    private func keep(_ plan: Plan, for key: IdempotencyKey) {
        plans.removeAll { $0.key == key }
        if plans.count >= Self.mostPlans { plans.removeFirst() }
        plans.append((key, plan))
    }

    private func member(of identity: MessageIdentity) throws(PaymentHostError) -> HostMember {
        guard let destination = identity.destination else { throw Self.noOriginal }
        return try member(at: destination)
    }

    private func member(at destination: String) throws(PaymentHostError) -> HostMember {
        guard let member = members.first(where: { $0.address == destination }) else {
            throw .elsewhere(destination, besides: "this configuration does not have it")
        }
        return member
    }
}

extension RoutedHosts {
    /// Returns the names of the hosts for a payment with a PIN, in the order in which their keys are tried.
    ///
    /// - Parameters:
    ///   - prefix: the first digits of the card number.
    ///   - currency: the currency of the payment, as far as it is known when the PIN is entered.
    /// - Returns: the names, each once.
    public nonisolated func hostsForPIN(_ prefix: CardPrefix, _ currency: Currency) -> [String] {
        candidates(prefix, currency).map(\.name)
    }

    /// Notes under whose key the PIN of the next payment is: only that host gets it.
    public func usePIN(of host: String) { pinHost = host }
}
