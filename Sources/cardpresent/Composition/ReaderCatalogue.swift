internal import CCID
internal import Hardware
internal import USB

/// Finds readers for commands.
enum ReaderCatalogue {
    /// A reader that is plugged in.
    struct Entry {
        let reader: CardReader
        let device: USBDevice
        /// Which of the device's reader interfaces it has, from 0.
        let number: Int
    }

    /// - Throws: `CommandFailure`
    static func readers(
        on bus: any USBBus, quirks: ReaderQuirkTable
    ) async throws(CommandFailure) -> [Entry] {
        do throws(USBError) {
            return try await bus.devices().flatMap { device in
                CardReader.all(in: device, quirks: quirks).enumerated().map { number, reader in
                    Entry(reader: reader, device: device, number: number)
                }
            }
        } catch {
            throw CommandFailure(.reader, code: "usb_failed", message: error.description)
        }
    }

    /// The reader with this identifier; the first one when none is given.
    ///
    /// - Throws: `CommandFailure`
    static func find(
        _ id: String?, on bus: any USBBus, quirks: ReaderQuirkTable
    ) async throws(CommandFailure) -> Entry {
        let readers = try await readers(on: bus, quirks: quirks)
        guard let found = id.map({ id in readers.first { $0.reader.id == id } }) ?? readers.first else {
            throw CommandFailure(
                .reader, code: "reader_not_found",
                message: id.map { "there is no reader '\($0)'" } ?? "no card reader found",
                fix: readers.isEmpty
                    ? "plug a CCID reader in, or give --simulated"
                    : .choice(of: id ?? "", among: readers.map(\.reader.id), called: "readers"))
        }
        return found
    }
}
