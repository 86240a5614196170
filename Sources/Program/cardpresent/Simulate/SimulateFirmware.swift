import ArgumentParser
import CCID
import DFU
import FoundationEssentials
import Simulator
import USB

/// `simulate firmware`
struct SimulateFirmware: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "firmware", abstract: "Write a firmware file for the simulated updatable reader.",
        discussion: """
            EXAMPLES:
              cardpresent simulate firmware reader.dfu --release 2.34

            Writes a DFU file. Add it to readers.firmware in the configuration to offer the update.
            """)

    @Argument(help: "File to write.", completion: .file(extensions: ["dfu"]))
    var file: String
    @Option(
        help: ArgumentHelp("Firmware version, for example 2.34.", valueName: "release"),
        transform: Self.release)
    var release: ReaderRelease
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let model = SimulatedReaderModel.updatable
        let image = SimulatedFirmwareImage(release: release.rawValue)
        let bytes = DFUFile(
            firmware: image.bytes, vendorID: model.vendorID, productID: model.productID, release: release.rawValue
        ).encoded
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CommandFailure(
                .unavailable, code: "file_not_written", message: "cannot write \(file)",
                fix: "choose a path in a writable folder")
        }
        let reader = USBIdentifiers(vendor: model.vendorID, product: model.productID)
        let updateMode = USBIdentifiers(
            vendor: model.vendorID, product: model.firmware?.updateProductID ?? model.productID)
        let json: JSONObject = [
            // The vendor and product IDs in normal operation and in update mode.
            "file": file, "reader": reader.description, "updateMode": updateMode.description,
            "version": "\(release)", "bytes": bytes.count,
        ]
        try output.write(json, text: "\(file): firmware \(release) for \(reader), \(bytes.count) bytes\n")
    }

    private static func release(_ text: String) throws -> ReaderRelease {
        guard let release = ReaderRelease(text) else {
            throw ValidationError("'\(text)' is not a version such as 2.34")
        }
        return release
    }
}
