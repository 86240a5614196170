internal import CCID
internal import Determinism
internal import Hardware
internal import MSR
internal import PCSC
internal import USB

extension CardReader {
    /// The reader on one line.
    var line: String {
        guard !isAwaitingFirmware else { return "\(id)  \(name)  waits for firmware\n" }
        var parts = [exchangeLevel]
        if slotCount > 0 { parts.append(slotCount == 1 ? "1 slot" : "\(slotCount) slots") }
        if inputs.contains(.swipe) { parts.append("magnetic stripe") }
        if hasPINPad { parts.append("PIN pad") }
        return "\(id)  \(name)  \(parts.joined(separator: ", "))\n"
    }
}

/// A reader with all that it says of itself.
struct ReaderView: Encodable, Sendable {
    var reader: CardReader
    /// What is in the first slot; nil when the reader could not be asked.
    var card: String?
    /// What the driver heeds with this reader besides its descriptors.
    var quirks: [QuirkView] = []
    /// Where it is plugged in; nil for a reader behind pcscd.
    var place: ReaderPlaceView?
    /// Why it could not be asked.
    var error: ErrorView?

    /// Asks a reader about its card.
    ///
    /// - Returns: what is known of it, and why it could not be asked.
    static func asking(
        _ reader: CardReader, device: USBDevice, bus: any USBBus, _ settings: TillConfiguration
    ) async -> (view: ReaderView, failure: CommandFailure?) {
        guard reader.readerType != .magneticStripe else {
            return await opening(reader, device: device, bus: bus, settings.magneticStripe)
        }
        let table = settings.readerQuirks
        let quirks = table.quirks(of: device.descriptor).all.map { QuirkView($0) }
        do throws(CCIDError) {
            let interfaces = (try? CCIDInterface.all(in: device, quirks: table)) ?? []
            let number = CardReader.all(in: device, quirks: table).firstIndex { $0.id == reader.id } ?? 0
            let driver = try await CCIDReader.open(
                device, on: bus, interface: interfaces.dropFirst(number).first, quirks: table,
                time: SystemTimeSource())
            let card = String(describing: try await driver.cardStatus())
            await driver.close()
            return (ReaderView(reader: reader, card: card, quirks: quirks), nil)
        } catch {
            let failure = CommandFailure(opening: error)
            return (ReaderView(reader: reader, quirks: quirks, error: ErrorView(failure)), failure)
        }
    }

    /// Asks pcscd about the card in a reader.
    ///
    /// - Returns: what is known of it, and why it could not be asked.
    static func askingPCSC(_ reader: CardReader) async -> (view: ReaderView, failure: CommandFailure?) {
        do throws(PCSCError) {
            let open = try await PCSCReader.open(reader.name)
            let state = try await open.state()
            await open.close()
            return (ReaderView(reader: reader, card: state.card), nil)
        } catch {
            let (message, fix) = error.description.splitAtFix
            let failure = CommandFailure(.reader, code: "reader_failed", message: message, fix: fix)
            return (ReaderView(reader: reader, error: ErrorView(failure)), failure)
        }
    }

    /// Opens a reader that holds no card, to see whether it can be used.
    private static func opening(
        _ reader: CardReader, device: USBDevice, bus: any USBBus, _ policy: MagneticStripePolicy
    ) async -> (view: ReaderView, failure: CommandFailure?) {
        do throws(MSRError) {
            guard let interface = MSRInterface.find(in: device, models: policy.readers) else { throw .noReader }
            await (try MagneticStripeReader.open(device, interface, on: bus, path: policy.path)).close()
            return (ReaderView(reader: reader), nil)
        } catch {
            let failure = CommandFailure(.reader, code: "reader_failed", message: error.description)
            return (ReaderView(reader: reader, error: ErrorView(failure)), failure)
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
        add("place", place?.place)
        add("power", place?.power)
        for owner in place?.owners ?? [] { add("owner", owner) }
        add("firmware", reader.softwareVersion)
        add("level", reader.exchangeLevel)
        add("slots", String(reader.slotCount))
        add("takes", reader.inputs.words.joined(separator: ", "))
        add("PIN pad", reader.hasPINPad ? "yes" : nil)
        add("battery", reader.batteryLevel.map { "\(Int($0 * 100)) percent" })
        add("card", card)
        for quirk in quirks { add("quirk", quirk.does) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension PCSCReaderState {
    /// What is in the reader, and who has it.
    fileprivate var card: String {
        if flags.contains(.mute) { return "mute" }
        guard flags.contains(.present) else { return "absent" }
        if flags.contains(.exclusive) { return "present, taken by another program" }
        return flags.contains(.inUse) ? "present, in use by another program" : "present"
    }
}
