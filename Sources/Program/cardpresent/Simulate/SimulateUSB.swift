public import ArgumentParser
import Determinism
import Simulator
import SmartCard
public import USB

/// `simulate usb`
struct SimulateUSB: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usb", abstract: "Share simulated readers as USB devices over USB/IP.",
        discussion: """
            EXAMPLES:
              cardpresent simulate usb --model tpdu --card visa-credit
              sudo usbip attach -r HOST -b 1-1        on the machine that uses the reader

            Runs until Ctrl-C. Events are written to stderr, and with --json to stdout as JSON lines.

            Commands on standard input move cards and readers: insert [1-1[/SLOT]], remove [1-1[/SLOT]], swipe [1-1], \
            unplug [1-1], plug [1-1], pin DIGITS [1-1]; away NUMBER, crowd, alone, and unlock for cards in a field. \
            See docs/simulate-usb.md.
            """)

    private static let standardAddress = BridgeAddress.tcp(host: "127.0.0.1", port: 3240)

    @OptionGroup var equipment: USBReaderOptions
    @Option(
        help: ArgumentHelp(
            "Address to listen on: HOST:PORT (port 0 picks a free port) or the path of a UNIX socket.",
            discussion: "Default: 127.0.0.1:3240. Anyone who can connect can use the readers.",
            valueName: "host:port"),
        transform: Self.address)
    var listen: BridgeAddress?
    @OptionGroup var stay: StayOptions
    @OptionGroup var simulation: SimulationOptions

    private static func address(_ text: String) throws -> BridgeAddress {
        guard let address = BridgeAddress(text, isOwn: true) else {
            throw ValidationError("'\(text)' is neither HOST:PORT nor a socket path, which must contain a slash")
        }
        return address
    }

    func run() async throws {
        let display = USBServerDisplay(isJSON: simulation.json)
        try await simulation.reporting { try await serve(display) }
    }

    private func serve(_ display: USBServerDisplay) async throws {
        let models = try equipment.readers()
        let traceFile = try simulation.traceFile()
        let served = try makeReaders(models, traceFile, display)
        let server: USBIPServer
        do throws(BridgeError) {
            server = try await USBIPServer(
                bus: served.bus, at: listen ?? Self.standardAddress, options: stay.stay,
                onEvent: { display.show($0) })
        } catch {
            throw CommandFailure(error)
        }
        display.begin(server.address, models)
        let input = StandardInput()
        defer { input.end() }
        let cancellation = Cancellation()
        let failure = await CancellationSignals.watching(endsWithOutput: simulation.json, untilExit: true) {
            let orders = Task { [lines = input.lines] in
                for await line in lines {
                    do throws(ReaderActionError) {
                        try served.perform(ReaderAction(line: line))
                    } catch {
                        display.show(error)
                    }
                }
            }
            let serving = Task { () -> CommandFailure? in
                do throws(BridgeError) { try await server.serve() } catch { return CommandFailure(error) }
                return nil
            }
            await cancellation.onRequest { serving.cancel() }
            defer { orders.cancel() }
            return await serving.value
        } onSignal: {
            await cancellation.request()
        }
        if let warning = traceFile?.warning { StandardError.write("cardpresent: \(warning)\n") }
        if let failure { throw failure }
    }

    /// - Throws: `CommandFailure`
    private func makeReaders(
        _ models: [SimulatedReader], _ traceFile: TraceFile?, _ display: USBServerDisplay
    ) throws(CommandFailure) -> ServedReaders {
        let profiles = try equipment.profiles()
        let repeatability = Repeatability(seed: simulation.seed)
        let clock =
            simulation.virtualTime ? SimulationClock(repeatability.virtualTime) : SimulationClock(SystemTimeSource())
        do {
            let keys = try TestKeys.embedded(rsa: repeatability.rsaKeys)
            let random = repeatability.random
            var cards: [ServedReaders.Card] = []
            for number in 0..<models.reduce(0, { $0 + $1.cardCount }) {
                let profile = profiles[min(number, profiles.count - 1)]
                // The first card is the same as with 'simulate card' and the same seed.
                let chance = random.stream(number == 0 ? "card" : "card \(number)")
                let chip = try SimulatedEMVCard(profile: profile, keys: keys, random: chance)
                let contactless = try SimulatedContactlessCard.side(of: profile, keys: keys, random: chance)
                let stripe = try profile.stripe.map { try SimulatedMagneticStripe($0, keys: keys) }
                cards.append(ServedReaders.Card(chip: chip, contactless: contactless, stripe: stripe, profile: profile))
            }
            let pinPad = try SimulatedPINPad(keys: keys, random: random.stream("pin pad"))
            var record: (@Sendable (TraceEntry) -> Void)?
            if let traceFile { record = { traceFile.write($0) } }
            return ServedReaders(
                models, cards: cards, areInserted: !equipment.empty, clock: clock, pinPad: pinPad, trace: record,
                onEvent: { display.show($0) })
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot create the simulated readers: \(error)")
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: BridgeError) {
        switch error {
        case .notListening:
            self.init(
                .unavailable, code: "cannot_listen", message: "\(error)",
                fix: "choose another address with --listen; a running usbipd uses port 3240")
        case .noConnection:
            self.init(
                .unavailable, code: "nobody_there", message: "\(error)",
                fix: "attach a reader with 'usbip attach -r HOST -b 1-1', or increase --wait")
        case .unreachable, .peerDisconnected, .cardMute, .cardRemoved, .malformed, .refused, .canceled:
            self.init(.unavailable, code: "connection_lost", message: "\(error)")
        }
    }
}

