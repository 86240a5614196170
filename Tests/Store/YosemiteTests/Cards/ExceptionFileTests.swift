import CardSecrets
import Determinism
import EMV
import Foundation
import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// Cards that are not to be taken (EMV Book 4 §6.3.5), and what is kept of them.
@Suite(.simulatedTime) struct ExceptionFileTests {
    private static let number = "5413330089010020"

    private func till(
        denial: TerminalVerificationResults = [], online: TerminalVerificationResults = [],
        sequenceNumber: UInt8? = nil, database: TestDatabase? = nil
    ) throws -> TestTill {
        let till = try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable(denial: denial, online: online)
            $0.database = database
        }
        let entry = try #require(
            till.exceptions.entry(
                for: try pan(Self.number), sequenceNumber: sequenceNumber, reason: "lost", at: till.clock.now()))
        #expect(try till.exceptions.add([entry]).map(\.last4) == ["0020"])
        return till
    }

    // EMV Book 4 §6.3.5: a card on the terminal's exception file sets its TVR bit, and a denial code declines it
    @Test func `a card on the exception list sets its TVR bit, and a denial code declines`() async throws {
        let payment = try await till(denial: .cardOnExceptionFile).pay()
        #expect(payment.outcome == .declined)
        #expect(payment.card?.authorizationResponseCode == "Z1")
        #expect(payment.card?.terminalVerificationResults == "9000000000")
    }

    // EMV Book 4 §6.3.5: the action codes decide what becomes of a card on the exception file
    @Test func `an online action code sends it online, and without action codes it is accepted`() async throws {
        let online = try await till(online: .cardOnExceptionFile).pay()
        #expect(online.card?.authorizationResponseCode == "00")
        #expect(online.card?.terminalVerificationResults == "9000000000")
        let taken = try await till().pay()
        #expect(taken.card?.authorizationResponseCode == "Y1")
        #expect(taken.card?.terminalVerificationResults == "9000000000")
    }

    // EMV Book 4 §6.3.5: an entry of the exception file may be for one sequence number of the account
    @Test(arguments: [(1 as UInt8, true), (2, false)])
    func `an entry with a sequence number applies to that card only`(number: UInt8, isHit: Bool) async throws {
        let payment = try await till(sequenceNumber: number).pay()
        #expect(payment.card?.terminalVerificationResults == (isHit ? "9000000000" : "8000000000"))
    }

    @Test func `neither card numbers nor unkeyed hashes are on the disk`() async throws {
        let database = try TestDatabase()
        let till = try till(database: database)
        #expect(try await till.pay("30.00").outcome == .approved)
        let files = try database.bytes()
        #expect(files.count > 10_000)
        let digits = Self.number.utf8.map { $0 - 0x30 }
        let packed = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        for secret in [
            Data(Self.number.utf8), Data(Self.number.utf8.prefix(12)), Data(Self.number.utf8.dropFirst(4)),
            Data(digits),
            Data(packed),
        ] {
            #expect(files.range(of: secret) == nil)
        }
    }

    @Test func `the key is in a separate file that only its owner can read, not in the database`() throws {
        let database = try TestDatabase()
        let till = try till(database: database)
        let path = database.path + ".card-key"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let fields = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace)
        #expect(fields.count == 6)
        let key = try #require(fields.last)
        #expect(key.count == 64)
        for suffix in ["", "-wal"] {
            let text = String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: database.path + suffix)), as: UTF8.self)
            #expect(!text.contains(key))
        }
        withExtendedLifetime(till) {}
    }

    @Test func `a fingerprint depends on the key`() throws {
        let (first, second) = (try TestTill(), try TestTill { $0.seed = 2 })
        func fingerprint(_ till: TestTill, _ number: String) throws -> CardFingerprint? {
            till.exceptions.entry(for: try pan(number), sequenceNumber: nil, reason: nil, at: till.clock.now())?.card
        }
        #expect(try fingerprint(first, Self.number) == fingerprint(first, Self.number))
        #expect(try fingerprint(first, Self.number) != fingerprint(first, "5413330089010012"))
        #expect(try fingerprint(first, Self.number) != fingerprint(second, Self.number))
    }

    // MARK: The key's file

    private func failure(_ database: TestDatabase) throws -> CardKeyError? {
        let storage = try SQLiteStorageManager(path: database.path)
        do {
            _ = try CardKey.open(for: CardRegister(storage: storage), random: SeededRandomSource(seed: 5))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a missing key is an error while fingerprints exist`() throws {
        let database = try TestDatabase()
        let till = try till(database: database)
        let path = database.path + ".card-key"
        try FileManager.default.removeItem(atPath: path)
        #expect(try failure(database) == .missing(path: path))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try till.register.removeEverything() == 1)
        #expect(try failure(database) == nil)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `another database's key is rejected`() throws {
        let (database, other) = (try TestDatabase(), try TestDatabase())
        let tills = [try till(database: database), try TestTill { ($0.database, $0.seed) = (other, 2) }]
        let path = database.path + ".card-key"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.path + ".card-key", toPath: path)
        #expect(try failure(database) == .anotherKey(path: path))
        withExtendedLifetime(tills) {}
    }

    @Test func `a damaged key, and one that others can read, are refused`() throws {
        let database = try TestDatabase()
        let till = try till(database: database)
        let path = database.path + ".card-key"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, 0o600) == 0)
            #expect(try failure(database) == .malformed(path: path))
        }
        try (whole + Data("x".utf8)).write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o600) == 0)
        #expect(try failure(database) == .malformed(path: path))
        try whole.write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o640) == 0)
        #expect(try failure(database) == .readableByOthers(path: path))
        #expect(chmod(path, 0o600) == 0)
        #expect(try failure(database) == nil)
        withExtendedLifetime(till) {}
    }

    @Test func `a key file created before a crash is used`() throws {
        let database = try TestDatabase()
        let other = try TestDatabase()
        let made = try TestTill { ($0.database, $0.seed) = (other, 2) }
        _ = try SQLiteStorageManager(path: database.path)
        let path = database.path + ".card-key"
        try FileManager.default.copyItem(atPath: other.path + ".card-key", toPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try failure(database) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        withExtendedLifetime(made) {}
    }
}
