public import Determinism
public import SmartCard

/// A simulated card in a reader that somebody else made: it connects to the reader's far end and answers there for
/// the card, again and again as the other side comes and goes.
public struct CardDoor: Sendable {
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)

    private let kind: DoorKind
    private let address: DoorAddress
    private let card: ObservedCard
    private let stay: DoorStay
    private let time: any TimeSource
    private let cardTime: any TimeSource
    private let onEvent: @Sendable (DoorEvent) -> Void
    private let commands: CommandCount

    /// - Parameters:
    ///   - kind: the protocol.
    ///   - address: where the other side listens.
    ///   - card: the card that is served.
    ///   - stay: how long the door goes on.
    ///   - time: what the door waits on for somebody to be there.
    ///   - cardTime: what the card's own working time passes on.
    ///   - trace: gets every command with its whole answer.
    ///   - onEvent: told of what happens, in order.
    public init(
        _ kind: DoorKind, at address: DoorAddress, card: any SimulatedCard, stay: DoorStay = DoorStay(),
        time: any TimeSource, cardTime: any TimeSource, trace: TraceRecorder? = nil,
        onEvent: @escaping @Sendable (DoorEvent) -> Void = { _ in }
    ) {
        (self.kind, self.address, self.stay) = (kind, address, stay)
        (self.time, self.cardTime, self.onEvent) = (time, cardTime, onEvent)
        let commands = CommandCount()
        self.commands = commands
        self.card = ObservedCard(card) { event in
            // Power and reset are told as the other side asks for them.
            guard case .command(let command, let response) = event else { return }
            trace?.add(command, answer: response)
            onEvent(.command(number: commands.next(), instruction: command.ins, status: response?.status.rawValue))
        }
    }

    /// Serves the card until the other side goes away for good, as ``DoorStay`` says, or the task is cancelled.
    ///
    /// - Throws: ``DoorError/unreachable(_:reason:)``, ``DoorError/malformed(_:)``, ``DoorError/refused(code:)``
    public func serve() async throws(DoorError) {
        var pause = Self.firstPause
        do throws(DoorError) {
            while true {
                let connection = try await connect()
                onEvent(.connected)
                let before = commands.value
                do throws(DoorError) {
                    try await serve(on: connection)
                } catch {
                    let reason = error == .cancelled ? nil : error.description
                    onEvent(.disconnected(commands: commands.value, reason: reason))
                    switch error {
                    case .peerGone, .cardMute, .cardRemoved: break
                    case .unreachable, .notListening, .nobodyCame, .malformed, .refused, .cancelled: throw error
                    }
                    guard !stay.endsWithPeer else { return }
                }
                // Somebody who hangs up without a word is not called back at once.
                pause = commands.value > before ? Self.firstPause : Self.longer(pause)
                try await rest(pause)
            }
        } catch .cancelled {
            return
        }
    }

    /// Connects, as soon as somebody is there.
    private func connect() async throws(DoorError) -> DoorConnection {
        let start = time.reading()
        var pause = Self.firstPause
        var hasTold = false
        while true {
            do throws(DoorError) {
                return try await DoorConnection.open(address)
            } catch .unreachable(let address, let reason) {
                let left = stay.longestWait.map { $0 - time.elapsed(since: start) }
                if let left, left <= .zero { throw .unreachable(address, reason: reason) }
                if !hasTold { onEvent(.waiting(reason: reason)) }
                hasTold = true
                try await rest(left.map { min($0, pause) } ?? pause)
                pause = Self.longer(pause)
            }
        }
    }

    private static func longer(_ pause: Duration) -> Duration { min(pause * 2, longestPause) }

    private func rest(_ duration: Duration) async throws(DoorError) {
        do throws(CancellationError) { try await time.sleep(for: duration) } catch { throw .cancelled }
    }

    /// Answers for the card until the connection ends, which is always an error. The card has no power afterwards.
    private func serve(on connection: DoorConnection) async throws(DoorError) {
        var session = kind.session()
        var card = ServedCard(card)
        do throws(DoorError) {
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

    private func work(for duration: Duration) async throws(DoorError) {
        guard duration > .zero else { return }
        do throws(CancellationError) { try await cardTime.sleep(for: duration) } catch { throw .cancelled }
    }
}
