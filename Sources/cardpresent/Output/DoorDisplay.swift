internal import Simulator
internal import SmartCard

/// Tells what happens at a card's door: people on stderr, programs on stdout.
struct DoorDisplay: Sendable {
    let isJSON: Bool
    let address: DoorAddress

    func show(_ event: DoorEvent) {
        guard !isJSON else { return write(DoorEventView(event, address: address)) }
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
        if !text.isEmpty { StandardError.write(text + "\n") }
    }

    /// The failure that ended the door.
    func show(_ failure: CommandFailure) {
        if isJSON { write(["error": ErrorView(failure)]) }
    }

    private func write(_ line: some Encodable) {
        do throws(CommandFailure) { try StandardOutput.write(line: line) } catch { error.report() }
    }
}

/// One line of `simulate card --json`.
struct DoorEventView: Encodable, Sendable {
    var event: String
    var address: String?
    var reason: String?
    /// Hexadecimal digits; empty from a mute card.
    var atr: String?
    /// The number of the command since the door opened.
    var command: Int?
    /// How many commands there were.
    var commands: Int?
    /// The instruction byte.
    var ins: String?
    /// The status word; missing when the card stayed mute.
    var sw: String?

    init(_ event: DoorEvent, address: DoorAddress) {
        switch event {
        case .waiting(let reason):
            (self.event, self.address, self.reason) = ("waiting", address.description, reason)
        case .connected:
            (self.event, self.address) = ("connected", address.description)
        case .reset(let answer, let isWarm):
            (self.event, atr) = (isWarm ? "warmReset" : "coldReset", answer.hexadecimal)
        case .command(let number, let instruction, let status):
            (self.event, command, ins) = ("command", number, [instruction].hexadecimal)
            sw = status.map { StatusWord(rawValue: $0).description }
        case .poweredOff:
            self.event = "powerOff"
        case .disconnected(let commands, let reason):
            (self.event, self.commands, self.reason) = ("disconnected", commands, reason)
        }
    }
}
