import Cryptography
import EMV
import HostSecurity
import Hosts
import ISO8583
import Payments
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("A till with keys at the simulated acquirer", .simulatedTime)
struct SealedTillTests {
    private func world(
        _ name: String = "iso87-ascii", keys: HostKeys? = nil, rules: IssuerRules = IssuerRules(),
        faults: [AcquirerFault] = [], change: (inout MessageProfile) -> Void = { _ in }
    ) throws -> AcquirerWorld {
        try AcquirerWorld(
            name, hostKeys: try keys ?? SealedHost.keys(), rules: rules, faults: faults,
            change: { profile in
                SealedHost.seal(&profile)
                change(&profile)
            })
    }

    private static func isUnknown(_ result: Result<String, PaymentHostError>) -> Bool {
        if case .failure(.outcomeUnknown) = result { true } else { false }
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic"])
    func `sells, is declined, reverses, and repeats the reversal`(name: String) async throws {
        let world = try world(name, rules: try IssuerRulesLibrary.rules("cents"))
        let till = try SealedTill(world, keys: try SealedHost.keys())
        #expect(try await till.pay(1) == .success("00"))
        #expect(try await till.pay(2, minorUnits: 1251) == .success("51"))
        #expect(try await till.reverse(1) == nil)
        #expect(try await till.reverse(1, isRepeat: true) == nil)
        #expect(till.unmatched.isEmpty)
        #expect(await world.book() == ["sale reversed 0", "sale declined 0", "reversal approved 0"])
    }

    @Test func `an answer with a wrong MAC is none, and the payment is taken back`() async throws {
        let world = try world(faults: [AcquirerFault(.wrongMAC, message: "sale", times: 1)])
        let till = try SealedTill(world, keys: try SealedHost.keys())
        #expect(Self.isUnknown(try await till.pay(1)))
        #expect(till.unmatched == [.wrongMAC])
        #expect(await world.book() == ["sale approved 1250"])
        #expect(try await till.reverse(1) == nil)
        #expect(await world.book() == ["sale reversed 0", "reversal approved 0"])
        #expect(till.unmatched == [.wrongMAC])
    }

    @Test func `with another key nothing moves, and the till knows that it does not know`() async throws {
        let world = try world()
        let till = try SealedTill(world, keys: try SealedHost.keys("TAK", SealedHost.master))
        #expect(Self.isUnknown(try await till.pay(1)))
        #expect(till.unmatched == [.wrongMAC])
        guard case .outcomeUnknown? = try await till.reverse(1) else {
            Issue.record("confirmed")
            return
        }
        #expect(await world.acquirer.records.isEmpty)
    }

    @Test func `keys are exchanged at the sign-on, and PIN and MAC are under them`() async throws {
        let master = try SealedHost.keys("TMK", SealedHost.master)
        let world = try world(keys: master)
        let till = try SealedTill(world, keys: master)
        let right = try await till.block([1, 2, 3, 4], card: "stripe-pin")
        #expect(try await till.pay(1, card: "stripe-pin", pin: right) == .success("00"))
        let wrong = try await till.block([4, 3, 2, 1], card: "stripe-pin")
        #expect(try await till.pay(2, card: "stripe-pin", pin: wrong) == .success("55"))
        #expect(till.unmatched.isEmpty)
        #expect(world.reports.map(\.kind) == ["signOn", "keyExchange", "sale", "sale"])
    }

    @Test func `a PIN goes out in format 4 under an exchanged AES key, with a MAC of AES`() async throws {
        let master = HostKeys([
            try SealedHost.key("TMK", "2B7E151628AED2A6ABF7158809CF4F3C", .aes)
        ])
        let world = try world("iso2003", keys: master) { profile in
            profile.security.mac?.algorithm = .cmac
            profile.security.pin = SecurityRules.PINRule(format: 4, scheme: .masterSession, key: "TPK")
            profile.security.keySerialNumberField = nil
            profile.messages[.keyExchange]?.keyExchange?.form = .aesEcbUnderTMK
        }
        let till = try SealedTill(world, keys: master)
        let block = try await till.block([1, 2, 3, 4], card: "stripe-pin")
        #expect(block.block.count == 16)
        #expect(try await till.pay(1, card: "stripe-pin", pin: block) == .success("00"))
        let wrong = try await till.block([4, 3, 2, 1], card: "stripe-pin")
        #expect(try await till.pay(2, card: "stripe-pin", pin: wrong) == .success("55"))
    }

    @Test func `keys are exchanged again when the host demands it`() async throws {
        let master = try SealedHost.keys("TMK", SealedHost.master)
        let each: (inout MessageProfile) -> Void = { $0.connection = .perTransaction }
        // The second one has none of the keys that the first one gave.
        let (first, second) = (try world(keys: master, change: each), try world(keys: master, change: each))
        let till = try SealedTill(first, then: [second], keys: master)
        #expect(try await till.pay(1) == .success("00"))
        #expect(Self.isUnknown(try await till.pay(2)))
        #expect(till.unmatched == [.noMAC])
        #expect(try await till.reverse(2) == nil)
        #expect(try await till.pay(3) == .success("00"))
        let kinds = second.reports.map { "\($0.kind ?? $0.type) \($0.response ?? "")" }
        #expect(
            kinds == [
                "signOn 00", "0200 98", "signOn 00", "keyExchange 00", "reversal 25", "signOn 00", "sale 00",
            ])
    }

    @Test func `keys of another master key are none, and nothing is sent`() async throws {
        let world = try world(keys: try SealedHost.keys("TMK", SealedHost.master))
        let till = try SealedTill(world, keys: try SealedHost.keys("TMK", SealedHost.mac))
        guard case .failure(.notSent(let reason)) = try await till.pay(1) else {
            Issue.record("sent")
            return
        }
        #expect(reason.contains("the new key 'TPK': the key has another check value"), "\(reason)")
        #expect(await world.acquirer.records.isEmpty)
    }

    @Test func `several payments share one exchange`() async throws {
        let master = try SealedHost.keys("TMK", SealedHost.master)
        let world = try world(keys: master)
        let till = try SealedTill(world, keys: master)
        let codes = try await withThrowingTaskGroup(of: Result<String, PaymentHostError>.self) { group in
            for number in 1...5 { group.addTask { try await till.pay(UInt32(number)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .success("00"), count: 5))
        #expect(world.reports.count { $0.kind == "keyExchange" } == 1)
    }
}
