import CardSecrets
import Determinism
import EMV
import HostSecurity
import ISO8583
import Money
import Payments
import SimulatedTime
import Simulator
import SmartCard
import Testing

@testable import Hosts

@Suite("A payment host that speaks ISO 8583", .simulatedTime)
struct AcquirerHostTests {
    @Test(arguments: MessageProfile.shippedNames)
    func `a sale, its reversal, a refund, and advices have the fields of every shipped profile`(
        name: String
    ) async throws {
        let acquirer = try TestAcquirer(name)
        let profile = acquirer.world.profile
        let response = try await acquirer.pay().get()
        #expect(response.isApproved)
        #expect(response.responseCode == "00")
        #expect((response.reference, response.answer.authorizationCode) == ("632701000004", "A1B2C3"))
        #expect(try await acquirer.reverse() == nil)
        let sale = try #require(acquirer.messages.first)
        let identity = try #require(
            try await acquirer.host.identity(
                of: MessageSubject(.sale, key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount)))
        let refund = HostRefundRequest(
            key: IdempotencyKey(rawValue: "0123456789abcdef-8"), original: TestAcquirer.key, stan: 8,
            amount: try TestAcquirer.amount,
            originalIdentity: identity.answered(reference: response.reference, authorizationCode: "A1B2C3"))
        #expect(try await acquirer.host.refund(refund).isApproved)
        for (number, purpose) in [AdviceRequest.Purpose.offlineApproval, .offlineDecline].enumerated() {
            try await acquirer.host.advise(
                AdviceRequest(
                    key: IdempotencyKey(rawValue: "0123456789abcdef-\(9 + number)"), stan: UInt32(9 + number),
                    amount: try TestAcquirer.amount, lastFour: "0010",
                    iccData: TestAcquirer.iccData + [BERTLV(0x8A, Array((number == 0 ? "Y1" : "Z1").utf8))],
                    purpose: purpose))
        }
        let kinds = [MessageKind.sale, .reversal, .refund, .offlineAdvice, .declineAdvice]
        #expect(acquirer.messages.count == kinds.count)
        for (message, kind) in zip(acquirer.messages, kinds) {
            #expect(profile.differences(of: message, from: kind).isEmpty, "\(kind)")
            #expect(profile.doubts(about: message).isEmpty, "\(kind)")
            if kind != .sale { #expect(message.fields.allSatisfy { ![2, 14, 35, 52].contains($0) }, "\(kind)") }
        }
        #expect(try sale.primaryAccountNumber()?.lastFour == "0010")
        #expect(sale.withBytes(of: 35) { String(decoding: $0, as: UTF8.self) } == "4761739001010010=301220111438044891")
        #expect(sale.text(of: 14) == "3012")
        #expect(sale.text(of: 23) == "001")
        #expect(acquirer.world.unmatched.isEmpty)
    }

