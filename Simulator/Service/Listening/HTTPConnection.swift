import Determinism
import NIOCore
import NIOHTTP1

/// One connection of a client: reads requests and writes their responses, one after another (RFC 9112).
struct HTTPConnection<Responder: HTTPResponder>: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let responder: Responder
    /// The value of the header field `Server`.
    let serverName: String
    let time: any TimeSource
    let traffic: HTTPTraffic

    /// Serves the connection until either side ends it. Mistakes of a client end its connection and nothing else.
    func serve(_ channel: Channel) async {
        let isFromLoopback = Self.isLoopback(channel.channel.remoteAddress)
        defer { traffic.leave(channel.channel) }
        _ = try? await channel.executeThenClose { inbound, outbound in
            guard traffic.rest(channel.channel) else { return }
            var head: HTTPRequestHead?
            var body: [UInt8] = []
            for try await part in inbound {
                switch part {
                case .head(let received):
                    (head, body) = (received, [])
                    traffic.leave(channel.channel)
                    if received.headers[canonicalForm: "expect"].contains("100-continue") {
                        try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
                    }
                case .body(let piece):
                    guard let head else { return }
                    guard body.count + piece.readableBytes <= responder.largestBody else {
                        var response = responder.refuseLargeBody()
                        response.closesConnection = true
                        try await write(response, to: head, outbound)
                        return await Self.waitUntilTaken(channel.channel)
                    }
                    body += piece.readableBytesView
                case .end:
                    guard let request = head else { return }
                    head = nil
                    let response = try await responder.respond(
                        to: IncomingRequest(
                            method: request.method.rawValue, target: request.uri,
                            headers: request.headers.map { ($0.name, $0.value) }, body: body,
                            isFromLoopback: isFromLoopback))
                    try await write(response, to: request, outbound)
                    guard request.isKeepAlive, !response.closesConnection, traffic.rest(channel.channel) else {
                        return await Self.waitUntilTaken(channel.channel)
                    }
                }
            }
        }
    }

    private func write(_ response: OutgoingResponse, to request: HTTPRequestHead, _ outbound: Writer) async throws {
        let closes = response.closesConnection || !request.isKeepAlive || traffic.isEnding
        try await outbound.write(.head(head(of: response, closes: closes)))
        if request.method != .HEAD {
            switch response.body {
            case .bytes(let bytes): try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            case .stream(_, let write): try await write(HTTPBodyWriter(outbound: outbound))
            }
        }
        try await outbound.write(.end(nil))
    }

    /// Waits until the client has the whole response: what is not sent when a connection closes is lost.
    private static func waitUntilTaken(_ channel: any NIOCore.Channel) async {
        await withTaskCancellationHandler {
            try? await channel.triggerUserOutboundEvent(HTTPPatience.AllTaken()).get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func head(of response: OutgoingResponse, closes: Bool) -> HTTPResponseHead {
        var headers = HTTPHeaders(response.headers.filter { Self.isSendable($0.name, $0.value) })
        headers.replaceOrAdd(name: "server", value: serverName)
        headers.replaceOrAdd(name: "date", value: Self.date(time.now()))
        if closes { headers.replaceOrAdd(name: "connection", value: "close") }
        let length: Int? =
            switch response.body {
            case .bytes(let bytes): bytes.count
            case .stream(let length, _): length
            }
        if let length { headers.replaceOrAdd(name: "content-length", value: String(length)) }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    }

    /// The parts of the response to a client that is one too many.
    func refusal() -> [HTTPServerResponsePart] {
        let response = responder.refuseConnection()
        var parts: [HTTPServerResponsePart] = [.head(head(of: response, closes: true))]
        if case .bytes(let bytes) = response.body { parts.append(.body(.byteBuffer(ByteBuffer(bytes: bytes)))) }
        return parts + [.end(nil)]
    }

    /// Whether a field can be sent as it is: a token as its name, no line break in its value (RFC 9110 §5).
    private static func isSendable(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
            && !value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
    }

    private static func isLoopback(_ address: SocketAddress?) -> Bool {
        guard let address = address?.ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }

    /// A moment as header fields have it: `Fri, 02 Jan 2026 12:00:00 GMT` (RFC 9110 §5.6.7).
    static func date(_ moment: Timestamp) -> String {
        let civil = moment.civil(offsetSeconds: 0)
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = civil.day < 10 ? "0\(civil.day)" : "\(civil.day)"
        return "\(days[civil.weekday - 1]), \(day) \(months[civil.month - 1]) \(civil.year) \(civil.timeText) GMT"
    }
}
