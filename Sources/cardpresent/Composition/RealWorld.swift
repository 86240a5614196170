internal import CardSecrets
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import USB

/// A reader that is plugged in, and a person at this terminal.
struct RealWorld: World {
    let bus: any USBBus
    let cardholder: any CardholderInterface
    let time: any TimeSource = SystemTimeSource()
    let random: any RandomSource = SystemRandomSource()
    let trace: TraceFile?
    let readerID: String?
    let hasOwnedReaders = true

    /// - Throws: `CommandFailure`
    init(
        _ options: WorldOptions, readerID: String?, pin: SealedBytes?, pinPad scheme: PINPadScheme
    ) throws(CommandFailure) {
        guard options.determinism.seed == nil else { throw .seedWithRealReader }
        self.readerID = readerID
        bus = try Till.usbBus(time: time)
        cardholder = try ConsoleCardholder(pin: pin, pinPad: scheme, random: random, time: time)
        trace = try options.traceFile()
    }
}

extension CommandFailure {
    static let seedWithRealReader = CommandFailure(
        .usage, code: "seed_with_usb", message: "--seed makes simulated runs repeatable, not real ones",
        fix: "leave --seed out, or use --reader simulated")
}
