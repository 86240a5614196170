import Determinism
import Networking
import StoreSite
import StoreSiteServer
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct WebhookDeliveryTests {
    /// Keeps the requests of the courier, and answers with a status.
    private final class Recorder: Network {
        let requests: AsyncStream<HTTPRequest>
        private let news: AsyncStream<HTTPRequest>.Continuation
        private let status: Int?

        init(status: Int?) {
            self.status = status
            (requests, news) = AsyncStream.makeStream(of: HTTPRequest.self)
        }

        func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
            news.yield(request)
            guard let status else { throw .timedOut(host: "till.example", wasSent: true) }
            return HTTPResponse(status: status)
        }
    }

    private static func site() -> StoreSite {
        StoreSite(
            StoreSiteConfiguration(orders: 5, password: SitePassword("pw"), token: SitePassword("token")),
            time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
    }

    /// Sends a request to a served site as its owner.
    private static func ask(_ server: StoreSiteServer, _ path: String, _ json: String) async throws {
        let owner = "Basic " + Array("shopkeeper:pw".utf8).base64
        let response = try await CurlNetwork().response(
            for: HTTPRequest(
                method: .post, address: try WebAddress(server.address + "/wp-json/wc/v3/" + path),
                headers: ["Content-Type": "application/json"], authorization: Secret(owner), body: Array(json.utf8)))
        #expect(response.status == 201)
    }

    /// The log of deliveries: topic and status.
    private static func log(_ site: StoreSite) -> String {
        let answer = site.answer(SiteRequest(method: "GET", target: "/_simulator/deliveries"))
        return String(decoding: answer.response.body, as: UTF8.self)
    }

    @Test func `messages are sent by the given network, in order and with a deadline`() async throws {
        let network = Recorder(status: 200)
        let site = Self.site()
        let server = try await StoreSiteServer.start(site, time: VirtualTimeSource(), network: network)
        try await Self.ask(
            server, "webhooks", #"{"topic":"order.created","delivery_url":"http://till.example/hook?a=1"}"#)
        try await Self.ask(server, "orders", "{}")
        var requests: [HTTPRequest] = []
        for await request in network.requests {
            requests.append(request)
            if requests.count == 2 { break }
        }
        await server.stop()
        #expect(requests.map { $0.headers["X-WC-Webhook-Topic"] } == [nil, "order.created"])
        for request in requests {
            #expect(request.method == .post && !request.isRepeatable && request.timeout <= .seconds(10))
            #expect(request.address == (try WebAddress("http://till.example/hook?a=1")))
        }
    }

    @Test func `an address without an answer is tried once`() async throws {
        let network = Recorder(status: nil)
        let site = Self.site()
        let server = try await StoreSiteServer.start(site, time: VirtualTimeSource(), network: network)
        try await Self.ask(server, "webhooks", #"{"topic":"order.created","delivery_url":"http://till.example/"}"#)
        var requests = network.requests.makeAsyncIterator()
        _ = await requests.next()
        await server.stop()
        #expect(Self.log(site) == #"[{"number":1,"webhook":1,"topic":"ping","status":0}]"#)
    }

    @Test func `messages reach a server over HTTP`() async throws {
        let (paths, news) = AsyncStream.makeStream(of: String.self)
        let receiver = try await StoreSiteServer.start(Self.site(), time: VirtualTimeSource()) { answer in
            news.yield("\(answer.seen.method) \(answer.seen.path)")
        }
        let site = Self.site()
        let server = try await StoreSiteServer.start(site, time: VirtualTimeSource())
        try await Self.ask(
            server, "webhooks", #"{"topic":"order.created","delivery_url":"\#(receiver.address)/hook"}"#)
        try await Self.ask(server, "orders", "{}")
        var heard: [String] = []
        for await path in paths {
            heard.append(path)
            if heard.count == 2 { break }
        }
        #expect(heard == ["POST /hook", "POST /hook"])
        await server.stop()
        await receiver.stop()
    }
}
