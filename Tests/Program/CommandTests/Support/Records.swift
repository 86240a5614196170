import Foundation
import Testing

/// The records of a database and the simulated issuer's ledger.
struct Records {
    var payments: [[String: Any]]
    /// Minor units that the issuer has booked and not given back.
    var charged: Int

    /// Reads them as a user would: with a command, which finishes what was left in the middle.
    init(of scratch: Scratch) throws {
        // A program that was refused or killed early has made no database, and showing makes none.
        guard FileManager.default.fileExists(atPath: scratch.database) else {
            (payments, charged) = ([], 0)
            return
        }
        payments = try Program.run(["payments", "list", "--database", scratch.database, "--json"], in: scratch).list()
        let book = (try? scratch.text("till.sqlite.issuer")) ?? ""
        var booked: [String: Int] = [:]
        for line in book.split(separator: "\n") {
            let entry = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let key = try #require(entry["key"] as? String)
            let amount = try #require(entry["minorUnits"] as? Int)
            let isApproved = (entry["answer"] as? [String: Any])?["responseCode"] as? String == "00"
            switch entry["kind"] as? String {
            case "authorisation", "advice":
                if isApproved || entry["kind"] as? String == "advice" { booked[key] = amount }
            case "refund": if isApproved { booked[key] = -amount }
            case "reversal": booked[key] = 0
            // An increment moves nothing by itself.
            case "notice", "unanswered", "increment": break
            default: Issue.record("unknown line in the issuer's book: \(line)")
            }
        }
        charged = booked.values.reduce(0, +)
    }

    var states: [String] { payments.compactMap { $0["state"] as? String } }

    /// The net amount of the payments.
    var captured: Int {
        payments.reduce(0) { sum, payment in
            let isTaken = ["captured", "partiallyRefunded", "refunded"].contains(payment["state"] as? String ?? "")
            return isTaken ? sum + (payment["amount"] as? Int ?? 0) - (payment["refunded"] as? Int ?? 0) : sum
        }
    }

    /// Expects that every payment has ended, and that the issuer's totals match.
    func expectTruth(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let final: Set = ["captured", "declined", "cancelled", "failed", "reversed", "partiallyRefunded", "refunded"]
        #expect(Set(states).subtracting(final) == [], comment, sourceLocation: sourceLocation)
        #expect(captured == charged, comment, sourceLocation: sourceLocation)
    }
}
