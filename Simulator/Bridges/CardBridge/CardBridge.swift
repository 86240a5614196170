public import Determinism
public import SmartCard

/// A simulated card in a virtual reader of another program (pcscd or QEMU). The bridge connects to the reader's far
/// end and answers for the card, and reconnects as the peer comes and goes.
public struct CardBridge: Sendable {
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)

    private let kind: BridgeKind
    private let address: BridgeAddress
    private let card: ObservedCard
    private let options: ConnectionOptions
    private let time: any TimeSource
    private let cardTime: (any TimeSource)?
    private let onEvent: @Sendable (BridgeEvent) -> Void
    private let commands: CommandCount

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - kind: the protocol.
    ///   - address: the address of the peer.
    ///   - card: the card to serve.
    ///   - options: how long the bridge runs.
    ///   - time: the clock for connection attempts.
    ///   - cardTime: the clock for the card's processing time; nil when the card answers at once.
    ///   - trace: receives every command with its complete answer.
    ///   - onEvent: receives the events in order.
    public init(
        _ kind: BridgeKind, at address: BridgeAddress, card: any SimulatedCard,
        options: ConnectionOptions = ConnectionOptions(),
        time: any TimeSource, cardTime: (any TimeSource)?, trace: TraceRecorder? = nil,
        onEvent: @escaping @Sendable (BridgeEvent) -> Void = { _ in }
    ) {
        (self.kind, self.address, self.options) = (kind, address, options)
        (self.time, self.cardTime, self.onEvent) = (time, cardTime, onEvent)
        let commands = CommandCount()
        self.commands = commands
        self.card = ObservedCard(card) { event in
            // Power and reset are reported when the peer requests them.
            guard case .command(let command, let response) = event else { return }
            trace?.add(command, answer: response)
            onEvent(.command(number: commands.next(), instruction: command.ins, status: response?.status.rawValue))
        }
    }

    /// Serves the card until the peer leaves for good (see ``ConnectionOptions``) or the task is canceled.
    ///
    /// - Throws: ``BridgeError/unreachable(_:reason:)``, ``BridgeError/malformed(_:)``,
    ///   ``BridgeError/refused(code:)``
    public func serve() async throws(BridgeError) {
        var pause = Self.firstPause
        do throws(BridgeError) {
            while true {
                let connection = try await connect()
                onEvent(.connected)
                let before = commands.value
                do throws(BridgeError) {
                    try await serve(on: connection)
                } catch {
                    let reason = error == .canceled ? nil : error.description
                    onEvent(.disconnected(commands: commands.value, reason: reason))
                    switch error {
                    case .peerDisconnected, .cardMute, .cardRemoved: break
                    case .unreachable, .notListening, .noConnection, .malformed, .refused, .canceled: throw error
                    }
                    guard !options.endsWithPeer else { return }
                }
                // Reconnect with a longer pause if the peer closed the connection without a command.
                pause = commands.value > before ? Self.firstPause : Self.longer(pause)
                try await rest(pause)
            }
        } catch .canceled {
            return
        }
    }

    /// Connects as soon as the peer listens.
    private func connect() async throws(BridgeError) -> BridgeConnection {
        let start = time.reading()
        var pause = Self.firstPause
        var hasTold = false
        while true {
            do throws(BridgeError) {
                return try await BridgeConnection.open(address)
            } catch .unreachable(let address, let reason) {
                let left = options.longestWait.map { $0 - time.elapsed(since: start) }
                if let left, left <= .zero { throw .unreachable(address, reason: reason) }
                if !hasTold { onEvent(.waiting(reason: reason)) }
                hasTold = true
                try await rest(left.map { min($0, pause) } ?? pause)
                pause = Self.longer(pause)
            }
        }
    }

    private static func longer(_ pause: Duration) -> Duration { min(pause * 2, longestPause) }

    private func rest(_ duration: Duration) async throws(BridgeError) {
        do throws(CancellationError) { try await time.sleep(for: duration) } catch { throw .canceled }
    }

    /// Serves the card until the connection ends, which is always an error. Then powers the card down.
    private func serve(on connection: BridgeConnection) async throws(BridgeError) {
        var session = kind.session()
        var card = ServedCard(card)
        do throws(BridgeError) {
            try await connection.send(session.greeting())
            while true {
                session.receive(try await connection.receive())
                while let steps = try session.next() {
                    for step in steps {
                        switch step {
                        case .send(let bytes):
                            try await connection.send(bytes)
                        case .ask(let request):
                            let answer = perform(request, on: &card)
                            try await work(for: answer.after)
                            guard !answer.isLast || !answer.bytes.isEmpty else { throw .cardRemoved }
                            guard let bytes = session.answer(answer.bytes, to: request) else { throw .cardMute }
                            try await connection.send(bytes)
                            if answer.isLast { throw .cardRemoved }
                        }
                    }
                }
            }
        } catch {
            connection.sendNow(session.farewell()[...])
            card.powerOff()
            throw error
        }
    }

    private func perform(_ request: CardRequest, on card: inout ServedCard) -> ServedCard.Answer {
        switch request {
        case .powerOn, .reset:
            let isWarm = card.isPowered
            let answer = card.reset()
            onEvent(.reset(answerToReset: answer, isWarm: isWarm))
            return ServedCard.Answer(bytes: answer)
        case .powerOff:
            guard card.isPowered else { return ServedCard.Answer(bytes: []) }
            card.powerOff()
            onEvent(.poweredOff)
            return ServedCard.Answer(bytes: [])
        case .answerToReset:
            return ServedCard.Answer(bytes: card.answerToReset())
        case .command(let bytes):
            return card.exchange(bytes)
        }
    }

    private func work(for duration: Duration) async throws(BridgeError) {
        guard duration > .zero, let cardTime else { return }
        do throws(CancellationError) { try await cardTime.sleep(for: duration) } catch { throw .canceled }
    }
}

/// How long a bridge or server runs.
public struct ConnectionOptions: Hashable, Sendable {
    /// The time to wait for each connection; nil for no limit.
    public var longestWait: Duration?
    /// Whether to end with the first connection.
    public var endsWithPeer: Bool

    /// Sets the times. Nil waits without a limit; `endsWithPeer` ends with the first connection.
    public init(longestWait: Duration? = nil, endsWithPeer: Bool = false) {
        (self.longestWait, self.endsWithPeer) = (longestWait, endsWithPeer)
    }
}

/// An event of a bridge.
public enum BridgeEvent: Hashable, Sendable {
    /// No peer is there, or it left; the bridge keeps trying. Reported once until a peer connects.
    case waiting(reason: String)
    case connected
    /// The card was powered up, or reset while powered. The answer is empty from a mute card.
    case reset(answerToReset: [UInt8], isWarm: Bool)
    /// A command, with its number since the bridge started, instruction byte, and status word; the status is nil if
    /// the card stayed mute. Command and answer are left out because they can contain card data.
    case command(number: Int, instruction: UInt8, status: UInt16?)
    case poweredOff
    /// The connection ended, after this number of commands since the bridge started. The reason is nil if this side
    /// ended it.
    case disconnected(commands: Int, reason: String?)
}
