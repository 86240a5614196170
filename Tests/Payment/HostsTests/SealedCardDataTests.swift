import CardSecrets
import Cryptography
import HostSecurity
import ISO8583
import Money
import Payments
import SimulatedTime
import Testing

@testable import Hosts

@Suite("Card data in messages after a payment", .simulatedTime)
struct SealedCardDataTests {
    private func key(_ first: UInt8 = 1) throws -> HostKey {
        try HostKey(HostKeys.storageName, .aes, SensitiveBytes((0..<32).map { UInt8($0) &+ first }))
    }

    /// Reversals demand card number and track 2, and offline advices the expiration date.
    private static let demand: @Sendable (inout MessageProfile) -> Void = { profile in
        for field in [2, 35] { profile.messages[.reversal]?.mandatory.insert(field) }
        profile.messages[.offlineAdvice]?.mandatory.insert(14)
        profile.messages[.completion]?.mandatory.insert(2)
    }

    private func acquirer(
        _ replies: TestAcquirer.Reply = .code("00"), key: HostKey?,
        change: (inout MessageProfile) -> Void = Self.demand
    ) throws -> TestAcquirer {
        try TestAcquirer("iso87-ascii", replies, storage: key, change: change)
    }

    private func card() throws -> KeptCard {
        KeptCard(
            pan: try PrimaryAccountNumber(compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]),
            expiry: [0x30, 0x12],
            trackTwo: SensitiveBytes([0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10, 0xD3, 0x01, 0x22, 0x0F]),
            trackOne: SensitiveBytes([]))
    }

    private func subject(_ kind: MessageSubject.Kind, _ key: IdempotencyKey = TestAcquirer.key) throws -> MessageSubject
    {
        var subject = MessageSubject(kind, key: key, stan: 7, amount: try TestAcquirer.amount, entryMode: .chip)
        subject.card = try card()
        return subject
    }

    private func text(_ message: ISOMessage, _ field: Int) -> String? {
        message.withBytes(of: field) { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a reversal has what its profile demands, and nothing else of the card`() async throws {
        let acquirer = try TestAcquirer(
            "iso87-ascii", .silence, .code("00"), storage: try key(), change: Self.demand)
        guard case .failure(.outcomeUnknown) = try await acquirer.pay() else {
            Issue.record("answered")
            return
        }
        #expect(try await acquirer.reverse() == nil)
        let reversal = acquirer.messages[1]
        #expect(reversal.type == MessageType("0420"))
        #expect(text(reversal, 2) == "4761739001010010")
        #expect(text(reversal, 35) == "4761739001010010=301220111438044891")
        #expect(reversal.fields.allSatisfy { ![14, 45, 52].contains($0) })
    }

    @Test func `another process with the same key sends it`() async throws {
        let identity = try #require(
            try await acquirer(key: try key()).host.identity(of: try subject(.sale)))
        #expect(identity.sealed != nil)
        let next = try acquirer(key: try key())
        try await next.host.checkCardData(for: .reversal, of: identity, key: TestAcquirer.key)
        #expect(try await next.reverse(identity: identity, isRepeat: true) == nil)
        #expect(next.types == ["0421"])
        #expect(text(next.messages[0], 2) == "4761739001010010")
        #expect(text(next.messages[0], 35) == "4761739001010010=301220")
    }

    @Test func `what is kept has no digit of the card in any form, and differs each time`() async throws {
        let host = try acquirer(key: try key()).host
        let kept = [
            try #require(try await host.identity(of: try subject(.sale))?.sealed).bytes,
            try #require(try await host.identity(of: try subject(.sale))?.sealed).bytes,
        ]
        #expect(kept[0] != kept[1])
        for bytes in kept {
            for form in [Array("47617390".utf8), Array("4761739001010010".utf8), [0x47, 0x61, 0x73, 0x90]] {
                #expect(!bytes.indices.contains { bytes[$0...].starts(with: form) })
            }
        }
        let identity = try #require(try await host.identity(of: try subject(.sale)))
        #expect(!"\(identity)".contains("4761"))
        #expect(SealedCardData([1, 2]).description == "SealedCardData(2 bytes)")
    }

    @Test func `without its key nothing is sent, and the error says what to do`() async throws {
        let identity = try #require(
            try await acquirer(key: try key()).host.identity(of: try subject(.sale)))
        for other in try [nil, key(2)] {
            let next = try acquirer(key: other)
            let error = try #require(try await next.reverse(identity: identity, isRepeat: true))
            #expect(error.isOfClosedCardData)
            #expect("\(error)".hasPrefix("the card data that the message needs can't be opened, because "))
            #expect("\(error)".contains("'cardpresent payments recover'"))
            #expect(next.messages.isEmpty)
            // It does not stop the next payment.
            if other != nil { #expect(try await next.pay(key: IdempotencyKey(rawValue: "a-8")).get().isApproved) }
        }
    }

    @Test func `what was moved to another attempt or another profile, or was wiped, does not open`() async throws {
        let made = try acquirer(key: try key())
        let identity = try #require(try await made.host.identity(of: try subject(.sale)))
        let foreign = try #require(
            try await made.host.identity(of: try subject(.sale, IdempotencyKey(rawValue: "0123456789abcdef-8"))))
        let renamed = try acquirer(key: try key()) { profile in
            Self.demand(&profile)
            profile.name = "another"
        }
        let next = try acquirer(key: try key())
        for (host, kept) in [
            (next, identity.keeping(foreign.sealed)), (next, identity.keeping(nil)), (renamed, identity),
            (next, identity.keeping(SealedCardData([1, 2, 3]))),
        ] {
            let error = try #require(try await host.reverse(identity: kept, isRepeat: true))
            #expect(error.isOfClosedCardData)
            #expect(host.messages.isEmpty)
        }
    }

    @Test func `an advice of an offline approval, and a capture, have what they demand`() async throws {
        let acquirer = try acquirer(key: try key())
        var advice = AdviceRequest(
            key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount, lastFour: "0010", iccData: [])
        advice.identity = try await acquirer.host.identity(of: try subject(.advice(.offlineApproval)))
        try await acquirer.host.advise(advice)
        #expect(text(acquirer.messages[0], 14) == "3012")
        #expect(acquirer.messages[0].fields.allSatisfy { ![2, 35].contains($0) })
        let attempt = IdempotencyKey(rawValue: "0123456789abcdef-9")
        let held = try #require(try await acquirer.host.identity(of: try subject(.preauthorization, attempt)))
        let completion = try await acquirer.host.identity(
            of: MessageSubject(.advice(.capture), key: attempt, stan: 8, amount: try TestAcquirer.amount))
        try await acquirer.host.advise(
            AdviceRequest(
                key: attempt, stan: 8, amount: try TestAcquirer.amount, lastFour: "0010", iccData: [],
                purpose: .capture, identity: completion,
                original: held.answered(reference: "632701000004", authorizationCode: "A1B2C3")))
        #expect(text(acquirer.messages[1], 2) == "4761739001010010")
        #expect(acquirer.messages[1].fields.allSatisfy { ![14, 35].contains($0) })
    }

    @Test func `a payment that could not be taken back does not begin`() async throws {
        guard case .failure(.notSent) = try await acquirer(key: nil).pay() else {
            Issue.record("sent")
            return
        }
        let lacking = try acquirer(key: try key()) { $0.messages[.reversal]?.mandatory.insert(45) }
        // A chip has no track 1.
        guard case .failure(.notSent(let reason)) = try await lacking.pay() else {
            Issue.record("sent")
            return
        }
        #expect(reason.contains("field 45"))
        #expect(lacking.messages.isEmpty)
        let refunding = try acquirer(key: try key())
        let refund = HostRefundRequest(
            key: TestAcquirer.key, original: TestAcquirer.key, stan: 8, amount: try TestAcquirer.amount)
        await #expect(throws: PaymentHostError.self) { try await refunding.host.refund(refund) }
        #expect(refunding.messages.isEmpty)
    }

    @Test func `a profile that demands what the till can keep needs the storage key`() throws {
        var profile = try #require(MessageProfile.shipped("iso87-ascii"))
        #expect(profile.cardDataObstacle(with: nil) == nil)
        Self.demand(&profile)
        #expect(profile.obstacleToPayments == .needsStorageKey(.reversal, field: 2))
        #expect(profile.obstacleToPayments?.fix?.contains("openssl rand -hex 32") == true)
        #expect(profile.obstacleToPreauthorizations == nil)
        #expect(profile.obstacleToPayments(with: HostKeys([try key()])) == nil)
        let short = try HostKey(HostKeys.storageName, .aes, SensitiveBytes([UInt8](repeating: 1, count: 16)))
        #expect(profile.obstacleToPayments(with: HostKeys([short])) == .wrongStorageKey)
        for field in [34, 36, 52] {
            var other = try #require(MessageProfile.shipped("iso87-ascii"))
            other.messages[.reversal]?.mandatory.insert(field)
            #expect(other.obstacleToPayments == .needsCardData(.reversal, field: field))
            #expect(other.cardDataObstacle(with: nil) == .needsCardData(.reversal, field: field))
        }
    }
}
