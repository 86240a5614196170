internal import CCID
internal import Determinism
internal import Hardware
internal import USB

extension CardReader {
    /// The reader on one line.
    var line: String {
        let slots = slotCount == 1 ? "1 slot" : "\(slotCount) slots"
        return "\(id)  \(name)  \(exchangeLevel), \(slots)\(hasPINPad ? ", PIN pad" : "")\n"
    }
}

/// A reader with all that it says of itself.
struct ReaderView: Encodable, Sendable {
    var reader: CardReader
    /// What is in the first slot; nil when the reader could not be asked.
    var card: String?
    /// What the driver heeds with this reader besides its descriptors.
    var quirks: [QuirkView]
    /// Why it could not be asked.
    var error: ErrorView?

    /// Asks a reader about its card.
    ///
    /// - Returns: what is known of it, and why it could not be asked.
    static func asking(
        _ entry: ReaderCatalogue.Entry, bus: any USBBus, table: ReaderQuirkTable
    ) async -> (view: ReaderView, failure: CommandFailure?) {
        let quirks = table.quirks(of: entry.device.descriptor).all.map { QuirkView($0) }
        do throws(CCIDError) {
            let interfaces = (try? CCIDInterface.all(in: entry.device, quirks: table)) ?? []
            let driver = try await CCIDReader.open(
                entry.device, on: bus, interface: interfaces.dropFirst(entry.number).first, quirks: table,
                time: SystemTimeSource())
            let card = String(describing: try await driver.cardStatus())
            await driver.close()
            return (ReaderView(reader: entry.reader, card: card, quirks: quirks), nil)
        } catch {
            let failure = CommandFailure(opening: error)
            return (ReaderView(reader: entry.reader, quirks: quirks, error: ErrorView(failure)), failure)
        }
    }

    var text: String {
        var lines = [reader.name]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append("  " + name.padded(to: 14) + value) }
        }
        add("id", reader.id)
        add("manufacturer", reader.manufacturer)
        add("serial", reader.serialNumber)
        add("USB", reader.usbID)
        add("firmware", reader.softwareVersion)
        add("level", reader.exchangeLevel)
        add("slots", String(reader.slotCount))
        add("PIN pad", reader.hasPINPad ? "yes" : nil)
        add("battery", reader.batteryLevel.map { "\(Int($0 * 100)) percent" })
        add("card", card)
        for quirk in quirks { add("quirk", quirk.does) }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A quirk of a reader, for `readers info` and `readers quirks`.
struct QuirkView: Encodable, Hashable, Sendable {
    /// The key in the configuration.
    var kind: String
    /// What the driver does about it.
    var does: String

    init(_ quirk: ReaderQuirk) { (kind, does) = (quirk.kind.rawValue, quirk.description) }
}

extension CommandFailure {
    /// Why a reader could not be used.
    init(opening error: CCIDError) {
        guard case .firmwareRefused = error else {
            self.init(.reader, code: "reader_failed", message: error.description)
            return
        }
        self.init(
            .reader, code: "firmware_refused", message: error.description,
            fix: "to use it all the same, set readers.allowRefusedFirmware in the configuration")
    }
}
