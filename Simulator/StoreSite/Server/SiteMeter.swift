import HTTPListening
import Monitoring
import StoreSite
import Synchronization

/// The metrics and the health of a served site.
final class SiteMeter: Sendable {
    private static let requests = CounterMetric(
        "cardpresent_store_http_requests", "HTTP requests, by route and status; status 0 is no response.")
    private static let times = HistogramMetric(
        "cardpresent_store_http_request_seconds",
        "Time until the first byte of a response, with the delay of a fault, on the server's clock.")
    private static let faults = CounterMetric("cardpresent_store_faults", "Requests to which a fault applied.")

    private let registry: Mutex<MetricsRegistry>

    init() {
        var registry = MetricsRegistry()
        registry.count(Self.faults, by: 0)
        self.registry = Mutex(registry)
    }

    /// Counts a request to the site.
    func note(_ seen: SeenRequest, time: Duration) {
        let known = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
        let method = known.contains(seen.method) ? seen.method : "other"
        let route = MetricLabel("route", seen.routeName)
        registry.withLock { registry in
            registry.count(
                Self.requests, [MetricLabel("method", method), route, MetricLabel("status", "\(seen.status)")])
            registry.observe(Self.times, [route], time / .seconds(1))
            if seen.fault != nil { registry.count(Self.faults) }
        }
    }

    /// Answers requests about the server itself: `/healthz`, `/readyz`, and `/metrics`.
    ///
    /// - Returns: the response; nil for every other path.
    func response(to request: IncomingRequest) -> OutgoingResponse? {
        let format = MetricsFormat(accept: request.headers.last { $0.name.lowercased() == "accept" }?.value)
        let (type, text): (String, String)
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/healthz": (type, text) = ("application/json", #"{"status":"ok"}"#)
        case "/readyz": (type, text) = ("application/json", #"{"status":"ready"}"#)
        case "/metrics": (type, text) = (format.mediaType, registry.withLock { $0 }.text(format))
        default: return nil
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            return OutgoingResponse(status: 405, headers: [("Allow", "GET, HEAD")], body: .bytes([]))
        }
        return OutgoingResponse(
            status: 200, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
            body: .bytes(Array(text.utf8)))
    }
}
