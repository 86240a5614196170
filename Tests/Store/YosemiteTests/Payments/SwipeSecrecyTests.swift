import Foundation
import Hardware
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Yosemite

/// No data of a magnetic stripe is in a file, trace, event, error, or receipt, whatever the outcome of the
/// payment.
@Suite(.simulatedTime) struct SwipeSecrecyTests {
    /// Parts of the tracks of `stripe-only`-like cards whose number is `pan`: account, name, dates, and what follows.
    private func secrets(_ pan: String) -> [String] {
        [
            String(pan.prefix(12)), String(pan.dropFirst(4)), pan + "=", pan + "D", "^CANARY", "CANARY/BIRD", "3511101",
            "351110100000", "^3511",
        ]
    }

    private static let pan = "4761739001027014"

    private func bytes(_ digits: String) -> Data {
        let values = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
        return Data(stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }

    enum Course: CaseIterable {
        case approved, declined, lost, unread, expired
    }

    @Test(arguments: Course.allCases, [SimulatedMSRModel.pointOfSale, .fixedReport, .keyboard])
    func `only the last four digits are stored`(course: Course, model: SimulatedMSRModel) async throws {
        let till = try TestTill("stripe-only") {
            $0.stripeReader = model
            if course == .lost {
                $0.faults = [IssuerFaultRule(.answerLost, messages: [.authorize, .reverse], times: 2)]
            }
            $0.change = { profile in
                if let expiry = CardDate(year: course == .expired ? 2025 : 2035, month: 11, day: 30) {
                    profile.stripe?.expiry = expiry
                }
                profile.stripe?.cardholderName = "CANARY/BIRD"
                profile.stripe?.tracks = [1, 2, 3]
                if course == .declined { profile.account.responseCode = "05" }
                if course == .unread { profile.stripe?.fault = .redundancy }
            }
        }
        let payment = try await till.pay()
        let expected: Payment.Outcome =
            switch course {
            case .approved: .approved
            case .declined, .expired: .declined
            case .lost: .unknown
            case .unread: .failed
            }
        #expect(payment.outcome == expected)
        if course != .unread {
            #expect(payment.card?.lastFour == "7014")
            #expect(payment.card?.entryMode == .swipe)
        }
        var spoken =
            till.traceLines.joined(separator: "\n") + String(reflecting: till.events) + String(reflecting: payment)
            + String(reflecting: try await till.history(payment))
            + String(reflecting: try await till.issuer.ledger())
        if course != .unread {
            let receipt: StoredReceipt = try await till.receipt {
                .loadReceipt(paymentID: payment.id, onCompletion: $0)
            }
            spoken += try await till.receipt {
                .generateContent(receipt: receipt, copy: .merchant, width: 40, onCompletion: $0)
            }
            #expect(spoken.contains("SWIPED"))
        }
        let files = try till.database.bytes()
        #expect(files.count > 10_000)
        for secret in secrets(Self.pan) {
            #expect(!spoken.contains(secret), "\(secret)")
            #expect(files.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        for secret in [bytes(Self.pan), bytes(Self.pan + "D3511")] { #expect(files.range(of: secret) == nil) }
    }

    @Test func `a fallback is recorded as such, with the history of one attempt`() async throws {
        let till = try TestTill("damaged-chip") { $0.model = .combo }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .approved)
        #expect(payment.card?.entryMode == .fallback)
        #expect(try await till.story(payment) == [["created", "authorizing", "captured"]])
        #expect(try await till.booksAgree())
        let again = try await till.history(payment).payment
        #expect(again.card?.entryMode == .fallback)
        #expect(try await till.refund(payment).outcome == .approved)
        #expect(try await till.booksAgree())
    }

    @Test func `a swiped payment with a lost response is completed by recovery`() async throws {
        let till = try TestTill("stripe-only") {
            $0.stripeReader = .pointOfSale
            $0.faults = [IssuerFaultRule(.answerLost, messages: [.authorize, .reverse], times: 2)]
        }
        let payment = try await till.pay("12.50")
        #expect(payment.outcome == .unknown)
        let report = try await till.recover()
        #expect(report.finished.map(\.state) == [.reversed])
        #expect(try await till.booksAgree())
    }
}
