import Foundation
import Glibc
import Testing

/// Kills a till and an acquirer at moments drawn by chance, and compares their books.
///
/// `CARDPRESENT_KILLS` is the number of kills of each; 15 without it.
@Suite("A till and an acquirer that are killed")
struct KilledProcessTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let count = ProcessInfo.processInfo.environment["CARDPRESENT_KILLS"].flatMap { Int($0) } ?? 15

    /// Draws numbers that are the same in each run (SplitMix64).
    private struct Chance: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    /// The dialect of the acquirer, in which an answer is soon given up.
    private func profile() throws -> String {
        try scratch.write(
            """
            profile: impatient
            basedOn: iso87-ascii
            timing: { answer: 30s, reversalAnswer: 10s, backoff: [0s, 1s], stopAfter: never, oneOpenReversal: true }

            """, to: "impatient.yaml")
    }

    private func startAcquirer(_ profile: String, at address: String = "127.0.0.1:0") throws -> Child {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", address, "--profile", profile, "--ledger",
                scratch.file("acquirer.sqlite"),
            ], in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        return child
    }

    private func address(of acquirer: Child) throws -> String {
        let line = try #require(acquirer.output.split(separator: "\n").first)
        return String(try #require(line.split(separator: " ").last))
    }

    private func configure(_ profile: String, _ address: String) throws -> [String] {
        let file = try scratch.write(
            """
            host:
              kind: iso8583
              address: \(address)
              profile: \(profile)

            """, to: "till.yaml")
        return ["--config", file, "--database", scratch.database]
    }

    /// One thing that a till does: mostly a payment, sometimes a refund or a recovery.
    private static func command(_ chance: inout Chance, payments: Int) -> [String] {
        switch Int.random(in: 0..<10, using: &chance) {
        case 0: ["payments", "recover"]
        case 1, 2: ["refund", "P" + String(1_000_000 + Int.random(in: 1...payments, using: &chance)).dropFirst()]
        default: ["pay", "12.50", "--card", "visa-dda"]
        }
    }

    private func pause(milliseconds: Int) { _ = poll(nil, 0, Int32(milliseconds)) }

    /// Measures a payment that nothing disturbs, in milliseconds.
    private func measure(_ options: [String]) throws -> Int {
        let clock = ContinuousClock()
        let result = try clock.measure {
            let result = try Program.run(["pay", "12.50", "--card", "visa-dda"] + options, in: scratch)
            #expect(result.status == 0, "\(result.error)")
        }
        return max(1, Int(result / .milliseconds(1)))
    }

    /// Ends what is open, and expects equal books.
    private func expectEqualBooks(_ options: [String]) throws {
        func recover() throws -> ProgramResult { try Program.run(["payments", "recover"] + options, in: scratch) }
        // A reversal may have to be repeated.
        var recovered = try recover()
        for _ in 0..<3 where recovered.status != 0 { recovered = try recover() }
        #expect(recovered.status == 0, "\(recovered.output)\(recovered.error)")
        let books = try Program.run(
            ["issuer", "reconcile", "--acquirer", scratch.file("acquirer.sqlite")] + options, in: scratch)
        #expect(books.status == 0, "\(books.output)\(books.error)")
        let waiting = try Program.run(["host", "status"] + options, in: scratch)
        #expect(waiting.status == 0, "\(waiting.output)")
    }

    @Test func `a till that is killed at any moment ends with the books of the acquirer`() throws {
        let profile = try profile()
        let acquirer = try startAcquirer(profile)
        let options = try configure(profile, try address(of: acquirer))
        let longest = try measure(options) * 6 / 5
        var chance = Chance(state: 1)
        for number in 1...Self.count {
            let till = try Child(Self.command(&chance, payments: number) + options, in: scratch)
            pause(milliseconds: Int.random(in: 0...longest, using: &chance))
            till.send(SIGKILL)
            _ = try till.result()
        }
        try expectEqualBooks(options)
        acquirer.send(SIGTERM)
        #expect(try acquirer.result().status == 0)
    }

    @Test func `an acquirer that is killed at any moment ends with the books of the till`() throws {
        let profile = try profile()
        var acquirer = try startAcquirer(profile)
        let address = try address(of: acquirer)
        let options = try configure(profile, address)
        let longest = try measure(options) * 6 / 5
        var chance = Chance(state: 2)
        for number in 1...Self.count {
            let till = try Child(Self.command(&chance, payments: number) + options, in: scratch)
            pause(milliseconds: Int.random(in: 0...longest, using: &chance))
            acquirer.send(SIGKILL)
            _ = try acquirer.result()
            acquirer = try startAcquirer(profile, at: address)
            _ = try till.result()
        }
        try expectEqualBooks(options)
        acquirer.send(SIGTERM)
        #expect(try acquirer.result().status == 0)
    }
}
