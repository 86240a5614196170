import SmartCard

/// One exchange between reader and card, from the first byte to the last, with its timing. The reader runs the
/// exchange when a command arrives and releases the answer when its time has come.
struct CardExchange {
    /// A time extension: the reader asks the host to keep waiting.
    struct Extension {
        var after: Duration
        /// A multiple of the block waiting time.
        var multiplier: UInt8
    }

    /// The error code that the reader returns instead of a card answer.
    struct Failure: Error { var code: UInt8 }

    private(set) var elapsed = Duration.zero
    private(set) var extensions: [Extension] = []

    /// Adds time without an exchange.
    mutating func wait(_ duration: Duration) { elapsed += duration }

    /// Sends a T=1 block or a PPS request and returns the answer if it arrives within `waitingTime`.
    mutating func block(
        _ bytes: [UInt8], _ contacts: inout SimulatedCardContacts, waitingTime: Duration
    ) throws(Failure) -> [UInt8] {
        guard let signal = contacts.send(bytes).first, signal.delay <= waitingTime else {
            elapsed += waitingTime
            throw Failure(code: ReaderError.cardMute)
        }
        elapsed += signal.delay
        return signal.bytes
    }

    /// Exchanges a T=0 TPDU byte by byte.
    mutating func t0(_ tpdu: [UInt8], _ contacts: inout SimulatedCardContacts) throws(Failure) -> [UInt8] {
        var exchange: T0TPDUExchange
        do throws(T0Error) { exchange = try T0TPDUExchange(tpdu: tpdu) } catch {
            throw Failure(code: ReaderError.badLength)
        }
        var step = exchange.start()
        var line = CardLine()
        while true {
            var received: [UInt8] = []
            switch step {
            case .complete(let answer):
                return answer
            case .transmit(let bytes):
                line.signals = contacts.send(bytes)[...]
            case .receive(let count):
                guard let taken = line.take(count) else {
                    elapsed += contacts.transmission.workWaitingTime
                    throw Failure(code: ReaderError.cardMute)
                }
                elapsed += taken.delay
                if taken.asksForTime { extensions.append(Extension(after: elapsed, multiplier: 1)) }
                received = taken.bytes
            }
            do throws(T0Error) { step = try exchange.received(received) } catch {
                throw Failure(code: ReaderError.procedureByteConflict)
            }
        }
    }

    /// Sends a command over T=0, including GET RESPONSE and repeated commands.
    mutating func commandOverT0(
        _ command: CommandAPDU, _ contacts: inout SimulatedCardContacts
    ) throws(Failure) -> [UInt8] {
        var mapper: T0CommandMapper
        do throws(T0Error) { mapper = try T0CommandMapper(command) } catch {
            throw Failure(code: ReaderError.badLength)
        }
        var step = mapper.start()
        while true {
            switch step {
            case .complete(let response): return response.bytes
            case .exchange(let tpdu):
                let answer = try t0(tpdu, &contacts)
                do throws(T0Error) { step = try mapper.received(answer) } catch {
                    throw Failure(code: ReaderError.procedureByteConflict)
                }
            }
        }
    }

    /// Runs the interface device's side of T=1 until it completes.
    mutating func run(
        _ device: inout T1InterfaceDevice, _ first: T1InterfaceDevice.Step, _ contacts: inout SimulatedCardContacts
    ) throws(Failure) -> [UInt8] {
        var step = first
        while true {
            switch step {
            case .complete(let answer): return answer
            case .failed: throw Failure(code: ReaderError.cardMute)
            case .send(let bytes, let multiplier):
                if multiplier > 1 {
                    extensions.append(Extension(after: elapsed, multiplier: UInt8(clamping: multiplier)))
                }
                do throws(Failure) {
                    let limit = contacts.transmission.blockWaitingTime * multiplier
                    step = device.received(try block(bytes, &contacts, waitingTime: limit))
                } catch {
                    step = device.timedOut()
                }
            }
        }
    }
}

/// The bytes on their way from the card, with their delays.
struct CardLine: Sendable {
    var signals: ArraySlice<SimulatedCardContacts.Signal> = []

    /// Returns up to `count` bytes of the next signal; nil if the line is silent.
    mutating func take(_ count: Int) -> SimulatedCardContacts.Signal? {
        guard var next = signals.popFirst() else { return nil }
        guard next.bytes.count > count else { return next }
        let rest = Array(next.bytes.dropFirst(count))
        next.bytes = Array(next.bytes.prefix(count))
        signals.insert(SimulatedCardContacts.Signal(bytes: rest, delay: .zero), at: signals.startIndex)
        return next
    }
}

/// The transmission parameters of a card, read from its ATR and used by both sides of the simulated contacts. An
/// invalid ATR counts as one without interface bytes: T=0 with default times.
struct CardTransmission: Sendable {
    private static let clockHertz = 4_000_000

    /// Whether the ATR is valid, including its check byte.
    let isCorrect: Bool
    /// The offered protocols, in order.
    let protocols: [UInt8]
    /// The protocol after reset.
    let firstProtocol: UInt8
    /// Whether the card is in specific mode, so that the protocol cannot be negotiated.
    let isSpecificMode: Bool
    /// TA1.
    let rates: UInt8
    /// TC1.
    let extraGuardTime: UInt8
    /// WI.
    let waitingInteger: UInt8
    /// BWI and CWI.
    let waitingIntegers: UInt8
    /// IFSC.
    let informationFieldSize: UInt8
    let errorDetection: T1Block.ErrorDetection
    let historicalBytes: [UInt8]
    let workWaitingTime: Duration
    let blockWaitingTime: Duration

    init(answerToReset: [UInt8]) {
        let read = try? ATR(answerToReset)
        let atr = read ?? Self.plain
        isCorrect = read != nil
        protocols = atr?.offeredProtocols ?? [0]
        firstProtocol = atr?.defaultProtocol ?? 0
        isSpecificMode = atr?.specificMode != nil
        rates = atr?.rateByte ?? 0x11
        extraGuardTime = atr?.extraGuardTime ?? 0
        waitingInteger = atr?.waitingTimeInteger ?? 10
        waitingIntegers = atr.map { $0.blockWaitingTimeInteger << 4 | $0.characterWaitingTimeInteger } ?? 0x4D
        informationFieldSize = atr?.cardInformationFieldSize ?? 32
        errorDetection = atr?.errorDetection ?? .lrc
        historicalBytes = atr?.historicalBytes ?? []
        workWaitingTime = atr?.workWaitingTime(clockHertz: Self.clockHertz) ?? .seconds(1)
        blockWaitingTime = atr?.blockWaitingTime(clockHertz: Self.clockHertz) ?? .seconds(1)
    }

    /// The ATR that a contactless reader builds for the card (PC/SC part 3 §3.1.3.2.3): T=0 and T=1 without
    /// parameters, the historical bytes, and the check byte.
    var contactlessAnswerToReset: [UInt8] {
        let bytes = [0x80 | UInt8(historicalBytes.count & 0x0F), 0x80, 0x01] + historicalBytes.prefix(15)
        return [0x3B] + bytes + [bytes.reduce(0, ^)]
    }

    private static let plain = try? ATR([0x3B, 0x00])
}
