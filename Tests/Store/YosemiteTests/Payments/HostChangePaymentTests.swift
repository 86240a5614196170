import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// Payments whose request goes to another host than the first one, which could not be reached.
@Suite(.simulatedTime) struct HostChangePaymentTests {
    private static let first = MessageIdentity(
        type: "0200", fields: [11: "1"], destination: "a.example:1", host: "default")
    private static let second = MessageIdentity(
        type: "0200", fields: [11: "1"], destination: "b.example:1", host: "backup", passedOver: ["a.example:1"])

    /// A host of which the second place takes over.
    private struct TwoPlaces: PaymentHost {
        let issuer: any PaymentHost
        /// After the change is in the journal, and before the request leaves.
        let beforeSending: @Sendable () -> Void
        let reversals: Reversals

        var name: String { issuer.name }
        var canBeAsked: Bool { false }

        func identity(of subject: MessageSubject) async throws(PaymentHostError) -> MessageIdentity? {
            HostChangePaymentTests.first
        }

        func authorize(
            _ request: borrowing AuthorizationRequest
        ) async throws(PaymentHostError) -> AuthorizationResponse { throw .notSent("there is no journal") }

        func authorize(
            _ request: borrowing AuthorizationRequest, onChange: @escaping HostChange
        ) async throws(PaymentHostError) -> AuthorizationResponse {
            try await onChange(HostChangePaymentTests.second, "to the host backup")
            beforeSending()
            return try await issuer.authorize(request)
        }

        func reverse(_ request: ReversalRequest) async throws(PaymentHostError) {
            reversals.add(request)
            try await issuer.reverse(request)
        }

        func advise(_ advice: AdviceRequest) async throws(PaymentHostError) { try await issuer.advise(advice) }

        func inquire(
            _ key: IdempotencyKey, identity: MessageIdentity?
        ) async throws(PaymentHostError) -> InquiryResult {
            throw .outcomeUnknown("not asked")
        }

        func lastNumbers(of identities: [String]) async throws(PaymentHostError) -> [String: Int64] {
            throw .notSent("not asked")
        }

        func refund(_ request: HostRefundRequest) async throws(PaymentHostError) -> AuthorizationResponse {
            try await issuer.refund(request)
        }
    }

    private final class Reversals: Sendable {
        private let all = Mutex<[ReversalRequest]>([])

        var identities: [MessageIdentity?] { all.withLock { $0.map(\.identity) } }

        func add(_ request: ReversalRequest) { all.withLock { $0.append(request) } }
    }

    @Test func `the journal has the new host before the request leaves, and recovery reverses there`() async throws {
        let (database, reversals) = (try TestDatabase(), Reversals())
        let killed = Later<TestDatabase>()
        let till = try TestTill {
            $0.database = database
            $0.wrap = {
                TwoPlaces(
                    issuer: $0, beforeSending: { killed.value = try? database.afterKill() }, reversals: reversals)
            }
        }
        let payment = try await till.pay()
        #expect(payment.outcome == .approved)
        #expect(try await till.story(payment) == [["created", "authorizing", "authorizing", "captured"]])
        #expect(try till.journal.attempts(of: payment.id).map(\.identity) == [Self.second])
        #expect(try await till.history(payment).attempts.first?.steps[2].detail == "to the host backup")
        // The till that was killed in between has the new host in its journal, and takes back at that one.
        let copy = try #require(killed.value)
        let after = try TestTill {
            $0.database = copy
            $0.wrap = { TwoPlaces(issuer: $0, beforeSending: {}, reversals: reversals) }
        }
        #expect(try after.journal.attempts(of: payment.id).map(\.identity) == [Self.second])
        #expect(try await after.recover().finished.map(\.state) == [.reversed])
        #expect(reversals.identities == [Self.second])
    }
}
