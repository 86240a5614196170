public import Connections
public import Determinism
public import HTTPListening
public import Networking
public import NexoTerminal
import Sessions

/// Serves terminals behind a protocol that is compatible with Adyen's Terminal API, over HTTP/1.1 and, in
/// front of it, over TLS.
public final class NexoServer: Sendable {
    private let listener: HTTPListener
    private let front: TLSFront?
    private let terminals: any NexoSpeaker
    private let courier: DeliveryCourier
    private let sending: Task<Void, Never>

    /// The base address without TLS, without a slash at the end.
    public var address: String { listener.address }
    /// The port without TLS.
    public var port: Int { listener.port }
    /// The port with TLS; nil without it.
    public var securePort: Int? { front.map { Int($0.address.port) } }

    private init(
        _ listener: HTTPListener, _ front: TLSFront?, _ terminals: any NexoSpeaker, _ courier: DeliveryCourier,
        _ sending: Task<Void, Never>
    ) {
        (self.listener, self.front, self.terminals) = (listener, front, terminals)
        (self.courier, self.sending) = (courier, sending)
    }

    /// TLS in front of the server.
    public struct Security: Sendable {
        let server: TLSServer
        let port: Int

        /// Takes the certificate, and the port; 0 for any free one.
        public init(_ server: TLSServer, port: Int) { (self.server, self.port) = (server, port) }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - options: the terminals and their key.
    ///   - seed: the seed of IDs, nonces, readers, and cards.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port without TLS; 0 for any free one.
    ///   - security: TLS on a port of its own; nil for none.
    ///   - time: the wall clock: for the header field `Date`, and for messages that are sent again.
    ///   - start: when the simulated time begins.
    ///   - counters: makes what drives the terminals' readers; nil for cardholders that follow the amounts.
    ///   - network: sends messages to the event address; nil for libcurl.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ options: NexoTerminalOptions, seed: UInt64, host: String = "127.0.0.1", port: Int = 0,
        security: Security? = nil, time: any TimeSource, start: Timestamp = VirtualTimeSource.standardStart,
        counters: CounterMaker? = nil, network: (any Network)? = nil
    ) async throws(HTTPListenerError) -> NexoServer {
        let (courier, room) = (DeliveryCourier(), CounterRoom())
        let counters =
            counters ?? { number, start in
                // The seed of a session follows from that of the server and the terminal's number.
                (try? NexoTestCards.plan(seed: seed &+ number &* 1_000_003, start: start)).map {
                    SimulatedCounter($0, room: room)
                }
            }
        let terminals = SimulatedNexoTerminals(options, seed: seed, start: start, time: time, counters: counters) {
            courier.wake()
        }
        return try await listen(
            terminals, courier, host: host, port: port, security, time: time, network: network)
    }

    /// Starts a server of the terminal of this machine's reader. Without TLS, it is for this machine only.
    ///
    /// - Parameters:
    ///   - options: the terminal and its key.
    ///   - counter: drives the reader.
    ///   - own: what the terminal kept, and where it keeps more.
    ///   - random: makes IDs and nonces.
    ///   - host: the address to listen at with TLS.
    ///   - port: the port without TLS, at 127.0.0.1; 0 for any free one.
    ///   - security: TLS on a port of its own; nil for none.
    ///   - wall: the wall clock, for the header field `Date`.
    ///   - time: the time of payments.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ options: NexoTerminalOptions, _ counter: any TerminalCounter, _ own: OwnTerminal, random: any RandomSource,
        host: String, port: Int, security: Security?, wall: any TimeSource, time: any TimeSource
    ) async throws(HTTPListenerError) -> NexoServer {
        let courier = DeliveryCourier()
        let terminal = OwnNexoTerminal(options, counter, own, random: random, time: time) { courier.wake() }
        let server = try await listen(
            terminal, courier, host: "127.0.0.1", securely: host, port: port, security, time: wall, network: nil)
        await terminal.begin()
        return server
    }

    private static func listen(
        _ terminals: some NexoSpeaker, _ courier: DeliveryCourier, host: String, securely outerHost: String? = nil,
        port: Int, _ security: Security?, time: any TimeSource, network: (any Network)?
    ) async throws(HTTPListenerError) -> NexoServer {
        let listener = try await HTTPListener.start(
            NexoResponder(terminals: terminals, time: time), host: host, port: port, name: "CardPresent", time: time)
        var front: TLSFront?
        if let security {
            do throws(HTTPListenerError) {
                guard let outer = UInt16(exactly: security.port), let inner = UInt16(exactly: listener.port) else {
                    throw HTTPListenerError(
                        host: host, port: security.port, reason: "not a port number", isAboutPort: true)
                }
                front = try await TLSFront.start(
                    security.server, at: TCPAddress(host: outerHost ?? host, port: outer),
                    before: TCPAddress(host: reachable(host), port: inner), time: time)
            } catch {
                await listener.end(within: .zero)
                throw error
            }
        }
        let sending = Task { await courier.run(terminals, time: time, network: network) }
        return NexoServer(listener, front, terminals, courier, sending)
    }

    /// The address under which this machine reaches a listener.
    private static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }

    /// Stops the server and closes its connections.
    ///
    /// - Parameter limit: how long requests that have arrived may take to be answered. Zero cuts them off.
    public func stop(within limit: Duration = .zero) async {
        await listener.end(within: limit)
        await front?.stop()
        courier.stop()
        sending.cancel()
        await sending.value
        await terminals.close()
    }

    /// Waits until the server has stopped.
    public func finished() async { await listener.finished() }
}

/// Passes requests to the terminals.
private struct NexoResponder: HTTPResponder {
    let terminals: any NexoSpeaker
    let time: any TimeSource

    /// More than a message has: 64 KiB.
    var largestBody: Int { 64 << 10 }

    /// A fault, or a terminal that does nothing more, closes the connection here.
    private struct ConnectionCut: Error {}

    func respond(to request: IncomingRequest) async throws -> OutgoingResponse {
        let message = NexoRequest(method: request.method, target: request.target, body: request.body)
        switch await TillDeadline.answer(within: TillDeadline.nexo, time, { await terminals.respond(to: message) }) {
        case .answered(let answer) where !answer.isLost: return Self.outgoing(answer.response)
        case .late: return Self.outgoing(.unanswered(message, at: time.now()))
        case .answered, .cut: throw ConnectionCut()
        }
    }

    private static func outgoing(_ response: NexoResponse) -> OutgoingResponse {
        OutgoingResponse(
            status: response.status, headers: [("Content-Type", response.contentType)], body: .bytes(response.body))
    }

    func refuseLargeBody() -> OutgoingResponse {
        Self.refusal(413, "The message has more than \(largestBody) bytes.")
    }

    func refuseConnection() -> OutgoingResponse { Self.refusal(503, "Too many clients are connected.") }

    private static func refusal(_ status: Int, _ message: String) -> OutgoingResponse {
        OutgoingResponse(
            status: status, headers: [("Content-Type", "application/json")],
            body: .bytes(Array(#"{"errors":["\#(message)"]}"#.utf8)))
    }
}
