internal import Cryptography
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import USB

/// A simulated reader on a simulated bus, a card, and the person who holds it. It ends at the USB transport:
/// what lies above cannot tell it from the real one.
struct SimulatedWorld: World {
    let bus: any USBBus
    let time: any TimeSource
    let random: any RandomSource
    let trace: TraceFile?
    let card: CardProfile?
    private let person: SimulatedCardholder
    private let authorityKeys: [CAPublicKey]

    /// - Throws: `CommandFailure`
    init(
        _ options: WorldOptions, _ repeatability: Repeatability, model name: String, pin: SealedBytes?,
        pinPad: PINPadScheme
    ) throws(CommandFailure) {
        let model = try ReaderModelCatalogue.reader(name)
        let profile = try CardCatalogue.profile(options.card)
        card = profile
        random = repeatability.random
        let clock = SimulationClock(repeatability.virtualTime)
        time = clock
        let simulatedBus = SimulatedUSBBus(clock: clock)
        bus = simulatedBus
        let reader = model.make(clock: clock)
        simulatedBus.plug(reader.device)
        do {
            let keys = try TestKeys.embedded(rsa: repeatability.rsaKeys)
            authorityKeys = try profile.certificationAuthorityKeys(keys)
            let chip = try SimulatedEMVCard(
                profile: profile, keys: keys, random: random.stream("card \(options.cardName)"))
            person = SimulatedCardholder(
                profile: profile, card: chip,
                stripe: try profile.stripe.map { try SimulatedStripe($0, keys: keys) }, reader: reader, clock: clock,
                pinPad: try SimulatedPINPad(
                    keys: keys, scheme: pinPad.keyScheme, random: random.stream("pin pad")),
                pin: pin)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "the simulated card cannot be made: \(error)")
        }
        trace = try options.traceFile()
    }

    var cardholder: any CardholderInterface { person }

    func observe(_ event: CardReaderEvent) { person.observe(event) }

    /// A terminal that is to accept test cards knows the test certification authority.
    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration {
        configured.adding(
            certificationAuthorityKeys: authorityKeys, revokedCertificates: card?.revokedCertificates ?? [])
    }
}
