import CardSecrets
import Simulator
import SmartCard
import Text
import USB

/// Shows the events of shared readers: as text on stderr or as JSON on stdout.
struct USBServerDisplay: Sendable {
    let isJSON: Bool

    /// Writes the address and readers when the server starts.
    func begin(_ address: BridgeAddress, _ models: [SimulatedReader]) {
        let readers = models.enumerated().map { (busID: "1-\($0 + 1)", reader: $1) }
        let lines = readers.map { "\n  \($0.busID)  \($0.reader.usbID)  \($0.reader.product)" }
        let shared = readers.map { busID, reader -> JSONObject in
            [
                "busID": busID, "model": reader.name, "product": reader.product, "usb": reader.usbID,
                "slots": reader.slotCount,
            ]
        }
        tell(
            "Listening on \(address)" + lines.joined(), "listening",
            ["address": address.description, "readers": shared])
    }

    func show(_ event: USBIPEvent) {
        switch event {
        case .listed(let devices):
            tell("Listed \(devices) reader\(devices == 1 ? "" : "s")", "listed", ["devices": devices])
        case .imported(let busID, _): tell("\(busID) attached", "imported", ["busID": busID])
        case .refused(let busID, let refusal):
            let reason = refusal == .busy ? "in use by another client" : "no such reader"
            tell("\(busID) refused: \(reason)", "refused", ["busID": busID, "reason": reason])
        case .released(let busID, let reason):
            tell("\(busID) detached: \(reason)", "released", ["busID": busID, "reason": reason])
        case .dropped(let reason): tell("Connection closed: \(reason)", "dropped", ["reason": reason])
        }
    }

    func show(_ event: ServedReaderEvent) {
        switch event {
        case .plugged(let busID): tell("\(busID) plugged in", "plugged", ["busID": busID])
        case .unplugged(let busID): tell("\(busID) unplugged", "unplugged", ["busID": busID])
        case .cardInserted(let place): tell("\(place) card inserted", "cardInserted", place.json)
        case .cardRemoved(let place): tell("\(place) card removed", "cardRemoved", place.json)
        case .swiped(let busID): tell("\(busID) card swiped", "swiped", ["busID": busID])
        case .reset(let place, let answer, let isWarm):
            // The answer is empty for a mute card.
            let text = answer.isEmpty ? "no answer" : answer.hexadecimal
            tell(
                "\(place) \(isWarm ? "warm reset" : "reset"): \(text)", isWarm ? "warmReset" : "coldReset",
                JSONObject(extending: place.json, with: ["atr": answer.hexadecimal]))
        case .poweredOff(let place): tell("\(place) power off", "powerOff", place.json)
        case .command(let place, let number, let instruction, let status):
            guard isJSON else { return }
            // The status word is missing when the card did not respond.
            let exchange = JSONObject(
                ["command": number, "ins": [instruction].hexadecimal],
                known: ["sw": status.map { StatusWord(rawValue: $0).description }])
            tell("", "command", JSONObject(extending: place.json, with: exchange))
        }
    }

    /// Reports a command from standard input that failed.
    func show(_ error: ReaderActionError) {
        tell("Command failed: \(error)", "notDone", ["reason": CardNumberMask.masked(error.description)])
    }

    private func tell(_ text: String, _ event: String, _ details: JSONObject) {
        guard isJSON else { return StandardError.note(text + "\n") }
        StandardOutput.write(event: JSONObject(extending: details, with: ["event": event]))
    }
}

extension SimulatedReader {
    /// The vendor and product ID.
    fileprivate var usbID: String { identifiers.description }
}

extension ReaderAction.Place {
    /// The bus ID, and the slot number across all interfaces of the reader.
    fileprivate var json: JSONObject { ["busID": busID, "slot": slot] }
}
