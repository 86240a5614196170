import HTTPInterface
import Sessions
import Text
import Yosemite

extension ServiceRoute {
    /// The routes of sessions.
    static let sessions: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/v1/sessions", name: "listSessions", summary: "Lists the sessions.",
            success: .list("Session", "Oldest first.")
        ) { call async throws(APIError) in
            var views: [JSONValue] = []
            for session in call.service.sessions {
                // A session may end meanwhile.
                do throws(APIError) { views.append(try await session.view()) } catch {
                    guard error.status == 404 else { throw error }
                }
            }
            return .json(.list(views))
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions", name: "createSession",
            summary: "Creates a session. Without a plan it has one reader and cards of all kinds.",
            body: .named("Plan"),
            success: .json("Session", "The session.", status: 201),
            failures: [
                (409, "The first reader can't be connected."), (422, "The plan is invalid."),
                (429, "There are too many sessions."),
            ]
        ) { call async throws(APIError) in
            let session = try await call.service.create(try PlanBody(call.body))
            return .json(try await session.view(), status: 201).with("Location", "/v1/sessions/\(session.id)")
        },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}", name: "readSession", summary: "Returns a session.",
            success: .json("Session", "The session.")
        ) { call async throws(APIError) in .json(try await call.session().view()) },
        ServiceRoute(
            method: "DELETE", path: "/v1/sessions/{session}", name: "deleteSession", summary: "Ends a session.",
            success: .nothing
        ) { call async throws(APIError) in
            await call.service.delete(try call.session())
            return .nothing
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/reset", name: "resetSession",
            summary: "Replaces the session with a new one of the same plan. Ends its event streams.",
            success: .json("Session", "The new session.")
        ) { call async throws(APIError) in .json(try await call.service.reset(try call.session()).view()) },
        ServiceRoute(
            method: "GET", path: "/v1/sessions/{session}/clock", name: "readClock",
            summary: "Returns the session's clock.",
            success: .json("Clock", "The time.")
        ) { call async throws(APIError) in .json(try call.session().session, as: Views.clock) },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/clock/advance", name: "advanceClock",
            summary: "Advances the clock, even while a person must act.", body: .named("Advance"),
            success: .json("Clock", "The new time.")
        ) { call async throws(APIError) in
            let (seconds, milliseconds) = (call.body["seconds"], call.body["milliseconds"])
            guard seconds != nil || milliseconds != nil else {
                throw .body("'seconds' or 'milliseconds' are missing", at: "seconds")
            }
            let duration =
                try (seconds?.seconds() ?? .zero) + .milliseconds(milliseconds?.int(0...86_400_000) ?? 0)
            let session = try call.session()
            try await session.advance(duration)
            return .json(session.session, as: Views.clock)
        },
        change("process/crash", "crashProcess", "Kills the till's process at once.", success: "The session.") {
            _, session async throws(APIError) in try await session.act([.crash])
        },
        ServiceRoute(
            method: "POST", path: "/v1/sessions/{session}/process/restart", name: "restartProcess",
            summary: "Starts a new till process on the same records and finishes interrupted payments.",
            success: .json("Restart", "The finished payments.")
        ) { call async throws(APIError) in
            let report = try await call.session().step("restart") { session async throws(SimulatedSessionError) in
                try await session.restart()
            }
            return .json(report, as: Views.restart)
        },
    ]

    /// The route of scenario files, which are played apart from the sessions of clients.
    static let scenarios: [ServiceRoute] = [
        ServiceRoute(
            method: "POST", path: "/v1/scenarios/play", name: "playScenario",
            summary: "Plays a scenario file, such as a saved session or a finding, and returns all of its events.",
            body: .named("ScenarioText"),
            success: .json("PlayedScenario", "The result, also of a scenario that fails."),
            failures: [
                (422, "The scenario is invalid, names files, or has queries, or there is no such scenario."),
                (429, "There are too many sessions."),
            ]
        ) { call async throws(APIError) in
            .json(try await call.service.play(try ScenarioBody(call.body)), as: Views.playedScenario)
        }
    ]
}
