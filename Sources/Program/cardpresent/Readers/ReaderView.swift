import CCID
import Determinism
import Hardware
import MagneticStripe
import PCSC
import TillConfiguration
import USB

extension CardReader {
    /// The reader as one line of text.
    var line: String { "\(id)  \(name)  \(properties)\n" }

    /// The reader's capabilities, or the note that it needs firmware.
    var properties: String {
        guard !isAwaitingFirmware else { return "needs firmware" }
        var parts = [exchangeLevel]
        if slotCount > 0 { parts.append(slotCount == 1 ? "1 slot" : "\(slotCount) slots") }
        if inputs.contains(.tap) { parts.append("contactless") }
        if inputs.contains(.swipe) { parts.append("magnetic stripe") }
        if hasPINPad { parts.append("PIN pad") }
        return parts.joined(separator: ", ")
    }
}

/// A reader with its details.
struct ReaderDetails: CommandResult, Sendable {
    let reader: CardReader
    /// The card state of the first slot; nil when the reader could not be opened.
    var card: String?
    /// The quirks that the driver applies.
    var quirks: [ReaderQuirk] = []
    /// What the contactless slot can do; nil without one.
    var contactless: ContactlessCapabilities?
    /// The connection; nil for a reader of pcscd.
    var place: ReaderPlace?
    /// Why the reader could not be opened.
    var failure: CommandFailure?

    /// Opens a reader and reads its card state.
    static func asking(
        _ reader: CardReader, device: USBDevice, bus: any USBBus, _ settings: TillConfiguration
    ) async -> ReaderDetails {
        guard reader.readerType != .magneticStripe else {
            return await opening(reader, device: device, bus: bus, settings.magneticStripe)
        }
        let table = settings.readerQuirks
        let quirks = Array(table.quirks(of: device.descriptor).all)
        let contactless = reader.contactless(in: device, quirks: table)
        do throws(CCIDError) {
            let interfaces = (try? CCIDInterface.all(in: device, quirks: table)) ?? []
            let number = CardReader.all(in: device, quirks: table).firstIndex { $0.id == reader.id } ?? 0
            let driver = try await CCIDReader.open(
                device, on: bus, interface: interfaces.dropFirst(number).first, quirks: table,
                time: SystemTimeSource())
            let card = String(describing: try await driver.cardStatus())
            await driver.close()
            return ReaderDetails(reader: reader, card: card, quirks: quirks, contactless: contactless)
        } catch {
            return ReaderDetails(
                reader: reader, quirks: quirks, contactless: contactless, failure: CommandFailure(opening: error))
        }
    }

    /// Asks pcscd for the card state of a reader.
    static func askingPCSC(_ reader: CardReader) async -> ReaderDetails {
        let contactless = reader.inputs.contains(.tap) ? ContactlessCapabilities.behindPCSCD : nil
        do throws(PCSCError) {
            let open = try await PCSCReader.open(reader.name)
            let state = try await open.state()
            await open.close()
            return ReaderDetails(reader: reader, card: state.card, contactless: contactless)
        } catch {
            return ReaderDetails(
                reader: reader, contactless: contactless,
                failure: CommandFailure(.reader, code: "reader_failed", splitting: error.description))
        }
    }

    /// Opens and closes a magnetic stripe reader to check that it works.
    private static func opening(
        _ reader: CardReader, device: USBDevice, bus: any USBBus, _ policy: MagneticStripePolicy
    ) async -> ReaderDetails {
        do throws(MagneticStripeReaderError) {
            guard let interface = MagneticStripeInterface.find(in: device, models: policy.readers) else {
                throw .noReader
            }
            await (try MagneticStripeReader.open(device, interface, on: bus, path: policy.path)).close()
            return ReaderDetails(reader: reader)
        } catch {
            return ReaderDetails(
                reader: reader, failure: CommandFailure(.reader, code: "reader_failed", message: error.description))
        }
    }

