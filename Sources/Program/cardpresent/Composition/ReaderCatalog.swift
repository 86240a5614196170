import ArgumentParser
import Determinism
import FoundationEssentials
import Hardware
import MagneticStripe
import PCSC
import Storage
import TillConfiguration
import USB
import Yosemite

/// Finds readers for commands.
enum ReaderCatalog {
    /// - Throws: `CommandFailure`
    static func readers(of source: any CardReaderSource) async throws(CommandFailure) -> [CardReader] {
        do throws(UnderlyingError) { return try await source.readers() } catch {
            throw CommandFailure(CardReaderServiceError.discovery(error))
        }
    }

    /// Returns the readers that payments would find with these settings.
    ///
    /// - Throws: `CommandFailure`
    static func readers(
        on bus: any USBBus, _ settings: TillConfiguration
    ) async throws(CommandFailure) -> [(reader: CardReader, device: USBDevice)] {
        let (stripes, quirks) = (settings.magneticStripe, settings.readerQuirks)
        do throws(USBError) {
            let devices =
                stripes.isEnabled
                ? try await MagneticStripeInterface.devices(on: bus, models: stripes.readers) : try await bus.devices()
            return devices.flatMap { device in
                CardReader.all(in: device, magneticStripe: stripes, quirks: quirks).map { ($0, device) }
            }
        } catch {
            throw CommandFailure(.reader, code: "usb_failed", message: error.description)
        }
    }

    /// Returns the reader with this ID; the first one when `id` is nil.
    ///
    /// - Throws: `CommandFailure`
    static func find(
        _ id: String?, on bus: any USBBus, _ settings: TillConfiguration
    ) async throws(CommandFailure) -> (reader: CardReader, device: USBDevice) {
        let readers = try await readers(on: bus, settings)
        let first = readers.first { $0.reader.inputs.contains(.insert) } ?? readers.first
        guard let found = id.map({ id in readers.first { $0.reader.id == id } }) ?? first else {
            throw CommandFailure(
                .reader, code: "reader_not_found",
                message: id.map { "unknown reader '\($0)'" } ?? "no card reader found",
                fix: readers.isEmpty
                    ? "connect a card reader, or use --simulated"
                    : .choice(of: id ?? "", among: readers.map(\.reader.id), called: "readers"))
        }
        return found
    }
}

/// Finds readers of pcscd for commands.
enum PCSCReaderCatalog {
    /// - Throws: `CommandFailure`
    static func readers() async throws(CommandFailure) -> [CardReader] {
        try await ReaderCatalog.readers(of: PCSCReaderSource())
    }

    /// Returns the reader with this name, or the only one whose name contains it, ignoring case; the first reader
    /// when `name` is nil.
    ///
    /// - Throws: `CommandFailure`
    static func find(_ name: String?, among readers: [CardReader]) throws(CommandFailure) -> CardReader {
        guard let name = name.map({ $0.hasPrefix("pcsc:") ? String($0.dropFirst("pcsc:".count)) : $0 }) else {
            guard let first = readers.first else {
                throw CommandFailure(
                    .reader, code: "reader_not_found", message: "pcscd has no card reader", fix: "connect a reader")
            }
            return first
        }
        if let exact = readers.first(where: { $0.name == name }) { return exact }
        let found = readers.filter { $0.name.lowercased().contains(name.lowercased()) }
        guard let first = found.first else {
            throw CommandFailure(
                .reader, code: "reader_not_found", message: "pcscd has no reader '\(name)'",
                fix: readers.isEmpty
                    ? "connect the reader" : .choice(of: name, among: readers.map(\.name), called: "readers"))
        }
        guard found.count == 1 else {
            throw CommandFailure(
                .usage, code: "reader_ambiguous", message: "'\(name)' matches \(found.count) readers",
                fix: "use more of the name: " + found.map(\.name).joined(separator: ", "))
        }
        return first
    }

    /// Returns the completions of `--reader`, with the readers of a running pcscd.
    static func completions() async -> [String] {
        ReaderChoice.allValueStrings + (await readersAtOnce()).map(\.id)
    }

    /// Returns the readers of pcscd for a person who is waiting; none when it is not running or does not answer soon.
    static func readersAtOnce() async -> [CardReader] {
        var timing = PCSCTiming()
        (timing.command, timing.sharing) = (.seconds(1), .seconds(1))
        return (try? await PCSCReaderSource(timing: timing).readers()) ?? []
    }
}

extension [CardReader] {
    /// Returns the default reader: chip readers before magnetic stripe readers, which are used in addition, and then
    /// the last used one.
    ///
    /// - Returns: nil when there is none.
    func preferred(_ remembered: [RememberedCardReader]) -> CardReader? {
        let chips = filter { $0.inputs.contains(.insert) }
        let candidates = chips.isEmpty ? self : chips
        let id = remembered.preferred(among: candidates.map(\.id))
        return candidates.first { $0.id == id }
    }
}

/// The readers that were used before, as stored in the database.
struct RememberedReaders: Sendable {
    private let register: ReaderRegister

    /// Opens the database.
    ///
    /// - Throws: `CommandFailure`
    init(_ data: DatabaseOptions, for use: DatabaseUse) throws(CommandFailure) {
        register = ReaderRegister(storage: try use.open(try data.path()))
    }

    /// Returns the readers that were used, the last one first, for a command that also works without them: it creates
    /// no database, and reports an unreadable one on stderr.
    static func known(_ data: DatabaseOptions) -> [RememberedCardReader] {
        do throws(CommandFailure) {
            guard FileManager.default.fileExists(atPath: try data.path()) else { return [] }
            return try RememberedReaders(data, for: .reads).all()
        } catch {
            StandardError.write("cardpresent: cannot read the remembered readers: \(error.message)\n")
            return []
        }
    }

    /// Returns all readers, the last used one first.
    ///
    /// - Throws: `CommandFailure`
    func all() throws(CommandFailure) -> [RememberedCardReader] {
        do throws(StorageError) {
            return try register.readers().map { RememberedCardReader(id: $0.id, name: $0.name, usedAt: $0.usedAt) }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes a reader the last used one.
    ///
    /// - Throws: `CommandFailure`
    func remember(id: String, name: String) throws(CommandFailure) {
        do throws(StorageError) {
            try register.remember(id: id, name: name, at: SystemTimeSource().now())
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Forgets a reader; all of them when `id` is nil.
    ///
    /// - Returns: The number of forgotten readers.
    /// - Throws: `CommandFailure`
    func forget(id: String?) throws(CommandFailure) -> Int {
        do throws(StorageError) { return try register.forget(id: id) } catch { throw CommandFailure(error) }
    }
}
