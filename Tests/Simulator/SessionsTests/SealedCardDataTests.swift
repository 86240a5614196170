import Acquirer
import Foundation
import GRDB
import ISO8583
import Payments
import Sessions
import Simulator
import Testing
import Yosemite

@Suite("Card data that a later message demands")
struct SessionSealedCardDataTests {
    private let profile: MessageProfile

    init() throws {
        let example = URL(filePath: #filePath).appending(path: "../../../../Examples/hosts/sealed-host.yaml")
        profile = try MessageProfile(path: example.standardized.path)
    }

    /// How many attempts have some.
    private func kept(_ session: SimulatedSession) throws -> String? {
        try session.rows("SELECT count(*) AS kept FROM paymentAttempt WHERE sealedCardData IS NOT NULL")
            .first?.first?.value
    }

    @Test("survives a crash after the request, goes out with the reversal, and is gone; no file has it in clear")
    func crash() throws {
        let folder = try TemporaryFolder()
        let plan = try SessionPlan.with {
            $0.journal = .file(folder.path + "/till")
            $0.wire = PlannedWire(profile)
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("host wire 0200 sale answered 00"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("12.50")) }
            #expect(try kept(session) == "1")
            try expectNoCardData(in: folder.path)
            let report = try await session.restart()
            #expect(report.finished.map(\.state) == [.reversed])
            // Without field 2, the acquirer answers 30.
            #expect(
                session.details(.host).contains { $0.hasPrefix("wire 042") && $0.contains("reversal answered 00") })
            #expect(try kept(session) == "0")
            let books = try await session.reconciliation()
            #expect(books.agrees && !books.hasOpen && books.totals.allSatisfy { $0.issuer == 0 })
            try expectNoCardData(in: folder.path)
        }
    }

    @Test("is gone when the host answers, and kept for a capture while an amount is held")
    func held() throws {
        try SimulatedSession.play(try .with { $0.wire = PlannedWire(profile) }) { session in
            try await session.connect()
            #expect(try await session.pay(try usd("12.50")).state == .captured)
            #expect(try kept(session) == "0")
            let hold = try await session.pay(try usd("80.00"), PaymentOptions(isHeld: true))
            #expect(hold.state == .authorized)
            #expect(try kept(session) == "1")
            #expect(try await session.capture(hold.id, amount: try usd("70.00")).state == .captured)
            #expect(try kept(session) == "0")
            let books = try await session.reconciliation()
            #expect(books.agrees && !books.hasOpen)
        }
    }

    @Test("is missing or of another attempt: nothing is sent, and the payment stays open", arguments: [false, true])
    func lost(isForeign: Bool) throws {
        let folder = try TemporaryFolder()
        let plan = try SessionPlan.with {
            $0.journal = .file(folder.path + "/till")
            $0.wire = PlannedWire(profile)
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            let hold = try await session.pay(try usd("80.00"), PaymentOptions(isHeld: true))
            try session.perform(.crash, when: .at("host wire 0200 sale answered 00"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("12.50")) }
            let value = isForeign ? "(SELECT sealedCardData FROM paymentAttempt WHERE id = 1)" : "NULL"
            try change(folder.path + "/till", "UPDATE paymentAttempt SET sealedCardData = \(value) WHERE id = 2")
            let report = try await session.restart()
            #expect(report.open.count == 1)
            let reason = report.open.first.flatMap { report.hostAnswer(about: $0.id) }
            #expect(reason?.contains("'cardpresent payments recover'") == true)
            #expect(!session.details(.host).contains { $0.hasPrefix("wire 042") })
            #expect(try session.payments().last?.attempts.last?.states.last == "unknown")
            // The other attempt is as it was.
            #expect(try await session.capture(hold.id).state == .captured)
        }
    }

    private func change(_ path: String, _ sql: String) throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }

    /// Expects that no file of the database has the card number, with which each track begins: as text, as two digits
    /// a byte, or as the hexadecimal text of it.
    private func expectNoCardData(in folder: String) throws {
        let digits = "4761739001010010"
        let packed: [UInt8] = [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]
        let hexadecimalText = digits.utf8.map { String($0, radix: 16) }.joined()
        for name in ["till", "till-wal", "till-shm"] {
            let path = folder + "/" + name
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(!bytes.isEmpty || name == "till-wal")
            for form in [Data(digits.utf8), Data(packed), Data(hexadecimalText.utf8)] {
                #expect(bytes.range(of: form) == nil, "\(name)")
            }
        }
    }
}
