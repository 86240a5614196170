package import Determinism
import Glibc
package import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP/1.1 server on one port of this machine, until it is canceled.
public final class HTTPListener: Sendable {
    /// The port.
    public let port: Int
    /// The address for clients, without a slash at the end, such as `http://127.0.0.1:8080`.
    public let address: String
    private let running: Task<Void, Never>
    private let traffic: HTTPTraffic
    private let time: any TimeSource
    /// Stops to accept connections.
    private let close: @Sendable () -> Void

    private init(
        port: Int, address: String, running: Task<Void, Never>, traffic: HTTPTraffic, time: any TimeSource,
        close: @escaping @Sendable () -> Void
    ) {
        (self.port, self.address, self.running) = (port, address, running)
        (self.traffic, self.time, self.close) = (traffic, time, close)
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - responder: answers the requests.
    ///   - host: the address of this machine to listen on.
    ///   - port: 0 for any free port.
    ///   - name: the name of the server in its responses.
    ///   - time: the clock of the header field `Date`, which clients expect to be the wall clock (RFC 9110 §6.6.1).
    ///   - limits: how long a client may take, and how many may be connected.
    ///   - scheme: that of the address.
    ///   - prepare: adds handlers below HTTP to the channel of a new connection, such as TLS.
    /// - Returns: the listener, which already accepts connections.
    /// - Throws: ``HTTPListenerError``
    package static func start(
        _ responder: some HTTPResponder, host: String, port: Int, name: String, time: any TimeSource,
        limits: HTTPLimits = HTTPLimits(), scheme: String = "http",
        prepare: (@Sendable (any Channel) throws -> Void)? = nil
    ) async throws(HTTPListenerError) -> HTTPListener {
        guard (0...65_535).contains(port) else {
            throw HTTPListenerError(host: host, port: port, reason: "not a port number", isAboutPort: true)
        }
        let traffic = HTTPTraffic()
        let connection = HTTPConnection(responder: responder, serverName: name, time: time, traffic: traffic)
        let doorkeeper = HTTPDoorkeeper(limits) { connection.refusal() }
        // Connections beyond the limit are nil: they are answered without a task.
        let server: NIOAsyncChannel<NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>?, Never>
        do {
            server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // A client may close its side after the request and still wait for the response.
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .bind(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try prepare?(channel)
                        guard try doorkeeper.admit(channel) else { return nil }
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw HTTPListenerError(host: host, port: port, error)
        }
        let running = Task {
            _ = try? await server.executeThenClose { clients in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await client in clients {
                        guard let client else { continue }
                        group.addTask { await connection.serve(client) }
                    }
                }
            }
        }
        let bound = server.channel.localAddress?.port ?? port
        let shownHost = host.contains(":") ? "[\(host)]" : host
        let channel = server.channel
        return HTTPListener(
            port: bound, address: "\(scheme)://\(shownHost):\(bound)", running: running, traffic: traffic, time: time
        ) {
            channel.close(promise: nil)
        }
    }

    /// Ends the server and every connection. ``finished()`` waits for the end.
    public func cancel() { running.cancel() }

    /// Accepts no more connections, lets the requests that have arrived be answered, and ends the server.
    ///
    /// - Parameter limit: the time after which the other connections are cut off, on the server's clock. Zero cuts them
    ///   off at once.
    package func end(within limit: Duration) async {
        traffic.end()
        close()
        guard limit > .zero else {
            cancel()
            return await finished()
        }
        let deadline = Task { [running, time] in
            do throws(CancellationError) { try await time.sleep(for: limit) } catch { return }
            running.cancel()
        }
        await finished()
        deadline.cancel()
    }

    /// Returns when the server has ended.
    public func finished() async { await running.value }
}

/// The server cannot listen on its address.
public struct HTTPListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    public let host: String
    public let port: Int
    /// The reason, for people.
    public let reason: String
    /// Whether another port may work. Otherwise it is the host that is wrong.
    public let isAboutPort: Bool

    /// Takes the address, and the reason as people read it. `isAboutPort` means that another port may work.
    public init(host: String, port: Int, reason: String, isAboutPort: Bool = false) {
        (self.host, self.port, self.reason, self.isAboutPort) = (host, port, reason, isAboutPort)
    }

    fileprivate init(host: String, port: Int, _ error: any Error) {
        let (reason, isAboutPort) =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: ("another program uses the port", true)
            case EACCES: ("only the administrator may use ports below 1024", true)
            case EADDRNOTAVAIL: ("this machine has no such address", false)
            case nil where error is SocketAddressError || error is SocketAddressError.UnknownHost:
                ("there is no such address", false)
            default: ("\(error)", false)
            }
        self.init(host: host, port: port, reason: reason, isAboutPort: isAboutPort)
    }

    public var description: String { "cannot listen on \(host):\(port): \(reason)" }
}

/// A request with its whole body.
package struct IncomingRequest: Sendable {
    /// The method in capitals, such as `GET`.
    package let method: String
    /// The path and the query, as the request line has them.
    package let target: String
    /// The header fields in the order of the request, names as the client wrote them.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]
    /// Whether the client runs on this machine.
    package let isFromLoopback: Bool

    package init(
        method: String, target: String, headers: [(name: String, value: String)], body: [UInt8], isFromLoopback: Bool
    ) {
        (self.method, self.target, self.headers) = (method, target, headers)
        (self.body, self.isFromLoopback) = (body, isFromLoopback)
    }
}

/// The response to a request.
package struct OutgoingResponse: Sendable {
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

    func respond(to request: IncomingRequest) async throws -> OutgoingResponse

    /// Returns the response to a request with a larger body. The connection is closed after it.
    func refuseLargeBody() -> OutgoingResponse

    /// Returns the response to a client that connects when too many others are connected.
    func refuseConnection() -> OutgoingResponse
}
