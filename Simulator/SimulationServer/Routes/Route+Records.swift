internal import Sessions

extension Route {
    /// What happened.
    static let records: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions/{session}/events", name: "readEvents",
            summary: "What happened: a page of it or, with 'Accept: text/event-stream', everything as it happens.",
            query: [
                Parameter(name: "after", schema: .count, summary: "The last id that is known; 0 without."),
                Parameter(name: "limit", schema: .integer(1...10_000), summary: "1000 without."),
                Parameter(name: "kind", schema: .text, summary: "Only events of this kind, in a page."),
            ],
            headers: [
                Parameter(name: "Last-Event-ID", schema: .text, summary: "The same as 'after', for a stream.")
            ],
            success: Success(
                status: 200, summary: "Events.",
                content: [("application/json", .named("EventPage")), ("text/event-stream", nil)]),
            failures: [(429, "Too many clients read this session's events.")]
        ) { call async throws(APIError) in
            let session = try call.session()
            let after = try call.number("after", 0...Int(Int32.max))
            if call.request.headers["accept"]?.contains("text/event-stream") == true {
                let last = after ?? call.request.headers["last-event-id"].flatMap { Int($0) } ?? 0
                let stream = try session.stream(after: max(0, last), time: call.service.time)
                return APIAnswer(200, "text/event-stream", .events(stream)).with("Cache-Control", "no-store")
            }
            let limit = try call.number("limit", 1...10_000) ?? 1000
            let kind = try call.word("kind", SessionEventKind.allCases.map(\.rawValue))
            let events = session.session.events.dropFirst(after ?? 0)
                .filter { kind == nil || $0.kind.rawValue == kind }
                .prefix(limit).map { EventView($0) }
            return .json(EventPage(events: events, last: events.last?.id ?? after ?? 0))
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/trace", name: "readTrace",
            summary: "The exchanges with the card, a line each: command and answer, masked.",
            success: Success(status: 200, summary: "Lines.", content: [("text/plain", nil)])
        ) { call async throws(APIError) in
            let lines = try call.session().session.events.filter { $0.kind == .apdu }.map { $0.detail + "\n" }
            return .text(lines.joined())
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}/reconciliation", name: "reconcile",
            summary: "The till's journal against the issuer's book.",
            success: .json("Reconciliation", "Whether they agree.")
        ) { call async throws(APIError) in
            let found = try await call.session().look("reconcile") { session async throws(SimulatedSessionError) in
                try await session.reconciliation()
            }
            return .json(ReconciliationView(found))
        },
    ]
}
