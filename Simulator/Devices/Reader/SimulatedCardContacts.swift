import SmartCard

/// The contacts of a card: power, reset, and bytes on the I/O line. Runs the card's side of T=0 or T=1, as the ATR
/// selects, for a ``SimulatedCard``, and requests more time when the card works long.
struct SimulatedCardContacts: Sendable {
    /// Bytes from the card, with the delay after the previous ones.
    struct Signal: Sendable {
        var bytes: [UInt8]
        var delay: Duration
        /// Whether the bytes only request more time.
        var asksForTime = false
    }

    private enum Mode {
        case off
        /// The card expects a PPS request or the first bytes of its first protocol.
        case afterReset
        case t0(T0CardSide)
        case t1(T1CardSide)
        /// The card sends nothing until the next reset.
        case mute
    }

    let card: any SimulatedCard
    /// The voltages at which the card works; it is mute at others.
    private let voltages: SimulatedReaderModel.Voltages
    private(set) var transmission = CardTransmission(answerToReset: [])
    private var mode = Mode.off
    private var pendingResponse: ResponseAPDU?
    private var remainingWork = Duration.zero
    /// The time granted with the interface device's last S(WTX response).
    private var grantedTime = Duration.zero
    /// Additional S(WTX) requests before the card's answer.
    private var pendingExtensions = 0
    /// Whether the card leaves the reader after its answer.
    private var leavesAfterAnswer = false
    /// Set when the card has left the reader by itself.
    private(set) var departure: SimulatedCardReply.Removal?

    init(_ card: any SimulatedCard, voltages: SimulatedReaderModel.Voltages) {
        (self.card, self.voltages) = (card, voltages)
    }

    var isPowered: Bool {
        if case .off = mode { false } else { true }
    }

    /// Powers up and resets the card; a powered card gets a warm reset.
    ///
    /// - Returns: the ATR; empty if the card is mute.
    mutating func activate(_ voltage: SimulatedReaderModel.Voltages) -> [UInt8] {
        let isWarm = isPowered
        (pendingResponse, grantedTime, pendingExtensions) = (nil, .zero, 0)
        guard !voltages.isDisjoint(with: voltage) else {
            mode = .mute
            return []
        }
        let answer = card.reset(warm: isWarm)
        transmission = CardTransmission(answerToReset: answer)
        mode = answer.isEmpty ? .mute : .afterReset
        return answer
    }

    mutating func deactivate() {
        guard isPowered else { return }
        (mode, pendingResponse) = (.off, nil)
        card.powerOff()
    }

    /// Sends bytes to the card.
    ///
    /// - Returns: the answer; empty if the card is mute or waits for more bytes.
    mutating func send(_ bytes: [UInt8]) -> [Signal] {
        switch mode {
        case .off, .mute:
            return []
        case .afterReset:
            if bytes.first == 0xFF { return negotiate(bytes) }
            start(transmission.firstProtocol)
            return send(bytes)
        case .t0(var side):
            let step = side.received(bytes)
            switch step {
            case .awaitMore:
                mode = .t0(side)
                return []
            case .send(let answer):
                mode = .t0(side)
                noteDelivery(t0: answer)
                return [Signal(bytes: answer, delay: .zero)]
            case .process(let command):
                return processT0(command, &side)
            }
        case .t1(var side):
            switch side.received(bytes) {
            case .send(let block):
                mode = .t1(side)
                noteDelivery(t1: block)
                return [Signal(bytes: block, delay: .zero)]
            case .process(let apdu):
                beginT1(apdu)
                return continueT1(&side)
            case .resume:
                return continueT1(&side)
            }
        }
    }

    private mutating func start(_ number: UInt8) {
        switch number {
        case 0: mode = .t0(T0CardSide { [card] header in card.sendsData(header: header) })
        case 1:
            mode = .t1(
                T1CardSide(
                    informationFieldSize: transmission.informationFieldSize,
                    errorDetection: transmission.errorDetection))
        default: mode = .mute
        }
    }

