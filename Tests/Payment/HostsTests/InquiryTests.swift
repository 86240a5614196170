import Determinism
import EMV
import Foundation
import ISO8583
import Money
import Payments
import SimulatedTime
import Simulator
import Synchronization
import Testing

@testable import Hosts

@Suite("An inquiry about a request without an answer", .simulatedTime)
struct InquiryTests {
    private static let example = URL(filePath: #filePath)
        .appending(path: "../../../../Examples/hosts/inquiry-host.yaml").standardized

    private let form: MessageForm

    init() throws { form = try #require(try MessageProfile(path: Self.example.path).messages[.inquiry]) }

    private let silence = Result<AuthorizationResponse, PaymentHostError>.failure(
        .outcomeUnknown("the host did not answer in time"))

    @Test func `the host's approval is taken as if it had come late, and nothing is taken back`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .silence, .code("00")) { $0.messages[.inquiry] = form }
        #expect(acquirer.host.canBeAsked && !acquirer.host.knowsKeys)
        let response = try await acquirer.pay().get()
        #expect((response.responseCode, response.reference) == ("00", "632701000004"))
        #expect(response.answer.authorizationCode == "A1B2C3")
        #expect(acquirer.types == ["0200", "0600"])
        let (sale, question) = (acquirer.messages[0], acquirer.messages[1])
        let original = try #require(question.text(of: 90).flatMap { OriginalData(field90: $0) })
        #expect(original.type == sale.type)
        #expect(original.traceNumber == sale.text(of: 11))
        #expect(original.time == sale.text(of: 7))
        #expect(question.text(of: 11) != sale.text(of: 11))
        #expect(question.fields.allSatisfy { ![2, 14, 35, 52, 55].contains($0) })
        #expect(acquirer.world.profile.differences(of: question, from: .inquiry).isEmpty)
    }

