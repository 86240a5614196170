import Foundation
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// The power fails at any write of a payment, and the disk keeps what was synced and any part of the rest. The issuer's
/// ledger is not on that disk, and neither is what people were shown.
@Suite(.simulatedTime) struct PowerCutTests {
    private static let setting = ProcessInfo.processInfo.environment["CARDPRESENT_CRASH_IMAGES"]

    @Test(arguments: MoneyMove.allCases, [false, true])
    func `no charge is lost, doubled, or shown wrongly, wherever the power fails`(
        _ move: MoneyMove, checkpoints: Bool
    ) async throws {
        let payment = try await RecordedPayment.make(move, checkpoints: checkpoints)
        try #require(payment.records.count > 20 && !payment.shown.isEmpty && !payment.entries.isEmpty)
        let all = payment.records.allCuts(of: payment.base)
        let cuts = CrashImages.sample(all, of: payment.records, usually: 16, setting: Self.setting)
        #expect(try await PowerCutJudge(move).judge(payment, at: cuts) == [])
    }

    @Test(arguments: [MoneyMove.approved, .declined, .refund, .captured, .offlineAdvisedLater])
    func `a till that does not wait for the disk is found out`(_ move: MoneyMove) async throws {
        let payment = try await RecordedPayment.make(move, durability: .normal)
        let judge = try PowerCutJudge(move)
        let end = payment.records.count
        // A program that ends loses nothing.
        #expect(try await judge.judge(payment, at: [DiskCut(moment: end, cut: .everything)]) == [])
        let findings = try await judge.judge(payment, at: [DiskCut(moment: end, cut: .nothing)])
        #expect(findings.contains { $0.contains("was shown as") })
        // A decline moves nothing, so the books agree about it however much is lost.
        guard move != .declined else { return }
        let marks = payment.records.indices.filter { index in
            if case .mark = payment.records[index].request { return true }
            return false
        }
        let cuts = marks.map { DiskCut(moment: $0 + 1, cut: .nothing) }
        #expect(try await judge.judge(payment, at: cuts).contains { $0.contains("the books differ") })
    }

    @Test func `every commit of a sale is synced before the till goes on`() async throws {
        let payment = try await RecordedPayment.make(.approved)
        var state = DiskState(payment.base)
        for record in payment.records {
            state.take(record)
            // Nothing that the issuer booked, and nothing that was shown, depends on what is not synced.
            if case .mark = record.request { #expect(state.pendingCount == 0) }
        }
        let syncs = payment.records.count { if case .sync = $0.request { true } else { false } }
        #expect(syncs >= 4)
    }

    @Test func `a database whose making the power ends is made at the next start`() async throws {
        let database = try TestDatabase()
        // The program makes the file first, and SQLite the rest.
        #expect(FileManager.default.createFile(atPath: database.path, contents: nil))
        let disk = try CrashDisk(recording: database.path)
        let storage = try SQLiteStorageManager(path: database.path)
        let records = disk.records()
        storage.close()
        #expect(records.count > 100)
        let all = records.allCuts(of: disk.base)
        let cuts = CrashImages.sample(all, of: records, usually: 24, setting: Self.setting)
        try await records.forEachImage(of: disk.base, at: cuts) { cut, image in
            let left = try TestDatabase()
            let folder = URL(fileURLWithPath: left.path).deletingLastPathComponent()
            for (name, bytes) in image { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
            let again = try SQLiteStorageManager(path: left.path, durability: .off)
            #expect(try PaymentJournal(storage: again, lease: ProcessLease(in: again)).payments().isEmpty)
            #expect(CrashDisk.isSound(left.path), "after \(cut.moment) records, \(cut.cut)")
            again.close()
        }
    }
}
