internal import CCID
internal import DFU
internal import Files
internal import Glibc
public import USB

/// The firmware files that a shop has for its readers.
public struct ReaderFirmwareCatalogue: Hashable, Sendable {
    /// Where there are several for a reader the one with the highest release counts.
    public var rows: [ReaderFirmware]

    public init(_ rows: [ReaderFirmware] = []) { self.rows = rows }

    /// Firmware longer than this is none for a reader.
    private static let mostBytes = 16 << 20

    /// What a reader could have instead of the firmware that it has; nil when there is nothing newer.
    func update(for device: USBDeviceDescriptor) -> ReaderFirmwareUpdate? {
        update(among: rows.filter { $0.isFor(device) && $0.release.rawValue > device.release })
    }

    /// What brings a reader out of update mode; nil for a device that is none.
    func update(awaitedBy device: USBDevice) -> ReaderFirmwareUpdate? {
        update(among: rows.filter { $0.awaits(device) })
    }

    /// The reader that a device in update mode is; nil for a device that waits for none of these files.
    public func reader(awaitingUpdateAs device: USBDevice) -> CardReader? {
        update(awaitedBy: device).map { CardReader(device, awaiting: $0.firmware) }
    }

    private func update(among rows: [ReaderFirmware]) -> ReaderFirmwareUpdate? {
        rows.max { $0.release < $1.release }.map { ReaderFirmwareUpdate($0, fileSize: Self.size(of: $0.file)) }
    }

    /// Reads the file of an update.
    ///
    /// - Throws: ``UnderlyingError/readerSoftwareUpdateFailedServer(_:)``: there is no such file, or it is another one.
    static func load(_ update: ReaderFirmwareUpdate) throws(UnderlyingError) -> DFUFile {
        let path = update.firmware.file
        let bytes: [UInt8]
        do throws(FileError) { bytes = try Files.contents(path, atMost: mostBytes + 1) } catch {
            throw .readerSoftwareUpdateFailedServer("\(path) cannot be read: \(error)")
        }
        guard bytes.count <= mostBytes else {
            throw .readerSoftwareUpdateFailedServer("\(path) is longer than \(mostBytes) bytes")
        }
        let file: DFUFile
        do throws(DFUFileError) { file = try DFUFile(parsing: bytes) } catch {
            throw .readerSoftwareUpdateFailedServer("\(path): \(error)")
        }
        let firmware = update.firmware
        // One that waits for firmware shows other numbers, and is not to get a file that it would not get at work.
        guard file.isFor(vendorID: firmware.vendorID, productID: firmware.productID) else {
            throw .readerSoftwareUpdateFailedServer("\(path) is for other devices than \(firmware.usbID)")
        }
        guard file.release.map({ $0 == firmware.release.rawValue }) ?? true else {
            let found = ReaderRelease(rawValue: file.release ?? 0)
            throw .readerSoftwareUpdateFailedServer("\(path) has firmware \(found), and \(update.version) is expected")
        }
        return file
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