extension USBIdentifiers: ExpressibleByArgument {
    /// Reads `vvvv:pppp`; nil for another text.
    public init?(argument: String) { self.init(argument) }
}

/// The shared readers and their cards.
struct USBReaderOptions: ParsableArguments {
    @Option(
        name: .customLong("model"),
        help: ArgumentHelp("Reader model. Repeat for more readers. Default: tpdu.", valueName: "model"),
        completion: ReaderModelCatalog.completion)
    var models: [String] = []
    @Option(
        name: .customLong("card"),
        help: ArgumentHelp(
            "Card in a slot or to swipe: a profile name or the path of a profile file.",
            discussion: """
                Default: visa-credit. Repeat for the next slot across all readers; the last card fills the remaining \
                slots.
                """, valueName: "profile"),
        completion: CardCatalog.completion)
    var cards: [String] = []
    @Flag(help: "Start with empty slots; 'insert' inserts the cards.")
    var empty = false
    @Option(
        help: ArgumentHelp(
            "USB vendor and product ID to present instead of the model's.",
            discussion: "libccid supports only known readers, such as 08e6:4433.", valueName: "vvvv:pppp"))
    var usbID: USBIdentifiers?
    @Flag(help: "Use high speed (480 Mbit/s) instead of full speed.")
    var highSpeed = false

    /// - Throws: `CommandFailure`
    func readers() throws(CommandFailure) -> [SimulatedReader] {
        guard models.count <= SimulatedUSBBus.maximumDeviceCount else {
            throw CommandFailure(
                .usage, code: "too_many_readers",
                message:
                    "a USB bus supports at most \(SimulatedUSBBus.maximumDeviceCount) devices, not \(models.count)",
                fix: "run 'cardpresent simulate usb' again with another --listen address")
        }
        var found: [SimulatedReader] = []
        for name in models.isEmpty ? [SimulatedReaderModel.tpdu.name] : models {
            var reader = try ReaderModelCatalog.reader(name)
            if let usbID { reader.identifiers = usbID }
            if highSpeed {
                guard case .chip(var model) = reader else {
                    throw CommandFailure(
                        .usage, code: "full_speed_only", message: "'\(name)' supports full speed only",
                        fix: "omit --high-speed")
                }
                model.speed = .high
                reader = .chip(model)
            }
            found.append(reader)
        }
        return found
    }

    /// Returns the cards' profiles; the last one fills the remaining slots.
    ///
    /// - Throws: `CommandFailure`
    func profiles() throws(CommandFailure) -> [CardProfile] {
        var found: [CardProfile] = []
        for name in cards.isEmpty ? ["visa-credit"] : cards { found.append(try CardCatalog.profile(name)) }
        return found
    }
}
