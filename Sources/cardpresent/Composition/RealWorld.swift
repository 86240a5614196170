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

    /// - Throws: `CommandFailure`
    init(
        _ options: WorldOptions, readerID: String?, pin: SealedBytes?, pinPad scheme: PINPadScheme
    ) throws(CommandFailure) {
        guard options.determinism.seed == nil else {
            throw CommandFailure(
                .usage, code: "seed_with_usb", message: "--seed makes simulated runs repeatable, not real ones",
                fix: "leave --seed out, or use --reader simulated")
        }
        self.readerID = readerID
        bus = try Till.usbBus(time: time)
        let pinPad: SimulatedPINPad
        do {
            pinPad = try SimulatedPINPad(keys: TestKeys.embedded(), scheme: scheme.keyScheme, random: random)
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: "the test PIN pad cannot be made: \(error)")
        }
        cardholder = ConsoleCardholder(pin: pin, pinPad: pinPad, time: time)
        trace = try options.traceFile()
    }
}
