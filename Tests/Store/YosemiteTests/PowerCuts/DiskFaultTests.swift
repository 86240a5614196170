import Foundation
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// The disk fails at some moment of a payment, and works again afterwards; then the power fails.
@Suite(.simulatedTime) struct DiskFaultTests {
    enum Fault: String, CaseIterable, Sendable {
        case full, writeFails
        /// What the failed sync was about is on the disk, or never gets there.
        case syncFailsKept, syncFailsLost

        func begin(on disk: CrashDisk, after count: Int) {
            switch self {
            case .full: disk.fill(after: count)
            case .writeFails: disk.failWrite(after: count)
            case .syncFailsKept: disk.failSync(after: count, keeping: true)
            case .syncFailsLost: disk.failSync(after: count, keeping: false)
            }
        }
    }

    @Test(arguments: Fault.allCases, [MoneyMove.approved, .refund])
    func `nothing is shown that the disk does not have, and the next start sets everything right`(
        _ fault: Fault, _ move: MoneyMove
    ) async throws {
        let whole = try await RecordedPayment.make(move)
        let judge = try PowerCutJudge(move)
        // With those of the opening: the last moments come after the payment, where nothing fails.
        let count = whole.records.count { record in
            switch (record.request, fault) {
            case (.write, .full), (.write, .writeFails), (.sync, .syncFailsKept), (.sync, .syncFailsLost): true
            default: false
            }
        }
        var failures = 0
        for moment in stride(from: 0, to: count, by: max(1, count / 5)) {
            let recorder = try DiskRecorder(move)
            let till = try recorder.till()
            fault.begin(on: recorder.disk, after: moment)
            do {
                try await move.run(till) { recorder.witness.add(try ShownResult($0, in: till.journal)) }
            } catch let error as ActionFailure<CardPresentPaymentsError> {
                failures += 1
                Self.expectDiskError(error, fault)
            }
            recorder.disk.heal()
            let recorded = recorder.recorded
            let end = recorded.records.count
            let cuts = [DiskState.Cut.nothing, .everything].map { DiskCut(moment: end, cut: $0) }
            let findings = try await judge.judge(recorded, at: cuts)
            #expect(findings == [], "\(fault) after \(moment)")
            // The same process can recover, too: its records are as SQLite sees them.
            _ = try await till.recover()
            #expect(try await till.booksAgree(), "\(fault) after \(moment)")
        }
        #expect(failures > 0)
    }

    /// The error says that the disk is full or failed, and nothing else.
    private static func expectDiskError(_ error: ActionFailure<CardPresentPaymentsError>, _ fault: Fault) {
        let cause: JournalError? =
            switch error {
            case .failed(.journal(let cause)), .failed(.unrecorded(_, let cause)): cause
            default: nil
            }
        switch cause {
        case .storage(.diskFull): #expect(fault == .full)
        case .storage(.failed): #expect(fault != .full)
        // The payment before the refund failed, and showed that.
        case .notRefundable(_, .failed): break
        default: Issue.record("not an error of the disk: \(error)")
        }
    }
}
