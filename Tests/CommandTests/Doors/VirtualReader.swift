import Foundation
import Glibc
import Testing

/// A private pcscd with a virtual reader, started by `Scripts/virtual-reader`.
final class VirtualReader {
    /// What programs need to find this pcscd.
    let environment: [String: String]
    /// Where a card connects, `HOST:PORT`.
    let address: String
    private let directory: String

    init() throws {
        // libpcsclite looks for its daemon once in a process, so that each of this one's has to be in the same place.
        directory = NSTemporaryDirectory() + "/cardpresent-reader-\(getpid())"
        let output = try Self.run("start", directory, [String(getpid())])
        var variables: [String: String] = [:]
        for line in output.split(separator: "\n") {
            let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        address = try #require(variables["CARDPRESENT_VPCD"])
        environment = ["PCSCLITE_CSOCK_NAME": try #require(variables["PCSCLITE_CSOCK_NAME"])]
    }

    deinit {
        _ = try? Self.run("stop", directory, [])
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func run(_ action: String, _ directory: String, _ more: [String]) throws -> String {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        let result = try Child(
            program: root.appendingPathComponent("Scripts/virtual-reader").path, [action, directory] + more,
            in: try Scratch()
        ).result()
        try #require(result.status == 0, "\(result.error)")
        return result.output
    }
}
