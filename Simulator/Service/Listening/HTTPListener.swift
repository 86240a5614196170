package import Determinism
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// An HTTP/1.1 server on one port of this machine, until it is canceled.
public final class HTTPListener: Sendable {
    /// The port.
    public let port: Int
    /// The address for clients, without a slash at the end, such as `http://127.0.0.1:8080`.
    public let address: String
    private let running: Task<Void, Never>

    private init(port: Int, address: String, running: Task<Void, Never>) {
        (self.port, self.address, self.running) = (port, address, running)
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - responder: answers the requests.
    ///   - host: the address of this machine to listen on.
    ///   - port: 0 for any free port.
    ///   - name: the name of the server in its responses.
    ///   - time: the clock of the header field `Date`, which clients expect to be the wall clock (RFC 9110 §6.6.1).
    /// - Returns: the listener, which already accepts connections.
    /// - Throws: ``HTTPListenerError``
    package static func start(
        _ responder: some HTTPResponder, host: String, port: Int, name: String, time: any TimeSource
    ) async throws(HTTPListenerError) -> HTTPListener {
        guard (0...65_535).contains(port) else {
            throw HTTPListenerError(host: host, port: port, reason: "not a port number")
        }
        let server: NIOAsyncChannel<NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>, Never>
        do {
            server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // A client may close its side after the request and still wait for the response.
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .bind(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw HTTPListenerError(host: host, port: port, reason: describe(error))
        }
        let connection = HTTPConnection(responder: responder, serverName: name, time: time)
        let running = Task {
            _ = try? await server.executeThenClose { clients in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await client in clients { group.addTask { await connection.serve(client) } }
                }
            }
        }
        let bound = server.channel.localAddress?.port ?? port
        let shownHost = host.contains(":") ? "[\(host)]" : host
        return HTTPListener(port: bound, address: "http://\(shownHost):\(bound)", running: running)
    }

    /// Ends the server and every connection. ``finished()`` waits for the end.
    public func cancel() { running.cancel() }

    /// Returns when the server has ended.
    public func finished() async { await running.value }

    private static func describe(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE: "another program uses the port"
        case EACCES: "only the administrator may use ports below 1024"
        case EADDRNOTAVAIL: "this machine has no such address"
        default: "\(error)"
        }
    }
}

/// The server cannot listen on its port.
public struct HTTPListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    public let host: String
    public let port: Int
    /// The reason, for people.
    public let reason: String

    public init(host: String, port: Int, reason: String) { (self.host, self.port, self.reason) = (host, port, reason) }

    public var description: String { "cannot listen on \(host):\(port): \(reason)" }
}

/// One connection of a client: reads requests and writes their responses, one after another (RFC 9112).
struct HTTPConnection<Responder: HTTPResponder>: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    let responder: Responder
    /// The value of the header field `Server`.
    let serverName: String
    let time: any TimeSource

    /// Serves the connection until either side ends it. Mistakes of a client end its connection and nothing else.
    func serve(_ channel: Channel) async {
        let isFromLoopback = Self.isLoopback(channel.channel.remoteAddress)
        _ = try? await channel.executeThenClose { inbound, outbound in
            var head: HTTPRequestHead?
            var body: [UInt8] = []
            for try await part in inbound {
                switch part {
                case .head(let received):
                    (head, body) = (received, [])
                    if received.headers[canonicalForm: "expect"].contains("100-continue") {
                        try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
                    }
                case .body(let piece):
                    guard let head else { return }
                    guard body.count + piece.readableBytes <= responder.largestBody else {
                        var response = responder.refuseLargeBody()
                        response.closesConnection = true
                        try await write(response, to: head, outbound)
                        return
                    }
                    body += piece.readableBytesView
                case .end:
                    guard let request = head else { return }
                    head = nil
                    let response = try await responder.respond(
                        to: HTTPRequest(
                            method: request.method.rawValue, target: request.uri,
                            headers: request.headers.map { ($0.name, $0.value) }, body: body,
                            isFromLoopback: isFromLoopback))
                    try await write(response, to: request, outbound)
                    guard request.isKeepAlive, !response.closesConnection else { return }
                }
            }
        }
    }

    private func write(_ response: HTTPResponse, to request: HTTPRequestHead, _ outbound: Writer) async throws {
        var headers = HTTPHeaders(response.headers.filter { Self.isSendable($0.name, $0.value) })
        headers.replaceOrAdd(name: "server", value: serverName)
        headers.replaceOrAdd(name: "date", value: Self.date(time.now()))
        if response.closesConnection || !request.isKeepAlive {
            headers.replaceOrAdd(name: "connection", value: "close")
        }
        let length: Int? =
            switch response.body {
            case .bytes(let bytes): bytes.count
            case .stream(let length, _): length
            }
        if let length { headers.replaceOrAdd(name: "content-length", value: String(length)) }
        try await outbound.write(
            .head(
                HTTPResponseHead(
                    version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)))
        if request.method != .HEAD {
            switch response.body {
            case .bytes(let bytes): try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            case .stream(_, let write): try await write(HTTPBodyWriter(outbound: outbound))
            }
        }
        try await outbound.write(.end(nil))
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

/// A request with its whole body.
package struct HTTPRequest: Sendable {
    /// The method in capitals, such as `GET`.
    package let method: String
    /// The path and the query, as the request line has them.
    package let target: String
    /// The header fields in the order of the request, names as the client wrote them.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]
    /// Whether the client runs on this machine.
    package let isFromLoopback: Bool
}

/// The response to a request.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Pieces, written one after another. `length` is the number of bytes that the head promises; nil sends them in
        /// chunks. When the closure throws, the connection is closed in the middle of the body.
        case stream(length: Int?, @Sendable (HTTPBodyWriter) async throws -> Void)
    }

    /// The status code, such as 200.
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// Whether the connection is closed after this response.
    package var closesConnection = false

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Body) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Writes a body piece by piece.
package struct HTTPBodyWriter: Sendable {
    let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Writes a piece; waits while the client does not take more.
    package func write(_ piece: some Collection<UInt8> & Sendable) async throws {
        try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
    }
}

/// Answers requests. An error that ``respond(to:)`` throws closes the connection without a response.
package protocol HTTPResponder: Sendable {
    /// The largest accepted body, in bytes.
    var largestBody: Int { get }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse

    /// Returns the response to a request with a larger body. The connection is closed after it.
    func refuseLargeBody() -> HTTPResponse
}