    @Test func `the issuer's decline ends the payment`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .silence, .code("51")) { $0.messages[.inquiry] = form }
        let response = try await acquirer.pay().get()
        #expect(response.responseCode == "51" && !response.isApproved)
        #expect(acquirer.types == ["0200", "0600"])
    }

    @Test(arguments: ["25", "12", "30", "40", "58", "68", "91", "94", "96", "XX", "85"])
    func `a code that may be about the question leaves the outcome unknown`(code: String) async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .silence, .code(code), .code("00")) {
            $0.messages[.inquiry] = form
            $0.results.approved = ["00"]
        }
        #expect(try await acquirer.pay() == silence)
        #expect(try await acquirer.reverse() == nil)
        #expect(acquirer.types == ["0200", "0600", "0420"])
    }

    @Test(arguments: [("iso93-ebcdic", "1604"), ("iso2003", "2604")])
    func `later editions name the original in field 56`(name: String, type: String) async throws {
        let text = """
            profile: asked
            basedOn: \(name)
            messages:
              inquiry: { mti: "\(type)", fields: { M: [7, 11, 12, 41, 42, 56] } }
            """
        let form = try #require(try MessageProfile(text: text, file: "asked.yaml").messages[.inquiry])
        let is2003 = name == "iso2003"
        let cases: [(code: String, shown: String?)] = [
            (is2003 ? "1016" : "116", "51"), (is2003 ? "9014" : "914", nil), (is2003 ? "9009" : "909", nil),
        ]
        for (code, shown) in cases {
            let acquirer = try TestAcquirer(name, .silence, .code(code)) { $0.messages[.inquiry] = form }
            let result = try await acquirer.pay()
            #expect((try? result.get().responseCode) == shown, "\(code)")
            let question = acquirer.messages[1]
            let original = question.text(of: 56).flatMap { OriginalData(field56: $0, acquirer.world.profile.version) }
            #expect(original?.traceNumber == acquirer.messages[0].text(of: 11))
        }
    }

    @Test func `without an answer to the question the outcome is unknown after its time`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .silence) { $0.messages[.inquiry] = form }
        let start = acquirer.world.clock.reading()
        #expect(try await acquirer.pay() == silence)
        // 45 s for the sale, and 30 s for the question, which is asked once.
        #expect(acquirer.world.clock.elapsed(since: start) == .seconds(75))
        #expect(acquirer.types == ["0200", "0600"])
    }

    @Test func `an approval of another amount or message is none, and a part is a part`() async throws {
        for fields in [[4: "000000001251"], [90: String(repeating: "0", count: 42)], [49: "840"]] {
            let acquirer = try TestAcquirer("iso87-ascii", .silence, .fields(fields)) { $0.messages[.inquiry] = form }
            #expect(try await acquirer.pay() == silence, "\(fields)")
        }
        let part = try TestAcquirer("iso87-ascii", .silence, .fields([39: "10", 4: "000000001000"])) {
            $0.messages[.inquiry] = form
        }
        #expect(try await part.pay().get().responseCode == "10")
    }

    @Test func `a late answer to the request is none to the question`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .late(.seconds(50)), .code("05")) {
            $0.messages[.inquiry] = form
        }
        #expect(try await acquirer.pay().get().responseCode == "05")
        #expect(acquirer.world.unmatched == [.late])
    }

    @Test func `a host that answered is not asked, and neither is one that got nothing`() async throws {
        let busy = try TestAcquirer("iso87-ascii", .code("91")) { $0.messages[.inquiry] = form }
        guard case .failure(.outcomeUnknown) = try await busy.pay() else {
            Issue.record("not unknown")
            return
        }
        #expect(busy.types == ["0200"])
        let away = try TestAcquirer("iso87-ascii", [.refuse]) { $0.messages[.inquiry] = form }
        guard case .failure(.notSent) = try await away.pay() else {
            Issue.record("sent")
            return
        }
        #expect(away.types.isEmpty)
    }

    @Test func `a refund is asked for, now and with what the journal has`() async throws {
        let acquirer = try TestAcquirer(
            "iso87-ascii", .silence, .code("00"), .code("05"), .code("25"), .code("96")
        ) { $0.messages[.inquiry] = form }
        let refund = HostRefundRequest(
            key: TestAcquirer.key, original: IdempotencyKey(rawValue: "0123456789abcdef-6"), stan: 7,
            amount: try TestAcquirer.amount)
        let identity = try #require(try await acquirer.host.identity(of: refund.subject))
        #expect(try await acquirer.host.refund(refund).isApproved)
        guard case .declined(let response) = try await acquirer.host.inquire(refund.key, identity: identity) else {
            Issue.record("not declined")
            return
        }
        #expect(response.responseCode == "05")
        #expect(try await acquirer.host.inquire(refund.key, identity: identity) == .notFound)
        await #expect(
            throws: PaymentHostError.outcomeUnknown("the host answered the inquiry with 96 (system malfunction)")
        ) { try await acquirer.host.inquire(refund.key, identity: identity) }
        #expect(acquirer.types == ["0200", "0600", "0600", "0600", "0600"])
        let unknown = IdempotencyKey(rawValue: "0123456789abcdef-9")
        await #expect(throws: PaymentHostError.notSent("the journal does not have the message to ask about")) {
            try await acquirer.host.inquire(unknown, identity: nil)
        }
        let elsewhere = MessageIdentity(type: "0200", fields: identity.fields, destination: "other.example:8583")
        await #expect(throws: PaymentHostError.self) {
            try await acquirer.host.inquire(refund.key, identity: elsewhere)
        }
        #expect(acquirer.messages.count == 5)
    }

    @Test func `an inquiry that needs card data is refused with its profile`() throws {
        var profile = try MessageProfile(path: Self.example.path)
        #expect(profile.obstacleToPayments == nil)
        profile.messages[.inquiry]?.mandatory.insert(35)
        #expect(profile.obstacleToPayments == .needsCardData(.inquiry, field: 35))
    }

    @Test func `a till that was signed off signs on before its next message`() async throws {
        let signOns = Counter()
        let plan = TestConnector.Plan.serve { host in
            while let request = await host.message() {
                if request.type.messageClass == 8 { signOns.add() }
                let isOff = signOns.value < 2 && request.type.messageClass != 8
                await host.write(host.answer(to: request, code: isOff ? "58" : "00"))
            }
        }
        let acquirer = try TestAcquirer("iso87-ascii", [plan]) { _ in }
        #expect(try await acquirer.pay().get().responseCode == "58")
        #expect(signOns.value == 1)
        let next = IdempotencyKey(rawValue: "0123456789abcdef-8")
        #expect(try await acquirer.pay(key: next, stan: 8).get().isApproved)
        #expect(signOns.value == 2 && acquirer.world.connector.tries == 1)
    }
}

/// Counts from any task.
private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
