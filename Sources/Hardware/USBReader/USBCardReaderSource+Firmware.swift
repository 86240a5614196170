public import DFU
internal import USB

extension USBCardReaderSource: FirmwareSource {
    public func update(for reader: CardReader) async -> ReaderFirmwareUpdate? {
        guard let device = try? await device(of: reader) else { return nil }
        if let awaited = firmware.update(awaitedBy: device) { return awaited }
        guard DFUInterface.find(in: device)?.canDownload == true else { return nil }
        return firmware.update(for: device.descriptor)
    }

    public func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, commitment: DFUCommitment,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws(UnderlyingError) -> CardReader {
        let file = try ReaderFirmwareCatalogue.load(update)
        guard let device = try await device(of: reader) else { throw .readerDisconnected }
        // Decided before the reader is sent into update mode: there, whoever may not open it cannot bring it out either.
        let numbers = update.firmware
        guard await bus.mayOpen(vendorID: numbers.updateVendorID, productID: numbers.updateProductID) else {
            throw .readerAccessDenied(
                "in update mode the reader is \(numbers.updateUSBID), which only root may open; run the update as root, or "
                    + "add a udev rule for it (docs/readers.md, Firmware)")
        }
        let updated: USBDevice
        do throws(DFUError) {
            updated = try await DFUInstaller(bus: bus, time: time).install(
                file, on: device,
                updateMode: (update.firmware.updateVendorID, update.firmware.updateProductID),
                commitment: commitment, onProgress: onProgress)
        } catch {
            throw UnderlyingError(error)
        }
        guard let found = readers(in: updated).first else {
            throw .readerSoftwareUpdateFailedReader("the device came back, and not as a card reader")
        }
        guard found.softwareVersion == update.version else {
            throw .readerSoftwareUpdateFailedReader(
                "the reader was sent firmware \(update.version), and says that it has \(found.softwareVersion ?? "none")"
            )
        }
        return found
    }

    private func device(of reader: CardReader) async throws(UnderlyingError) -> USBDevice? {
        try await devices().first { readers(in: $0).contains { $0.id == reader.id } }
    }
}
