import Foundation
import Testing

@Suite("A run with a seed")
struct RepeatedRunTests {
    @Test(arguments: ["visa-credit", "pin-enciphered", "t1-card", "insufficient-funds"])
    func `in a new database it has the same trace, JSON, receipt, and ledger`(card: String) throws {
        func run() throws -> [String] {
            let scratch = try Scratch()
            let paid = try Program.run(
                [
                    "pay", "12.50", "--card", card, "--seed", "7", "--trace", scratch.file("trace"), "--database",
                    scratch.database, "--json",
                ], in: scratch)
            let receipt = try Program.run(["receipts", "show", "1", "--database", scratch.database], in: scratch)
            return [paid.output, receipt.output, try scratch.text("trace"), try scratch.text("till.sqlite.issuer")]
        }
        let (first, second) = (try run(), try run())
        #expect(first == second)
        #expect(first.allSatisfy { !$0.isEmpty })
    }

    @Test func `a refund has the same JSON and journal again, also when the issuer is late`() throws {
        func run() throws -> [String] {
            let scratch = try Scratch()
            let rules = try scratch.write(
                "rules: [{ when: { messages: refund }, answer: { delayMilliseconds: 40000 } }]\n", to: "rules.yaml")
            func output(_ arguments: String...) throws -> String {
                let result = try Program.run(arguments + ["--database", scratch.database], in: scratch)
                #expect(result.status == 0, "\(result.error)")
                return result.output
            }
            return [
                try output("pay", "12.50", "--seed", "7", "--json"),
                try output("refund", "1", "--amount", "5.00", "--seed", "8", "--issuer-rules", rules, "--json"),
                try output("payments", "show", "1", "--json"), try scratch.text("till.sqlite.issuer"),
            ]
        }
        let (first, second) = (try run(), try run())
        #expect(first == second)
        #expect(first[2].contains("2026-01-02T12:00:40.000Z"))
    }

    @Test func `its database has the same rows, except for the key of the exception file and its hashes`() throws {
        // sqlite3(1) is not everywhere; Python has it inside.
        let script = "import sqlite3, sys\nfor line in sqlite3.connect(sys.argv[1]).iterdump(): print(line)"
        func dump() throws -> (rows: [String], keys: [String]) {
            let scratch = try Scratch()
            let file = try scratch.write(
                "applications: [{ aid: A0000000041010, floorLimit: 50.00, actionCodes: { online: 0000000000 } }]\n",
                to: "till.yaml")
            for (words, status) in [
                (["pay", "12.50", "--seed", "7"], 0), (["refund", "1", "--amount", "5.00", "--seed", "8"], 0),
                (["pay", "1.00", "--card", "declined", "--seed", "9"], 2),
                (["pay", "2.00", "--card", "offline-approve", "--seed", "10", "--config", file], 0),
            ] {
                try Program.run(words + ["--database", scratch.database], in: scratch).expectStatus(Int32(status))
            }
            let dumped = try Child(
                program: "/usr/bin/env", ["python3", "-c", script, scratch.database], in: scratch
            ).result()
            #expect(dumped.status == 0, "\(dumped.error)")
            let lines = dumped.output.split(separator: "\n").map(String.init)
            let isOfKey = { (line: String) in
                ["cardKey", "offlineSale"].contains { line.hasPrefix("INSERT INTO \"\($0)\"") }
            }
            return (lines.filter { !isOfKey($0) }, lines.filter(isOfKey))
        }
        let (first, second) = (try dump(), try dump())
        #expect(first.rows == second.rows)
        #expect(first.rows.contains { $0.hasPrefix("INSERT INTO \"payment\"") })
        #expect(first.keys.count == second.keys.count && first.keys != second.keys)
    }

    @Test func `the card's keys are computed once, and again when their file is damaged`() throws {
        let scratch = try Scratch()
        let folder = scratch.file(".cache/cardpresent")
        func trace(_ name: String) throws -> String {
            try Program.run(
                [
                    "pay", "12.50", "--card", "visa-dda", "--seed", "9", "--trace", scratch.file(name), "--database",
                    scratch.file("\(name).sqlite"),
                ], in: scratch
            ).expectStatus(0)
            return try scratch.text(name)
        }
        let first = try trace("first")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(files == ["ca-1408-3", "icc-1024-3", "issuer-1152-3"].map { "rsa-key-9-\($0).txt" })
        #expect(try trace("second") == first)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(files[0])"))
        #expect(try trace("third") == first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files)
    }

    @Test func `in the same database it takes another payment`() throws {
        let scratch = try Scratch()
        for _ in 0..<2 {
            try Program.run(["pay", "1", "--seed", "7", "--database", scratch.database], in: scratch).expectStatus(0)
        }
        let records = try Records(of: scratch)
        #expect(records.captured == 200)
        records.expectTruth()
    }
}
