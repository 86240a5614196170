import Foundation
import Testing

@Suite("A run with a seed")
struct RepeatedRunTests {
    @Test(arguments: ["visa-credit", "pin-enciphered", "t1-card", "insufficient-funds"])
    func `in a new database it gives the same trace, JSON, receipt and book again`(card: String) throws {
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

    @Test func `the keys of its card are computed once, and again when they are damaged`() throws {
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
