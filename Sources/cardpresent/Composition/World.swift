internal import Cryptography
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import SmartCard
internal import USB
internal import Yosemite

extension PINPadScheme {
    /// The keys that go with it.
    var keyScheme: DUKPTKeySerialNumber.Scheme { self == .tdes ? .tripleDES : .aes }
}

/// What a command runs with below the stores: a USB bus, a person, time and chance.
protocol World: Sendable {
    var bus: any USBBus { get }
    var cardholder: any CardholderInterface { get }
    var time: any TimeSource { get }
    var random: any RandomSource { get }
    /// Gets every exchange with a card; nil when nobody wants it.
    var trace: TraceFile? { get }
    /// The card that is used; nil when it is not known beforehand.
    var card: CardProfile? { get }
    /// Where readers come from.
    func readerSources(_ settings: TillConfiguration) -> [any CardReaderSource]
    /// How the reader to use is looked for.
    var discoveryMethod: CardReaderDiscoveryMethod { get }
    /// The identifier of the reader to use; nil for the one that was used last, or the first one.
    var readerID: String? { get }

    /// The reader to use of those that were found; `remembered` are those that were used before, the last one first.
    ///
    /// - Throws: `CommandFailure`
    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader

    /// Whether the readers are somebody's own: they are remembered then, and got back when they are lost.
    var hasOwnedReaders: Bool { get }

    /// Whether cards can come to a reader here.
    var takesCards: Bool { get }

    /// The terminal's configuration in this world.
    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration

    /// Something happened at the reader.
    func observe(_ event: CardReaderEvent)

    /// Takes every exchange with a card; nil when nobody wants it.
    var recordTrace: (@Sendable (TraceEntry) -> Void)? { get }
}

extension World {
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
    var hasOwnedReaders: Bool { false }

    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration { configured }

    func observe(_ event: CardReaderEvent) {}

    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader {
        let named = readerID.map { id in readers.first { $0.id == id } }
        guard let reader = named ?? readers.preferred(remembered) else {
            throw CommandFailure(
                .reader, code: "reader_not_found",
                message: readerID.map { "there is no reader '\($0)'" } ?? "no card reader found",
                fix: readers.isEmpty
                    ? "plug a CCID reader in, or use --reader simulated"
                    : .choice(of: readerID ?? "", among: readers.map(\.id), called: "readers"))
        }
        return reader
    }

    /// Writes the trace; nil when there is none.
    var recordTrace: (@Sendable (TraceEntry) -> Void)? {
        guard let trace else { return nil }
        return { trace.write($0) }
    }
}
