extension ServiceRoute {
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
