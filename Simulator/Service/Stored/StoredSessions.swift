import Concurrency
import Determinism
import HTTPInterface
import Sessions
import Synchronization
import Text

/// Carries out the requests of one client on a service with a store; see ``SessionStore``.
///
/// An instance has copies of sessions in memory. A request to a session waits for earlier ones to the same session in
/// this instance, and a change also for those in others. Requests that only read see what is stored, and change
/// nothing.
struct StoredSessions: Sendable {
    let service: SimulationService
    let store: SessionStore
    /// The name of the client's token.
    let owner: String
    let configuration: SimulationServiceConfiguration

    var copies: SessionCopies {
        SessionCopies(service: service, store: store, owner: owner, configuration: configuration)
    }

    /// The most requests of a session, because each repetition carries out all of them.
    static let mostRequests: Int64 = 10_000
    /// How often an instance looks for idle sessions.
    private static let sweepPause = Duration.seconds(5)
    /// The header field with the number of requests of a session.
    static let countField = "Session-Requests"
    /// The header field with the number that a request is to have.
    static let numberParameter = ServiceRoute.Parameter(
        name: "Session-Request", schema: .integer(1...Int(Int32.max)),
        summary:
            "With a store, the number of the request in the session. One that was stored before has the same answer "
            + "again.")

    /// Carries out a request whose origin and token were checked.
    func carryOut(
        _ request: APIRequest, _ route: ServiceRoute, _ values: [String: String]
    ) async throws(APIError) -> APIAnswer {
        guard route.path.hasPrefix("/v1") || route.name == "readiness" else {
            return try await route.act(try service.call(request, route, values))
        }
        let (store, owner, quota) = (store, owner, configuration.quota)
        if route.needsToken {
            let refusal = try await storing { () async throws(SessionStoreError) in
                try await store.count(owner, quota)
            }
            if let refusal { throw APIError(refusal) }
        }
        await sweep()
        let call = try service.call(request, route, values)
        switch route.name {
        case "createSession": return try await create(call)
        case "listSessions": return try await list()
        case "service": return try await state()
        case "readiness":
            let counts = try await storing { () async throws(SessionStoreError) in try await store.counts(owner) }
            try service.checkReadiness(sessions: counts.all)
            return try await route.act(call)
        default: break
        }
        guard let id = values["session"] else { return try await route.act(call) }
        guard let number = Self.number(id) else { throw SimulationService.noSession(id) }
        switch route.name {
        case "deleteSession": return try await delete(number, id)
        case "repeatSession": return try await repetition(call, of: id)
        case "resetSession": return try await inTurn(id) { () async throws(APIError) in try await reset(number, id) }
        case _ where route.isStored:
            try StoredRequest.check(request, call.body)
            return try await inTurn(id) { () async throws(APIError) in try await change(number, id, call, route) }
        default:
            return try await inTurn(id) { () async throws(APIError) in
                var call = call
                let copy = try await copies.current(number, id)
                call.served = copy
                let answer = try await route.act(call)
                if copy.hasStreams { follow() }
                return answer
            }
        }
    }

    /// Returns the number of a session; nil when no session can have the ID.
    static func number(_ id: String) -> Int64? {
        guard id.hasPrefix("s"), let number = Int64(id.dropFirst()), number > 0, id == "s\(number)" else { return nil }
        return number
    }

    private func inTurn<Value: Sendable>(
        _ id: String, _ body: @escaping @Sendable () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        try await service.changes.run(id, body)
    }

    /// Ends sessions that no request has used for some time.
    private func sweep() async {
        service.sweep()
        guard service.takesSweep(every: Self.sweepPause) else { return }
        // The next request tries again.
        guard let ended = try? await store.endIdle(after: configuration.idleLimit) else { return }
        for number in ended { await service.noteEnd("s\(number)", .idle) }
    }

    // MARK: Without a session

