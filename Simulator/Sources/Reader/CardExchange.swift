internal import SmartCard

/// One exchange of the reader with a card, from the first byte to the last, with its times. The reader runs
/// it when a command comes and hands the answer out when its time has come.
struct CardExchange {
    /// A sign of life: the reader tells the host to wait on.
    struct Extension {
        var after: Duration
        /// Of the block waiting time.
        var multiplier: UInt8
    }

    /// What the reader answers instead of the card.
    struct Failure: Error { var code: UInt8 }

    private(set) var elapsed = Duration.zero
    private(set) var extensions: [Extension] = []

    /// Lets time pass without an exchange.
    mutating func wait(_ duration: Duration) { elapsed += duration }

    /// Sends a T=1 block or a PPS request and gives what comes back within `waitingTime`.
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

    /// Carries a command over T=0, GET RESPONSE and repetitions included.
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

    /// Runs the interface device's half of T=1 until it is done.
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

    /// Up to `count` bytes of the next signal; nil when the line is silent.
    mutating func take(_ count: Int) -> SimulatedCardContacts.Signal? {
        guard var next = signals.popFirst() else { return nil }
        let rest = next.bytes.dropFirst(count)
        next.bytes = Array(next.bytes.prefix(count))
        if !rest.isEmpty {
            signals.insert(SimulatedCardContacts.Signal(bytes: Array(rest), delay: .zero), at: signals.startIndex)
        }
        return next
    }
}
