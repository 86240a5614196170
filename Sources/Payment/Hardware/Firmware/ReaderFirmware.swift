public import CCID
public import DFU
import Files
import Glibc
public import USB

/// A firmware file that the shop provides for one reader model.
public struct ReaderFirmware: Hashable, Sendable {
    /// idVendor and idProduct of the reader in normal operation.
    public var vendorID: UInt16
    public var productID: UInt16
    /// idVendor and idProduct in update mode.
    public var updateVendorID: UInt16
    public var updateProductID: UInt16
    /// bcdDevice of a reader with this firmware.
    public var release: ReaderRelease
    /// The DFU file (DFU 1.1 appendix B).
    public var file: String
    public var need: ReaderFirmwareUpdate.Need

    /// Describes a file. The update IDs are those that the reader has in update mode (DFU); `file` is a path.
    public init(
        vendorID: UInt16, productID: UInt16, updateVendorID: UInt16, updateProductID: UInt16, release: ReaderRelease,
        file: String, need: ReaderFirmwareUpdate.Need = .optional
    ) {
        (self.vendorID, self.productID) = (vendorID, productID)
        (self.updateVendorID, self.updateProductID) = (updateVendorID, updateProductID)
        (self.release, self.file, self.need) = (release, file, need)
    }

    /// Vendor and product in normal operation, four hexadecimal digits each: `1209:000d`.
    package var usbID: String { USBIdentifiers(vendor: vendorID, product: productID).description }

    /// Vendor and product in update mode.
    package var updateUSBID: String {
        USBIdentifiers(vendor: updateVendorID, product: updateProductID).description
    }

    /// Whether a device is such a reader in normal operation.
    func isFor(_ device: USBDeviceDescriptor) -> Bool {
        device.vendorID == vendorID && device.productID == productID
    }

    /// Whether a device is such a reader in update mode.
    func awaits(_ device: USBDevice) -> Bool {
        device.descriptor.vendorID == updateVendorID && device.descriptor.productID == updateProductID
            && DFUInterface.find(in: device)?.mode == .update
    }
}

/// A source whose readers can be updated.
public protocol FirmwareSource: CardReaderSource {
    /// Returns the available firmware update for a reader, or the update that a reader in update mode needs; nil when
    /// there is nothing newer.
    func update(for reader: CardReader) async -> ReaderFirmwareUpdate?

    /// Installs firmware. The reader must not be open.
    ///
    /// - Parameters:
    ///   - update: The update that ``update(for:)`` returned for the reader.
    ///   - reader: The reader as it was found.
    ///   - commitment: Cancels the update while that is still possible.
    ///   - onProgress: Receives the fraction that the reader has received, 0...1. From the first call, with 0, the
    ///     update can no longer be canceled.
    /// - Returns: The reader with the new firmware.
    /// - Throws: ``UnderlyingError``: the update failed, or was canceled and changed nothing.
    func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, commitment: DFUCommitment,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws(UnderlyingError) -> CardReader
}

/// The firmware files that a shop has for its readers.
public struct ReaderFirmwareCatalog: Hashable, Sendable {
    /// When several files fit a reader, the highest release is used.
    public var rows: [ReaderFirmware]

    /// Takes the files, of all models.
    public init(_ rows: [ReaderFirmware] = []) { self.rows = rows }

    /// The maximum size of a firmware file, in bytes.
    private static let mostBytes = 16 << 20

    /// Returns the available update for a reader; nil when there is nothing newer.
    func update(for device: USBDeviceDescriptor) -> ReaderFirmwareUpdate? {
        update(among: rows.filter { $0.isFor(device) && $0.release.rawValue > device.release })
    }

    /// Returns the update that a reader in update mode needs; nil for any other device.
    func update(awaitedBy device: USBDevice) -> ReaderFirmwareUpdate? {
        update(among: rows.filter { $0.awaits(device) })
    }

    /// Returns the reader for a device in update mode; nil for a device that needs none of these files.
    public func reader(awaitingUpdateAs device: USBDevice) -> CardReader? {
        update(awaitedBy: device).map { CardReader(device, awaiting: $0.firmware) }
    }

    private func update(among rows: [ReaderFirmware]) -> ReaderFirmwareUpdate? {
        rows.max { $0.release < $1.release }.map { ReaderFirmwareUpdate($0, fileSize: Self.size(of: $0.file)) }
    }

    /// Reads the firmware file of an update.
    ///
    /// - Throws: ``UnderlyingError/readerSoftwareUpdateFailedServer(_:)``: the file is missing, or is not the expected
    ///   one.
    static func load(_ update: ReaderFirmwareUpdate) throws(UnderlyingError) -> DFUFile {
        let path = update.firmware.file
        let bytes: [UInt8]
        do throws(FileError) { bytes = try Files.contents(path, atMost: mostBytes + 1) } catch {
            throw .readerSoftwareUpdateFailedServer("cannot read \(path): \(error)")
        }
        guard bytes.count <= mostBytes else {
            throw .readerSoftwareUpdateFailedServer("\(path) is longer than \(mostBytes) bytes")
        }
        let file: DFUFile
        do throws(DFUFileError) { file = try DFUFile(parsing: bytes) } catch {
            throw .readerSoftwareUpdateFailedServer("\(path): \(error)")
        }
        let firmware = update.firmware
        // A reader in update mode has other IDs, but must only get a file that fits the reader in normal operation.
        guard file.isFor(vendorID: firmware.vendorID, productID: firmware.productID) else {
            throw .readerSoftwareUpdateFailedServer("\(path) is not for \(firmware.usbID)")
        }
        guard file.release.map({ $0 == firmware.release.rawValue }) ?? true else {
            let found = ReaderRelease(rawValue: file.release ?? 0)
            throw .readerSoftwareUpdateFailedServer("\(path) contains firmware \(found), not \(update.version)")
        }
        return file
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
