internal import ArgumentParser
internal import CCID
internal import DFU
internal import FoundationEssentials
internal import Simulator

/// `simulate firmware`
struct SimulateFirmware: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firmware", abstract: "Writes a firmware file for the simulated updatable reader.",
        discussion: "It is a DFU file. readers.firmware of the configuration offers it to the reader.")

    @Argument(help: "The file to write.", completion: .file(extensions: ["dfu"]))
    var file: String
    @Option(
        help: ArgumentHelp("The release that the reader has with it, for example 2.34.", valueName: "release"),
        transform: Self.release)
    var release: ReaderRelease
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
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
                    fix: "give a path in a folder that you may write to")
            }
            let view = SimulatedFirmwareView(
                file: file, reader: ReaderQuirkRule.usbID(model.vendorID, model.productID),
                updateMode: ReaderQuirkRule.usbID(model.vendorID, model.firmware?.updateProductID ?? model.productID),
                version: "\(release)", bytes: bytes.count)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write("\(file): firmware \(view.version) for \(view.reader), \(view.bytes) bytes\n")
        }
    }

    private static func release(_ text: String) throws -> ReaderRelease {
        guard let release = ReaderRelease(text) else {
            throw ValidationError("'\(text)' is no release: write one such as 2.34")
        }
        return release
    }
}

/// The result of `simulate firmware`.
struct SimulatedFirmwareView: Encodable, Sendable {
    var file: String
    /// Vendor and product of the reader at its work, and in update mode.
    var reader: String
    var updateMode: String
    var version: String
    var bytes: Int
}
