import Concurrency
import Determinism
import HTTPInterface
import Sessions

/// The copies of stored sessions that an instance has in memory.
///
/// A copy comes to be, and catches up, by repeating the stored requests of its session.
struct SessionCopies: Sendable {
    let service: SimulationService
    let store: SessionStore
    /// The name of the client's token.
    let owner: String
    let configuration: SimulationServiceConfiguration

    /// Returns a copy of a session that has seen every stored request. Called in the session's turn.
    func current(_ number: Int64, _ id: String) async throws(APIError) -> ServedSession {
        let (store, owner) = (store, owner)
        let known = service.copy(of: id)?.position ?? .init()
        let session = try await storing { () async throws(SessionStoreError) in
            try await store.look(at: number, of: owner, after: known)
        }
        guard let session else {
            if let copy = service.copy(of: id) { await service.drop(copy) }
            throw SimulationService.noSession(id)
        }
        return try await upToDate(session)
    }

    /// Brings the copy of a session up to date, or makes one.
    func upToDate(_ session: StoredSession) async throws(APIError) -> ServedSession {
        let id = "s\(session.number)"
        if let copy = service.copy(of: id), let position = copy.position {
            if position.generation == session.position.generation,
                position.requests + Int64(session.requests.count) == session.position.requests
            {
                guard !session.requests.isEmpty else {
                    copy.use(at: service.time.reading())
                    return copy
                }
                do throws(APIError) { _ = try await replay(session.requests, on: copy) } catch {
                    await service.drop(copy)
                    throw error
                }
                copy.note(session.position)
                copy.use(at: service.time.reading())
                return copy
            }
            // It is not a beginning of the session: the database has lost its end, or has another one since it was
            // restored, or a reset came between.
            await service.drop(copy)
            guard session.creation != nil else {
                let (store, number) = (store, session.number)
                let whole = try await storing { () async throws(SessionStoreError) in
                    try await store.look(at: number, of: nil, after: .init())
                }
                guard let whole else { throw SimulationService.noSession(id) }
                return try await upToDate(whole)
            }
        }
        let (new, _) = try await repeated(session)
        await hold(new)
        return new
    }

    /// Makes a session from its stored requests.
    ///
    /// - Returns: the session, and the answer to its last request; nil without one.
    /// - Throws: ``APIError``, also when an answer differs from the recorded one.
    func repeated(
        _ session: StoredSession
    ) async throws(APIError) -> (session: ServedSession, answer: APIAnswer?) {
        let body = try BodyNode(bytes: session.creation ?? [])
        let plan = try PlanBody(body)
        let meter = SessionMeter(service.meter, time: service.time)
        let (service, event) = (service, session.pauseAfter)
        let copy = try await meter.repeating { () async throws(APIError) in
            try await ServedSession(
                id: "s\(session.number)", plan: plan, now: service.time.reading(), meter: meter, stoppingAfter: event)
        }
        do throws(APIError) {
            let view = APIAnswer.encoded(try await copy.view())
            guard try APIAnswer.digest(of: view) == session.digest else {
                throw differing(copy.id, 0, "POST /v1/sessions", recordedBy: session.program)
            }
            let answer = try await replay(session.requests, on: copy)
            copy.note(session.position)
            return (copy, answer)
        } catch {
            await copy.close()
            throw error
        }
    }

    /// Repeats stored requests in a copy.
    ///
    /// - Returns: the last answer.
    /// - Throws: ``APIError`` when an answer differs from the recorded one.
    private func replay(
        _ requests: [StoredRequest], on copy: ServedSession
    ) async throws(APIError) -> APIAnswer? {
        try await copy.meter.repeating { () async throws(APIError) in
            var last: APIAnswer?
            for stored in requests {
                let request = stored.request(to: copy.id, cards: copy.plan.plan.cards)
                let answer = await service.answer(request, on: copy)
                guard try answer.digest() == stored.digest else {
                    throw differing(
                        copy.id, stored.number, "\(stored.method) \(stored.place.prefix { $0 != "?" })",
                        recordedBy: stored.program)
                }
                // As after the first time: what a pause shows is what was seen last.
                _ = try await copy.view()
                last = answer
            }
            return last
        }
    }

    private func differing(_ id: String, _ request: Int64, _ words: String, recordedBy program: String) -> APIError {
        APIError(
            .answersDiffer(
                .init(
                    session: id, request: request, words: words, recordedBy: program, program: store.program)))
    }

    /// Keeps a copy in memory, and lets the ones go that were used longest ago if there are too many.
    func hold(_ copy: ServedSession) async {
        await service.hold(copy)
        let surplus = service.sessionCount - max(1, configuration.copiesLimit)
        guard surplus > 0 else { return }
        // Those that clients watch stay, while others can go.
        let old = service.sessions.filter { $0 !== copy && !$0.plan.isDriven }
            .sorted { ($0.hasStreams ? 1 : 0, $0.lastUsed) < ($1.hasStreams ? 1 : 0, $1.lastUsed) }
        for candidate in old.prefix(surplus) {
            // After the request that may be using it.
            Task { [service] in
                await service.changes.run(candidate.id) { () async in await service.drop(candidate) }
            }
        }
    }
}
