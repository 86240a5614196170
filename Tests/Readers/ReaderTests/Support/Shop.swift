import Determinism
import EMV
import Hardware
import Money
import Payments
import Simulator
import SmartCard
import Synchronization
import Testing
import USB

extension OverLibUSB {
    /// A terminal at one reader, and a fast cardholder.
    struct Shop {
        let service: LocalCardReaderService
        private let cardholder: SimulatedCardholder

        init(
            at reader: SimulatedCCIDReader, _ bench: BridgeBench, reconnection: ReconnectionPolicy = .off
        ) throws {
            try self.init(
                at: reader, on: USBCardReaderSource(bench.bus, time: SystemTimeSource()), clock: bench.clock,
                reconnection: reconnection)
        }

        /// - Parameters:
        ///   - reader: where the cardholder puts the card.
        ///   - source: where the terminal finds the reader.
        ///   - clock: the time of the terminal and of the cardholder.
        ///   - reconnection: whether a lost reader is connected again.
        /// - Throws: what cannot be made.
        init(
            at reader: SimulatedCCIDReader, on source: any CardReaderSource, clock: SimulationClock,
            reconnection: ReconnectionPolicy
        ) throws {
            var profile = try CardProfileLibrary.profile("visa-credit")
            profile.cardholder.insertsAfter = .zero
            let (keys, random) = (try TestKeys.embedded(), SeededRandomSource(seed: 1))
            let card = try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card"))
            cardholder = SimulatedCardholder(
                profile: profile, card: card, reader: reader, clock: clock,
                pinPad: try SimulatedPINPad(keys: keys, random: random.stream("pin pad")))
            let issuer = try SimulatedIssuer(
                accounts: profile.issuerAccounts(keys: keys), keys: keys, time: clock, random: random.stream("host"))
            service = LocalCardReaderService(
                sources: [source], host: issuer, terminal: .standard, cardholder: cardholder, time: clock,
                random: random.stream("terminal"), reconnection: reconnection)
        }

        /// Connects the first reader that is found.
        func connect() async throws {
            try await service.start(.usb)
            for await readers in await service.discoveredReaders {
                guard let reader = readers.first else { continue }
                _ = try await service.connect(reader)
                return
            }
        }

        func pay(number: UInt32 = 1) async throws -> PaymentIntent {
            let parameters = PaymentIntentParameters(
                key: IdempotencyKey(rawValue: "attempt-\(number)"), stan: number,
                amount: try Money(minorUnits: 1250, currency: .usDollar), cardTimeout: .seconds(10))
            return try await service.capturePayment(parameters) { [cardholder] in cardholder.observe($0.cardPrompt) }
        }

        func close() async throws {
            try await service.disconnect()
            await service.cancelDiscovery()
        }
    }
}

/// A card that answers by the instruction byte: 20 takes data, A4 takes data and gives it backwards, B0 gives as many
/// bytes as P1 P2 say, E0 requests time P1 times, E2 never ends. Its waiting times are as short as they
/// can be, because here they are real.
final class TestCard: SimulatedCard {
    /// T=0, work waiting time 0.1 s.
    static let t0: [UInt8] = [0x3B, 0xA0, 0x00, 0x40, 0x01]
    /// T=1, blocks of 32 bytes, block waiting time 0.1 s.
    static let t1: [UInt8] = [0x3B, 0xE0, 0x00, 0x00, 0x81, 0x31, 0x20, 0x05, 0x75]

    private let answerToReset: [UInt8]
    /// An offset of every byte of B0's response, which distinguishes cards.
    private let mark: UInt8
    private let instructions = Mutex<[UInt8]>([])

    init(_ answerToReset: [UInt8], mark: UInt8 = 0) { (self.answerToReset, self.mark) = (answerToReset, mark) }

    /// The instruction bytes that the card has got.
    var received: [UInt8] { instructions.withLock { $0 } }

    /// What the card answers to B0.
    func data(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) &+ mark } }

    func reset(warm: Bool) -> [UInt8] { answerToReset }

    func powerOff() {}

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        instructions.withLock { $0.append(command.ins) }
        let done = ResponseAPDU(status: .success)
        switch command.ins {
        case 0x20: return SimulatedCardReply(done)
        case 0xA4: return SimulatedCardReply(ResponseAPDU(data: command.data.reversed(), status: .success))
        case 0xB0:
            let count = Int(command.p1) << 8 | Int(command.p2)
            return SimulatedCardReply(ResponseAPDU(data: data(count), status: .success))
        case 0xE0: return SimulatedCardReply(done, waitingTimeExtensions: Int(command.p1))
        case 0xE2: return SimulatedCardReply(done, processingTime: .seconds(600))
        default: return SimulatedCardReply(ResponseAPDU(status: .instructionNotSupported))
        }
    }

    func sendsData(header: [UInt8]) -> Bool { header[1] == 0x20 || header[1] == 0xA4 }
}

