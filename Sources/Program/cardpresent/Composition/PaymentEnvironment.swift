import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import Hardware
import Recorder
import Simulator
import SmartCard
import TillConfiguration
import USB
import Yosemite

extension PINPadScheme {
    /// The DUKPT scheme of the simulated PIN pad's keys.
    var keyScheme: DUKPTKeySerialNumber.Scheme { self == .tdes ? .tripleDES : .aes }
}

/// The environment of a command below the stores: readers, cardholder, time, and random numbers.
protocol PaymentEnvironment: Sendable {
    var bus: any USBBus { get }
    var cardholder: any CardholderInterface { get }
    var time: any TimeSource { get }
    var random: any RandomSource { get }
    /// The trace of card exchanges; nil without `--trace`.
    var trace: TraceFile? { get }
    /// The simulated card; nil for real cards.
    var card: CardProfile? { get }
    /// The sources of readers.
    func readerSources(_ settings: TillConfiguration) -> [any CardReaderSource]
    /// The discovery method.
    var discoveryMethod: CardReaderDiscoveryMethod { get }
    /// The ID of the reader to use; nil for the last used or first one.
    var readerID: String? { get }

    /// Selects one of the readers found. `remembered` are the readers used before, latest first.
    ///
    /// - Throws: `CommandFailure`
    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader

    /// Whether readers are remembered and reconnected.
    var hasOwnedReaders: Bool { get }

    /// Whether a card can be presented.
    var takesCards: Bool { get }
    /// The test PIN pad; nil without one.
    var pinPad: SimulatedPINPad? { get }

    /// Returns the terminal configuration.
    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration

    /// The certification authorities' keys for tapped cards.
    var contactlessKeys: [ECCAuthorityKey] { get }

    /// Called for each reader event.
    func observe(_ event: CardReaderEvent)

    /// Called before a payment of a till that takes several: a simulated cardholder begins anew.
    func prepareForNextPayment()

    /// Receives each card exchange; nil without `--trace`.
    var recordTrace: (@Sendable (TraceEntry) -> Void)? { get }
}

extension PaymentEnvironment {
    var trace: TraceFile? { nil }
    var card: CardProfile? { nil }
    var readerID: String? { nil }
    func readerSources(_ settings: TillConfiguration) -> [any CardReaderSource] {
        [
            USBCardReaderSource(
                bus, quirks: settings.readerQuirks, firmware: settings.readerFirmware, time: time,
                magneticStripe: settings.magneticStripe)
        ]
    }
    var discoveryMethod: CardReaderDiscoveryMethod { .usb }
    var takesCards: Bool { true }
    var pinPad: SimulatedPINPad? {
        switch cardholder {
        case let console as ConsoleCardholder: console.pinPad
        case let person as SimulatedCardholder: person.pinPad
        default: nil
        }
    }
    var hasOwnedReaders: Bool { false }

    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration { configured }

    /// No payment system has published keys for Kernel 8.
    var contactlessKeys: [ECCAuthorityKey] { [] }

    func observe(_ event: CardReaderEvent) {}
    func prepareForNextPayment() {}

    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader {
        let named = readerID.map { id in readers.first { $0.id == id } }
        guard let reader = named ?? readers.preferred(remembered) else {
            throw CommandFailure(
                .reader, code: "reader_not_found",
                message: readerID.map { "unknown reader '\($0)'" } ?? "no card reader found",
                fix: readers.isEmpty
                    ? "connect a CCID reader, or use --reader simulated"
                    : .choice(of: readerID ?? "", among: readers.map(\.id), called: "readers"))
        }
        return reader
    }

    /// Writes the trace; nil without one.
    var recordTrace: (@Sendable (TraceEntry) -> Void)? {
        guard let trace else { return nil }
        return { trace.write($0) }
    }
}

/// A USB reader and the cardholder at this terminal.
struct USBEnvironment: PaymentEnvironment {
    let bus: any USBBus
    let cardholder: any CardholderInterface
    let time: any TimeSource = SystemTimeSource()
    let random: any RandomSource = SystemRandomSource()
    let trace: TraceFile?
    let readerID: String?
    let hasOwnedReaders = true

    /// - Throws: `CommandFailure`
    init(
        _ options: EnvironmentOptions, readerID: String?, pin: SealedBytes?, pinPad scheme: PINPadScheme,
        _ receipt: ReceiptSettings
    ) throws(CommandFailure) {
        guard options.determinism.seed == nil else { throw .seedWithRealReader }
        guard !options.traceClear else { throw .clearTraceOfRealCard }
        self.readerID = readerID
        bus = try Till.usbBus(time: time)
        cardholder = try ConsoleCardholder(
            pin: pin, pinPad: scheme, receipt: receipt, random: random, time: time)
        trace = try options.traceFile()
    }
}

