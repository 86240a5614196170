import Concurrency
import Determinism
import HTTPInterface
import Sessions

extension StoredSessions {
    /// Begins a session anew.
    func reset(_ number: Int64, _ id: String) async throws(APIError) -> APIAnswer {
        try await leasing(number, id) { lease, session async throws(APIError) in
            // The plan is enough: what the session did is not repeated.
            let creation = try await creation(session)
            let copy = try await ServedSession(
                id: id, plan: try PlanBody(try BodyNode(bytes: creation)), now: service.time.reading(),
                meter: SessionMeter(service.meter, time: service.time))
            do throws(APIError) {
                let view = APIAnswer.encoded(try await copy.view())
                let digest = try APIAnswer.digest(of: view)
                let store = store
                let position = try await storing { () async throws(SessionStoreError) in
                    try await store.reset(lease, digest: digest, view: view)
                }
                guard let position else { throw APIError(.leaseLost(session: id)) }
                copy.note(position)
                await service.noteEnd(id, .reset)
                await service.hold(copy)
                service.begin(copy)
                return APIAnswer(200, "application/json", .bytes(view)).with(Self.countField, "0")
            } catch {
                await copy.close()
                throw error
            }
        }
    }

    /// Returns the body of the request that made a session.
    private func creation(_ session: StoredSession) async throws(APIError) -> [UInt8] {
        if let creation = session.creation { return creation }
        let (store, number) = (store, session.number)
        let whole = try await storing { () async throws(SessionStoreError) in
            try await store.look(at: number, of: nil, after: .init())
        }
        guard let creation = whole?.creation else { throw SimulationService.noSession("s\(number)") }
        return creation
    }

    /// Repeats a session in a new one, request by request.
    func repetition(_ call: ServiceCall, of id: String) async throws(APIError) -> APIAnswer {
        guard let number = Self.number(id) else { throw SimulationService.noSession(id) }
        let event = try call.body["event"]?.int(1...Int(Int32.max))
        let (kept, events, creation) = try await service.changes.run(id) { () async throws(APIError) in
            let copy = try await copies.current(number, id)
            let session = StoredSession(
                number: number, position: copy.position ?? .init(), digest: [], program: store.program)
            return (try copy.keptRequests(), copy.session.events, try await self.creation(session))
        }
        if let event, event > events.count {
            throw .body("the session has \(events.count) events", at: "event", fix: "give the number of one of them")
        }
        // The first event is the till's start, before the session can pause.
        let new = try await create(creation, try BodyNode(bytes: creation), pauseAfter: event.map { max($0, 2) })
        guard let newNumber = Self.number(new.id) else { throw SimulationService.noSession(new.id) }
        for request in kept {
            if try await turned(newNumber, new.id).gate.isClosed { break }
            var again = request.request
            again.target = "/v1/sessions/\(new.id)" + request.place
            // A request that failed the first time fails again.
            do throws(APIError) { _ = try await change(again) } catch {
                guard error.status < 500, error.status != 429 else { throw error }
            }
        }
        let copy = try await turned(newNumber, new.id)
        guard copy.session.events.starts(with: events.prefix(event ?? events.count)) else {
            _ = try await delete(newNumber, new.id)
            throw APIError(
                500, "repeated_differently", "the repeated session has other events",
                fix: "this is a defect of the simulator; look at the session's events instead")
        }
        return APIAnswer(201, "application/json", .bytes(APIAnswer.encoded(try await copy.view())))
            .with(Self.countField, "\(copy.position?.requests ?? 0)")
    }

    /// Returns a copy in the turn of its session.
    private func turned(_ number: Int64, _ id: String) async throws(APIError) -> ServedSession {
        try await service.changes.run(id) { () async throws(APIError) in try await copies.current(number, id) }
    }

    /// Carries out a request of a repetition.
    private func change(_ request: APIRequest) async throws(APIError) -> APIAnswer {
        guard let (route, values) = APIPlace(of: request, in: service.routes).found, let id = values["session"],
            let number = Self.number(id)
        else { throw SimulationService.noSession("") }
        let call = try service.call(request, route, values)
        return try await service.changes.run(id) { () async throws(APIError) in
            try await change(number, id, call, route)
        }
    }

    // MARK: Event streams

    /// Brings the copies with event streams up to date for as long as there are streams.
    func follow() {
        guard service.takesFollowing() else { return }
        Task {
            defer { service.leaveFollowing() }
            while !service.isEnding {
                do { try await store.time.sleep(for: store.timing.follow) } catch { return }
                let watched = service.sessions.filter(\.hasStreams)
                guard !watched.isEmpty else { return }
                for copy in watched { await service.changes.run(copy.id) { () async in await catchUp(copy) } }
            }
        }
    }

    private func catchUp(_ copy: ServedSession) async {
        guard service.copy(of: copy.id) === copy, let number = Self.number(copy.id) else { return }
        let known = copy.position ?? .init()
        let look: StoredSession?
        // Without the database, the streams wait.
        do throws(SessionStoreError) { look = try await store.look(at: number, of: nil, after: known) } catch { return }
        guard let found = look else { return await service.drop(copy) }
        guard found.position != known else { return }
        // An error goes to the next request; the stream ends with the copy.
        _ = try? await copies.upToDate(found)
    }
}
