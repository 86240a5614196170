internal import CCID
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
    let readerQuirks: ReaderQuirkTable

    /// - Throws: `CommandFailure`
    init(
        _ options: WorldOptions, readerID: String?, pin: SealedBytes?, settings: TillConfiguration
    ) throws(CommandFailure) {
        guard options.determinism.seed == nil else {
            throw CommandFailure(
                .usage, code: "seed_with_usb", message: "--seed makes simulated runs repeatable, not real ones",
                fix: "leave --seed out, or use --reader simulated")
        }
        (self.readerID, readerQuirks) = (readerID, settings.readerQuirks)
        bus = try Till.usbBus(time: time)
        let pinPad: SimulatedPINPad
        do {
            pinPad = try SimulatedPINPad(
                keys: TestKeys.embedded(), scheme: settings.pinPadScheme.keyScheme, random: random)
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: "the test PIN pad cannot be made: \(error)")
        }
        cardholder = ConsoleCardholder(pin: pin, pinPad: pinPad, time: time)
        trace = try options.traceFile()
    }
}
