import CardSecrets
import Concurrency
import Connections
public import Determinism
public import ISO8583

/// The connection to one host by a profile: connects, signs on, and matches answers with requests.
///
/// Any number of requests may be under way; their answers come in any order. A message that answers no waiting request
/// is reported as a ``HostEvent``, and changes nothing. Nothing is sent twice: a request whose connection ends is not
/// repeated.
public actor HostLink {
    /// How a link behaves besides its profile.
    public struct Settings: Sendable {
        public var pauses = ReconnectPauses()
        /// How long the host may take to accept the sign-on, to give keys, and to answer an echo.
        public var networkAnswer = Duration.seconds(15)
        /// Whether keys are exchanged after a sign-on. Otherwise they are before the first message that needs them.
        public var exchangesKeysOnSignOn = true
        /// Whether an idle connection is kept alive as the profile says. Without it, a connection that is half open is
        /// noticed by the next request.
        public var keepsAlive = true
        /// Called with each message before it is sent, and when it came, with card data masked; nil for no trace. It
        /// must not wait.
        public var onMessage: (@Sendable (TracedMessage) -> Void)?

        public init() {}
    }

    typealias Answer = FirstAnswer<ISOMessage, HostFailure>

    /// A request that waits for its answer.
    struct Pending {
        let kind: MessageKind
        let request: ISOMessage
        /// The maker of the request's MAC, and the keys of it and of that of the answer; nil without a MAC.
        let seal: LinkSecurity.Seal?
        let answer: Answer
        /// What was wrong with the MACs of answers that came; nil without one.
        var refused: HostProblem?
    }

    public nonisolated let profile: MessageProfile
    nonisolated let codec: MessageCodec
    nonisolated let network: NetworkMessages
    private let connector: any HostConnector
    let traceNumbers: any TraceNumberSource
    private let random: any RandomSource
    let settings: Settings
    /// The keys and MACs; nil without a key file.
    nonisolated let security: LinkSecurity?
    nonisolated let time: any TimeSource
    nonisolated let onEvent: @Sendable (HostEvent) -> Void
    nonisolated var onMessage: (@Sendable (TracedMessage) -> Void)? { settings.onMessage }

    var pending: [MessageKey: Pending] = [:]
    /// The keys of the last requests without and with an answer.
    var (givenUp, answered) = (RecentKeys(), RecentKeys())
    var wire: Wire?
    /// An exchange of keys that is under way; it has the reason why it failed.
    var renewal: Task<HostFailure?, Never>?
    private var connecting: Task<Void, Never>?
    private var waitingToConnect: [FirstAnswer<Void, HostFailure>] = []
    private var (failures, isClosed) = (0, false)
    private var nextTry: Duration?

    /// - Parameters:
    ///   - profile: the dialect of the host.
    ///   - identity: the terminal and the merchant, for messages of network management.
    ///   - connector: makes the connections.
    ///   - traceNumbers: the source of field 11.
    ///   - time: measures all deadlines.
    ///   - random: spreads the pauses.
    ///   - settings: pauses, and the time for sign-on and echo.
    ///   - security: the keys for MACs and PINs; nil for none.
    ///   - onEvent: called with each event. It must not wait.
    public init(
        _ profile: MessageProfile, identity: TerminalIdentity, connector: any HostConnector,
        traceNumbers: any TraceNumberSource, time: any TimeSource, random: any RandomSource,
        settings: Settings = Settings(), security: LinkSecurity? = nil,
        onEvent: @escaping @Sendable (HostEvent) -> Void = { _ in }
    ) {
        (self.profile, self.connector, self.traceNumbers) = (profile, connector, traceNumbers)
        (self.time, self.random, self.settings, self.onEvent) = (time, random, settings, onEvent)
        self.security = security
        codec = profile.makeCodec()
        network = NetworkMessages(profile: profile, identity: identity, time: time)
    }

    deinit { wire?.connection.close() }

    /// Whether there is a connection, with its sign-on accepted.
    public var isConnected: Bool { wire?.isReady == true }

    /// Connects and signs on, unless that is done. Several callers share one try.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``, with ``HostProblem/pausing(_:)`` during the pause after a failed try.
    public func connect() async throws(HostFailure) {
        guard !isClosed else { throw .notSent(.closed) }
        guard !isConnected else { return }
        if connecting == nil, let rest = nextTry.map({ $0 - time.reading() }), rest > .zero {
            throw .notSent(.pausing(rest))
        }
        let wait = FirstAnswer<Void, HostFailure>()
        waitingToConnect.append(wait)
        if connecting == nil { connecting = Task { await self.open() } }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { wait.wait($0) }
        } onCancel: {
            wait.give(.failure(.notSent(.canceled)))
        }
        try result.get()
    }

    /// Keeps the link connected until the task is canceled or the link is closed: connects again after each end, with
    /// growing pauses.
    public func keepConnected() async {
        while !isClosed, !Task.isCancelled {
            do throws(HostFailure) { try await connect() } catch {
                guard case .pausing(let rest) = error.problem else { continue }
                guard (try? await time.sleep(for: rest)) != nil else { return }
                continue
            }
            guard let wire else { continue }
            await wire.waitForEnd()
        }
    }

    /// Sends a request, and waits for its answer. Connects before when there is no connection.
    ///
    /// - Parameters:
    ///   - request: the message. Without field 11 it gets the next trace number.
    ///   - kind: which message of the profile it is.
    ///   - limit: the longest time to the answer; nil for that of the profile.
    /// - Returns: the answer. A refusal is one, too.
    /// - Throws: ``HostFailure``
    public func send(
        _ request: ISOMessage, as kind: MessageKind, limit: Duration? = nil
    ) async throws(HostFailure) -> ISOMessage {
        let limit = limit ?? (kind == .reversal ? profile.timing.reversalAnswer : profile.timing.answer)
        try await connect()
        guard let wire else { throw .notSent(.hangUp) }
        // A late answer on a connection for one request must meet no other one.
        defer { if profile.connection == .perTransaction, pending.isEmpty { end(wire, .closed) } }
        if wire.isSignedOff { try await signOnAgain(wire) }
        if kind != .keyExchange, security?.needsKeys == true { try await renewKeys(wire) }
        let answer = try await exchange(request, as: kind, limit: limit, on: wire)
        let code = AnswerReading.trimmed(answer.text(of: 39)) ?? ""
        if profile.results.signOnAgainOn.contains(code) { wire.isSignedOff = true }
        return answer
    }

    /// Sends an echo, and waits for its answer.
    ///
    /// - Throws: ``HostFailure``
    @discardableResult
    public func echo() async throws(HostFailure) -> ISOMessage {
        let message = try network.message(.echo, traceNumber: await traceNumbers.next())
        return try await send(message, as: .echo, limit: settings.networkAnswer)
    }

    /// Ends the connection, unless a request waits for its answer there: one without answers may be half open. The next
    /// request connects again.
    public func renew() {
        if let wire, pending.isEmpty { end(wire, .halfOpen) }
    }

    /// Closes the link for good. Requests under way end with an unknown outcome.
    public func close() {
        isClosed = true
        connecting?.cancel()
        if let wire { end(wire, .closed) }
        finishConnecting(.failure(.notSent(.closed)))
    }
}

