public import Determinism
public import HTTPListening
public import Networking
public import StripeTerminal

/// Serves terminals over HTTP/1.1, behind a protocol that is compatible with server-driven Stripe Terminal.
public final class TerminalServer: Sendable {
    private let listener: HTTPListener
    private let terminals: ServedAccount
    private let courier: DeliveryCourier
    private let sending: Task<Void, Never>

    /// The port on which the server listens.
    public var port: Int { listener.port }
    /// The base address for tills, without a slash at the end.
    public var address: String { listener.address }

    private init(
        _ listener: HTTPListener, _ terminals: ServedAccount, _ courier: DeliveryCourier,
        _ sending: Task<Void, Never>
    ) {
        (self.listener, self.terminals, self.courier, self.sending) = (listener, terminals, courier, sending)
    }

    /// Starts a server of simulated terminals, without readers.
    ///
    /// - Parameters:
    ///   - seed: the seed of IDs, secrets, readers, and cards.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port; 0 for any free one.
    ///   - time: the wall clock: for the header field `Date`, and for the signatures of messages.
    ///   - start: when the simulated time begins.
    ///   - network: sends the messages to webhook endpoints; nil for libcurl.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        seed: UInt64, host: String = "127.0.0.1", port: Int = 0, time: any TimeSource,
        start: Timestamp = VirtualTimeSource.standardStart, network: (any Network)? = nil
    ) async throws(HTTPListenerError) -> TerminalServer {
        try await self.start(
            .simulated, .simulated(seed: seed, start: start), random: SeededRandomSource(seed: seed), host: host,
            port: port, time: time, network: network)
    }

    /// Starts a server of terminals.
    ///
    /// - Parameters:
    ///   - setup: the readers and keys that tills see.
    ///   - readers: what drives the readers.
    ///   - random: makes IDs and secrets.
    ///   - keys: keeps idempotency keys for the next start; nil when that knows nothing of this one.
    ///   - own: what the terminal of this machine's reader has kept; nil for readers that nothing is kept of.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port; 0 for any free one.
    ///   - time: the wall clock: for the header field `Date`, and for the signatures of messages.
    ///   - network: sends the messages to webhook endpoints; nil for libcurl.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ setup: StripeSetup, _ readers: TerminalCounters, random: any RandomSource, keys: (any SpentKeys)? = nil,
        own: OwnTerminal? = nil, host: String, port: Int, time: any TimeSource, network: (any Network)? = nil
    ) async throws(HTTPListenerError) -> TerminalServer {
        let courier = DeliveryCourier()
        let terminals = ServedAccount(random: random, setup: setup, readers: readers, keys: keys, own: own) {
            courier.wake()
        }
        let listener = try await HTTPListener.start(
            TerminalResponder(terminals: terminals, time: time), host: host, port: port, name: "CardPresent", time: time
        )
        await terminals.begin()
        let sending = Task { await courier.run(terminals, time: time, network: network) }
        return TerminalServer(listener, terminals, courier, sending)
    }

    /// Stops the server and closes its connections.
    ///
    /// - Parameter limit: how long requests that have arrived may take to be answered. Zero cuts them off.
    public func stop(within limit: Duration = .zero) async {
        await listener.end(within: limit)
        courier.stop()
        sending.cancel()
        await sending.value
        await terminals.close()
    }

    /// Waits until the server has stopped.
    public func finished() async { await listener.finished() }
}

/// Passes requests to the terminals.
private struct TerminalResponder: HTTPResponder {
    let terminals: ServedAccount
    let time: any TimeSource

    /// More than a call of a till has: 256 KiB.
    var largestBody: Int { 256 << 10 }

    /// A fault, or a terminal that does nothing more, closes the connection here.
    private struct ConnectionCut: Error {}

    func respond(to request: IncomingRequest) async throws -> OutgoingResponse {
        let call = StripeRequest(
            method: request.method, target: request.target,
            headers: request.headers.map { StripeRequest.Header($0.name, $0.value) }, body: request.body)
        switch await TillDeadline.answer(within: TillDeadline.stripe, time, { await terminals.respond(to: call) }) {
        case .answered(let answer) where !answer.isLost: return Self.outgoing(answer.response)
        case .late: return Self.outgoing(.unanswered(call))
        case .answered, .cut: throw ConnectionCut()
        }
    }

    private static func outgoing(_ response: StripeResponse) -> OutgoingResponse {
        OutgoingResponse(
            status: response.status, headers: response.headers.map { ($0.name, $0.value) },
            body: .bytes(response.body))
    }

    func refuseLargeBody() -> OutgoingResponse {
        Self.refusal(413, "The request has more than \(largestBody) bytes.")
    }

    func refuseConnection() -> OutgoingResponse { Self.refusal(503, "Too many clients are connected.") }

    private static func refusal(_ status: Int, _ message: String) -> OutgoingResponse {
        let type = status == 413 ? "invalid_request_error" : "api_error"
        return OutgoingResponse(
            status: status, headers: [("Content-Type", "application/json")],
            body: .bytes(Array(#"{"error":{"type":"\#(type)","message":"\#(message)"}}"#.utf8)))
    }
}
