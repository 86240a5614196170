import ArgumentParser
import Determinism
import Simulator
import SmartCard
import Text

/// `simulate card`
struct SimulateCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "Insert a simulated card into a pcscd or QEMU reader.",
        discussion: """
            EXAMPLES:
              cardpresent simulate card visa-credit
              cardpresent simulate card visa-debit --vscard /tmp/reader.sock
              cardpresent simulate card k8-credit --contactless --vpcd 127.0.0.1:35963

            Runs until Ctrl-C and reconnects when the other side comes back. Events are written to stderr, and with \
            --json to stdout as JSON lines. To set up the other side, see docs/simulate-card.md.
            """)

    @Argument(help: "Profile name or path of a profile file.", completion: CardCatalog.completion)
    var card: String
    @Flag(help: "Hold the card to the reader: its contactless side instead of its chip.")
    var contactless = false
    @OptionGroup var bridge: BridgeOptions
    @OptionGroup var simulation: SimulationOptions

    func run() async throws {
        let display = BridgeDisplay(isJSON: simulation.json, address: bridge.address)
        try await simulation.reporting { try await serve(display) }
    }

    private func serve(_ display: BridgeDisplay) async throws {
        let profile = try CardCatalog.profile(card)
        guard !contactless || profile.contactless != nil else {
            throw CommandFailure(
                .usage, code: "not_contactless", message: "card '\(profile.name)' has no contactless side",
                fix:
                    "omit --contactless, or choose a card with the interface contactless: cardpresent cards list --json"
            )
        }
        let chip: any SimulatedCard
        do {
            let repeatability = Repeatability(seed: simulation.seed)
            let keys = try TestKeys.embedded(rsa: repeatability.rsaKeys)
            let random = repeatability.random.stream("card")
            chip =
                contactless
                ? try SimulatedContactlessCard(profile: profile, keys: keys, random: random)
                : try SimulatedEMVCard(profile: profile, keys: keys, random: random)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot create the simulated card: \(error)")
        }
        let traceFile = try simulation.traceFile()
        let system = SystemTimeSource()
        let cardBridge = CardBridge(
            bridge.kind, at: bridge.address, card: chip, options: bridge.stay, time: system,
            cardTime: simulation.virtualTime ? nil : system,
            trace: traceFile.map { file in TraceRecorder { file.write($0) } }, onEvent: display.show)
        let cancellation = Cancellation()
        let failure = await CancellationSignals.watching(endsWithOutput: simulation.json, untilExit: true) {
            let serving = Task { () -> CommandFailure? in
                do throws(BridgeError) { try await cardBridge.serve() } catch { return CommandFailure(error) }
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
    fileprivate init(_ error: BridgeError) {
        switch error {
        case .unreachable:
            self.init(
                .unavailable, code: "nobody_there", message: "\(error)",
                fix: "start pcscd with vsmartcard-vpcd or QEMU with its character device, or increase --wait")
        case .malformed, .refused:
            self.init(
                .unavailable, code: "wrong_peer", message: "\(error)",
                fix: "see docs/simulate-card.md for the peers of --vpcd and --vscard")
        case .notListening, .noConnection, .peerDisconnected, .cardMute, .cardRemoved, .canceled:
            self.init(.unavailable, code: "connection_lost", message: "\(error)")
        }
    }
}

/// Shows the events of a card's connection: as text on stderr or as JSON on stdout.
struct BridgeDisplay: Sendable {
    let isJSON: Bool
    let address: BridgeAddress

    func show(_ event: BridgeEvent) {
        guard !isJSON else { return StandardOutput.write(event: event.json(address)) }
        let text =
            switch event {
            case .waiting(let reason): "Waiting for \(address): \(reason)"
            case .connected: "Connected to \(address)"
            case .reset(let answer, let isWarm):
                (isWarm ? "Warm reset: " : "Reset: ") + (answer.isEmpty ? "no answer" : answer.hexadecimal)
            case .command: ""
            case .poweredOff: "Power off"
            case .disconnected(let commands, let reason):
                "Disconnected after \(commands) command\(commands == 1 ? "" : "s")" + (reason.map { ": \($0)" } ?? "")
            }
        if !text.isEmpty { StandardError.note(text + "\n") }
    }
}

extension BridgeEvent {
    /// A line of `simulate card --json`.
    fileprivate func json(_ address: BridgeAddress) -> JSONObject {
        switch self {
        case .waiting(let reason): ["event": "waiting", "address": address.description, "reason": reason]
        case .connected: ["event": "connected", "address": address.description]
        case .reset(let answer, let isWarm):
            // The answer is empty for a mute card.
            ["event": isWarm ? "warmReset" : "coldReset", "atr": answer.hexadecimal]
        case .command(let number, let instruction, let status):
            // The status word is missing when the card did not respond.
            JSONObject(
                ["event": "command", "command": number, "ins": [instruction].hexadecimal],
                known: ["sw": status.map { StatusWord(rawValue: $0).description }])
        case .poweredOff: ["event": "powerOff"]
        case .disconnected(let commands, let reason):
            JSONObject(["event": "disconnected", "commands": commands], known: ["reason": reason])
        }
    }
}
