import Foundation
import Glibc
import Testing

/// A running `simulate store`, with a database that is signed in to it.
final class SimulatedStore {
    let scratch: Scratch
    let address: String
    private let child: Child

    /// `faults`: what goes wrong, by the simulated store's rules.
    init(in scratch: Scratch, orders: Int = 30, seed: Int = 1, faults: [String] = []) throws {
        self.scratch = scratch
        child = try Child(
            [
                "simulate", "store", "--port", "0", "--json", "--orders", String(orders), "--seed", String(seed),
                "--password-file", scratch.file("store-password"), "--token-file", scratch.file("store-token"),
            ] + faults.flatMap { ["--fault", $0] }, in: scratch)
        let child = child
        let isUp = child.wait { child.output.hasSuffix("}\n") }
        try #require(isUp, "\(child.errorOutput)")
        let view = try #require(try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any])
        address = try #require(view["address"] as? String)
        try run(
            "login", address, "--username", try #require(view["username"] as? String), "--password-file",
            scratch.file("store-password")
        ).expectStatus(0)
    }

    deinit {
        child.send(SIGTERM)
        _ = try? child.result()
    }

    /// Runs a command with the database that is signed in.
    func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }
}
