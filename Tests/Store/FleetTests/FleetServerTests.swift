import Determinism
import HTTPInterface
import Money
import Payments
import PostgreSQL
import Storage
import TestOpenAPI
import TestPostgreSQL
import Testing
import Text

@testable import Fleet
@testable import FleetServer

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct FleetServerTests {
    /// A lane in each shop: 1.00 and an unknown 3.00 in `harbor`, 2.00 in `hill`.
    private func served() async throws -> AskedOffice {
        let bench = try await FleetBench()
        for (shop, amount) in [("harbor", 100), ("hill", 200)] {
            let lane = try await bench.lane(of: shop)
            try lane.pay(Int64(amount))
            if shop == "harbor" {
                let entry = try lane.pay(300, as: nil)
                try lane.journal.markUnknown(entry.attempt.id, reason: "no answer", at: FleetBench.time.now())
            }
            _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        }
        return try await AskedOffice(bench)
    }

    private static let reads = [
        "/v1/me", "/v1/lanes", "/v1/payments", "/v1/report", "/v1/report.csv", "/v1/events",
        "/v1/lanes/00000000000000000000000000000000/payments/P000001",
    ]

    @Test func `a clerk sees the own shop, and an auditor all of them`() async throws {
        let served = try await served()
        let (clerk, auditor) = (try await served.token(.clerk, in: "hill"), try await served.token(.auditor))
        let me = await served.ask("GET", "/v1/me", token: clerk).json
        #expect(me["offices"]?[0]?["office"]?.text == "clerk")
        #expect(me["offices"]?[0]?["shop"]?.text == "hill")
        for (token, shops) in [(clerk, ["hill"]), (auditor, ["harbor", "hill"])] {
            let lanes = await served.ask("GET", "/v1/lanes", token: token)
            #expect(lanes.status == 200, "\(lanes.text)")
            #expect(lanes.json.elements.map { $0["shop"]?.text } == shops)
            #expect(lanes.json.elements.allSatisfy { $0["waiting"]?.int == 0 && $0["lagMilliseconds"]?.int != nil })
            let report = await served.ask("GET", "/v1/report", token: token).json.elements
            #expect(report.map { $0["shop"]?.text } == shops)
            let payments = await served.ask("GET", "/v1/payments", token: token).json["payments"]?.elements ?? []
            #expect(Set(payments.map { $0["shop"]?.text }) == Set(shops))
        }
        // The shop of another does not exist, and neither does a payment there.
        for target in ["lanes", "payments", "report", "report.csv"] {
            let reply = await served.ask("GET", "/v1/\(target)?shop=harbor", token: clerk)
            #expect((reply.status, reply.code) == (404, "unknown_shop"), "\(target)")
        }
        let lane = try #require(try await served.bench.office.lanes(of: "harbor").first)
        let target = "/v1/lanes/\(lane.id)/payments/P000001"
        #expect(await served.ask("GET", target, token: clerk).code == "no_such_payment")
        #expect(await served.ask("GET", target, token: auditor).status == 200)
        #expect(await served.ask("GET", "/v1/events", token: clerk).code == "not_allowed")
        #expect(await served.ask("GET", "/v1/events", token: auditor).json.elements.isEmpty == false)
    }

    @Test func `a payment has its attempts and receipts, and unknown ones are found`() async throws {
        let served = try await served()
        let token = try await served.token(.clerk)
        let page = await served.ask("GET", "/v1/payments?unknown=true", token: token).json
        let unknown = try #require(page["payments"]?[0])
        #expect(page["payments"]?.elements.count == 1)
        #expect(unknown["amount"]?.int == 300)
        #expect(unknown["id"]?.text == "P000002")
        let lane = try #require(unknown["laneId"]?.text)
        let history = await served.ask("GET", "/v1/lanes/\(lane)/payments/P000001", token: token).json
        #expect(history["payment"]?["last4"]?.text == "1119")
        #expect(history["attempts"]?.elements.map { $0["kind"]?.text } == ["sale"])
        #expect(history["attempts"]?[0]?["state"]?.text == "captured")
        for name in ["P999999", "x", "P0", "-1"] {
            #expect(await served.ask("GET", "/v1/lanes/\(lane)/payments/\(name)", token: token).status == 404)
        }
    }

    @Test func `pages have every payment once, also those of the same moment`() async throws {
        let bench = try await FleetBench()
        let moment = FleetBench.time.now()
        for number in 1...2 {
            let lane = try await bench.lane("till \(number)")
            for amount in 1...5 {
                _ = try lane.journal.begin(
                    siteID: 7, orderID: nil, amount: Money(minorUnits: Int64(amount), currency: .usDollar),
                    hostName: "simulated", at: moment)
            }
            _ = try await lane.shipper(to: bench.office).ship(patience: .zero)
        }
        let served = try await AskedOffice(bench)
        let token = try await served.token(.clerk)
        var (found, next, pages): ([String], String?, Int) = ([], "", 0)
        while let after = next, pages < 10 {
            let page = await served.ask(
                "GET", "/v1/payments?limit=3" + (after.isEmpty ? "" : "&after=\(after)"), token: token
            ).json
            let payments = page["payments"]?.elements ?? []
            found += payments.map { ($0["lane"]?.text ?? "") + ($0["id"]?.text ?? "") }
            (next, pages) = (page["next"]?.text, pages + 1)
        }
        #expect(pages == 4)
        #expect(found.count == 10)
        #expect(Set(found).count == 10)
        let day = moment.civil(offsetSeconds: 0).dayText
        #expect(await served.ask("GET", "/v1/payments?shop=hill&day=\(day)", token: token).status == 200)
        let other = await served.ask("GET", "/v1/payments?day=1999-12-31", token: token).json
        #expect(other["payments"]?.elements.isEmpty == true)
    }

    @Test func `a settlement is compared with what the login may see`() async throws {
        let served = try await served()
        let token = try await served.token(.auditor)
        let report = await served.ask("GET", "/v1/report.csv", token: token)
        #expect(report.text.split(whereSeparator: \.isNewline).count == 3)
        let same = await served.ask("POST", "/v1/reconciliations", report.text, token: token, type: "text/csv")
        #expect(same.json["differences"]?.elements.isEmpty == true)
        #expect(same.json["compared"]?.int == 2)
        #expect(same.json["unknownPayments"]?.int == 1)
        let lines = report.text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\"hill") }
        let changed = lines.joined(separator: "\r\n")
        // Without the shop's lines, the file may end on another day: the days are given.
        let all = "/v1/reconciliations?since=2000-01-01&until=2099-12-31"
        let other = await served.ask("POST", all, changed + "\n", token: token, type: "text/csv")
        #expect(other.json["differences"]?.elements.map { $0["difference"]?.text } == ["notSettled"])
        #expect(other.json["differences"]?[0]?["lane"]?.text == "till 1")
        let ignored = await served.ask(
            "POST", "/v1/reconciliations?shop=hill", report.text, token: token, type: "text/csv")
        #expect(ignored.json["ignored"]?.int == 1)
        let none = await served.ask(
            "POST", "/v1/reconciliations?since=2001-01-01&until=2001-01-02", report.text, token: token, type: "text/csv"
        )
        #expect((none.status, none.code) == (422, "nothing_compared"))
        // The clerk of another shop has nothing to compare the lines with.
        let clerk = try await served.token(.clerk, in: "hill")
        let foreign = await served.ask("POST", "/v1/reconciliations", report.text, token: clerk, type: "text/csv")
        #expect(foreign.json["differences"]?.elements.map { $0["difference"]?.text } == ["notTaken"])
    }

    @Test func `only a manager of the shop invites and erases`() async throws {
        let served = try await served()
        let invitation = #"{"shop": "hill", "lane": "till 9"}"#
        let erasure = #"{"shop": "hill", "olderThanDays": 0}"#
        for office in [Office.clerk, .auditor] {
            let token = try await served.token(office)
            #expect(await served.ask("POST", "/v1/invitations", invitation, token: token).code == "not_allowed")
            #expect(await served.ask("POST", "/v1/erasures", erasure, token: token).code == "not_allowed")
        }
        let foreign = try await served.token(.manager, in: "harbor")
        #expect(await served.ask("POST", "/v1/invitations", invitation, token: foreign).status == 403)
        #expect(await served.ask("POST", "/v1/erasures", erasure, token: foreign).status == 403)
        #expect(try await served.bench.number("SELECT count(*) FROM fleet.payment WHERE erased_at IS NOT NULL") == 0)

        let login = try await served.bench.login(.manager, in: "hill")
        let manager = try await served.token(of: login)
        let invited = await served.ask("POST", "/v1/invitations", invitation, token: manager)
        #expect(invited.status == 201)
        let lane = try TestLane()
        _ = try await lane.enrollment(at: served.bench.office).enroll(token: try #require(invited.json["token"]?.text))
        #expect(await served.ask("POST", "/v1/erasures", erasure, token: manager).json["erased"]?.int == 1)
        // Who did it is the person, and not the server.
        let events = await served.ask("GET", "/v1/events?shop=hill", token: manager).json.elements
        let own = events.filter { ["invite", "erase"].contains($0["action"]?.text) && $0["login"]?.text == login }
        #expect(own.count == 2)
    }

    @Test func `without a token that works, nothing is answered`() async throws {
        let served = try await served()
        let token = try await served.token(.auditor)
        for target in Self.reads {
            #expect(await served.ask("GET", target).code == "no_token", "\(target)")
            #expect(await served.ask("GET", target, token: "cpf_" + String(repeating: "0", count: 48)).status == 401)
        }
        for target in ["/v1/invitations", "/v1/erasures", "/v1/reconciliations", "/v1/nothing"] {
            #expect(await served.ask("POST", target, "{}").status == 401, "\(target)")
        }
        #expect(await served.ask("GET", "/v1/lanes", token: token).status == 200)
        _ = try await served.bench.office.run(
            Statement("UPDATE fleet.token SET expires_at = clock_timestamp() - interval '1 second'"))
        #expect(await served.ask("GET", "/v1/lanes", token: token).code == "expired_token")
        let other = try await served.token(.auditor)
        #expect(try await served.bench.office.tokens().map(\.isValid) == [false, true])
        #expect(try await served.bench.office.revokeTokens(number: 2) == 1)
        #expect(await served.ask("GET", "/v1/lanes", token: other).code == "revoked_token")
        #expect(await failure { _ = try await served.bench.office.revokeTokens(number: 2) } == .noSuchToken)
        let digests = try await served.bench.number(
            "SELECT count(*) FROM fleet.token t WHERE position('cpf_' in encode(t.digest, 'escape')) > 0")
        #expect(digests == 0)
    }

    @Test func `a login that loses its office loses its tokens`() async throws {
        let served = try await served()
        let login = try await served.bench.login(.clerk, in: "hill")
        let token = try await served.token(of: login)
        #expect(await served.ask("GET", "/v1/lanes", token: token).status == 200)
        _ = try await served.bench.office.revoke(nil, from: login, in: nil)
        #expect(await served.ask("GET", "/v1/lanes", token: token).code == "revoked_token")
        let (new, _) = try OfficeToken.make(SystemRandomSource())
        #expect(
            await failure { _ = try await served.bench.office.keep(new, for: login, days: 1, note: nil) }
                == .loginWithoutOffice)
        // The server can't take its role any more.
        let members = try await served.bench.number("SELECT pg_has_role('fleet_server', '\(login)', 'MEMBER')::int")
        #expect(members == 0)
    }

    @Test func `no token stands for a login that may do more than an office`() async throws {
        let bench = try await FleetBench()
        try await bench.office.grant(.auditor, to: "tester", in: nil)
        let (token, _) = try OfficeToken.make(SystemRandomSource())
        #expect(
            await failure { _ = try await bench.office.keep(token, for: "tester", days: 1, note: nil) }
                == .loginTooMighty)
        #expect(
            await failure { _ = try await bench.office.keep(token, for: "nobody", days: 1, note: nil) } == .noSuchLogin)
    }

    @Test func `the login of the server sees and does nothing itself`() async throws {
        let served = try await served()
        let login = try await served.bench.login(.server, in: nil)
        let office = try served.bench.office(of: login)
        _ = try await served.token(.manager)
        for sql in [
            "SELECT * FROM fleet.payment", "SELECT * FROM fleet.token", "SELECT * FROM fleet.lane",
            "SELECT fleet.invite('hill', 'x', 'x', 1)", "SELECT * FROM fleet.my_offices()",
            "SELECT fleet.make_token('x', '', 1, NULL)", "SELECT fleet.revoke_token('x', NULL)",
        ] {
            #expect(await failure { _ = try await office.run(Statement(sql)) } == .notAllowed, "\(sql)")
        }
        // It can take no role of a login without a token.
        let clerk = try await served.bench.login(.clerk, in: nil)
        let stranger = office.acting(as: clerk, isReadOnly: true)
        #expect(await failure { _ = try await stranger.lanes() } == .notAllowed)
    }

    @Test func `what only reads can change nothing, and a role ends with its request`() async throws {
        let served = try await served()
        let login = try await served.bench.login(.manager, in: nil)
        _ = try await served.token(of: login)
        let office = try served.bench.office(of: try await served.bench.login(.server, in: nil))
        let manager = office.acting(as: login, isReadOnly: true)
        #expect(await failure { try await manager.invite("x", of: "hill", token: "x", hours: 1) } != nil)
        #expect(try await manager.lanes().count == 2)
        #expect(await failure { _ = try await office.lanes() } == .notAllowed)
        #expect(try await served.bench.number("SELECT count(*) FROM fleet.invitation WHERE lane_name = 'x'") == 0)
    }

    @Test(arguments: [
        ("GET", "/v1/payments?limit=0", "", 400), ("GET", "/v1/payments?limit=501", "", 400),
        ("GET", "/v1/payments?day=2026-02-30", "", 422), ("GET", "/v1/payments?state=lost", "", 400),
        ("GET", "/v1/payments?after=x", "", 422), ("GET", "/v1/payments?last4=12a4", "", 422),
        ("GET", "/v1/payments?shop=%00", "", 422), ("GET", "/v1/payments?unknown=true&state=captured", "", 422),
        ("GET", "/v1/report?since=2026-01-02&until=2026-01-01", "", 422), ("GET", "/v1/events?before=0", "", 400),
        ("GET", "/v1/report?sinc=2026-01-02", "", 400), ("GET", "/v1/lanes?shop=%zz", "", 400),
        ("GET", "/v1/lanes?shop", "", 400), ("GET", "/v1/lanes?shop=hill&shop=harbor", "", 400),
        ("GET", "/v1/payments?shop=%ff", "", 400), ("GET", "/v1/me?shop=hill", "", 400),
        ("GET", "/v1/lanes", "{}", 400), ("DELETE", "/v1/lanes", "", 405), ("GET", "/v1/none", "", 404),
        ("GET", "/v1/report?since=0000-01-01", "", 422), ("GET", "/v1/payments?day=0000-01-01", "", 422),
        ("GET", "/v1/lanes?shop=nowhere", "", 404), ("GET", "/v1/payments?shop=nowhere", "", 404),
        ("GET", "/v1/report?shop=nowhere", "", 404), ("GET", "/v1/report.csv?shop=nowhere", "", 404),
        ("GET", "/v1/events?shop=nowhere", "", 404),
        ("POST", "/v1/invitations", "", 422), ("POST", "/v1/invitations", "[", 400),
        ("POST", "/v1/invitations", #"{"shop": "hill", "lane": "  "}"#, 422),
        ("POST", "/v1/invitations", #"{"shop": "hill", "lane": "a:\"b", "lane": "c"}"#, 400),
        ("POST", "/v1/invitations", #"{"shop": "hill", "lane": "a\u0000b"}"#, 422),
        ("POST", "/v1/invitations", #"{"shop": "hill", "lane": "x", "hours": 0}"#, 422),
        ("POST", "/v1/invitations", #"{"shop": "hill", "lane": "x", "more": 1}"#, 422),
        ("POST", "/v1/invitations", #"{"shop": "nowhere", "lane": "x"}"#, 404),
        ("POST", "/v1/erasures", #"{"shop": "hill"}"#, 422),
        ("POST", "/v1/erasures", #"{"shop": "hill", "payment": "P000001"}"#, 422),
        ("POST", "/v1/erasures", #"{"shop": "hill", "lane": "no", "olderThanDays": 0}"#, 404),
        ("POST", "/v1/reconciliations", "nonsense", 422), ("POST", "/v1/reconciliations", "", 422),
    ])
    func `bad input is refused with a typed error`(
        _ request: (method: String, target: String, body: String, status: Int)
    ) async throws {
        let served = try await AskedOffice(FleetBench())
        let token = try await served.token(.manager)
        // A manager of all shops hears that a shop is not there.
        let reply = await served.ask(request.method, request.target, request.body, token: token)
        #expect(reply.status == request.status, "\(reply.text)")
        #expect(reply.code?.isEmpty == false)
    }

    @Test func `a page of another site, another media type, and a long body are refused`() async throws {
        let served = try await AskedOffice(FleetBench())
        let token = try await served.token(.auditor)
        #expect(await served.ask("GET", "/v1/me", token: token, origin: "http://evil.example").code == "foreign_origin")
        let csv = await served.ask("POST", "/v1/reconciliations", "x", token: token, type: "application/json")
        #expect(csv.status == 415)
        let long = String(repeating: " ", count: FleetService.longestBody + 1)
        #expect(await served.ask("POST", "/v1/invitations", long, token: token).status == 413)
    }

    @Test func `a database that is away is a typed error, and the server comes back by itself`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await FleetBench(server)
            let served = try await AskedOffice(bench)
            let token = try await served.token(.auditor)
            #expect(await served.ask("GET", "/v1/lanes", token: token).status == 200)
            #expect(await served.ask("GET", "/readyz").status == 200)
            try await server.crash()
            for target in ["/v1/lanes", "/v1/me", "/readyz"] {
                let reply = await served.ask("GET", target, token: token)
                #expect(reply.status == 503, "\(target): \(reply.text)")
                #expect(reply.code == "office_unavailable")
                #expect(reply.headers["Retry-After"] == "1")
            }
            #expect(await served.ask("GET", "/healthz").status == 200)
            try await server.restart()
            // Nothing but the next request is needed: each connection finds out by itself.
            for _ in 0..<2 { #expect(await served.ask("GET", "/v1/lanes", token: token).status == 200) }
        }
    }

    @Test func `a database without tokens, or a server without its office, says so`() async throws {
        let bench = try await FleetBench()
        let clerk = try await bench.login(.clerk, in: nil)
        let service = FleetService(
            [try bench.office(of: clerk)], time: FleetBench.time, random: SystemRandomSource())
        let reply = await service.answer(
            APIRequest(method: "GET", target: "/v1/lanes", headers: ["authorization": "Bearer x"]))
        #expect(reply.status == 503)
        let empty = try await FleetBench(isSetUp: false)
        let lost = FleetService([empty.office], time: FleetBench.time, random: SystemRandomSource())
        #expect(await lost.answer(APIRequest(method: "GET", target: "/readyz")).status == 503)
    }

    @Test func `the log has what is wrong with the database, and the answer has not`() async throws {
        let empty = try await FleetBench(isSetUp: false)
        let (lines, log) = AsyncStream<String>.makeStream()
        let service = FleetService(
            [empty.office], time: FleetBench.time, random: SystemRandomSource(),
            log: { log.yield("\($0)") })
        let token = "cpf_" + String(repeating: "5", count: 48)
        let answer = await service.answer(
            APIRequest(method: "GET", target: "/v1/lanes", headers: ["authorization": "Bearer \(token)"]))
        guard case .bytes(let bytes) = answer.content else {
            Issue.record("a stream")
            return
        }
        let reply = String(decoding: bytes, as: UTF8.self)
        #expect(answer.status == 503)
        log.finish()
        let found = await lines.reduce(into: []) { $0.append($1) }
        #expect(found.count == 2)
        for word in ["office_failed", "no_fleet", FleetError.notSetUp.description] {
            #expect(found.first?.contains(word) == true, "\(found)")
        }
        #expect(!reply.contains(FleetError.notSetUp.description))
        #expect(!found.contains { $0.contains(token) })
    }
}

struct FleetDocumentTests {
    private let check = DocumentCheck(FleetDocument.bytes)

    @Test func `the document has every route, and no other`() throws {
        let paths = try #require(check.document["paths"]?.members)
        let documented = paths.flatMap { path, operations in
            operations.members.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(documented.sorted() == FleetRoute.table.map { "\($0.method) \($0.path)" }.sorted())
    }

    @Test func `the document has no broken references and no unused shapes`() {
        var found: Set<String> = []
        func collect(_ value: JSON) {
            if let reference = value["$ref"]?.text {
                found.insert(String(reference.dropFirst("#/components/schemas/".count)))
            }
            for member in value.members.values { collect(member) }
            for element in value.elements { collect(element) }
        }
        collect(check.document)
        #expect(found == Set(FleetDocument.shapes.keys))
    }

    @Test func `the page is one file, and runs its own script only`() {
        let page = FleetConsole.page
        guard case .bytes(let bytes) = page.content else {
            Issue.record("a stream")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("src=\"http") && !text.contains("href=\"http") && !text.contains("console.css"))
        #expect(text.contains("modules[\"fleet.js\"]"))
        let policy = page.headers.first { $0.name == "Content-Security-Policy" }?.value
        #expect(policy?.contains("script-src 'sha256-") == true)
    }
}
