import HTTPInterface
import Monitoring
import Text

extension ServiceRoute {
    /// The routes for those who watch the server.
    static let monitoring: [ServiceRoute] = [
        ServiceRoute(
            method: "GET", path: "/healthz", name: "health", summary: "Responds while the server runs.",
            success: .json("Health", "It runs.")
        ) { _ async throws(APIError) in .json("ok", as: Views.health).with("Cache-Control", "no-store") },
        ServiceRoute(
            method: "GET", path: "/readyz", name: "readiness", summary: "Says whether the server can make a session.",
            success: .json("Health", "It can."),
            failures: [(503, "It can't: it has as many sessions as it may, or is about to end.")]
        ) { call async throws(APIError) in
            try call.service.checkReadiness()
            return .json("ready", as: Views.health).with("Cache-Control", "no-store")
        },
        ServiceRoute(
            method: "GET", path: "/metrics", name: "metrics",
            summary: "Returns counts and times of all sessions. 'Accept' chooses Prometheus' format or OpenMetrics.",
            success: Success(
                status: 200, summary: "The metrics. Times of exchanges are simulated waits and the server's work.",
                content: [("text/plain", nil), ("application/openmetrics-text", nil)])
        ) { call async throws(APIError) in
            let format = MetricsFormat(accept: call.request.headers["accept"])
            return .text(call.service.metrics.text(format), format.mediaType).with("Cache-Control", "no-store")
        },
    ]
}

extension Views {
    static let health = View<String>(.key("status", .word(["ok", "ready"])) { $0 })
}
