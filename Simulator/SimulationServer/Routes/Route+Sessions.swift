internal import Sessions
internal import Yosemite

extension Route {
    /// Sessions.
    static let sessions: [Route] = [
        Route(
            method: "GET", path: "/v1/sessions", name: "listSessions", summary: "The sessions that there are.",
            success: .list("Session", "Oldest first.")
        ) { call async throws(APIError) in
            var views: [SessionView] = []
            for session in call.service.sessions { views.append(try await session.view()) }
            return .json(views)
        },
        Route(
            method: "POST", path: "/v1/sessions", name: "createSession",
            summary: "Begins a session; without a plan it has one reader and cards of all kinds.", body: .named("Plan"),
            success: .json("Session", "The session.", status: 201),
            failures: [(422, "The plan has a mistake."), (429, "There are too many sessions.")]
        ) { call async throws(APIError) in
            let session = try await call.service.create(try PlanBody(call.body))
            return .json(try await session.view(), status: 201).with("Location", "/v1/sessions/\(session.id)")
        },
        Route(
            method: "GET", path: "/v1/sessions/{session}", name: "readSession", summary: "A session as it is now.",
            success: .json("Session", "The session.")
        ) { call async throws(APIError) in .json(try await call.session().view()) },
        Route(
            method: "DELETE", path: "/v1/sessions/{session}", name: "deleteSession", summary: "Ends a session.",
            success: .nothing
        ) { call async throws(APIError) in
            await call.service.delete(try call.session())
            return .nothing
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/reset", name: "resetSession",
            summary: "Puts a new session of the same plan in its place. Streams of events end.",
            success: .json("Session", "The new session.")
        ) { call async throws(APIError) in .json(try await call.service.reset(try call.session()).view()) },
        Route(
            method: "GET", path: "/v1/sessions/{session}/clock", name: "readClock", summary: "The session's clock.",
            success: .json("Clock", "The time.")
        ) { call async throws(APIError) in .json(ClockView(try call.session().session)) },
        Route(
            method: "POST", path: "/v1/sessions/{session}/clock/advance", name: "advanceClock",
            summary: "Lets time go by, whoever is waited for.", body: .named("Advance"), isBodyRequired: true,
            success: .json("Clock", "The time afterwards.")
        ) { call async throws(APIError) in
            let (seconds, milliseconds) = (call.body["seconds"], call.body["milliseconds"])
            guard seconds != nil || milliseconds != nil else {
                throw .body("'seconds' or 'milliseconds' are missing", at: "seconds")
            }
            let duration =
                try (seconds?.seconds() ?? .zero) + .milliseconds(milliseconds?.int(0...86_400_000) ?? 0)
            let session = try call.session()
            await session.advance(duration)
            return .json(ClockView(session.session))
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/process/crash", name: "crashProcess",
            summary: "The till's process dies, wherever it is.", success: .json("Session", "The session.")
        ) { call async throws(APIError) in
            let session = try call.session()
            try await session.act([.crash])
            return .json(try await session.view())
        },
        Route(
            method: "POST", path: "/v1/sessions/{session}/process/restart", name: "restartProcess",
            summary: "Begins another process on the same records, which finishes what was left in the middle.",
            success: .json("Restart", "What was done.")
        ) { call async throws(APIError) in
            let report = try await call.session().step("restart") { session async throws(SimulatedSessionError) in
                let report = try await session.restart()
                return RestartView(
                    finished: report.finished.count, open: report.open.count, failed: report.failed.count)
            }
            return .json(report)
        },
    ]
}