    private func list() async throws(APIError) -> APIAnswer {
        let (store, owner) = (store, owner)
        let views = try await storing { () async throws(SessionStoreError) in try await store.views(owner) }
        var bytes = Array("[".utf8)
        for (index, view) in views.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += view
        }
        return APIAnswer(200, "application/json", .bytes(bytes + Array("]".utf8)))
    }

    private func state() async throws(APIError) -> APIAnswer {
        let (store, owner) = (store, owner)
        let counts = try await storing { () async throws(SessionStoreError) in try await store.counts(owner) }
        return .json(ServiceLoad(sessions: counts.own, configuration: configuration), as: Views.service)
    }

    private func create(_ call: ServiceCall) async throws(APIError) -> APIAnswer {
        try StoredRequest.check(call.request, call.body)
        let copy = try await create(call.request.body, call.body, pauseAfter: nil)
        return APIAnswer(201, "application/json", .bytes(APIAnswer.encoded(try await copy.view())))
            .with("Location", "/v1/sessions/\(copy.id)").with(Self.countField, "0")
    }

    /// Makes a session and stores it.
    func create(
        _ creation: [UInt8], _ body: BodyNode, pauseAfter event: Int?
    ) async throws(APIError) -> ServedSession {
        guard !service.isEnding else { throw SimulationService.ending }
        let plan = try PlanBody(body)
        try StoredRequest.checkPlan(body)
        let (store, owner, quota, limit) = (store, owner, configuration.quota, configuration.sessionsLimit)
        let chosen = try await storing { () async throws(SessionStoreError) in
            try await store.newNumber(owner, quota, limit: limit)
        }
        let number: Int64
        switch chosen {
        case .success(let free): number = free
        case .failure(let refusal): throw APIError(refusal)
        }
        let copy = try await ServedSession(
            id: "s\(number)", plan: plan, now: service.time.reading(),
            meter: SessionMeter(service.meter, time: service.time), stoppingAfter: event)
        do throws(APIError) {
            let view = APIAnswer.encoded(try await copy.view())
            let session = StoredSession(
                number: number, position: .init(generation: 1), creation: creation, pauseAfter: event,
                digest: try APIAnswer.digest(of: view), program: store.program)
            let refusal = try await storing { () async throws(SessionStoreError) in
                try await store.create(
                    session, owner: owner, seed: plan.plan.seed, view: view, quota, limit: limit)
            }
            if let refusal { throw APIError(refusal) }
        } catch {
            await copy.close()
            throw error
        }
        copy.note(.init(generation: 1))
        await copies.hold(copy)
        service.begin(copy)
        return copy
    }

    func delete(_ number: Int64, _ id: String) async throws(APIError) -> APIAnswer {
        let (store, owner) = (store, owner)
        let known = StoredSession.Position(generation: .max)
        let session = try await storing { () async throws(SessionStoreError) in
            try await store.look(at: number, of: owner, after: known)
        }
        guard session != nil else { throw SimulationService.noSession(id) }
        try await storing { () async throws(SessionStoreError) in try await store.delete(number) }
        await service.noteEnd(id, .deleted)
        return .nothing
    }

    // MARK: Changes

    /// Takes the lease of a session, and waits while another instance has it.
    private func take(_ number: Int64, _ id: String) async throws(APIError) -> (SessionLease, StoredSession) {
        let (store, owner, name) = (store, owner, store.newLease())
        let end = store.time.reading() + store.timing.wait
        var pause = Duration.milliseconds(4)
        while true {
            let known = service.copy(of: id)?.position ?? .init()
            let answer = try await storing { () async throws(SessionStoreError) in
                try await store.take(number, of: owner, as: name, after: known)
            }
            switch answer {
            case .taken(let lease, let session): return (lease, session)
            case .noSession:
                if let copy = service.copy(of: id) { await service.drop(copy) }
                throw SimulationService.noSession(id)
            case .held: break
            }
            guard end - store.time.reading() > pause else { throw APIError(.heldElsewhere(session: id)) }
            do throws(CancellationError) { try await store.time.sleep(for: pause) } catch {
                throw APIError(.heldElsewhere(session: id))
            }
            pause = min(pause * 2, .milliseconds(200))
        }
    }

    /// Has the lease of a session while `body` changes it. `body` ends the lease.
    func leasing<Value: Sendable>(
        _ number: Int64, _ id: String,
        _ body: (SessionLease, StoredSession) async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        let (lease, session) = try await take(number, id)
        let store = store
        let renewal = Task {
            while true {
                do { try await store.time.sleep(for: store.timing.lease / 3) } catch { return }
                await store.renew(lease)
            }
        }
        defer { renewal.cancel() }
        do throws(APIError) { return try await body(lease, session) } catch {
            await store.release(lease)
            throw error
        }
    }

    /// Carries out a request that may change a session, and stores it before it is answered.
    func change(
        _ number: Int64, _ id: String, _ call: ServiceCall, _ route: ServiceRoute
    ) async throws(APIError) -> APIAnswer {
        try await leasing(number, id) { lease, session async throws(APIError) in
            let copy = try await copies.upToDate(session)
            let cards = copy.plan.plan.cards
            var stored = StoredRequest(
                call.request, number: session.position.requests + 1, cards: cards, program: store.program)
            if let wanted = try Self.wanted(call.request), wanted != stored.number {
                let answer = try await answered(wanted, stored, session)
                await store.release(lease)
                return answer
            }
            guard stored.number <= Self.mostRequests else {
                throw APIError(
                    409, "session_full", "the limit of \(Self.mostRequests) requests in this session is reached",
                    fix: "reset the session, or create another one")
            }
            var call = call
            call.served = copy
            let (result, isKept) = await call.act(route)
            guard isKept else {
                let answer = try result.get()
                await store.release(lease)
                return answer.with(Self.countField, "\(stored.number - 1)")
            }
            do throws(APIError) {
                var answer: APIAnswer
                do throws(APIError) { answer = try result.get() } catch { answer = .failure(error) }
                stored.digest = try answer.digest()
                try await store(stored, lease, copy)
                copy.note(
                    .init(generation: session.position.generation, requests: stored.number, lease: lease.name))
                return answer.with(Self.countField, "\(stored.number)")
            } catch {
                // The copy is ahead of the store. Another one comes back by replay.
                await service.drop(copy)
                throw error
            }
        }
    }

    private func store(
        _ request: StoredRequest, _ lease: SessionLease, _ copy: ServedSession
    ) async throws(APIError) {
        let view = APIAnswer.encoded(try await copy.view())
        let (store, owner, quota) = (store, owner, configuration.quota)
        let change = try await storing { () async throws(SessionStoreError) in
            try await store.append(request, lease, view: view, owner: owner, quota)
        }
        switch change {
        case .stored: return
        case .lost: throw APIError(.leaseLost(session: copy.id))
        case .refused(let refusal): throw APIError(refusal)
        }
    }

    // MARK: Repeated requests

    /// The number that the client wants its request to have; nil for the next one.
    static func wanted(_ request: APIRequest) throws(APIError) -> Int64? {
        guard let text = request.headers["session-request"] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(text), number > 0 else {
            throw APIError(
                400, "invalid_request_number", "Session-Request is a whole number from 1 to \(Int32.max), in digits")
        }
        return Int64(number)
    }

    /// Returns the answer to a request that was stored before.
    ///
    /// - Throws: ``APIError`` when there is none, or another request has the number.
    private func answered(
        _ wanted: Int64, _ request: StoredRequest, _ session: StoredSession
    ) async throws(APIError) -> APIAnswer {
        let count = session.position.requests
        guard wanted <= count else {
            throw APIError(
                409, "request_number_ahead", "the session has \(count) requests",
                fix: "give the next request the number \(count + 1)")
        }
        let (store, number) = (store, session.number)
        let found = try await storing { () async throws(SessionStoreError) in
            try await store.look(at: number, of: nil, after: .init())
        }
        guard var found, wanted <= Int64(found.requests.count) else {
            throw SimulationService.noSession("s\(number)")
        }
        guard found.requests[Int(wanted) - 1].isSame(as: request) else {
            throw APIError(
                409, "request_number_used", "request \(wanted) of the session is another one",
                fix: "read the session, and give the next request the number \(count + 1)")
        }
        found.requests.removeSubrange(Int(wanted)...)
        let (scratch, answer) = try await copies.repeated(found)
        await scratch.close()
        guard let answer else { throw SimulationService.noSession("s\(number)") }
        return answer.with("Idempotency-Replayed", "true").with(Self.countField, "\(count)")
    }
}
