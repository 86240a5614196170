import EMV
import ISO8583
import Money
import Payments
import SimulatedTime
import Testing

@testable import Hosts

@Suite("Increments at a host that speaks ISO 8583", .simulatedTime)
struct IncrementMessageTests {
    private static let key = IdempotencyKey(rawValue: "0123456789abcdef-8")

    private func euros(_ text: String) throws -> Money { try Money(text, currency: Currency(code: "EUR")) }

    /// Holds 12.50, and returns the message with the host's answer.
    private func hold(_ acquirer: TestAcquirer) async throws -> MessageIdentity {
        let response = try await acquirer.pay(isPreauthorization: true).get()
        let subject = MessageSubject(
            .preauthorization, key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount, entryMode: .chip,
            cardSequenceNumber: 1)
        let made = try #require(try await acquirer.host.identity(of: subject))
        return made.answered(reference: response.reference, authorizationCode: response.answer.authorizationCode)
    }

    private func request(_ original: MessageIdentity) throws -> HostIncrementRequest {
        HostIncrementRequest(
            key: Self.key, original: TestAcquirer.key, stan: 8, amount: try euros("20.00"), originalIdentity: original)
    }

    private func original(_ message: ISOMessage, _ version: MessageVersion) -> OriginalData? {
        version == .v1987
            ? message.text(of: 90).flatMap { OriginalData(field90: $0) }
            : message.text(of: 56).flatMap { OriginalData(field56: $0, version) }
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `an increment has the fields of every shipped profile, and no card data`(name: String) async throws {
        let acquirer = try TestAcquirer(name)
        let profile = acquirer.world.profile
        let held = try await hold(acquirer)
        #expect(profile.obstacleToIncrements(isSealing: false) == nil)
        #expect(try await acquirer.host.increment(request(held)).isApproved)
        let (authorization, increment) = (acquirer.messages[0], acquirer.messages[1])
        #expect(increment.type == profile.messages[.increment]?.type)
        #expect(profile.differences(of: increment, from: .increment).isEmpty)
        #expect(profile.doubts(about: increment).isEmpty)
        #expect(increment.fields.allSatisfy { ![2, 14, 35, 52, 55].contains($0) })
        #expect((increment.text(of: 37), increment.text(of: 38)) == ("632701000004", "A1B2C3"))
        // What is added, and not the sum.
        #expect(increment.text(of: 4)?.hasSuffix("000000002000") == true)
        #expect(increment.text(of: 22) == authorization.text(of: 22))
        #expect(increment.text(of: 11) != authorization.text(of: 11))
        if profile.version != .v1987 { #expect(increment.text(of: 24) == "106") }
        let data = original(increment, profile.version)
        #expect(data?.type == authorization.type && data?.traceNumber == authorization.text(of: 11))
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `the reversal of an increment names the increment, and not the authorization`(name: String) async throws {
        let shipped = try #require(MessageProfile.shipped(name))
        let (approved, done) = (
            try #require(shipped.results.approved.first), try #require(shipped.results.reversalDone.first)
        )
        let acquirer = try TestAcquirer(name, .code(approved), .silence, .code(done))
        let profile = acquirer.world.profile
        let held = try await hold(acquirer)
        await #expect(throws: PaymentHostError.self) { try await acquirer.host.increment(request(held)) }
        try await acquirer.host.reverse(
            ReversalRequest(key: Self.key, stan: 8, amount: try euros("20.00"), reason: .timeout))
        let (increment, reversal) = (acquirer.messages[1], acquirer.messages[2])
        #expect(profile.differences(of: reversal, from: .reversal).isEmpty)
        #expect(reversal.text(of: 4) == increment.text(of: 4))
        let data = original(reversal, profile.version)
        #expect(data?.type == increment.type && data?.traceNumber == increment.text(of: 11))
        #expect(reversal.fields.allSatisfy { ![2, 14, 35, 52, 55].contains($0) })
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `the reversal of a hold that was raised has all of the amount`(name: String) async throws {
        let shipped = try #require(MessageProfile.shipped(name))
        let (approved, done) = (
            try #require(shipped.results.approved.first), try #require(shipped.results.reversalDone.first)
        )
        let acquirer = try TestAcquirer(name, .code(approved), .code(approved), .code(done))
        let held = try await hold(acquirer)
        _ = try await acquirer.host.increment(request(held))
        var reversal = ReversalRequest(
            key: TestAcquirer.key, stan: 7, amount: try euros("32.50"), reason: .canceled, identity: held)
        reversal.heldTotal = try euros("32.50")
        try await acquirer.host.reverse(reversal)
        #expect(acquirer.messages[2].text(of: 4)?.hasSuffix("000000003250") == true)
        let data = original(acquirer.messages[2], acquirer.world.profile.version)
        #expect(data?.traceNumber == acquirer.messages[0].text(of: 11))
    }

    @Test func `an approval of a part raises nothing`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .code("00"), .fields([39: "10", 4: "000000001000"]))
        let held = try await hold(acquirer)
        await #expect(throws: PaymentHostError.outcomeUnknown("the host approved a part only")) {
            try await acquirer.host.increment(request(held))
        }
    }

    @Test func `a decline is an answer`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .code("00"), .code("51"))
        let held = try await hold(acquirer)
        let response = try await acquirer.host.increment(request(held))
        #expect(!response.isApproved && response.responseCode == "51")
    }

    @Test func `a profile without the message refuses before anything is sent`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii") { $0.messages[.increment] = nil }
        #expect(acquirer.world.profile.obstacleToIncrements(isSealing: false) == .noMessage(.increment))
        let held = try await hold(acquirer)
        await #expect(throws: PaymentHostError.self) {
            try await acquirer.host.identity(of: request(held).subject)
        }
        await #expect(throws: PaymentHostError.self) { try await acquirer.host.increment(request(held)) }
        #expect(acquirer.messages.count == 1)
    }

    @Test func `a host that refuses a capture or a cancellation is told with its code`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .code("00"), .code("91"))
        let held = try await hold(acquirer)
        let subject = MessageSubject(
            .advice(.capture), key: TestAcquirer.key, stan: 8, amount: try euros("10.00"), entryMode: .chip)
        let identity = try #require(try await acquirer.host.identity(of: subject))
        let capture = AdviceRequest(
            key: TestAcquirer.key, stan: 8, amount: try euros("10.00"), lastFour: "0010", iccData: [],
            purpose: .capture, identity: identity, original: held)
        let refusal = try await #require(throws: PaymentHostError.self) { try await acquirer.host.advise(capture) }
        #expect("\(refusal)".contains("the host answered the capture with 91"))
        #expect(PaymentHostError.tellsOfRefusal("\(refusal)") && !"\(refusal)".contains("did not answer"))
        let silence = PaymentHostError.outcomeUnknown("no answer in time")
        #expect(!PaymentHostError.tellsOfRefusal("\(silence)"))
    }
}
