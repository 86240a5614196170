import NIOCore
import NIOHTTP1
import Synchronization

/// How long a client may take, and how many may be connected. A client that takes longer loses its connection without a
/// response.
package struct HTTPLimits: Hashable, Sendable {
    /// The most connections. The next client gets the response of ``HTTPResponder/refuseConnection()``.
    package var connections = 512
    /// The time for the header fields of a request, from its first byte or from the start of the connection.
    package var head: Duration = .seconds(10)
    /// The time for the body of a request, from the end of the header fields.
    package var body: Duration = .seconds(60)
    /// The time between a response and the first byte of the next request.
    package var idle: Duration = .seconds(60)
    /// The time in which a client takes a piece of a response. Streams write a piece at a time.
    package var piece: Duration = .seconds(30)
    /// The time in which a refused client takes its response and leaves.
    package var refusal: Duration = .seconds(1)

    package init() {}
}

/// Lets in as many connections as the limits allow, and gives each its handlers.
final class HTTPDoorkeeper: Sendable {
    private let limits: HTTPLimits
    private let count = Mutex(0)
    private let refusal: @Sendable () -> [HTTPServerResponsePart]

    /// - Parameters:
    ///   - limits: the limits.
    ///   - refusal: returns the response to a connection beyond the limit.
    init(_ limits: HTTPLimits, refusal: @escaping @Sendable () -> [HTTPServerResponsePart]) {
        (self.limits, self.refusal) = (limits, refusal)
    }

    /// Adds the handlers of HTTP to a new connection, in its event loop.
    ///
    /// - Returns: false when there are too many. Such a connection answers and closes by itself.
    func admit(_ channel: any Channel) throws -> Bool {
        let isOneTooMany = count.withLock { count in
            guard count < limits.connections else { return true }
            count += 1
            return false
        }
        let pipeline = channel.pipeline.syncOperations
        guard !isOneTooMany else {
            try pipeline.addHandlers(HTTPResponseEncoder(), HTTPRefusal(refusal(), limits.refusal))
            return false
        }
        channel.closeFuture.whenComplete { _ in self.count.withLock { $0 -= 1 } }
        try pipeline.addHandler(HTTPFirstBytes())
        try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
        try pipeline.addHandler(HTTPPatience(limits))
        return true
    }
}

/// Notifies the handlers behind it of bytes: the decoder passes on nothing before the header fields are complete.
private final class HTTPFirstBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireUserInboundEventTriggered(HTTPPatience.BytesCame())
        context.fireChannelRead(data)
    }
}

/// Closes a connection whose client sends its request, or takes its response, too slowly, and refuses bytes that are no
/// HTTP.
///
/// The time is that of the event loop. While the responder works, no time limit runs.
final class HTTPPatience: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// An event of the connection: bytes of the client.
    struct BytesCame: Sendable {}

    /// An event of the server that succeeds when the client has taken all that was written.
    struct AllTaken: Sendable {}

    /// The part of an exchange that the connection waits for.
    private enum Phase { case idle, head, body, response }

    private let limits: HTTPLimits
    private var phase = Phase.head
    private var isAnswered = false
    /// Whether a response has begun and not ended, and whether this handler has refused what the client sent.
    private var (isAnswering, hasRefused) = (false, false)
    /// The deadline of the phase.
    private var deadline: Scheduled<Void>?
    /// The pieces of responses that the client has not taken, and the deadline for the first of them.
    private var pieces = 0
    private var pieceDeadline: Scheduled<Void>?
    private var waiting: [EventLoopPromise<Void>] = []

    init(_ limits: HTTPLimits) { self.limits = limits }

    private func enter(_ next: Phase, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        phase = next
        deadline =
            switch next {
            case .idle: close(context, in: limits.idle)
            case .head: close(context, in: limits.head)
            case .body: close(context, in: limits.body)
            case .response: nil
            }
    }

    private func close(_ context: ChannelHandlerContext, in time: Duration) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { context.close(promise: nil) }
    }

    // MARK: The client

    func channelActive(context: ChannelHandlerContext) {
        enter(.head, context)
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is BytesCame else { return context.fireUserInboundEventTriggered(event) }
        if phase == .idle { enter(.head, context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isAnswered = false
            enter(.body, context)
        case .body: break
        case .end: enter(isAnswered ? .idle : .response, context)
        }
        context.fireChannelRead(data)
    }

    /// Answers bytes that are no HTTP with 400, and closes the connection. A request that has, or is getting, its
    /// response gets no second one: the server closes its connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard !hasRefused, !isAnswering, phase != .body || !isAnswered else { return }
        hasRefused = true
        let fields = HTTPHeaders([("connection", "close"), ("content-length", "0")])
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: taken)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        pieceDeadline?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
    }

    // MARK: The server

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // What a client that was refused had asked for before is not answered any more.
        guard !hasRefused else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
        let promise = promise ?? context.eventLoop.makePromise()
        pieces += 1
        if pieceDeadline == nil { pieceDeadline = close(context, in: limits.piece) }
        promise.futureResult.assumeIsolated().whenComplete { _ in self.pieceWasTaken(context) }
        switch unwrapOutboundIn(data) {
        case .head(let head): isAnswering = head.status.code >= 200
        case .body: break
        case .end:
            (isAnswering, isAnswered) = (false, true)
            // The next request may arrive while the end is written.
            if phase == .response { enter(.idle, context) }
        }
        context.write(data, promise: promise)
    }

    private func pieceWasTaken(_ context: ChannelHandlerContext) {
        pieces -= 1
        pieceDeadline?.cancel()
        pieceDeadline = nil
        guard context.channel.isActive else { return }
        guard pieces == 0 else {
            pieceDeadline = close(context, in: limits.piece)
            return
        }
        if phase == .idle { enter(.idle, context) }
        for promise in waiting { promise.succeed() }
        waiting = []
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is AllTaken else { return context.triggerUserOutboundEvent(event, promise: promise) }
        guard let promise else { return }
        if pieces == 0 { promise.succeed() } else { waiting.append(promise) }
    }
}

/// Answers a connection beyond the limit at once, and closes it.
private final class HTTPRefusal: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = HTTPServerResponsePart

    private let parts: [HTTPServerResponsePart]
    private let limit: Duration

    init(_ parts: [HTTPServerResponsePart], _ limit: Duration) { (self.parts, self.limit) = (parts, limit) }

    func channelActive(context: ChannelHandlerContext) {
        for part in parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        // A client whose request is not read would lose the response when the whole connection closes now.
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