    /// Handles a PPS (ISO/IEC 7816-3 §9): FF, PPS0, the announced parameters, a check byte. The card accepts what it
    /// offers.
    private mutating func negotiate(_ request: [UInt8]) -> [Signal] {
        let format = request.dropFirst().first ?? 0
        let announced = (4..<7).reduce(0) { $0 + Int(format >> UInt8($1) & 1) }
        guard request.count == 3 + announced, request.reduce(0, ^) == 0, !transmission.isSpecificMode,
            transmission.protocols.contains(format & 0x0F)
        else {
            mode = .mute
            return []
        }
        start(format & 0x0F)
        return [Signal(bytes: request, delay: .zero)]
    }

    private mutating func processT0(_ command: CommandAPDU, _ side: inout T0CardSide) -> [Signal] {
        let reply = card.process(command)
        take(reply)
        guard let response = reply.response else {
            mode = .mute
            return []
        }
        // A card that works longer than the work waiting time sends NULL bytes.
        var signals: [Signal] = []
        var work = max(reply.processingTime, .zero)
        let interval = transmission.workWaitingTime / 2
        for _ in 0..<min(reply.waitingTimeExtensions, T0TPDUExchange.maximumNulls - 1) {
            signals.append(Signal(bytes: [0x60], delay: interval, asksForTime: true))
        }
        while work > interval * 2, signals.count < T0TPDUExchange.maximumNulls - 1 {
            signals.append(Signal(bytes: [0x60], delay: interval, asksForTime: true))
            work -= interval
        }
        let answer = side.respond(response)
        mode = .t0(side)
        // Data after a warning status are fetched with GET RESPONSE, like those announced by 61.
        let isFetched = response.status.isWarning && !command.data.isEmpty && !response.data.isEmpty
        if !isFetched { noteDelivery(t0: answer) }
        return signals + [Signal(bytes: answer, delay: work)]
    }

    private mutating func beginT1(_ apdu: [UInt8]) {
        do throws(APDUError) {
            let reply = card.process(try CommandAPDU(bytes: apdu))
            take(reply)
            pendingExtensions = reply.waitingTimeExtensions
            (pendingResponse, remainingWork) = (reply.response, max(reply.processingTime, .zero))
        } catch {
            (pendingResponse, remainingWork) = (ResponseAPDU(status: .wrongLength), .zero)
        }
    }

    private mutating func continueT1(_ side: inout T1CardSide) -> [Signal] {
        guard let response = pendingResponse else {
            mode = .mute
            return []
        }
        let limit = transmission.blockWaitingTime
        let allowed = max(grantedTime, limit)
        defer { mode = .t1(side) }
        guard pendingExtensions == 0 else {
            pendingExtensions -= 1
            return [Signal(bytes: side.requestWaitingTimeExtension(2), delay: .zero, asksForTime: true)]
        }
        guard remainingWork > allowed - limit / 4 else {
            defer { (pendingResponse, remainingWork, grantedTime) = (nil, .zero, .zero) }
            let block = side.respond(response.bytes)
            noteDelivery(t1: block)
            return [Signal(bytes: block, delay: remainingWork)]
        }
        // Requests time at once, and again half a waiting time before the granted time ends.
        let worked = max(grantedTime - limit / 2, .zero)
        remainingWork -= worked
        var multiplier = 1
        while multiplier < 255, limit * multiplier < remainingWork + limit { multiplier += 1 }
        grantedTime = limit * multiplier
        let block = side.requestWaitingTimeExtension(UInt8(multiplier))
        return [Signal(bytes: block, delay: worked, asksForTime: true)]
    }

    // MARK: Leaving the reader

    private mutating func take(_ reply: SimulatedCardReply) {
        switch reply.removal {
        case .beforeAnswer: departure = .beforeAnswer
        case .afterAnswer: leavesAfterAnswer = true
        case nil: break
        }
    }

    /// Checks T=0 bytes on their way out: 61 and 6C announce more data, and fewer bytes than a status are no answer.
    private mutating func noteDelivery(t0 bytes: [UInt8]) {
        guard leavesAfterAnswer, bytes.count >= 2, ![0x61, 0x6C].contains(bytes[bytes.count - 2]) else { return }
        departure = .afterAnswer
    }

    /// Checks a T=1 block on its way out: an I-block without the more-data bit ends the answer.
    private mutating func noteDelivery(t1 block: [UInt8]) {
        guard leavesAfterAnswer, block.count > 1, block[1] & 0xA0 == 0 else { return }
        departure = .afterAnswer
    }
}
