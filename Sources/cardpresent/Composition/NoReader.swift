internal import CardSecrets
internal import Determinism
internal import EMV
internal import Simulator
internal import USB

/// The world of a command that uses no reader: an empty bus and nobody in front of it.
struct NoReader: World, CardholderInterface {
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
