internal import CCID
internal import Cryptography
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import SmartCard
internal import USB

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
    var readerSources: [any CardReaderSource] { get }
    /// What is known of readers besides their descriptors.
    var readerQuirks: ReaderQuirkTable { get }
    /// How the reader to use is looked for.
    var discoveryMethod: CardReaderDiscoveryMethod { get }
    /// The reader to use; nil for the first one.
    var readerID: String? { get }

    /// Whether cards can come to a reader here.
    var takesCards: Bool { get }

    /// The terminal's configuration in this world.
    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration

    /// Something happened at the reader.
    func observe(_ event: CardReaderEvent)
}

extension World {
    var trace: TraceFile? { nil }
    var card: CardProfile? { nil }
    var readerID: String? { nil }
    var readerSources: [any CardReaderSource] { [USBCardReaderSource(bus, quirks: readerQuirks, time: time)] }
    var readerQuirks: ReaderQuirkTable { .embedded }
    var discoveryMethod: CardReaderDiscoveryMethod { .usb }
    var takesCards: Bool { true }

    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration { configured }

    func observe(_ event: CardReaderEvent) {}

    /// Writes the trace; nil when there is none.
    var recordTrace: (@Sendable (TraceEntry) -> Void)? {
        guard let trace else { return nil }
        return { trace.write($0) }
    }
}