    var json: JSONObject {
        JSONObject(
            ["reader": reader, "quirks": quirks.map(\.json)],
            known: [
                "card": card, "contactless": contactless?.json, "place": place?.json, "error": failure?.json,
            ])
    }

    var text: String {
        var details = DetailText(reader.name)
        details.add("id", reader.id)
        details.add("manufacturer", reader.manufacturer)
        details.add("serial", reader.serialNumber)
        details.add("USB", reader.usbID)
        details.add("place", place?.text)
        details.add("power", place?.powerText)
        for owner in place?.owners ?? [] { details.add("owner", owner) }
        details.add("firmware", reader.softwareVersion)
        details.add("level", reader.exchangeLevel)
        details.add("slots", String(reader.slotCount))
        details.add("inputs", reader.inputs.words.joined(separator: ", "))
        contactless?.add(to: &details)
        details.add("PIN pad", reader.hasPINPad ? "yes" : nil)
        details.add("battery", reader.batteryLevel.map { "\(Int($0 * 100)) percent" })
        details.add("card", card)
        for quirk in quirks { details.add("quirk", quirk.description) }
        return details.text
    }
}

extension ContactlessCapabilities {
    fileprivate var json: JSONObject {
        [
            // Null for a reader behind pcscd.
            "slot": slot,
            // command: vendor commands switch the field; cardPower: the card is powered off instead.
            "field": field.rawValue, "tellsCollisions": tellsCollisions,
            // The vendor commands for lights and buzzer; null where the reader shows its own.
            "indicators": indicators,
        ]
    }

    fileprivate func add(to details: inout DetailText) {
        details.add("contactless", slot.map { "slot \($0)" } ?? "the slot of this name")
        details.add("field", field == .command ? "switched by the till" : "always on, the card is powered off")
        details.add("two cards", tellsCollisions ? "reported" : "not reported")
        details.add("lights", indicators.map { "with buzzer, by the till (\($0))" } ?? "the reader's own")
    }
}

extension PCSCReaderState {
    /// The card state, and whether another program uses the card.
    fileprivate var card: String {
        if flags.contains(.mute) { return "mute" }
        guard flags.contains(.present) else { return "absent" }
        if flags.contains(.exclusive) { return "present, taken by another program" }
        return flags.contains(.inUse) ? "present, in use by another program" : "present"
    }
}

/// A reader's connection, power management, and users.
struct ReaderPlace: Sendable {
    private let device: USBDevice
    /// Nil when unknown.
    private let power: USBPower?
    /// Other programs and kernel drivers that use the reader: `pcscd (process 812)`.
    let owners: [String]

    /// Reads the state without opening or waking the device.
    init(_ device: USBDevice, on bus: any USBBus) async {
        self.device = device
        power = (try? await bus.status(of: device))?.power
        owners = await bus.owners(of: device, interface: nil).map(\.description)
    }

    /// The idle time before the device is suspended, in milliseconds; negative for never.
    private var suspendDelay: Int64? {
        power?.autosuspendDelay.map { delay in
            let (seconds, attoseconds) = delay.components
            return seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
        }
    }

    var json: JSONObject {
        [
            // The port as the kernel names it: 1-4.2.
            "bus": device.bus, "address": device.address, "port": device.port,
            // The control is auto when the kernel may suspend the device, and on when it may not.
            "powerControl": power?.control.rawValue, "powerState": power?.state?.rawValue,
            "autosuspendDelayMilliseconds": suspendDelay, "owners": owners,
        ]
    }

    /// The bus, device, and port as text.
    var text: String { "bus \(device.bus) device \(device.address)" + (device.port.map { ", port \($0)" } ?? "") }

    /// The power management as text; nil when unknown.
    var powerText: String? {
        guard let power else { return nil }
        let rule =
            switch (power.control, suspendDelay) {
            case (.automatic, nil): "suspended when idle"
            case (.automatic, let delay?) where delay >= 0: "suspended after \(Self.seconds(delay)) s idle"
            default: "never suspended"
            }
        return [power.state?.rawValue, rule].compactMap(\.self).joined(separator: ", ")
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
    }
}