extension CommandFailure {
    static let seedWithRealReader = CommandFailure(
        .usage, code: "seed_with_usb", message: "--seed requires a simulated reader",
        fix: "omit --seed, or use --reader simulated")
    static let clearTraceOfRealCard = CommandFailure(
        .usage, code: "trace_clear_with_real_reader", message: "--trace-clear requires a simulated reader",
        fix: "omit --trace-clear: the trace of a real card is masked")
}

/// A reader of pcscd and the cardholder at this terminal.
struct PCSCEnvironment: PaymentEnvironment {
    let bus: any USBBus = SimulatedUSBBus()
    let cardholder: any CardholderInterface
    let time: any TimeSource = SystemTimeSource()
    let random: any RandomSource = SystemRandomSource()
    let trace: TraceFile?
    private let readerName: String?
    let hasOwnedReaders = true

    /// - Throws: `CommandFailure`
    init(
        _ options: EnvironmentOptions, readerName: String?, pin: SealedBytes?, pinPad: PINPadScheme,
        _ receipt: ReceiptSettings
    ) throws(CommandFailure) {
        guard options.determinism.seed == nil else { throw .seedWithRealReader }
        guard !options.traceClear else { throw .clearTraceOfRealCard }
        self.readerName = readerName
        cardholder = try ConsoleCardholder(
            pin: pin, pinPad: pinPad, receipt: receipt, random: random, time: time)
        trace = try options.traceFile()
    }

    func readerSources(_ settings: TillConfiguration) -> [any CardReaderSource] {
        [PCSCReaderSource(time: time)]
    }

    var discoveryMethod: CardReaderDiscoveryMethod { .pcsc }

    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader {
        if readerName == nil, let reader = readers.preferred(remembered) { return reader }
        return try PCSCReaderCatalog.find(readerName, among: readers)
    }
}

extension EnvironmentOptions {
    /// Runs a payment. With a simulated reader, runs it in a run queue, which advances the simulated clock.
    func play<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if case .simulated = reader { try await RunQueue.run(body) } else { try await body() }
    }
}

extension DeterminismOptions {
    /// Runs a command that uses no reader. With a seed, runs it in a run queue, which advances the simulated clock.
    func play<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if seed == nil { try await body() } else { try await RunQueue.run(body) }
    }
}

extension BusOptions {
    /// Runs work with readers. With simulated readers, runs it in simulated time.
    func play<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if simulated { try await RunQueue.run(body) } else { try await body() }
    }
}

/// A simulated reader on a simulated bus, a card, and a cardholder. Only the USB transport is simulated: the layers
/// above are the real ones.
struct SimulatedEnvironment: PaymentEnvironment {
    let bus: any USBBus
    let time: any TimeSource
    let random: any RandomSource
    let trace: TraceFile?
    /// Whether the card itself writes the trace, unmasked.
    private let isTraceClear: Bool
    let card: CardProfile?
    private let person: SimulatedCardholder
    private let authorityKeys: [CAPublicKey]
    let contactlessKeys: [ECCAuthorityKey]
    /// The keys for the card's chip.
    private let ellipticKeys: [ECCAuthorityKey]

    /// - Throws: `CommandFailure`
    init(
        _ options: EnvironmentOptions, _ repeatability: Repeatability, model name: String, pin: SealedBytes?,
        pinPad: PINPadScheme
    ) throws(CommandFailure) {
        let model = try ReaderModelCatalog.reader(name)
        let profile = try CardCatalog.profile(options.card)
        card = profile
        random = repeatability.random
        let clock = SimulationClock(repeatability.virtualTime)
        time = clock
        let simulatedBus = SimulatedUSBBus(clock: clock)
        bus = simulatedBus
        let reader = model.make(clock: clock)
        simulatedBus.plug(reader.device)
        let file = try options.traceFile()
        (trace, isTraceClear) = (file, options.traceClear)
        do {
            let keys = try TestKeys.embedded(rsa: repeatability.rsaKeys)
            authorityKeys = try profile.certificationAuthorityKeys(keys)
            contactlessKeys = try CardProfile.contactlessAuthorityKeys(of: [profile])
            ellipticKeys = try profile.ellipticAuthorityKeys()
            let chance = random.stream("card \(options.cardName)")
            let clear = options.traceClear ? file : nil
            func traced(_ card: any SimulatedCard) -> any SimulatedCard {
                clear.map { ClearlyTracedCard(card, $0) } ?? card
            }
            person = SimulatedCardholder(
                profile: profile,
                card: traced(try SimulatedEMVCard(profile: profile, keys: keys, random: chance)),
                contactless: try SimulatedContactlessCard.side(of: profile, keys: keys, random: chance).map(traced),
                stripe: try profile.stripe.map { try SimulatedMagneticStripe($0, keys: keys) }, reader: reader,
                clock: clock,
                pinPad: try SimulatedPINPad(
                    keys: keys, scheme: pinPad.keyScheme, random: random.stream("pin pad")),
                pin: pin, habit: options.habit)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot create the simulated card: \(error)")
        }
    }

