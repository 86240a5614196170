import CCID
import Determinism
import EMV
import Money
import Simulator
import SmartCard
import Synchronization
import Testing
import USB

@testable import Hardware
@testable import Payments

/// A reader service on a simulated world, without anything above it.
final class ServiceBench: Sendable {
    let clock = SimulationClock()
    let bus: SimulatedUSBBus
    let reader: SimulatedCCIDReader
    /// Where cards are swiped: the head in the chip reader, or a reader beside it.
    let stripeReader: SimulatedMagneticStripeReader?
    /// What takes firmware in the reader; nil when its model takes none.
    let updates: SimulatedUpdatableDevice?
    /// The connected reader device.
    let device: any SimulatedUSBDevice
    let card: SimulatedEMVCard
    let issuer: SimulatedIssuer
    let service: LocalCardReaderService
    private let person: SimulatedCardholder
    private let lastNumber = Mutex(UInt32(0))

    init(
        _ profileName: String = "visa-credit", model: SimulatedReaderModel = .shortAPDU, isPlugged: Bool = true,
        quirks: ReaderQuirkTable = .embedded, stripeReader stripeModel: SimulatedMSRModel? = nil,
        firmware: [ReaderFirmware] = [], magneticStripe: MagneticStripePolicy = MagneticStripePolicy(),
        history: (any CardHistory)? = nil,
        faults: [IssuerFaultRule] = [], reconnection: ReconnectionPolicy = .off, time: (any TimeSource)? = nil,
        terminal: TerminalConfiguration = .standard,
        change: (inout CardProfile) -> Void = { _ in }, trace: (@Sendable (TraceEntry) -> Void)? = nil,
        wrap: (any PaymentHost) -> any PaymentHost = { $0 }, wrapBus: (SimulatedUSBBus) -> any USBBus = { $0 },
        wrapSource: (USBCardReaderSource) -> any CardReaderSource = { $0 }
    ) throws {
        var profile = try CardProfileLibrary.profile(profileName)
        change(&profile)
        let random = SeededRandomSource(seed: 1)
        let keys = try TestKeys.embedded()
        bus = SimulatedUSBBus(clock: clock)
        let unit = SimulatedReaderUnit(model: model, clock: clock)
        (reader, updates, device) = (unit.first, unit.updates, unit.device)
        let beside = stripeModel.map { [clock] in SimulatedMagneticStripeReader(model: $0, clock: clock) }
        stripeReader = unit.stripe ?? beside
        if isPlugged { bus.plug(unit.device) }
        if let beside { bus.plug(beside) }
        card = try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card"))
        person = SimulatedCardholder(
            profile: profile, card: card,
            stripe: try profile.stripe.map { try SimulatedMagneticStripe($0, keys: keys) },
            reader: SimulatedReader.Device(
                device: unit.device, chip: isPlugged || beside == nil ? reader : nil, stripe: stripeReader),
            clock: clock,
            pinPad: try SimulatedPINPad(keys: keys, random: random.stream("pin pad")))
        issuer = try SimulatedIssuer(
            accounts: profile.issuerAccounts(keys: keys), keys: keys, time: clock, random: random.stream("host"),
            faults: faults)
        service = LocalCardReaderService(
            sources: [
                wrapSource(
                    USBCardReaderSource(
                        wrapBus(bus), quirks: quirks, firmware: ReaderFirmwareCatalog(firmware), time: clock,
                        magneticStripe: magneticStripe))
            ],
            host: wrap(issuer), terminal: terminal, magneticStripe: magneticStripe, cardholder: person,
            history: history, time: time ?? clock, random: random.stream("terminal"), reconnection: reconnection,
            trace: trace)
    }

    /// The readers that discovery finds first.
    func discover() async throws -> [CardReader] {
        try await service.start(.usb)
        var lists = await service.discoveredReaders.makeAsyncIterator()
        return try #require(await lists.next())
    }

    @discardableResult
    func connect() async throws -> CardReader {
        try await service.connect(try #require(try await discover().first))
    }

    func parameters(_ minorUnits: Int64 = 1250, timeout: Duration = .seconds(60)) throws -> PaymentIntentParameters {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        return PaymentIntentParameters(
            key: IdempotencyKey(rawValue: "attempt-\(number)"), stan: number,
            amount: try Money(minorUnits: minorUnits, currency: .usDollar), cardTimeout: timeout)
    }

    /// A payment with a cardholder.
    func pay(
        _ parameters: PaymentIntentParameters? = nil,
        onEvent: @escaping @Sendable (CardReaderEvent) -> Void = { _ in }
    ) async throws -> PaymentIntent {
        try await service.capturePayment(try parameters ?? self.parameters()) { [person] event in
            onEvent(event)
            person.observe(event.cardPrompt)
        }
    }
}

/// Events in the order in which they came.
final class EventLog: Sendable {
    private let stored = Mutex<[CardReaderEvent]>([])
    var events: [CardReaderEvent] { stored.withLock { $0 } }
    func append(_ event: CardReaderEvent) { stored.withLock { $0.append(event) } }
}
