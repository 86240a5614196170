import Foundation
import Glibc
import TestPostgreSQL
import Testing

@Suite("Fleet", .enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct FleetCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a command of the fleet at the server of a test, which has this back office alone.
    private func fleet(
        _ server: TemporaryPostgreSQL, _ arguments: String..., database: String? = nil, input: String = ""
    ) throws -> ProgramResult {
        try Program.run(
            ["fleet"] + arguments + (database.map { ["--database", $0] } ?? []), in: scratch, input: input,
            environment: ["CARDPRESENT_FLEET": server.address()])
    }

    private func code(_ result: ProgramResult) throws -> String? {
        (try result.object()["error"] as? [String: Any])?["code"] as? String
    }

    @Test func `a till becomes a lane, ships, is added up, compared, restored, and noticed`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let till = scratch.database
            #expect(try code(fleet(server, "status", "--json")) == "no_fleet")
            #expect(try fleet(server, "init", "--shop", "harbor", "--time-zone", "Europe/Berlin").status == 0)
            #expect(try fleet(server, "init").output == "the back office has schema 6\n")
            #expect(try code(fleet(server, "invite", "nowhere", "till 1", "--json")) == "unknown_shop")
            let token = try fleet(server, "invite", "harbor", "till 1").output
            #expect(try Program.run(["pay", "12.50", "--database", till], in: scratch).status == 0)
            #expect(try code(fleet(server, "ship", "--json", database: till)) == "not_enrolled")
            let enrolled = try fleet(server, "enroll", "--token-file", "-", "--json", database: till, input: token)
            #expect(enrolled.status == 0, "\(enrolled.error)")
            #expect(try enrolled.object()["lane"] as? String == "till 1")
            let again = try fleet(server, "enroll", "--token-file", "-", "--json", database: till, input: token)
            #expect(try code(again) == "already_enrolled")

            let shipped = try fleet(server, "ship", "--json", database: till)
            #expect(shipped.status == 0, "\(shipped.error)")
            #expect(try fleet(server, "ship", database: till).output == "nothing waits\n")
            let lanes = try fleet(server, "status", "--json").list()
            #expect(lanes.map { $0["lane"] as? String } == ["till 1"])
            #expect(lanes.map { $0["waiting"] as? Int } == [0])
            #expect(lanes.map { $0["payments"] as? Int } == [1])
            let payments = try fleet(server, "payments", "--json").list()
            #expect(payments.map { $0["id"] as? String } == ["P000001"])
            #expect(payments.map { $0["amount"] as? Int } == [1250])
            #expect(try fleet(server, "payments", "--unknown", "--json").list().isEmpty)

            let report = try fleet(server, "report", "--format", "csv").output
            let same = try scratch.write(report, to: "settlement.csv")
            #expect(try fleet(server, "reconcile", same).status == 0)
            let other = try scratch.write(report.replacing("12.50", with: "12.40"), to: "other.csv")
            let differing = try fleet(server, "reconcile", other, "--json")
            #expect(differing.status == 7)
            let differences = try differing.object()["differences"] as? [[String: Any]]
            #expect(differences?.map { $0["difference"] as? String } == ["differs"])
            #expect(differences?.map { $0["lane"] as? String } == ["till 1"])
            for arguments in [["status"], ["payments"], ["report"], ["reconcile", same]] {
                let mistyped = try Program.run(
                    ["fleet"] + arguments + ["--shop", "harbour", "--json"], in: scratch,
                    environment: ["CARDPRESENT_FLEET": server.address()])
                #expect(mistyped.status == 64, "\(arguments)")
                #expect(try code(mistyped) == "unknown_shop", "\(arguments)")
            }
            let elsewhen = try fleet(
                server, "reconcile", same, "--since", "2001-01-01", "--until", "2001-01-02", "--json")
            #expect(elsewhen.status == 65)
            #expect(try code(elsewhen) == "nothing_compared")
            #expect(try fleet(server, "report", "--since", "0000-01-01").status == 64)
            #expect(try fleet(server, "invite", "harbor", "  ").status == 64)

            let backup = scratch.file("backup.sqlite")
            #expect(try Program.run(["backup", backup, "--database", till], in: scratch).status == 0)
            #expect(try Program.run(["pay", "3", "--database", till], in: scratch).status == 0)
            #expect(try fleet(server, "ship", database: till).status == 0)
            #expect(try Program.run(["restore", "--force", backup, "--database", till], in: scratch).status == 0)
            let refused = try fleet(server, "ship", "--json", database: till)
            #expect(refused.status == 7)
            #expect(try code(refused) == "lane_restored")
            #expect(refused.error.contains("cardpresent fleet enroll --again"))
            #expect(try fleet(server, "status", "--json").list().map { $0["refused"] as? String } == ["restored"])
            #expect(try fleet(server, "enroll", "--again", database: till).status == 0)
            #expect(try fleet(server, "ship", database: till).status == 0)
            #expect(try fleet(server, "status", "--json").list().map { $0["lostAttempts"] as? Int } == [1])

            let erased = try fleet(server, "erase", "harbor", "--older-than", "0", "--yes", "--json")
            #expect(try erased.object()["erased"] as? Int == 2)
            #expect(try fleet(server, "payments", "--json").list().allSatisfy { $0["last4"] is NSNull })
        }
    }

    @Test func `a lane that follows ships what comes, and ends with 0 on SIGTERM`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let till = scratch.database
            #expect(try fleet(server, "init", "--shop", "harbor").status == 0)
            let token = try fleet(server, "invite", "harbor", "till 1").output
            #expect(try fleet(server, "enroll", "--token-file", "-", database: till, input: token).status == 0)
            let follower = try Child(
                ["fleet", "ship", "--follow", "--json", "--database", till], in: scratch,
                environment: ["CARDPRESENT_FLEET": server.address()])
            #expect(try Program.run(["pay", "5", "--database", till], in: scratch).status == 0)
            #expect(follower.wait { (try? fleet(server, "payments", "--json").list().count) == 1 })
            // The lane hears of it after the back office has it.
            #expect(follower.wait { follower.output.contains("\"shipped\"") })
            follower.send(SIGTERM)
            let result = try follower.result()
            #expect(result.status == 0, "\(result.error)")
        }
    }

    @Test func `without a back office, a command says how to name one`() throws {
        let result = try Program.run(["fleet", "status", "--json"], in: scratch)
        #expect(result.status == 78)
        #expect(try code(result) == "no_back_office")
        let malformed = try Program.run(["fleet", "status", "--json", "--office", "nonsense"], in: scratch)
        #expect(malformed.status == 64)
        #expect(try code(malformed) == "malformed_office")
    }
}
