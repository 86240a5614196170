import Determinism
import Payments
import Simulator
import Testing

struct IssuerIdempotencyTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func key(_ text: String) -> IdempotencyKey { IdempotencyKey(rawValue: text) }

    @Test func `the same key gets the same response, and money moves once`() async throws {
        let issuer = try fixture.issuer()
        let first = try await issuer.authorize(try fixture.request("a"))
        #expect(try await issuer.authorize(try fixture.request("a")) == first)
        #expect(try await issuer.inquire(key("a")) == .approved(first))
        #expect(try await fixture.spent(issuer) == 1250)
        #expect(try await issuer.ledger().entries.count == 1)
    }

    @Test func `a repeated key gets the same decline`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.responseCode = "51" })
        let first = try await issuer.authorize(try fixture.request("a"))
        #expect(try await issuer.authorize(try fixture.request("a")) == first)
        #expect(try await issuer.inquire(key("a")) == .declined(first))
    }

    @Test func `a repeated key with another amount is rejected`() async throws {
        let issuer = try fixture.issuer()
        #expect(try await issuer.authorize(try fixture.request("a", "12.50")).isApproved)
        #expect(try await issuer.authorize(try fixture.request("a", "12.51")).responseCode == "94")
        #expect(try await fixture.spent(issuer) == 1250)
    }

    @Test func `simultaneous requests with one key move money once`() async throws {
        let issuer = try fixture.issuer()
        let fixture = fixture
        let answers = try await withThrowingTaskGroup(of: AuthorizationResponse.self) { group in
            for _ in 0..<20 { group.addTask { try await issuer.authorize(try fixture.request("a")) } }
            var answers: Set<AuthorizationResponse> = []
            for try await answer in group { answers.insert(answer) }
            return answers
        }
        #expect(answers.count == 1)
        #expect(try await fixture.spent(issuer) == 1250)
        #expect(try await issuer.ledger().entries.count == 1)
    }

    @Test func `a reversal takes effect once`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a"))
        try await issuer.reverse(try fixture.reversal("a"))
        try await issuer.reverse(try fixture.reversal("a"))
        #expect(try await issuer.inquire(key("a")) == .reversed)
        #expect(try await fixture.spent(issuer) == 0)
        #expect(try await issuer.ledger().entries.count == 2)
    }

    @Test func `an authorization that arrives after its reversal is rejected`() async throws {
        let issuer = try fixture.issuer()
        #expect(try await issuer.inquire(key("a")) == .notFound)
        try await issuer.reverse(try fixture.reversal("a"))
        #expect(try await issuer.inquire(key("a")) == .reversed)
        #expect(try await issuer.authorize(try fixture.request("a")).responseCode == "94")
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test func `a reversed approval is not repeated`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a"))
        try await issuer.reverse(try fixture.reversal("a"))
        #expect(try await issuer.authorize(try fixture.request("a")).responseCode == "94")
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test func `refunds never exceed the paid amount`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a", "12.50"))
        let first = try await issuer.refund(try fixture.refund("r1", of: "a", "10.00"))
        #expect(first.isApproved)
        #expect(try await issuer.refund(try fixture.refund("r1", of: "a", "10.00")) == first)
        #expect(try await issuer.refund(try fixture.refund("r2", of: "a", "2.51")).responseCode == "13")
        #expect(try await issuer.refund(try fixture.refund("r3", of: "a", "2.50")).isApproved)
        #expect(try await fixture.spent(issuer) == 0)
        try await issuer.reverse(try fixture.reversal("r1", "10.00"))
        #expect(try await fixture.spent(issuer) == 1000)
        #expect(try await issuer.refund(try fixture.refund("r4", of: "a", "10.00")).isApproved)
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test func `an unpaid payment is not refunded`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.available = try fixture.dollars("20.00") })
        #expect(try await issuer.refund(try fixture.refund("r1", of: "a", "1.00")).responseCode == "25")
        #expect(try await issuer.authorize(try fixture.request("b", "30.00", atc: 1)).responseCode == "51")
        #expect(try await issuer.refund(try fixture.refund("r2", of: "b", "1.00")).responseCode == "25")
        _ = try await issuer.authorize(try fixture.request("c", "5.00", atc: 2))
        try await issuer.reverse(try fixture.reversal("c", "5.00"))
        #expect(try await issuer.refund(try fixture.refund("r3", of: "c", "1.00")).responseCode == "25")
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test func `a reversal after a refund reverses only the remaining amount`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a", "12.50"))
        _ = try await issuer.refund(try fixture.refund("r", of: "a", "10.00"))
        try await issuer.reverse(try fixture.reversal("a"))
        #expect(try await fixture.spent(issuer) == 0)
    }

    @Test func `a key belongs to one kind of message`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a"))
        #expect(try await issuer.refund(try fixture.refund("a", of: "a", "1.00")).responseCode == "94")
        _ = try await issuer.authorize(try fixture.request("b", atc: 2))
        #expect(try await issuer.refund(try fixture.refund("b", of: "a", "1.00")).responseCode == "94")
        _ = try await issuer.refund(try fixture.refund("r", of: "a", "1.00"))
        #expect(try await issuer.authorize(try fixture.request("r", atc: 3)).responseCode == "94")
        #expect(try await issuer.refund(try fixture.refund("r2", of: "r", "1.00")).responseCode == "25")
    }

    @Test func `an offline approval is cleared once, and replaces an authorization`() async throws {
        let issuer = try fixture.issuer()
        try await issuer.advise(try fixture.advice("a"))
        try await issuer.advise(try fixture.advice("a"))
        #expect(try await fixture.spent(issuer) == 1250)
        guard case .approved = try await issuer.inquire(key("a")) else {
            Issue.record("the advice is not known")
            return
        }
        _ = try await issuer.authorize(try fixture.request("b"))
        try await issuer.advise(try fixture.advice("b"))
        #expect(try await fixture.spent(issuer) == 2500)
        try await issuer.reverse(try fixture.reversal("b"))
        #expect(try await fixture.spent(issuer) == 2500)
        #expect(try await issuer.refund(try fixture.refund("r", of: "a", "12.50")).isApproved)
        #expect(try await fixture.spent(issuer) == 1250)
    }
}

