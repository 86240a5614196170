import EMV
import ISO8583
import Money
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Hosts

@Suite("Pre-authorizations at a host that speaks ISO 8583", .simulatedTime)
struct PreauthorizationMessageTests {
    private func subject(_ kind: MessageSubject.Kind, stan: UInt32, _ amount: String = "12.50") throws -> MessageSubject
    {
        MessageSubject(
            kind, key: TestAcquirer.key, stan: stan, amount: try Money(amount, currency: Currency(code: "EUR")),
            entryMode: .chip, cardSequenceNumber: 1)
    }

    private func capture(
        _ amount: String, _ identity: MessageIdentity, of original: MessageIdentity, isRepeat: Bool = false
    ) throws -> AdviceRequest {
        AdviceRequest(
            key: TestAcquirer.key, stan: 8, amount: try Money(amount, currency: Currency(code: "EUR")),
            lastFour: "0010", iccData: [], purpose: .capture, identity: identity, original: original,
            isRepeat: isRepeat)
    }

    @Test func `a profile without a sale takes no payment, and holds amounts`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii") { $0.messages[.sale] = nil }
        await #expect(throws: PaymentHostError.self) { try await acquirer.host.identity(of: subject(.sale, stan: 7)) }
        #expect(try await acquirer.host.identity(of: subject(.preauthorization, stan: 7))?.type == "0100")
        #expect(acquirer.messages.isEmpty)
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `an authorization and its completion have the fields of every shipped profile`(name: String) async throws {
        let acquirer = try TestAcquirer(name)
        let profile = acquirer.world.profile
        let response = try await acquirer.pay(isPreauthorization: true).get()
        let made = try #require(try await acquirer.host.identity(of: subject(.preauthorization, stan: 7)))
        let original = made.answered(
            reference: response.reference, authorizationCode: response.answer.authorizationCode)
        try await acquirer.world.clock.sleep(for: .seconds(86_400))
        let identity = try #require(
            try await acquirer.host.identity(of: subject(.advice(.capture), stan: 8, "10.00")))
        try await acquirer.host.advise(try capture("10.00", identity, of: original))
        try await acquirer.host.advise(try capture("10.00", identity, of: original, isRepeat: true))
        let (authorization, completion, again) = (
            acquirer.messages[0], acquirer.messages[1], acquirer.messages[2]
        )
        for (message, kind) in [(authorization, MessageKind.authorization), (completion, .completion)] {
            #expect(profile.differences(of: message, from: kind).isEmpty, "\(kind)")
            #expect(profile.doubts(about: message).isEmpty, "\(kind)")
        }
        // No card data, the host's own reference, and a trace number and a time of its own.
        #expect(completion.fields.allSatisfy { ![2, 14, 35, 52, 55].contains($0) })
        #expect((completion.text(of: 37), completion.text(of: 38)) == ("632701000004", "A1B2C3"))
        #expect(completion.text(of: 4)?.hasSuffix("000000001000") == true)
        #expect(completion.text(of: 22) == authorization.text(of: 22))
        #expect(completion.text(of: 11) != authorization.text(of: 11))
        #expect(
            completion.text(of: profile.version == .v1987 ? 13 : 12)
                != authorization.text(of: profile.version == .v1987 ? 13 : 12))
        if profile.version == .v1987 { #expect(completion.text(of: 25) == "06") }
        let data =
            profile.version == .v1987
            ? completion.text(of: 90).flatMap { OriginalData(field90: $0) }
            : completion.text(of: 56).flatMap { OriginalData(field56: $0, profile.version) }
        #expect(data?.type == authorization.type)
        #expect(data?.traceNumber == authorization.text(of: 11))
        // A repeat differs in type and time of transmission only.
        #expect(again.type == profile.messages[.completion]?.repeated ?? completion.type.repeated)
        for field in completion.fields where field != 7 {
            #expect(again.bytes(of: field) == completion.bytes(of: field))
        }
    }

    @Test func `a profile without a completion holds nothing`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii") { $0.messages[.completion] = nil }
        #expect(acquirer.world.profile.obstacleToPreauthorizations == .noMessage(.completion))
        await #expect(throws: PaymentHostError.self) {
            try await acquirer.host.identity(of: subject(.preauthorization, stan: 7))
        }
        #expect(acquirer.messages.isEmpty)
    }

    @Test func `an approval of a part has its amount`() async throws {
        let part = try TestAcquirer("iso87-ascii", .fields([39: "10", 4: "000000001000"]))
        #expect(try await part.pay().get().approvedAmount == (try Money("10.00", currency: Currency(code: "EUR"))))
        let whole = try TestAcquirer("iso87-ascii", .fields([39: "10"]))
        #expect(try await whole.pay().get().approvedAmount == nil)
    }
}
