internal import CCID
internal import DFU
internal import Glibc
internal import USB

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

    private func update(among rows: [ReaderFirmware]) -> ReaderFirmwareUpdate? {
        rows.max { $0.release < $1.release }.map { ReaderFirmwareUpdate($0, fileSize: Self.size(of: $0.file)) }
    }

    /// Reads the file of an update.
    ///
    /// - Throws: ``UnderlyingError/readerSoftwareUpdateFailedServer(_:)``: there is no such file, or it is another one.
    static func load(_ update: ReaderFirmwareUpdate) throws(UnderlyingError) -> DFUFile {
        let path = update.firmware.file
        guard let bytes = contents(path) else {
            throw .readerSoftwareUpdateFailedServer("\(path) cannot be read: \(String(cString: strerror(errno)))")
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

    private static func contents(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= mostBytes else {
                errno = EFBIG
                return nil
            }
        }
    }
}
