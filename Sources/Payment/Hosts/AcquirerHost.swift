import Connections
public import Determinism
public import ISO8583
public import Payments

/// Sends messages to a host and waits for their answers.
public protocol MessageSending: Sendable {
    /// Sends a request, and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: the message.
    ///   - kind: which message of the profile it is.
    ///   - limit: the longest time to the answer; nil for that of the profile.
    /// - Returns: the answer. A refusal is one, too.
    /// - Throws: ``HostFailure``
    func send(
        _ request: ISOMessage, as kind: MessageKind, limit: Duration?
    ) async throws(HostFailure) -> ISOMessage

    /// Gives up a connection that may be half open, so that the next message gets a new one.
    func renew() async
}

extension HostLink: MessageSending {}

/// A payment host that speaks ISO 8583, in the dialect of a profile.
///
/// With the message `inquiry` of the profile, it is asked once for an answer that did not come. What it does not answer
/// then, or without that message, is taken back. A reversal is sent again, as a repeat and with growing pauses, until
/// the host confirms it or the time for it is over; recovery sends it again later. Meanwhile nothing new is sent, if
/// the profile says so.
public actor AcquirerHost: PaymentHost {
    public nonisolated let name: String
    public nonisolated var canBeAsked: Bool { profile.messages[.inquiry] != nil }
    public nonisolated var knowsKeys: Bool { false }
    public nonisolated var adviceLimits: AdviceLimits? {
        AdviceLimits(count: profile.limits.storedAdvices, age: profile.limits.storedAdviceAge)
    }
    public nonisolated var sealsCardData: Bool { profile.sealsCardData }

    let profile: MessageProfile
    /// The address of the host, `HOST:PORT`.
    let destination: String?
    let messages: AcquirerMessages
    let link: any MessageSending
    /// What keeps card data enciphered; nil without a key for it.
    let sealer: CardSealer?
    private let time: any TimeSource
    /// What was made for the journal, by key, oldest first.
    private var identities: [(key: IdempotencyKey, identity: MessageIdentity)] = []
    /// The attempts whose reversal the host has not confirmed.
    private var openReversals: Set<IdempotencyKey> = []

    /// How many identities are kept between the journal and the request.
    private static let mostIdentities = 1024

    /// - Parameters:
    ///   - name: the name in the journal.
    ///   - profile: the dialect of the host.
    ///   - destination: the address of the host, `HOST:PORT`, for the journal: what went to one host is not taken back
    ///     at another one.
    ///   - terminal: the terminal and its merchant in the messages.
    ///   - link: the connection to the host.
    ///   - clock: the time of messages, as the terminal shows it.
    ///   - time: measures the time to answers, and the pauses.
    ///   - sealer: keeps enciphered what reversals, advices, and completions demand of the card; nil for a profile that
    ///     does without.
    public init(
        name: String, _ profile: MessageProfile, at destination: String? = nil, terminal: AcquirerTerminal,
        link: any MessageSending, clock: any TimeSource, time: any TimeSource, sealer: CardSealer? = nil
    ) {
        (self.name, self.profile, self.destination, self.link, self.time) = (name, profile, destination, link, time)
        self.sealer = sealer
        messages = AcquirerMessages(profile, terminal: terminal, time: clock)
    }

    public func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
        try await make(subject)
    }

    private func make(_ subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity {
        try checkIsHere(subject.destination)
        if subject.kind == .preauthorization, let obstacle = profile.obstacleToPreauthorizations {
            throw .impossible("the profile '\(profile.name)' can't hold an amount: \(obstacle)")
        }
        if subject.kind == .increment, let obstacle = profile.obstacleToIncrements(isSealing: sealer != nil) {
            throw .impossible("the profile '\(profile.name)' can't raise what is held: \(obstacle)")
        }
        if subject.kind == .sale, profile.messages[.sale] == nil {
            throw .impossible(
                "the profile '\(profile.name)' has no message 'sale': hold the amount with --authorize-only, and "
                    + "capture it")
        }
        var identity: MessageIdentity
        do throws(HostFailure) { identity = try messages.identity(of: subject, at: destination) } catch {
            throw error.hostError
        }
        identity = identity.keeping(try await sealedCardData(for: subject))
        if identities.count >= Self.mostIdentities { identities.removeFirst() }
        identities.append((subject.key, identity))
        return identity
    }

    /// Returns what the journal has, or makes it for a caller without a journal.
    private func identity(for subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity {
        guard let place = identities.lastIndex(where: { $0.key == subject.key }) else {
            return try await make(subject)
        }
        return identities[place].identity
    }

    public func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        do throws(AuthorizationFailure) { return try await attempt(request) } catch { throw error.error }
    }

    /// Requests an authorization. The failure says whether another host may take over.
    func attempt(
        _ request: borrowing AuthorizationRequest
    ) async throws(AuthorizationFailure) -> AuthorizationResponse {
        let subject = sealsCardData ? request.sealableSubject : request.subject
        let kind = messages.kind(of: subject)
        let identity: MessageIdentity
        let message: ISOMessage
        do throws(PaymentHostError) { identity = try await self.identity(for: subject) } catch {
            throw AuthorizationFailure(error: error)
        }
        // The next host may have something new.
        do throws(PaymentHostError) { try checkNothingIsOpen() } catch {
            throw AuthorizationFailure(error: error, isOfHost: true)
        }
        do throws(HostFailure) { message = try messages.request(kind, identity, card: request.card) } catch {
            throw AuthorizationFailure(error: error.hostError)
        }
        let answer: ISOMessage
        do throws(HostFailure) { answer = try await link.send(message, as: kind, limit: nil) } catch {
            let isOfHost = error.problem.isOfHost
            do throws(PaymentHostError) {
                return try await self.answer(to: identity, takesPart: true, after: error.hostError)
            } catch { throw AuthorizationFailure(error: error, isOfHost: isOfHost) }
        }
        do throws(PaymentHostError) {
            return try AnswerReading(profile: profile).response(answer, to: identity, takesPart: true)
        } catch { throw AuthorizationFailure(error: error) }
    }

    /// Fails if the only host that can have a message is another one: the journal says where the original went.
    private func checkIsHere(_ place: String?) throws(PaymentHostError) {
        guard let place, let destination, place != destination else { return }
        throw .elsewhere(place, besides: "this one is at \(destination)")
    }

    public func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try checkIsHere(request.originalIdentity?.destination)
        let identity = try await identity(for: request.subject)
        try checkNothingIsOpen()
        let message: ISOMessage
        do throws(HostFailure) { message = try messages.refund(identity, of: request.originalIdentity) } catch {
            throw error.hostError
        }
        let answer: ISOMessage
        do throws(PaymentHostError) { answer = try await send(message, as: .refund) } catch {
            return try await self.answer(to: identity, takesPart: false, after: error)
        }
        return try AnswerReading(profile: profile).response(answer, to: identity, takesPart: false)
    }

    /// Sends an increment once. Approved in part, it is taken back: it is raised by all of the amount, or not at all.
    public func increment(_ request: HostIncrementRequest) async throws(PaymentHostError) -> AuthorizationResponse {
        try checkIsHere(request.originalIdentity?.destination)
        guard let original = request.originalIdentity else {
            throw .notSent("the journal does not have the authorization to raise")
        }
        let identity = try await identity(for: request.subject)
        try checkNothingIsOpen()
        let card = try await card(for: .increment, in: original, of: request.original)
        let message: ISOMessage
        do throws(HostFailure) { message = try messages.increment(identity, of: original, card: card) } catch {
            throw error.hostError
        }
        let answer = try await send(message, as: .increment)
        return try AnswerReading(profile: profile).response(answer, to: identity, takesPart: false)
    }

    public func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
        guard let original = request.identity ?? identities.last(where: { $0.key == request.key })?.identity else {
            throw .notSent("the journal does not have the message to take back")
        }
        try checkIsHere(original.destination)
        // What can't be sent before a person has looked does not stop the next payment.
        let card = try await card(for: .reversal, in: original, of: request.key)
        openReversals.insert(request.key)
        var message: ISOMessage
        do throws(HostFailure) { message = try messages.reversal(request, of: original, card: card) } catch {
            throw error.hostError
        }
        let repeated = profile.messages[.reversal]?.repeated ?? message.type.repeated
        if request.isRepeat { message.type = repeated }
        let longest = profile.timing.reversalAnswer
        let deadline = Deadline(after: longest * 2, on: time)
        var tries = 0
        while true {
            tries += 1
            let failure: PaymentHostError
            var pause = pause(after: tries)
            do throws(HostFailure) {
                let limit = min(longest, deadline.remaining(on: time))
                let answer = try await link.send(message, as: .reversal, limit: limit)
                let code = AnswerReading.trimmed(answer.text(of: 39)) ?? ""
                guard !profile.results.reversalDone.contains(code) else {
                    openReversals.remove(request.key)
                    return
                }
                let words = AnswerReading(profile: profile).words(code)
                failure = .refused("the reversal", with: words)
                message.type = repeated
            } catch {
                guard error.mayPass else { throw error.hostError }
                failure = .outcomeUnknown("\(error.problem)")
                if case .pausing(let rest) = error.problem { pause = max(pause, rest) }
                if case .outcomeUnknown = error { message.type = repeated }
                if error.problem == .noAnswer { await link.renew() }
            }
            // Recovery sends it again each time: one try is enough there.
            guard !request.isRepeat, tries < profile.timing.stopAfter ?? .max, pause < deadline.remaining(on: time),
                (try? await time.sleep(for: pause)) != nil
            else { throw failure }
        }
    }

    /// Sends an advice once; recovery repeats it. No message of a profile carries the results of the issuer's scripts,
    /// so they are not sent.
    public func advise(_ advice: AdviceRequest) async throws(PaymentHostError) {
        guard advice.purpose != .completion else { return }
        let kind = messages.kind(of: advice.subject)
        // A host without the message need not know of a decline.
        guard advice.purpose.movesMoney || profile.messages[kind] != nil else { return }
        try checkIsHere(advice.original?.destination ?? advice.identity?.destination)
        let identity: MessageIdentity
        if let kept = advice.identity {
            identity = kept
        } else {
            identity = try await self.identity(for: advice.subject)
        }
        let card = try await card(for: kind, in: advice.original ?? identity, of: advice.key)
        var message: ISOMessage
        do throws(HostFailure) {
            message =
                if let original = advice.original { try messages.completion(identity, of: original, card: card) } else {
                    try messages.advice(advice, identity, card: card)
                }
        } catch {
            throw error.hostError
        }
        if advice.isRepeat { message.type = profile.messages[kind]?.repeated ?? message.type.repeated }
        let answer = try await send(message, as: kind)
        let code = AnswerReading.trimmed(answer.text(of: 39)) ?? ""
        let results = profile.results
        // Without money, any answer says that the host has the advice.
        guard advice.purpose.movesMoney, !results.adviceDone.contains(code), !results.approved.contains(code) else {
            return
        }
        throw .refused(
            advice.purpose == .capture ? "the capture" : "the advice", with: AnswerReading(profile: profile).words(code)
        )
    }

    public func inquire(
        _ key: IdempotencyKey, identity: MessageIdentity?
    ) async throws(PaymentHostError) -> InquiryResult {
        guard canBeAsked else {
            throw .outcomeUnknown("the host '\(name)' answers no inquiries: a person has to ask the acquirer")
        }
        guard let original = identity ?? identities.last(where: { $0.key == key })?.identity else {
            throw .notSent("the journal does not have the message to ask about")
        }
        try checkIsHere(original.destination)
        return try await ask(about: original, takesPart: false)
    }

    public func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
        throw .notSent("the host '\(name)' does not say which numbers it knows")
    }

    private func send(_ message: ISOMessage, as kind: MessageKind) async throws(PaymentHostError) -> ISOMessage {
        do throws(HostFailure) { return try await link.send(message, as: kind, limit: nil) } catch {
            throw error.hostError
        }
    }

    private func checkNothingIsOpen() throws(PaymentHostError) {
        guard profile.timing.oneOpenReversal, !openReversals.isEmpty else { return }
        throw .notSent("the host has not confirmed a reversal, and gets nothing new before")
    }

    private func pause(after tries: Int) -> Duration {
        let pauses = profile.timing.backoff
        return pauses.isEmpty ? .zero : pauses[min(tries, pauses.count) - 1]
    }
}

extension HostFailure {
    /// The failure as payments know it.
    var hostError: PaymentHostError {
        switch self {
        case .notSent(.noMessage), .notSent(.missingField): .impossible("\(problem)")
        case .notSent(let problem): .notSent("\(problem)")
        case .outcomeUnknown(let problem): .outcomeUnknown("\(problem)")
        }
    }

    /// Whether the same message can succeed later.
    var mayPass: Bool {
        switch problem {
        case .message, .noMessage, .missingField, .needsKey, .mac, .pin, .tooLong, .canceled, .closed: false
        case .connection, .hangUp, .frame, .sameKey, .signOnRefused, .keyExchange, .noAnswer, .wrongMAC, .halfOpen,
            .pausing:
            true
        }
    }
}
