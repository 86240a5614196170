import Connections
import NIOCore

/// TLS below the handlers of a connection: turns records of the client into bytes, and bytes for it into records.
///
/// The patience of the listener covers the handshake, too: without the header fields of a request within their time,
/// the connection is closed.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let engine: TLSEngine
    private var isOpen = false
    /// Whether a failure has ended the connection.
    private var hasFailed = false
    /// What was written before the handshake was done.
    private var waiting: [(bytes: [UInt8], promise: EventLoopPromise<Void>?)] = []

    init(_ server: TLSServer) throws(TLSFailure) { engine = try server.engine() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        engine.feed(Array(unwrapInboundIn(data).readableBytesView))
        if !isOpen {
            switch engine.handshake() {
            case .needsInput: return send(context)
            case .failed: return fail(context)
            case .done:
                isOpen = true
                send(context)
                for (bytes, promise) in waiting { write(bytes, context, promise) }
                waiting = []
            }
        }
        read(context)
    }

    private func read(_ context: ChannelHandlerContext) {
        while true {
            switch engine.read(upTo: 16_384) {
            case .bytes(let bytes): context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes)))
            case .needsInput:
                send(context)
                return context.fireChannelReadComplete()
            case .end:
                send(context)
                return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            case .failed: return fail(context)
            }
        }
    }

    /// Sends what the protocol demands by itself.
    private func send(_ context: ChannelHandlerContext) {
        let output = engine.takeOutput()
        guard !output.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: output)), promise: nil)
    }

    /// Sends the alert, and closes the connection.
    private func fail(_ context: ChannelHandlerContext) {
        hasFailed = true
        send(context)
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = Array(unwrapOutboundIn(data).readableBytesView)
        guard isOpen else { return waiting.append((bytes, promise)) }
        write(bytes, context, promise)
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard case .done = engine.write(bytes[...]) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return fail(context)
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: engine.takeOutput())), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if isOpen, !hasFailed, mode != .input {
            engine.finish()
            send(context)
        }
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for (_, promise) in waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
    }
}
