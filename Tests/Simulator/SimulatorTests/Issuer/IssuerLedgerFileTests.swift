import Determinism
import EMV
import Foundation
import Payments
import Simulator
import SmartCard
import Testing

/// A temporary file for one test.
private final class TemporaryFile {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString)").path
    }

    var bytes: Data {
        get { FileManager.default.contents(atPath: path) ?? Data() }
        set { _ = FileManager.default.createFile(atPath: path, contents: newValue) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

struct IssuerLedgerFileTests {
    private let fixture: IssuerFixture
    private let file = TemporaryFile()

    init() throws { fixture = try IssuerFixture() }

    /// Two payments, a decline, a reversal, a refund and an advice.
    private func fill(_ issuer: SimulatedIssuer) async throws {
        _ = try await issuer.authorize(try fixture.request("a", "12.50", atc: 1))
        _ = try await issuer.authorize(try fixture.request("b", "7.00", atc: 2))
        _ = try await issuer.authorize(try fixture.request("c", atc: 3) { $0[0x9F26]?[0] ^= 1 })
        try await issuer.reverse(try fixture.reversal("b", "7.00"))
        _ = try await issuer.refund(try fixture.refund("r", of: "a", "2.50"))
        try await issuer.advise(try fixture.advice("o", "1.00"))
    }

    @Test func `another program reads the same ledger`() async throws {
        let issuer = try fixture.issuer(ledgerPath: file.path)
        try await fill(issuer)
        let book = try await issuer.ledger()
        let next = try fixture.issuer(ledgerPath: file.path)
        #expect(try await next.ledger() == book)
        #expect(book.entries.count == 6)
        #expect(try await fixture.spent(next) == 1100)
    }

    @Test func `a key answered by one program gets the same response from the next`() async throws {
        let account = try fixture.account {
            $0.scripts = [IssuerScriptCommand(.unblockPIN), IssuerScriptCommand(.blockCard, comesBeforeFinal: true)]
        }
        let first = try await fixture.issuer(account, ledgerPath: file.path).authorize(try fixture.request("a"))
        #expect(!first.answer.scriptsAfterFinal.isEmpty)
        let next = try fixture.issuer(account, ledgerPath: file.path)
        #expect(try await next.authorize(try fixture.request("a")) == first)
        #expect(try await next.inquire(IdempotencyKey(rawValue: "a")) == .approved(first))
    }

    @Test func `issuers that share the file never spend the same money twice`() async throws {
        let account = try fixture.account { $0.available = try fixture.dollars("5.00") }
        let issuers = try (0..<4).map { _ in try fixture.issuer(account, ledgerPath: file.path) }
        let shared = fixture
        let approved = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (index, issuer) in issuers.enumerated() {
                for payment in 0..<5 {
                    group.addTask {
                        let request = try shared.request(
                            "\(index) \(payment)", "1.00", atc: UInt16(index * 5 + payment + 1))
                        return try await issuer.authorize(request).isApproved
                    }
                }
            }
            var approved = 0
            for try await isApproved in group where isApproved { approved += 1 }
            return approved
        }
        #expect(approved == 5)
        #expect(try await issuers[0].ledger().entries.count == 20)
        #expect(try await fixture.spent(issuers[3]) == 500)
    }

    @Test func `a writer killed at any byte loses only its own entry`() async throws {
        let issuer = try fixture.issuer(ledgerPath: file.path)
        _ = try await issuer.authorize(try fixture.request("a"))
        try await issuer.reverse(try fixture.reversal("a"))
        let whole = file.bytes
        let entries = try await issuer.ledger().entries
        let ends = whole.indices.filter { whole[$0] == 0x0A }
        let torn = TemporaryFile()
        for count in 0...whole.count {
            torn.bytes = whole.prefix(count)
            let survivor = try fixture.issuer(ledgerPath: torn.path)
            let kept = ends.prefix { $0 < count }.count
            #expect(try await survivor.ledger().entries == Array(entries.prefix(kept)))
            // The ledger continues after the last complete line.
            try await survivor.reverse(try fixture.reversal("new"))
            #expect(try await fixture.issuer(ledgerPath: torn.path).ledger().entries.count == kept + 1)
        }
    }

    @Test func `an invalid line is reported, and nothing is appended`() async throws {
        try await fill(try fixture.issuer(ledgerPath: file.path))
        let lines = file.bytes.split(separator: 0x0A)
        for bad in ["", "{}", "garbage", #"{"kind":"authorisation","key":"x","minorUnits":-1,"currency":"USD"}"#] {
            let damaged = Data((lines[0] + [0x0A] + Data(bad.utf8) + [0x0A] + lines[1] + [0x0A]))
            file.bytes = damaged
            #expect(throws: IssuerLedgerError.malformedLine(2, path: file.path)) {
                try fixture.issuer(ledgerPath: file.path)
            }
            #expect(file.bytes == damaged)
        }
    }

    @Test func `a file that cannot be opened is reported`() throws {
        #expect(throws: IssuerLedgerError.system(call: "open", path: "/nonexistent/ledger", errno: ENOENT)) {
            try fixture.issuer(ledgerPath: "/nonexistent/ledger")
        }
    }

    @Test func `a ledger truncated during use accepts no message`() async throws {
        let issuer = try fixture.issuer(ledgerPath: file.path)
        try await fill(issuer)
        #expect(truncate(file.path, 10) == 0)
        await #expect(throws: PaymentHostError.self) {
            _ = try await issuer.authorize(try fixture.request("z", atc: 9))
        }
        #expect(file.bytes.count == 10)
    }

    @Test func `neither PAN nor PIN is in the file`() async throws {
        let account = try fixture.account(pin: [7, 3, 9, 1])
        let issuer = try fixture.issuer(account, ledgerPath: file.path)
        try await fill(issuer)
        _ = try await issuer.authorize(
            try fixture.request("p", atc: 9, pinBlock: try fixture.tripleDESBlock([7, 3, 9, 1])))
        let text = String(decoding: file.bytes, as: UTF8.self)
        #expect(text.contains("0010"))
        for canary in [IssuerFixture.pan, "76173900101001", "47617390", "7391"] {
            #expect(!text.contains(canary))
        }
        // Not as numbers in a JSON array either.
        #expect(!text.contains("71,97,115,144"))
        #expect(!text.contains("7,3,9,1"))
        #expect(!"\(account)".contains(IssuerFixture.pan))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }
}
