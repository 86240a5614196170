import HTTPListening
import StoreSite
import Testing

@testable import StoreSiteServer

@Suite struct MonitoringTests {
    private func request(_ method: String, _ target: String, accept: String = "*/*") -> IncomingRequest {
        IncomingRequest(
            method: method, target: target, headers: [("Accept", accept)], body: [], isFromLoopback: true)
    }

    private func text(_ response: OutgoingResponse?) -> String {
        guard case .bytes(let bytes)? = response?.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `the server tells about itself, and leaves the store's paths to the store`() throws {
        let meter = SiteMeter()
        #expect(text(meter.response(to: request("GET", "/healthz"))) == #"{"status":"ok"}"#)
        #expect(text(meter.response(to: request("HEAD", "/readyz?a=b"))) == #"{"status":"ready"}"#)
        for path in ["/", "/health", "/metrics/", "/wp-json/wc/v3/orders"] {
            #expect(meter.response(to: request("GET", path)) == nil)
        }
        let refused = try #require(meter.response(to: request("POST", "/metrics")))
        #expect(refused.status == 405)
        #expect(refused.headers.map(\.value) == ["GET, HEAD"])
    }

    @Test func `requests are counted by a route without numbers`() {
        let meter = SiteMeter()
        for (route, status) in [("/wc/v3/orders/12", 200), ("/wc/v3/orders/13", 200), ("/4111111111111111/x", 404)] {
            meter.note(
                SeenRequest(number: 1, method: "GET", path: "/wp-json" + route, route: route, status: status),
                time: .milliseconds(3))
        }
        meter.note(
            SeenRequest(number: 4, method: "BREW", path: "/", status: 0, fault: "#1 lost-answer"), time: .seconds(1))
        let text = text(meter.response(to: request("GET", "/metrics")))
        let lines = text.split(separator: "\n")
        let name = "cardpresent_store_http_requests_total"
        #expect(lines.contains(Substring(name + #"{method="GET",route="/wc/v3/orders/{id}",status="200"} 2"#)))
        #expect(lines.contains(Substring(name + #"{method="GET",route="none",status="404"} 1"#)))
        #expect(lines.contains(Substring(name + #"{method="other",route="/",status="0"} 1"#)))
        #expect(lines.contains("cardpresent_store_faults_total 1"))
        #expect(!text.contains("4111"))
    }

    @Test func `OpenMetrics is for those who ask for it`() throws {
        let response = try #require(
            SiteMeter().response(to: request("GET", "/metrics", accept: "application/openmetrics-text; version=1.0.0")))
        #expect(response.headers.first?.value.hasPrefix("application/openmetrics-text") == true)
        #expect(text(response).hasSuffix("# EOF\n"))
    }
}
