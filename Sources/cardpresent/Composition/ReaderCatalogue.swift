internal import Hardware
internal import MSR
internal import USB

/// Finds readers for commands.
enum ReaderCatalogue {
    /// - Throws: `CommandFailure`
    static func readers(of source: any CardReaderSource) async throws(CommandFailure) -> [CardReader] {
        do throws(UnderlyingError) { return try await source.readers() } catch {
            throw CommandFailure(CardReaderServiceError.discovery(error))
        }
    }

    /// The readers that payments would find with these settings.
    ///
    /// - Throws: `CommandFailure`
    static func readers(
        on bus: any USBBus, _ settings: TillConfiguration
    ) async throws(CommandFailure) -> [(reader: CardReader, device: USBDevice)] {
        let (stripes, quirks) = (settings.magneticStripe, settings.readerQuirks)
        do throws(USBError) {
            let devices =
                stripes.isEnabled
                ? try await MSRInterface.devices(on: bus, models: stripes.readers) : try await bus.devices()
            return devices.flatMap { device in
                CardReader.all(in: device, magneticStripe: stripes, quirks: quirks).map { ($0, device) }
            }
        } catch {
            throw CommandFailure(.reader, code: "usb_failed", message: error.description)
        }
    }

    /// The reader with this identifier; the first one when none is given.
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
                message: id.map { "there is no reader '\($0)'" } ?? "no card reader found",
                fix: readers.isEmpty
                    ? "plug a card reader in, or give --simulated"
                    : .choice(of: id ?? "", among: readers.map(\.reader.id), called: "readers"))
        }
        return found
    }
}
