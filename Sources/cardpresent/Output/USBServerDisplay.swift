internal import Simulator
internal import SmartCard

/// Tells what happens at readers that are lent: people on stderr, programs on stdout.
struct USBServerDisplay: Sendable {
    let isJSON: Bool

    /// The readers can be taken from here on.
    func begin(_ address: DoorAddress, _ models: [SimulatedReader]) {
        let readers = models.enumerated().map { USBReaderView($1, busID: "1-\($0 + 1)") }
        guard !isJSON else {
            var view = USBServerEventView("listening")
            (view.address, view.readers) = (address.description, readers)
            return write(view)
        }
        StandardError.write("Listening at \(address)\n")
        for reader in readers { StandardError.write("  \(reader.busID)  \(reader.usb)  \(reader.product)\n") }
    }

    func show(_ event: USBIPEvent) {
        switch event {
        case .listed(let devices):
            tell("Listed: \(devices) reader\(devices == 1 ? "" : "s") to take", "listed") { $0.devices = devices }
        case .imported(let busID, _): tell("\(busID) taken", "imported") { $0.busID = busID }
        case .refused(let busID, let refusal):
            let reason = refusal == .busy ? "somebody has it" : "there is no such reader"
            tell("\(busID) refused: \(reason)", "refused") { ($0.busID, $0.reason) = (busID, reason) }
        case .released(let busID, let reason):
            tell("\(busID) given back: \(reason)", "released") { ($0.busID, $0.reason) = (busID, reason) }
        case .dropped(let reason): tell("Connection ended: \(reason)", "dropped") { $0.reason = reason }
        }
    }

    func show(_ event: ServedReaderEvent) {
        switch event {
        case .plugged(let busID): tell("\(busID) plugged in", "plugged") { $0.busID = busID }
        case .unplugged(let busID): tell("\(busID) unplugged", "unplugged") { $0.busID = busID }
        case .cardInserted(let place): tell("\(place) card inserted", "cardInserted") { $0.set(place) }
        case .cardRemoved(let place): tell("\(place) card removed", "cardRemoved") { $0.set(place) }
        case .swiped(let busID): tell("\(busID) card swiped", "swiped") { $0.busID = busID }
        case .reset(let place, let answer, let isWarm):
            let text = answer.isEmpty ? "no answer" : answer.hexadecimal
            tell("\(place) \(isWarm ? "warm reset" : "reset"): \(text)", isWarm ? "warmReset" : "coldReset") {
                $0.set(place)
                $0.atr = answer.hexadecimal
            }
        case .poweredOff(let place): tell("\(place) power off", "powerOff") { $0.set(place) }
        case .command(let place, let number, let instruction, let status):
            guard isJSON else { return }
            var view = USBServerEventView("command")
            view.set(place)
            (view.command, view.ins) = (number, [instruction].hexadecimal)
            view.sw = status.map { StatusWord(rawValue: $0).description }
            write(view)
        }
    }

    /// An order that was not carried out.
    func show(_ error: ReaderOrderError) {
        tell("Not done: \(error)", "notDone") { $0.reason = error.description }
    }

    /// The failure that ended the server.
    func show(_ failure: CommandFailure) {
        if isJSON { write(["error": ErrorView(failure)]) }
    }

    private func tell(_ text: String, _ event: String, _ fill: (inout USBServerEventView) -> Void) {
        guard isJSON else { return StandardError.write(text + "\n") }
        var view = USBServerEventView(event)
        fill(&view)
        write(view)
    }

    private func write(_ line: some Encodable) {
        do throws(CommandFailure) { try StandardOutput.write(line: line) } catch { error.report() }
    }
}

/// A reader that is lent.
struct USBReaderView: Encodable, Sendable {
    var busID: String
    var model: String
    var product: String
    /// Vendor and product number.
    var usb: String
    var slots: Int

    init(_ model: SimulatedReader, busID: String) {
        (self.busID, self.model, product) = (busID, model.name, model.product)
        usb = USBIdentifiers(vendor: model.identifiers.vendor, product: model.identifiers.product).description
        slots = model.slotCount
    }
}

/// One line of `simulate usb --json`.
struct USBServerEventView: Encodable, Sendable {
    var event: String
    var address: String?
    var readers: [USBReaderView]?
    var devices: Int?
    var busID: String?
    /// Counted through all interfaces of the reader.
    var slot: Int?
    var reason: String?
    /// Hexadecimal digits; empty from a mute card.
    var atr: String?
    /// The number of the command since the program started.
    var command: Int?
    /// The instruction byte.
    var ins: String?
    /// The status word; missing when the card stayed mute.
    var sw: String?

    init(_ event: String) { self.event = event }

    mutating func set(_ place: ReaderOrder.Place) { (busID, slot) = (place.busID, place.slot) }
}
