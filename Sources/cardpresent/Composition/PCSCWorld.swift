internal import CardSecrets
internal import Cryptography
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import USB
internal import Yosemite

/// A reader behind pcscd, and a person at this terminal.
struct PCSCWorld: World {
    let bus: any USBBus = SimulatedUSBBus()
    let cardholder: any CardholderInterface
    let time: any TimeSource = SystemTimeSource()
    let random: any RandomSource = SystemRandomSource()
    let trace: TraceFile?
    private let readerName: String?
    let hasOwnedReaders = true

    /// - Throws: `CommandFailure`
    init(
        _ options: WorldOptions, readerName: String?, pin: SealedBytes?, pinPad: PINPadScheme
    ) throws(CommandFailure) {
        guard options.determinism.seed == nil else { throw .seedWithRealReader }
        self.readerName = readerName
        cardholder = try ConsoleCardholder(pin: pin, pinPad: pinPad, random: random, time: time)
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
        return try PCSCReaderCatalogue.find(readerName, among: readers)
    }
}