    var cardholder: any CardholderInterface { person }

    /// The masked trace of the reader; nil if the card writes the trace.
    var recordTrace: (@Sendable (TraceEntry) -> Void)? {
        guard let trace, !isTraceClear else { return nil }
        return { trace.write($0) }
    }

    func observe(_ event: CardReaderEvent) { person.observe(event.cardPrompt) }

    func prepareForNextPayment() { person.leave() }

    /// Adds the test CA public keys, so that the terminal accepts test cards.
    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration {
        configured.adding(
            certificationAuthorityKeys: authorityKeys, ellipticAuthorityKeys: ellipticKeys,
            revokedCertificates: card?.revokedCertificates ?? [])
    }
}

/// Another environment, whose events, PIN entries, and card exchanges are recorded.
struct RecordedEnvironment: PaymentEnvironment {
    private let environment: any PaymentEnvironment
    private let recorder: PaymentRecorder
    let cardholder: any CardholderInterface

    init(_ environment: any PaymentEnvironment, recorder: PaymentRecorder) {
        (self.environment, self.recorder) = (environment, recorder)
        cardholder = RecordingCardholder(environment.cardholder, recorder: recorder)
    }

    var bus: any USBBus { environment.bus }
    var time: any TimeSource { environment.time }
    var random: any RandomSource { environment.random }
    var trace: TraceFile? { environment.trace }
    var card: CardProfile? { environment.card }
    var discoveryMethod: CardReaderDiscoveryMethod { environment.discoveryMethod }
    var readerID: String? { environment.readerID }
    var hasOwnedReaders: Bool { environment.hasOwnedReaders }
    var takesCards: Bool { environment.takesCards }
    var pinPad: SimulatedPINPad? { environment.pinPad }
    var contactlessKeys: [ECCAuthorityKey] { environment.contactlessKeys }

    func readerSources(_ settings: TillConfiguration) -> [any CardReaderSource] { environment.readerSources(settings) }

    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration { environment.terminal(configured) }

    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader {
        let reader = try environment.choose(among: readers, remembered: remembered)
        recorder.note(reader)
        return reader
    }

    func observe(_ event: CardReaderEvent) {
        recorder.note(event)
        environment.observe(event)
    }

    func prepareForNextPayment() { environment.prepareForNextPayment() }

    var recordTrace: (@Sendable (TraceEntry) -> Void)? {
        let write = environment.recordTrace
        return { [recorder] entry in
            recorder.note(entry)
            write?(entry)
        }
    }
}

/// The environment of a command that uses no reader: an empty bus and no cardholder.
struct EnvironmentWithoutReader: PaymentEnvironment, CardholderInterface {
    let bus: any USBBus = SimulatedUSBBus()
    let time: any TimeSource
    let random: any RandomSource

    init(_ repeatability: Repeatability) { (time, random) = (repeatability.time, repeatability.random) }

    var cardholder: any CardholderInterface { self }
    var takesCards: Bool { false }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { nil }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? { nil }
}

/// A simulated card that writes its exchanges unmasked. Because a card is needed for it, no exchange of a real card can
/// get into such a trace.
private final class ClearlyTracedCard: SimulatedCard {
    private let card: any SimulatedCard
    private let file: TraceFile

    init(_ card: any SimulatedCard, _ file: TraceFile) { (self.card, self.file) = (card, file) }

    func reset(warm: Bool) -> [UInt8] { card.reset(warm: warm) }

    func powerOff() { card.powerOff() }

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        let reply = card.process(command)
        if let response = reply.response { file.write(command: Self.withoutPIN(command), response) }
        return reply
    }

    func sendsData(header: [UInt8]) -> Bool { card.sendsData(header: header) }

    /// Returns the command, and VERIFY with zeros for its data. A replay does not compare them.
    private static func withoutPIN(_ command: CommandAPDU) -> [UInt8] {
        guard command.ins == 0x20 else { return command.bytes }
        return [command.cla, command.ins, command.p1, command.p2, UInt8(truncatingIfNeeded: command.data.count)]
            + [UInt8](repeating: 0, count: command.data.count)
    }
}
