import Foundation
import Testing

@Suite("Listing payments")
struct PaymentListTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String..., zone: String = "UTC") throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch, environment: ["TZ": zone])
    }

    @Test func `why a payment failed stands beside its card, not in its place`() throws {
        try run("pay", "12.50", "--seed", "1").expectStatus(0)
        try run("pay", "3", "--card", "mute", "--seed", "2").expectStatus(5)
        let lines = try run("payments", "list").output.split(separator: "\n").map(String.init)
        let columns = ["CARD", "NOTE"].map { lines[0].range(of: $0)?.lowerBound.utf16Offset(in: lines[0]) ?? -1 }
        #expect(lines[0].hasSuffix("  NOTE"))
        func cell(_ line: String, _ column: Int, _ end: Int? = nil) -> String {
            String(line.dropFirst(column).prefix(end.map { $0 - column } ?? .max)).trimmingCharacters(in: .whitespaces)
        }
        #expect(cell(lines[1], columns[1]) != "")
        #expect(cell(lines[1], columns[0], columns[1]) == "", "\(lines)")
        #expect(cell(lines[2], columns[1]) == "")
        #expect(lines[2].dropFirst(columns[0]).hasPrefix("Visa"), "\(lines)")
    }

    @Test func `payments are found by status, time, card, amount, and order`() throws {
        // All of them on 2 January 2026 at noon, UTC.
        try run("pay", "12.50", "--seed", "1").expectStatus(0)
        try run("pay", "3", "--card", "mute", "--seed", "2").expectStatus(5)
        try run("pay", "8", "--card", "mastercard-credit", "--seed", "3").expectStatus(0)
        func found(_ arguments: String..., zone: String = "UTC") throws -> [String] {
            let list = try Program.run(
                ["payments", "list", "--json", "--database", scratch.database] + arguments, in: scratch,
                environment: ["TZ": zone]
            ).list()
            return list.compactMap { $0["id"] as? String }
        }
        #expect(try found() == ["P000003", "P000002", "P000001"])
        #expect(try found("--limit", "2") == ["P000003", "P000002"])
        #expect(try found("--status", "captured") == ["P000003", "P000001"])
        #expect(try found("--status", "captured", "--status", "failed").count == 3)
        #expect(try found("--status", "refunded") == [])
        #expect(try found("--last4", "0010") == ["P000001"])
        #expect(try found("--amount", "12.5") == ["P000001"])
        #expect(try found("--amount", "12.50", "--currency", "EUR") == [])
        #expect(try found("--order", "42") == [])
        #expect(try found("--status", "captured", "--last4", "0010", "--amount", "8") == [])
        // Days are whole, and local.
        #expect(try found("--since", "2026-01-02", "--until", "2026-01-02").count == 3)
        #expect(try found("--until", "2026-01-01") == [])
        #expect(try found("--since", "2026-01-03") == [])
        #expect(try found("--since", "2026-01-03", zone: "Pacific/Kiritimati").count == 3)
        // Times are moments; the end is not included.
        #expect(try found("--since", "2026-01-02T12:00:00Z").count == 3)
        #expect(try found("--until", "2026-01-02T12:00:00Z") == [])
        #expect(try found("--since", "2026-01-02T13:00:00+01:00").count == 3)
        let none = try run("payments", "list", "--last4", "9999")
        #expect((none.status, none.output, none.error) == (0, "", "No matching payments.\n"))
    }

    @Test(
        arguments: [
            (["--last4", "4761739001010010"], "four digits"), (["--last4", "00a0"], "four digits"),
            (["--since", "yesterday"], "--since"), (["--until", "2026-02-30"], "--until"),
            (["--since", "2026-02-02", "--until", "2026-02-01"], "--until must not be before --since"),
            (["--limit", "0"], "--limit"), (["--order", "0"], "--order"), (["--status", "paid"], "--status"),
            (["--currency", "EUR"], "--currency requires --amount"), (["--amount", "1.234"], "1.234"),
            (["--format", "xls"], "--format"), (["--format", "csv", "--json"], "--format csv"),
        ] as [([String], String)])
    func `invalid filters are rejected with a reason`(arguments: [String], word: String) throws {
        let result = try Program.run(
            ["payments", "list"] + arguments + ["--database", scratch.database], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains(word), "\(result.error)")
    }

    @Test func `CSV has headings, quoted fields, and times in UTC`() throws {
        try run("pay", "12.50", "--seed", "1").expectStatus(0)
        try run("refund", "1", "--amount", "2.50", "--seed", "1").expectStatus(0)
        let csv = try run("payments", "list", "--format", "csv", zone: "Asia/Tokyo").output
        let rows = csv.components(separatedBy: "\r\n")
        #expect(rows.count == 3 && rows[2].isEmpty)
        #expect(rows[0].hasPrefix(#""id","createdAt","state","outcome","amount","refunded","currency","order","#))
        #expect(
            rows[1].hasPrefix(
                #""P000001","2026-01-02T12:00:00.000Z","partiallyRefunded","approved","12.50","2.50","USD","","visa","0010","#
            ), "\(rows[1])")
        let none = try run("payments", "list", "--format", "csv", "--status", "failed")
        #expect(none.output.components(separatedBy: "\r\n").count == 2)
    }

    @Test(arguments: [
        ("UTC", "2026-01-02 12:00:00Z"), ("Europe/Berlin", "2026-01-02 13:00:00+01:00"),
        ("Asia/Kathmandu", "2026-01-02 17:45:00+05:45"), ("America/St_Johns", "2026-01-02 08:30:00-03:30"),
        ("Pacific/Kiritimati", "2026-01-03 02:00:00+14:00"),
    ])
    func `people read local times with their offset, programs read UTC`(zone: String, text: String) throws {
        try run("pay", "5", "--seed", "1").expectStatus(0)
        #expect(try run("payments", "list", zone: zone).output.contains("P000001  \(text)  "))
        #expect(try run("receipts", "list", zone: zone).output.contains("P000001  \(text)  "))
        let step = text.replacing(" ", with: "T").prefix(19) + ".000" + text.dropFirst(19)
        #expect(try run("payments", "show", "1", zone: zone).output.contains("    \(step)  created\n"))
        let told = try run("payments", "list", "--json", zone: zone).list()
        #expect(told.first?["createdAt"] as? String == "2026-01-02T12:00:00.000Z")
    }
}
