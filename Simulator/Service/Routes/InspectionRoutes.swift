import HTTPInterface
import SessionViews
import Sessions

extension ServiceRoute {
    /// The routes that look closely at a session: what its exchanges mean, pauses, and repetitions.
    static let inspection: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/events/{event}/decoding", name: "decodeEvent",
            summary: "Decodes an exchange with the card: its data objects and their bits, with card data masked.",
            success: .json("DecodedExchange", "The decoded exchange."),
            failures: [(409, "The event is no exchange with the card.")]
        ) { call async throws(APIError) in
            let events = try call.session().session.events
            let name = call.values["event"] ?? ""
            guard let number = Int(name), events.indices.contains(number - 1) else {
                throw APIError(
                    404, "unknown_event", "there is no event '\(BodyNode.clip(name))'",
                    fix: "use the number of an event, from 1 to \(events.count)")
            }
            guard let exchange = DecodedExchange(events[number - 1], after: events[..<(number - 1)]) else {
                throw APIError(
                    409, "no_exchange", "event \(number) is no exchange with the card",
                    fix: "use the number of an event of the kind apdu")
            }
            return .json(exchange, as: Views.decodedExchange)
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/requests", name: "listRequests",
            summary: "Lists the requests that may have changed the session, without keys of the PIN pad.",
            success: .list("Request", "Oldest first.")
        ) { call async throws(APIError) in .list(try call.session().keptRequests(), as: Views.request) },
        change(
            "continue", "continueSession", "Lets a paused session continue, or pauses one that works again.",
            body: .named("Continue")
        ) { call, session async throws(APIError) in
            await session.resume(events: try call.body["events"]?.int(1...1_000_000))
        },
        ServiceRoute(
            method: "PUT", path: "/v1/sessions/{session}/breakpoints", name: "setBreakpoints",
            summary: "Sets the events after which the session pauses. An empty list removes them.",
            body: .named("Breakpoints"), success: .json("Session", "The changed session.")
        ) { call async throws(APIError) in
            let session = try call.session()
            var words: [String] = []
            for node in try call.body.required("events").list(0...100) { words.append(try node.text()) }
            session.gate.breakpoints = words
            return .json(try await session.view())
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/repeat", name: "repeatSession",
            summary: "Repeats the session up to an event in a new session, which pauses there.",
            body: .named("Repeat"), success: .json("Session", "The new session.", status: 201),
            failures: [(422, "The session has no such event."), (429, "There are too many sessions.")]
        ) { call async throws(APIError) in
            let session = try call.session()
            let event = try call.body["event"]?.int(1...Int(Int32.max))
            let repetition = try await call.service.repetition(of: session, until: event)
            return .json(try await repetition.view(), status: 201)
        },
    ]
}