extension HostLink {
    /// Connects, signs on, and tells those who wait.
    private func open() async {
        let result: Result<Void, HostFailure>
        do throws(HostFailure) {
            let deadline = Deadline(after: profile.connectTimeout, on: time)
            let connection: any ByteConnection
            do throws(ConnectionFailure) { connection = try await connector.connect(deadline: deadline) } catch {
                throw .notSent(.connection(error))
            }
            guard !isClosed else {
                connection.close()
                throw .notSent(.closed)
            }
            let wire = Wire(connection, profile.frame, since: time.reading())
            self.wire = wire
            startReading(wire)
            do throws(HostFailure) {
                try await signOn(wire)
                if settings.exchangesKeysOnSignOn, security?.exchangesOnSignOn(profile.connection) == true {
                    try await exchangeNamedKeys(wire)
                }
            } catch {
                end(wire, error.problem)
                // No request has left, whatever became of the sign-on.
                throw .notSent(error.problem)
            }
            guard self.wire === wire else { throw .notSent(.hangUp) }
            wire.isReady = true
            onEvent(.connected(connection.peer))
            result = .success(())
        } catch { result = .failure(error) }
        if case .failure = result { countFailure() }
        finishConnecting(result)
    }

    private func countFailure() {
        failures += 1
        nextTry = time.reading() + settings.pauses.pause(after: failures, random)
    }

    private func finishConnecting(_ result: Result<Void, HostFailure>) {
        connecting = nil
        let waiting = waitingToConnect
        waitingToConnect = []
        for wait in waiting { wait.give(result) }
    }

    private func signOn(_ wire: Wire) async throws(HostFailure) {
        guard profile.messages[.signOn] != nil else { return }
        let message = try network.message(.signOn, traceNumber: await traceNumbers.next())
        let answer = try await exchange(message, as: .signOn, limit: settings.networkAnswer, on: wire)
        let code = answer.text(of: 39) ?? ""
        guard network.accepts(code) else {
            throw .outcomeUnknown(.signOnRefused(code: code, meaning: profile.results.meaning(of: code)))
        }
    }