struct IssuerFaultTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func failure(_ issuer: SimulatedIssuer) async throws -> PaymentHostError? {
        let request = try fixture.request("a")
        do throws(PaymentHostError) {
            _ = try await issuer.authorize(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an unreachable issuer receives nothing`() async throws {
        let issuer = try fixture.issuer(faults: [IssuerFaultRule(.notReachable, times: 1)])
        guard case .notSent = try await failure(issuer) else {
            Issue.record("it was sent")
            return
        }
        #expect(try await issuer.ledger().entries.isEmpty)
        #expect(try await failure(issuer) == nil)
    }

    @Test func `a lost request moves no money, and the terminal cannot know`() async throws {
        let issuer = try fixture.issuer(faults: [IssuerFaultRule(.requestLost, messages: [.authorize], times: 1)])
        guard case .outcomeUnknown = try await failure(issuer) else {
            Issue.record("the outcome is known")
            return
        }
        #expect(try await issuer.inquire(IdempotencyKey(rawValue: "a")) == .notFound)
    }

    @Test func `after a lost response the money has moved, and an inquiry returns it`() async throws {
        let issuer = try fixture.issuer(faults: [IssuerFaultRule(.answerLost, messages: [.authorize], times: 1)])
        guard case .outcomeUnknown = try await failure(issuer) else {
            Issue.record("the outcome is known")
            return
        }
        #expect(try await fixture.spent(issuer) == 1250)
        #expect(try await issuer.authorize(try fixture.request("a")).isApproved)
        #expect(try await fixture.spent(issuer) == 1250)
    }

    @Test func `a late response takes its time on the given clock`() async throws {
        let time = VirtualTimeSource()
        let issuer = try fixture.issuer(faults: [IssuerFaultRule(.answerDelayed(.seconds(40)), times: 1)], time: time)
        #expect(try await failure(issuer) == nil)
        #expect(time.now() == VirtualTimeSource.standardStart.advanced(by: .seconds(40)))
    }

    @Test func `canceling the wait for a late response leaves the outcome unknown`() async throws {
        let issuer = try fixture.issuer(faults: [IssuerFaultRule(.answerDelayed(.seconds(40)))])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await failure(issuer)
        }
        guard case .outcomeUnknown = try await task.value else {
            Issue.record("the outcome is known")
            return
        }
    }

    @Test func `the fault of an account affects only its authorizations`() async throws {
        let issuer = try fixture.issuer(try fixture.account { $0.fault = .notReachable })
        guard case .notSent = try await failure(issuer) else {
            Issue.record("it was sent")
            return
        }
        try await issuer.reverse(try fixture.reversal("a"))
    }

    @Test func `reversals, advices, refunds, and inquiries have their own faults`() async throws {
        for message in IssuerMessageKind.allCases where message != .authorize {
            let issuer = try fixture.issuer()
            await issuer.inject(IssuerFaultRule(.requestLost, messages: [message]))
            await #expect(throws: PaymentHostError.self) {
                switch message {
                case .reverse: try await issuer.reverse(fixture.reversal("a"))
                case .advise: try await issuer.advise(fixture.advice("a"))
                case .refund: _ = try await issuer.refund(fixture.refund("r", of: "a", "1.00"))
                case .inquire, .authorize: _ = try await issuer.inquire(IdempotencyKey(rawValue: "a"))
                }
            }
            #expect(try await issuer.ledger().entries.isEmpty)
        }
    }

    @Test func `the last number of an identity counts every message about it`() async throws {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("aa-9"))
        _ = try await issuer.authorize(try fixture.request("aa-2"))
        try await issuer.reverse(try fixture.reversal("aa-11"))
        try await issuer.reverse(try fixture.reversal("a-99"))
        let entries = try await issuer.ledger().entries
        #expect(try await issuer.lastNumbers(of: ["aa", "bb", "a"]) == ["aa": 11, "a": 99])
        #expect(try await issuer.ledger().entries == entries)
    }

    @Test func `only a lasting loss of inquiries hides the last number, which uses up no fault`() async throws {
        let issuer = try fixture.issuer(faults: [IssuerFaultRule(.requestLost, times: 1)])
        #expect(try await issuer.lastNumbers(of: ["aa"]) == [:])
        #expect(try await failure(issuer) != nil)
        for fault in [IssuerFault.notReachable, .requestLost, .answerLost] {
            await issuer.removeFaults()
            await issuer.inject(IssuerFaultRule(fault, messages: [.inquire]))
            await #expect(throws: PaymentHostError.self) { try await issuer.lastNumbers(of: ["aa"]) }
        }
    }
}