    @Test func `a reversal names the original, and has its own values only where the profile says so`() async throws {
        for name in MessageProfile.shippedNames {
            let acquirer = try TestAcquirer(name)
            let version = acquirer.world.profile.version
            _ = try await acquirer.pay()
            try await acquirer.world.clock.sleep(for: .seconds(70))
            #expect(try await acquirer.reverse(.cardDeclined) == nil)
            let (sale, reversal) = (acquirer.messages[0], acquirer.messages[1])
            for field in [3, 4, 12, 13, 22, 41, 42, 49] { #expect(sale.bytes(of: field) == reversal.bytes(of: field)) }
            #expect(sale.text(of: 7) != reversal.text(of: 7))
            #expect((sale.text(of: 11) == reversal.text(of: 11)) == (version == .v1987))
            let original =
                version == .v1987
                ? reversal.text(of: 90).flatMap { OriginalData(field90: $0) }
                : reversal.text(of: 56).flatMap { OriginalData(field56: $0, version) }
            #expect(original?.type == sale.type)
            #expect(original?.traceNumber == sale.text(of: 11))
            #expect(original?.time == sale.text(of: version == .v1987 ? 7 : 12))
            #expect(original?.acquirer == "123456")
            #expect(reversal.text(of: version == .v1987 ? 39 : 25) == (version == .v1987 ? "17" : "4000"))
        }
    }

    @Test func `codes that approve only at the host become those that card and till know`() async throws {
        for (name, code, shown, isApproved) in [
            ("iso87-ascii", "08", "00", true), ("iso87-ascii", "85", "00", true), ("iso87-ascii", "11", "11", true),
            ("iso87-ascii", "51", "51", false), ("iso87-ascii", "XX", "XX", false), ("iso93-ebcdic", "000", "00", true),
            ("iso93-ebcdic", "116", "51", false), ("iso93-ebcdic", "210", "34", false), ("iso2003", "0003", "00", true),
            ("iso2003", "1016", "51", false), ("iso2003", "8000", "05", false),
        ] {
            let response = try await TestAcquirer(name, .code(code)).pay().get()
            #expect(response.responseCode == shown, "\(name) \(code)")
            #expect(response.isApproved == isApproved)
            #expect(response.hostCode == (code == shown ? nil : code))
            #expect((response.answer.authorizationCode != nil) == isApproved)
        }
        let strict = try TestAcquirer("iso87-ascii", .code("11")) { $0.results.approved = ["00"] }
        #expect(try await strict.pay().get().responseCode == "05")
    }

    @Test func `an approval of a part is told to the till, and one of more is taken back`() async throws {
        let part = try TestAcquirer("iso87-ascii", .fields([39: "10", 4: "000000001000"]))
        #expect(try await part.pay().get().responseCode == "10")
        let silent = try TestAcquirer("iso87-ascii", .fields([4: "000000001000"]))
        #expect(try await silent.pay().get().responseCode == "10")
        let more = try TestAcquirer("iso87-ascii", .fields([4: "000000001251"]))
        #expect(try await more.pay() == .failure(.outcomeUnknown("the host approved another amount")))
    }

    @Test func `codes after which the profile reverses are no decline`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .code("91"), .code("00"))
        #expect(
            try await acquirer.pay()
                == .failure(
                    .outcomeUnknown(
                        "the host answered 91 (issuer or switch inoperative), after which the request is taken back")))
        #expect(try await acquirer.reverse() == nil)
    }

    @Test func `the answer's chip data reaches the card`() async throws {
        let chip: [UInt8] =
            [0x91, 10, 1, 2, 3, 4, 5, 6, 7, 8, 0x30, 0x30, 0x8A, 2, 0x30, 0x30, 0x72, 2, 0x86, 0, 0x71, 2, 0x86, 0]
        let response = try await TestAcquirer("iso87-bcd-tpdu", .chip(chip)).pay().get()
        #expect(response.answer.issuerAuthenticationData == [1, 2, 3, 4, 5, 6, 7, 8, 0x30, 0x30])
        #expect(response.answer.scriptsBeforeFinal == [[0x86, 0]])
        #expect(response.answer.scriptsAfterFinal == [[0x86, 0]])
        let broken = try await TestAcquirer("iso87-bcd-tpdu", .chip([0x91, 200])).pay().get()
        #expect(broken.isApproved)
        #expect(broken.answer.issuerAuthenticationData == nil)
    }

    @Test func `no answer is an unknown outcome, and the reversal is repeated until the host confirms it`() async throws
    {
        let acquirer = try TestAcquirer("iso87-ascii", .silence, .silence, .code("96"), .code("25"))
        let start = acquirer.world.clock.reading()
        #expect(try await acquirer.pay() == .failure(.outcomeUnknown("the host did not answer in time")))
        #expect(acquirer.world.clock.elapsed(since: start) == .seconds(45))
        #expect(try await acquirer.reverse() == nil)
        #expect(acquirer.types == ["0200", "0420", "0421", "0421"])
        // 30 s to the first answer, no pause, and five seconds before the third try.
        #expect(acquirer.world.clock.elapsed(since: start) == .seconds(80))
        var first = acquirer.messages[1]
        first.type = acquirer.messages[2].type
        #expect(first == acquirer.messages[2])
        #expect(try await acquirer.pay(stan: 8).get().isApproved == false)
    }

    @Test func `a reversal without an answer is unknown in the end, and nothing new is sent`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .silence)
        _ = try await acquirer.pay()
        let start = acquirer.world.clock.reading()
        #expect(
            try await acquirer.reverse()
                == .outcomeUnknown("the host did not answer in time"))
        #expect(acquirer.world.clock.elapsed(since: start) == .seconds(60))
        #expect(
            try await acquirer.pay(key: IdempotencyKey(rawValue: "0123456789abcdef-8"), stan: 8)
                == .failure(.notSent("the host has not confirmed a reversal, and gets nothing new before")))
        #expect(acquirer.types == ["0200", "0420", "0421"])
    }

    @Test func `a reversal leaves a half-open connection`() async throws {
        let log = TestAcquirer.Log()
        let deaf = TestConnector.Plan.serve { host in
            await host.signOn()
            while await host.message() != nil {}
        }
        let acquirer = try TestAcquirer("iso87-ascii", [deaf, .serve { await $0.approveAll() }], log) { _ in }
        #expect(try await acquirer.pay() == .failure(.outcomeUnknown("the host did not answer in time")))
        #expect(try await acquirer.reverse() == nil)
        #expect(acquirer.world.connector.tries == 2)
    }

    @Test func `a late answer changes nothing, and the payment is taken back`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .late(.seconds(50)), .code("00"))
        #expect(try await acquirer.pay() == .failure(.outcomeUnknown("the host did not answer in time")))
        #expect(try await acquirer.reverse() == nil)
        #expect(acquirer.world.unmatched == [.late])
    }

    @Test func `the end of the connection after the request is an unknown outcome`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .hangUp, .code("00"))
        guard case .failure(.outcomeUnknown) = try await acquirer.pay() else {
            Issue.record("not unknown")
            return
        }
        #expect(try await acquirer.reverse() == nil)
        #expect(acquirer.types == ["0200", "0420"])
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu"])
    func `field 22 says that a card was tapped`(name: String) async throws {
        let subject = MessageSubject(
            .sale, key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount, entryMode: .contactless)
        let identity = try #require(try await TestAcquirer(name).host.identity(of: subject))
        #expect(identity[22]?.hasPrefix("07") == true && identity[22]?.count == 3)
        var advice = AdviceRequest(
            key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount, lastFour: "0010", iccData: [])
        #expect(advice.subject.entryMode == .chip)
        advice.entryMode = .contactless
        #expect(advice.subject.entryMode == .contactless)
    }

    @Test func `a restarted till takes a payment back with what its journal has`() async throws {
        let subject = MessageSubject(
            .sale, key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount, entryMode: .chip)
        for name in MessageProfile.shippedNames {
            let before = try TestAcquirer(name)
            let identity = try #require(try await before.host.identity(of: subject))
            _ = try await before.pay()
            #expect(identity[11] == before.messages.first?.text(of: 11))
            #expect(identity[7] == before.messages.first?.text(of: 7))
            #expect(try await before.reverse(identity: identity) == nil)

            let after = try TestAcquirer(name)
            try await after.world.clock.sleep(for: .seconds(3600))
            #expect(try await after.reverse(.timeout, identity: identity, isRepeat: true) == nil)
            let (first, second) = (before.messages[1], after.messages[0])
            #expect(second.type.isRepeat)
            for field in first.fields where ![7].contains(field) {
                #expect(first.bytes(of: field) == second.bytes(of: field), "\(name) \(field)")
            }
        }
        let forgetful = try TestAcquirer()
        #expect(
            try await forgetful.reverse() == .notSent("the journal does not have the message to take back"))
    }

    @Test func `what went to another host is not taken back, and does not keep the till from paying`() async throws {
        let acquirer = try TestAcquirer()
        let here = try #require(
            try await acquirer.host.identity(
                of: MessageSubject(.sale, key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount)))
        #expect(here.destination == "acquirer.example:8583")
        let elsewhere = MessageIdentity(type: here.type, fields: here.fields, destination: "other.example:8583")
        let failure = try await acquirer.reverse(identity: elsewhere, isRepeat: true)
        guard case .notSent(let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.contains("other.example:8583") && reason.contains("acquirer.example:8583"))
        #expect(acquirer.messages.isEmpty)
        #expect(try await acquirer.pay().get().isApproved)
        // An identity of before has no destination.
        let nameless = MessageIdentity(type: here.type, fields: here.fields)
        #expect(try await acquirer.reverse(identity: nameless) == nil)
    }

    @Test func `a repeated reversal is sent once, because recovery comes again`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .code("00"), .silence)
        let identity = try await acquirer.host.identity(
            of: MessageSubject(.sale, key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount))
        _ = try await acquirer.pay()
        #expect(try await acquirer.reverse(identity: identity, isRepeat: true) != nil)
        #expect(acquirer.types == ["0200", "0421"])
    }

    @Test func `a refused sign-on is not sent`() async throws {
        let plan = TestConnector.Plan.serve { host in
            if let request = await host.message() { await host.write(host.answer(to: request, code: "58")) }
        }
        let acquirer = try TestAcquirer("iso87-ascii", [plan]) { _ in }
        #expect(
            try await acquirer.pay()
                == .failure(
                    .notSent("the host refused the sign-on with 58 (not permitted to the terminal)")))
    }

    @Test func `the answer of another terminal is none`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .fields([41: "TERM0002"]))
        #expect(try await acquirer.pay() == .failure(.outcomeUnknown("the host did not answer in time")))
        #expect(acquirer.world.unmatched == [.otherTerminal])
    }

    @Test func `an advice is over with a code of the profile, and a refused approval is not`() async throws {
        let acquirer = try TestAcquirer("iso87-ascii", .code("05"), .code("05"), .code("00"))
        func advise(_ purpose: AdviceRequest.Purpose, isRepeat: Bool = false) async throws -> PaymentHostError? {
            let advice = AdviceRequest(
                key: TestAcquirer.key, stan: 7, amount: try TestAcquirer.amount, lastFour: "0010", iccData: [],
                purpose: purpose, isRepeat: isRepeat)
            do throws(PaymentHostError) { try await acquirer.host.advise(advice) } catch { return error }
            return nil
        }
        #expect(
            try await advise(.offlineApproval)
                == .outcomeUnknown("the host answered the advice with 05 (do not honor)"))
        #expect(try await advise(.offlineDecline) == nil)
        #expect(try await advise(.offlineApproval, isRepeat: true) == nil)
        #expect(try await advise(.completion) == nil)
        #expect(acquirer.types == ["0220", "0120", "0221"])
    }

    @Test func `a PIN goes out only as the profile can carry it`() async throws {
        let tdes = EncipheredPINBlock(
            block: [1, 2, 3, 4, 5, 6, 7, 8], keySerialNumber: [UInt8](repeating: 9, count: 10))
        let aes = EncipheredPINBlock(
            block: [UInt8](repeating: 1, count: 16), keySerialNumber: [UInt8](repeating: 9, count: 12))
        guard case .failure(.notSent) = try await TestAcquirer("iso87-ascii").pay(pin: tdes),
            case .failure(.notSent) = try await TestAcquirer("iso93-ebcdic").pay(pin: aes),
            case .failure(.notSent) = try await TestAcquirer("iso2003").pay(pin: tdes)
        else {
            Issue.record("sent")
            return
        }
        let acquirer = try TestAcquirer("iso93-ebcdic")
        #expect(try await acquirer.pay(pin: tdes).get().isApproved)
        #expect(acquirer.messages[0].secret(of: 52)?.bytes.count == 8)
        #expect(acquirer.messages[0].bytes(of: 53) == [UInt8](repeating: 9, count: 10))
        #expect(try await TestAcquirer("iso2003").pay(pin: aes).get().isApproved)
    }

    @Test func `trace numbers of payments, reversals, and the network never meet`() throws {
        for name in MessageProfile.shippedNames {
            let profile = try #require(MessageProfile.shipped(name))
            let plan = TraceNumberPlan(profile)
            let numbers = (1...2000).flatMap { [plan.request($0), plan.reversal($0)] }
            #expect(Set(numbers).count == (profile.matching.stanOfReversal == .fresh ? 4000 : 2000), "\(name)")
            #expect(!plan.network.contains(plan.request(999_999)))
            #expect(!plan.network.contains(plan.reversal(999_999)))
            #expect(numbers.allSatisfy { !plan.network.contains($0) })
        }
        var narrow = try #require(MessageProfile.shipped("iso87-ascii"))
        narrow.limits.stan = 100...119
        let plan = TraceNumberPlan(narrow)
        #expect(plan.network == 118...119)
        #expect([1, 18, 19, 999_999].map { plan.request($0) } == [100, 117, 100, 108])
        narrow.limits.stan = 5...5
        #expect(TraceNumberPlan(narrow).request(70) == 5)
    }

    @Test func `a profile by which a payment could not be taken back is refused`() throws {
        for name in MessageProfile.shippedNames {
            #expect(try #require(MessageProfile.shipped(name)).obstacleToPayments == nil)
        }
        var profile = try #require(MessageProfile.shipped("iso87-ascii"))
        profile.messages[.refund]?.mandatory.insert(35)
        #expect(profile.obstacleToPayments == .needsCardData(.refund, field: 35))
        profile.messages[.reversal] = nil
        #expect(profile.obstacleToPayments == .noMessage(.reversal))
        let sealed = """
            profile: sealed
            basedOn: iso87-bcd-tpdu
            security:
              mac: { algorithm: iso9797-3, padding: 1, key: TAK, on: [reversal] }
            """
        #expect(
            try MessageProfile(text: sealed, file: "sealed.yaml").obstacleToPayments
                == .keys(.noKeys(.reversal)))
    }

    @Test func `the host can't be asked, and says so`() async throws {
        let acquirer = try TestAcquirer()
        #expect(!acquirer.host.canBeAsked)
        #expect(!acquirer.host.knowsKeys)
        await #expect(throws: PaymentHostError.self) {
            try await acquirer.host.inquire(TestAcquirer.key, identity: nil)
        }
        await #expect(throws: PaymentHostError.self) { try await acquirer.host.lastNumbers(of: ["0123456789abcdef"]) }
    }

    @Test func `an identity keeps no card data`() throws {
        let identity = MessageIdentity(
            type: "0200", fields: [2: "4761739001010010", 11: "000001", 14: "3012", 35: "4", 52: "1", 55: "9"])
        #expect(identity.fields == [11: "000001"])
        #expect(identity.answered(reference: "R", authorizationCode: "")[37] == "R")
    }
}