/// Commands for ``TestCard``.
extension CommandAPDU {
    /// Gives `count` bytes.
    static func read(_ count: Int) throws -> CommandAPDU {
        try CommandAPDU(
            cla: 0, ins: 0xB0, p1: UInt8(count >> 8), p2: UInt8(count & 0xFF), data: [], expectedLength: max(count, 1))
    }

    /// Gives `data` backwards.
    static func reverse(_ data: [UInt8]) throws -> CommandAPDU {
        try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: data, expectedLength: data.count)
    }

    static func verify(_ data: [UInt8]) throws -> CommandAPDU {
        try CommandAPDU(cla: 0, ins: 0x20, p1: 0, p2: 0x80, data: data, expectedLength: nil)
    }

    /// Asks for time before it answers.
    static func askForTime(_ count: UInt8) -> CommandAPDU { CommandAPDU(0, 0xE0, count, 0) }

    /// Never ends.
    static var workForEver: CommandAPDU { CommandAPDU(0, 0xE2, 0, 0) }
}

/// A device that gives back what it was given: what is written to endpoint 03 can be read from 82. It notifies on 81
/// when told to.
final class EchoDevice: SimulatedUSBDevice {
    private struct State {
        var bulk: [[UInt8]] = []
        var notices: [[UInt8]] = []
        var stalling: Set<UInt8> = []
        var overflows = false
    }

    static let bulkOut: UInt8 = 0x03
    static let bulkIn: UInt8 = 0x82
    static let interruptIn: UInt8 = 0x81

    private let clock: SimulationClock
    private let state = Mutex(State())

    init(clock: SimulationClock) { self.clock = clock }

    let descriptors = SimulatedUSBDescriptors(
        // For tests: pid.codes sets it aside.
        device: USBDeviceDescriptor(vendorID: 0x1209, productID: 0x0001, release: 0x0100),
        configuration: USBConfiguration(
            value: 1,
            interfaces: [
                USBInterface(
                    number: 0, classCode: 0x0B,
                    endpoints: [
                        USBEndpoint(address: interruptIn, kind: .interrupt, maximumPacketSize: 8, interval: 16),
                        USBEndpoint(address: bulkIn, kind: .bulk, maximumPacketSize: 64),
                        USBEndpoint(address: bulkOut, kind: .bulk, maximumPacketSize: 64),
                    ], classDescriptors: [[0x36, 0x21] + [UInt8](repeating: 0, count: 52)])
            ]), manufacturer: "CardPresent", product: "Echo", serialNumber: "0001")

    func notify(_ bytes: [UInt8]) {
        // An event of the clock, which resumes waiting tasks.
        clock.schedule(after: .zero) { [weak self] in self?.state.withLock { $0.notices.append(bytes) } }
    }

    /// The next transfer on an endpoint stalls, which halts it.
    func stall(_ endpoint: UInt8) { state.withLock { _ = $0.stalling.insert(endpoint) } }

    /// The next bulk IN transfer brings more than was asked for.
    func overflow() { state.withLock { $0.overflows = true } }

    func plugged(unplug: @escaping @Sendable () -> Void) {}
    func unplugged() { reset() }
    func reset() { state.withLock { $0 = State() } }
    func control(_ request: USBControlRequest) -> [UInt8]? { nil }

    func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        state.withLock { state in
            guard state.stalling.remove(endpoint) == nil else { return false }
            state.bulk.append(bytes)
            return true
        }
    }

    func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        state.withLock { state in
            guard state.stalling.remove(endpoint) == nil else { return .stall }
            guard endpoint == Self.bulkIn else {
                return state.notices.isEmpty ? .notYet(nil) : .data(state.notices.removeFirst())
            }
            defer { state.overflows = false }
            if state.overflows { return .overflow }
            return state.bulk.isEmpty ? .notYet(nil) : .data(state.bulk.removeFirst())
        }
    }

    func hasInput(endpoint: UInt8) -> Bool {
        state.withLock { state in
            if state.stalling.contains(endpoint) { return true }
            return endpoint == Self.bulkIn ? state.overflows || !state.bulk.isEmpty : !state.notices.isEmpty
        }
    }
}

/// The time of a machine that a test suspends.
final class SleepingMachine: TimeSource {
    private let time = SystemTimeSource()
    private let asleep = Mutex(Duration.zero)

    func now() -> Timestamp { time.now() }
    func reading() -> Duration { time.reading() }
    func offsetSeconds(at moment: Timestamp) -> Int { time.offsetSeconds(at: moment) }
    func sleep(for duration: Duration) async throws(CancellationError) { try await time.sleep(for: duration) }
    func timeAsleep() -> Duration { asleep.withLock { $0 } }

    func wakeUp(after duration: Duration) { asleep.withLock { $0 += duration } }
}

/// The driver on simulated readers through the real libusb, whose system calls the bridge answers. ``USBBridgeRun``
/// runs these suites where the bridge is; anywhere else they have nothing to talk to.
///
/// One after the other: time is real here, and every test counts what it leaves behind. The limit of a test is below
/// that of the whole run, so that a test that hangs is named.
@Suite(.serialized, .enabled(if: USBBridge.isPresent), .timeLimit(.minutes(3))) enum OverLibUSB {}
