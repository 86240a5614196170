import HTTPInterface
import Sessions
import Simulator
import StoreSite

extension ServiceRoute {
    /// The routes of the issuer, the store, the printer, and the disk.
    static let world: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/issuer/ledger", name: "readIssuerLedger",
            summary: "Returns the issuer's ledger.", success: .list("IssuerEntry", "Oldest first.")
        ) { call async throws(APIError) in
            let ledger = try await call.session().read("ledger") { session async throws(SimulatedSessionError) in
                try await session.issuerLedger()
            }
            return .list(ledger.entries, as: Views.issuerEntry)
        },
        ServiceRoute(
            method: "PUT", path: "/v1/sessions/{session}/issuer/rules", name: "setIssuerRules",
            summary: "Replaces the issuer's rules.", body: .named("Rules"),
            success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.issuerRules(try PlanBody.rules(try call.body.required("rules")))])
            return .nothing
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/issuer/faults", name: "addIssuerFault",
            summary: "Adds a fault of the issuer connection after the existing ones.",
            body: .named("IssuerFault"), success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.issuerFault(try FaultBodies.issuer(call.body))])
            return .nothing
        },
        ServiceRoute(
            method: "DELETE", path: "/v1/sessions/{session}/issuer/faults", name: "removeIssuerFaults",
            summary: "Removes all faults of the issuer connection.", success: .nothing
        ) { call async throws(APIError) in
            try await call.session().act([.issuerRecovers])
            return .nothing
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/store", name: "readStore",
            summary: "Returns the store's orders and charges.",
            success: .json("Store", "The orders and charges.")
        ) { call async throws(APIError) in .json(try Self.withStore(call).session, as: Views.store) },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/store/faults", name: "addStoreFault",
            summary: "Adds a fault of the store.", body: .named("StoreFault"),
            success: .nothing
        ) { call async throws(APIError) in
            let session = try Self.withStore(call)
            try await session.act([.siteFault(try FaultBodies.store(try call.body.required("rule")))])
            return .nothing
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/printer", name: "readPrinter",
            summary: "Returns the printer and its print jobs.", success: .json("Printer", "The printer.")
        ) { call async throws(APIError) in .json(try call.session(), as: Views.printer) },
        condition(of: "printer", as: Views.printer) { session, condition async throws(APIError) in
            try await session.setPrinter(condition)
        },
        condition(of: "disk", as: Views.disk) { session, condition async throws(APIError) in
            try await session.setDisk(condition)
        },
    ]

    /// Creates the route that sets the condition of a device.
    private static func condition<Condition: SimulatedCondition>(
        of device: String, as view: View<ServedSession>,
        _ set: @escaping @Sendable (ServedSession, Condition) async throws(APIError) -> Void
    ) -> ServiceRoute {
        let name: String = device.prefix(1).uppercased() + device.dropFirst()
        return ServiceRoute(
            method: "PUT", path: "/v1/sessions/{session}/\(device)", name: "set\(name)",
            summary: "Sets the condition of the \(device).", body: .named("\(name)Change"),
            success: .json(name, "The \(device).")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await set(session, try ConditionBodies.condition(call.body, of: "a \(device)"))
            return .json(session, as: view)
        }
    }

    private static func withStore(_ call: ServiceCall) throws(APIError) -> ServedSession {
        let session = try call.session()
        guard session.plan.plan.store != nil else {
            throw APIError(409, "no_store", "the session has no store", fix: "create the session with a store")
        }
        return session
    }
}

extension ServiceRoute {
    /// The routes of events and records.
    static let records: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/events", name: "readEvents",
            summary: "Returns a page of events or, with 'Accept: text/event-stream', a live stream.",
            query: [
                Parameter(name: "after", schema: .count, summary: "The ID of the last known event. Default: 0."),
                Parameter(
                    name: "limit", schema: .integer(1...10_000), summary: "The maximum number of events. Default: 1000."
                ),
                Parameter(
                    name: "kind", schema: .word(SessionEventKind.allCases.map(\.rawValue)),
                    summary: "The kind of events on a page. Default: all."),
            ],
            headers: [
                Parameter(name: "Last-Event-ID", schema: .text, summary: "The header form of 'after', for streams.")
            ],
            success: Success(
                status: 200, summary: "The events.",
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
                .prefix(limit)
            return .json((Array(events), events.last?.number ?? after ?? 0), as: Views.eventPage)
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/trace", name: "readTrace",
            summary: "Returns the card exchanges, one per line: command and response, with card data masked.",
            success: Success(status: 200, summary: "The exchanges, one per line.", content: [("text/plain", nil)])
        ) { call async throws(APIError) in
            let lines = try call.session().session.events.filter { $0.kind == .apdu }.map { $0.detail + "\n" }
            return .text(lines.joined())
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/reconciliation", name: "reconcile",
            summary: "Compares the till's journal with the issuer's ledger.",
            success: .json("Reconciliation", "The result of the comparison.")
        ) { call async throws(APIError) in
            let found = try await call.session().read("reconcile") { session async throws(SimulatedSessionError) in
                try await session.reconciliation()
            }
            return .json(found, as: Views.reconciliation)
        },
    ]
}