    /// Signs on once more, because the host has signed the terminal off.
    private func signOnAgain(_ wire: Wire) async throws(HostFailure) {
        do throws(HostFailure) { try await signOn(wire) } catch {
            end(wire, error.problem)
            // The request has not left, whatever became of the sign-on.
            throw .notSent(error.problem)
        }
        wire.isSignedOff = false
    }

    /// Sends a request on a connection, and waits for its answer.
    func exchange(
        _ message: ISOMessage, as kind: MessageKind, limit: Duration, on wire: Wire
    ) async throws(HostFailure) -> ISOMessage {
        guard let form = profile.messages[kind] else { throw .notSent(.noMessage(kind)) }
        var request = message
        if !request.fields.contains(11) { request.set(11, profile.field11(await traceNumbers.next())) }
        guard let key = MessageKey(request: request, form: form, fields: profile.matching.key) else {
            throw .notSent(.noMessage(kind))
        }
        guard pending[key] == nil else { throw .notSent(.sameKey) }
        let seal = try await seal(&request, as: kind)
        var frame = try await frame(of: request, as: kind, seal)
        defer { frame.wipe() }
        guard pending[key] == nil else { throw .notSent(.sameKey) }
        let answer = Answer()
        pending[key] = Pending(kind: kind, request: request, seal: seal, answer: answer)
        let deadline = Deadline(after: limit, on: time)
        do throws(WriteFailure) { try await wire.connection.write(frame, deadline: deadline) } catch {
            if case .notSent(let reason) = error {
                if pending[key]?.answer === answer { pending[key] = nil }
                switch reason {
                case .timedOut, .canceled: break
                default: end(wire, .connection(reason))
                }
                throw .notSent(reason == .canceled ? .canceled : .connection(reason))
            }
            end(wire, .connection(error.reason))
        }
        frame.wipe()
        let result = await wait(for: answer, until: deadline)
        let refused = pending[key].flatMap { $0.answer === answer ? $0.refused : nil }
        if pending[key]?.answer === answer { pending[key] = nil }
        switch result {
        case .success:
            answered.insert(key)
            if kind != .signOn { failures = 0 }
            return try result.get()
        case .failure(let failure):
            givenUp.insert(key)
            // A frame that has begun and does not end says more than the silence.
            if failure.problem == .noAnswer, let error = wire.unfinished { throw .outcomeUnknown(.frame(error)) }
            if failure.problem == .noAnswer, let refused { throw .outcomeUnknown(refused) }
            throw failure
        }
    }

    private func frame(
        of request: ISOMessage, as kind: MessageKind, _ seal: LinkSecurity.Seal?
    ) async throws(HostFailure) -> [UInt8] {
        var body = try await sealed(request, with: seal)
        defer { body.wipe() }
        guard let frame = profile.frame.frame(body) else { throw .notSent(.tooLong) }
        onMessage?(TracedMessage(.sent, body, kind: kind, codec: codec, profile: profile, at: time.now()))
        return frame
    }

    private func wait(for answer: Answer, until deadline: Deadline) async -> Answer.Answer {
        let (time, rest) = (time, deadline.remaining(on: time))
        let alarm = Task {
            guard (try? await time.sleep(for: max(.zero, rest))) != nil else { return }
            answer.give(.failure(.outcomeUnknown(.noAnswer)))
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer.wait($0) }
        } onCancel: {
            answer.give(.failure(.outcomeUnknown(.canceled)))
        }
    }

    /// Reads until the connection ends. The task does not keep the link alive.
    private func startReading(_ wire: Wire) {
        let (connection, first) = (wire.connection, nextRead())
        Task { [weak self] in
            var deadline = first
            while true {
                let read: Result<[UInt8]?, ConnectionFailure>
                do throws(ConnectionFailure) {
                    read = .success(try await connection.read(upTo: 16_384, deadline: deadline))
                } catch { read = .failure(error) }
                guard let next = await self?.take(read, from: wire) else { return }
                deadline = next
            }
        }
    }

    /// The end of a read: the moment for a keep-alive.
    func nextRead() -> Deadline {
        guard settings.keepsAlive, profile.keepAlive.kind != .none, profile.connection == .kept else { return .never }
        return Deadline(after: profile.keepAlive.interval, on: time)
    }

    /// Ends a connection, and all requests that wait on it.
    func end(_ wire: Wire, _ problem: HostProblem) {
        guard self.wire === wire else { return }
        self.wire = nil
        wire.connection.close()
        let waiting = pending
        pending = [:]
        for (key, request) in waiting {
            givenUp.insert(key)
            request.answer.give(.failure(.outcomeUnknown(problem)))
        }
        wire.finish()
        guard wire.isReady else { return }
        // A host that accepts and hangs up again and again is asked no more often than one that refuses.
        if time.elapsed(since: wire.since) >= .seconds(60) { failures = 0 }
        if problem != .closed { countFailure() }
        onEvent(.disconnected(problem))
    }
}
