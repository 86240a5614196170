import Foundation
import Glibc
import Testing

/// A private pcscd with a virtual reader, started by `Scripts/virtual-reader`.
final class VirtualReader {
    /// The reader's two slots, as pcscd calls them.
    static let name = "CardPresent 00 00"
    static let secondName = "CardPresent 00 01"

    /// What programs need to find this pcscd.
    let environment: [String: String]
    /// Where a card connects, `HOST:PORT`.
    let address: String
    private let directory: String

    /// With `isForThisProcess` the test itself speaks with pcscd, and not only programs that it starts. One such pcscd
    /// at a time may be: libpcsclite looks for its daemon once in a process, so that each of this one's has to be in
    /// the same place.
    init(isForThisProcess: Bool = true) throws {
        let mark = isForThisProcess ? "\(getpid())" : "\(getpid())-\(UUID().uuidString.prefix(8))"
        directory = NSTemporaryDirectory() + "/cardpresent-reader-\(mark)"
        let output = try Self.run("start", directory, [String(getpid())])
        var variables: [String: String] = [:]
        for line in output.split(separator: "\n") {
            let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        address = try #require(variables["CARDPRESENT_VPCD"])
        let socket = try #require(variables["PCSCLITE_CSOCK_NAME"])
        environment = ["PCSCLITE_CSOCK_NAME": socket]
        if isForThisProcess { setenv("PCSCLITE_CSOCK_NAME", socket, 1) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Kills pcscd, as a crash would.
    func stop() { _ = try? Self.run("stop", directory, []) }

    /// A simulated card in the first slot.
    func card(_ profile: String, _ more: [String] = [], in scratch: Scratch) throws -> Child {
        try Child(["simulate", "card", profile, "--vpcd", address, "--json"] + more, in: scratch)
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
