internal import ArgumentParser
internal import Determinism
internal import Simulator
internal import SmartCard

/// `simulate card`
struct SimulateCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "Puts a simulated card into a reader of pcscd or of QEMU.",
        discussion: """
            It runs until it is interrupted, and connects again when the other side comes back. What happens is told on \
            stderr; with --json each event is a JSON object on a line of its own on stdout. \
            docs/simulate-card.md tells how to set up the other side.
            """)

    @Argument(help: "The name of a profile, or the path of a profile file.", completion: CardCatalogue.completion)
    var card: String
    @OptionGroup var door: DoorOptions
    @OptionGroup var simulation: SimulationOptions

    func run() async throws {
        let display = DoorDisplay(isJSON: simulation.json, address: door.address)
        do {
            try await serve(display)
        } catch let failure as CommandFailure {
            failure.report()
            display.show(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func serve(_ display: DoorDisplay) async throws {
        let profile = try CardCatalogue.profile(card)
        let chip: SimulatedEMVCard
        do {
            let repeatability = Repeatability(seed: simulation.seed)
            chip = try SimulatedEMVCard(
                profile: profile, keys: TestKeys.embedded(rsa: repeatability.rsaKeys),
                random: repeatability.random.stream("card"))
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "the simulated card cannot be made: \(error)")
        }
        let traceFile = try simulation.traceFile()
        let system = SystemTimeSource()
        let cardDoor = CardDoor(
            door.kind, at: door.address, card: chip, stay: door.stay, time: system,
            cardTime: simulation.virtualTime ? VirtualTimeSource() : system,
            trace: traceFile.map { file in TraceRecorder { file.write($0) } }, onEvent: display.show)
        let cancellation = Cancellation()
        let failure = await CancellationSignals.watching(endsWithOutput: simulation.json) {
            let serving = Task { () -> CommandFailure? in
                do throws(DoorError) { try await cardDoor.serve() } catch { return CommandFailure(error) }
                return nil
            }
            await cancellation.onRequest { serving.cancel() }
            return await serving.value
        } onSignal: {
            await cancellation.request()
        }
        if let warning = traceFile?.warning { StandardError.write("cardpresent: \(warning)\n") }
        if let failure { throw failure }
    }
}

extension CommandFailure {
    fileprivate init(_ error: DoorError) {
        switch error {
        case .unreachable:
            self.init(
                .unavailable, code: "nobody_there", message: "\(error)",
                fix: "start pcscd with vsmartcard-vpcd, or QEMU with its character device, or wait longer with --wait")
        case .malformed, .refused:
            self.init(
                .unavailable, code: "wrong_peer", message: "\(error)",
                fix: "see docs/simulate-card.md for what --vpcd and --vscard connect to")
        case .notListening, .nobodyCame, .peerGone, .cardMute, .cardRemoved, .cancelled:
            self.init(.unavailable, code: "connection_lost", message: "\(error)")
        }
    }
}
