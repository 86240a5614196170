import CCID
import DFU
import Foundation
import Simulator

@testable import Hardware

/// A folder with firmware files, gone with it.
final class FirmwareShelf: Sendable {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "firmware-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Adds a file for the simulated updatable reader. `productID` and `stated` are the values in
    /// the file itself; `damage` changes its bytes.
    func firmware(
        release: UInt16 = 0x0234, need: ReaderFirmwareUpdate.Need = .optional, productID: UInt16 = 0x000D,
        stated: UInt16? = nil, damage: (inout [UInt8]) -> Void = { _ in }
    ) throws -> ReaderFirmware {
        let image = SimulatedFirmwareImage(release: release)
        var bytes = DFUFile(
            firmware: image.bytes, vendorID: 0x1209, productID: productID, release: stated ?? release
        ).encoded
        damage(&bytes)
        let path = "\(folder)/\(release)-\(UUID().uuidString).dfu"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return row(path, release: release, need: need)
    }

    /// The configuration of a file.
    func row(_ path: String, release: UInt16 = 0x0234, need: ReaderFirmwareUpdate.Need = .optional) -> ReaderFirmware {
        ReaderFirmware(
            vendorID: 0x1209, productID: 0x000D, updateVendorID: 0x1209, updateProductID: 0x000E,
            release: ReaderRelease(rawValue: release), file: path, need: need)
    }

    /// Bytes of the firmware in a file of ``firmware(release:need:productID:stated:damage:)``.
    static let firmwareLength = SimulatedFirmwareImage(release: 0x0234).bytes.count
}
