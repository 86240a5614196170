internal import ArgumentParser
internal import Determinism
internal import Simulator
internal import SmartCard

/// `simulate usb`
struct SimulateUSB: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usb", abstract: "Lends simulated readers to other machines as USB devices, over USB/IP.",
        discussion: """
            A Linux machine takes a reader with 'usbip attach -r HOST -b 1-1' and drives it like one that is plugged \
            in. It runs until it is interrupted. What happens is told on stderr; with --json each event is a JSON \
            object on a line of its own on stdout.

            Lines on standard input move cards and readers: insert [1-1[/SLOT]], remove [1-1[/SLOT]], swipe [1-1], \
            unplug [1-1], plug [1-1], pin DIGITS [1-1]. docs/simulate-usb.md tells the rest.
            """)

    private static let standardAddress = DoorAddress.tcp(host: "127.0.0.1", port: 3240)

    @OptionGroup var equipment: USBReaderOptions
    @Option(
        help: ArgumentHelp(
            "Where to listen: HOST:PORT, with port 0 for any that is free, or the path of a UNIX socket.",
            discussion: "Default: 127.0.0.1:3240. Whoever can connect can use the readers.",
            valueName: "host:port"),
        transform: Self.address)
    var listen: DoorAddress?
    @OptionGroup var stay: StayOptions
    @OptionGroup var simulation: SimulationOptions

    private static func address(_ text: String) throws -> DoorAddress {
        guard let address = DoorAddress(text, isOwn: true) else {
            throw ValidationError("'\(text)' is neither HOST:PORT nor the path of a socket, which has a slash in it")
        }
        return address
    }

    func run() async throws {
        let display = USBServerDisplay(isJSON: simulation.json)
        do {
            try await serve(display)
        } catch let failure as CommandFailure {
            failure.report()
            display.show(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func serve(_ display: USBServerDisplay) async throws {
        let models = try equipment.readers()
        let traceFile = try simulation.traceFile()
        let served = try makeReaders(models, traceFile, display)
        let server: USBIPServer
        do throws(DoorError) {
            server = try await USBIPServer(
                bus: served.bus, at: listen ?? Self.standardAddress, stay: stay.stay,
                onEvent: { display.show($0) })
        } catch {
            throw CommandFailure(error)
        }
        display.begin(server.address, models)
        let input = StandardInput()
        defer { input.end() }
        let cancellation = Cancellation()
        let failure = await CancellationSignals.watching(endsWithOutput: simulation.json) {
            let orders = Task { [lines = input.lines] in
                for await line in lines {
                    do throws(ReaderOrderError) {
                        try served.perform(ReaderOrder(line: line))
                    } catch {
                        display.show(error)
                    }
                }
            }
            let serving = Task { () -> CommandFailure? in
                do throws(DoorError) { try await server.serve() } catch { return CommandFailure(error) }
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
                // The first card is the one of 'simulate card' with the same number.
                let chip = try SimulatedEMVCard(
                    profile: profile, keys: keys, random: random.stream(number == 0 ? "card" : "card \(number)"))
                let stripe = try profile.stripe.map { try SimulatedStripe($0, keys: keys) }
                cards.append(ServedReaders.Card(chip: chip, stripe: stripe, profile: profile))
            }
            let pinPad = try SimulatedPINPad(keys: keys, random: random.stream("pin pad"))
            var record: (@Sendable (TraceEntry) -> Void)?
            if let traceFile { record = { traceFile.write($0) } }
            return ServedReaders(
                models, cards: cards, areInserted: !equipment.empty, clock: clock, pinPad: pinPad, trace: record,
                onEvent: { display.show($0) })
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "the simulated readers cannot be made: \(error)")
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: DoorError) {
        switch error {
        case .notListening:
            self.init(
                .unavailable, code: "cannot_listen", message: "\(error)",
                fix: "give another place with --listen; usbipd has port 3240 where it runs")
        case .nobodyCame:
            self.init(
                .unavailable, code: "nobody_there", message: "\(error)",
                fix: "attach a reader with 'usbip attach -r HOST -b 1-1', or wait longer with --wait")
        case .unreachable, .peerGone, .cardMute, .cardRemoved, .malformed, .refused, .cancelled:
            self.init(.unavailable, code: "connection_lost", message: "\(error)")
        }
    }
}
