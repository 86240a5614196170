import CardSecrets
import Cryptography
import EMV
import HostSecurity
import Hosts
import ISO8583
import Payments
import SimulatedTime
import Simulator
import Synchronization
import Testing
import Text

@testable import Acquirer

@Suite("A till with MACs under DUKPT at the simulated acquirer", .simulatedTime)
struct DerivedTillTests {
    /// Key serial numbers in memory.
    private final class Numbers: KeySerialNumberStore {
        let taken = Mutex<[UInt32]>([])
        private let areUsedUp: Bool

        init(areUsedUp: Bool = false) { self.areUsedUp = areUsedUp }

        func next(after first: DUKPTKeySerialNumber) async throws(KeySerialNumberError) -> DUKPTKeySerialNumber {
            guard !areUsedUp else { throw .numbers(.keysUsedUp) }
            let counter = taken.withLock { taken in
                taken.append(UInt32(taken.count + 1))
                return UInt32(taken.count)
            }
            return first.with(counter: counter)
        }
    }

    // ANSI X9.24-1:2009 annex A4, and the test vectors of ANSI X9.24-3:2017
    private static let (tdesBase, tdesInitial, tdesNumber) = (
        "0123456789ABCDEFFEDCBA9876543210", "6AC292FAA1315B4D858AB3A3D7D5933A", "FFFF9876543210E00000"
    )
    private static let (aesBase, aesInitial, aesNumber) = (
        "FEDCBA9876543210F1F1F1F1F1F1F1F1", "1273671EA26AC29AFA4D1084127652A1", "123456789012345600000000"
    )

    private func base(isAES: Bool) throws -> HostKeys {
        HostKeys([try SealedHost.key("BDK", isAES ? Self.aesBase : Self.tdesBase, isAES ? .aes : .tripleDES)])
    }

    private func initial(isAES: Bool, _ numbers: Numbers) throws -> HostKeys {
        let number = try #require([UInt8](hexadecimal: isAES ? Self.aesNumber : Self.tdesNumber))
        let bytes = try #require([UInt8](hexadecimal: isAES ? Self.aesInitial : Self.tdesInitial))
        let key = try HostKey(
            "BDK", isAES ? .aes : .tripleDES, SensitiveBytes(bytes), keySerialNumber: try DUKPTKeySerialNumber(number))
        return HostKeys([key], serialNumbers: numbers)
    }

    private func world(
        isAES: Bool, keys: HostKeys? = nil, bothWays: Bool = false, faults: [AcquirerFault] = []
    ) throws -> AcquirerWorld {
        try AcquirerWorld(
            isAES ? "iso2003" : "iso93-ebcdic", hostKeys: try keys ?? base(isAES: isAES), faults: faults,
            change: { profile in
                profile.security.mac = SecurityRules.MACRule(
                    algorithm: isAES ? .cmac : .iso9797Algorithm3, scheme: isAES ? .dukptAES : .dukptTDES, key: "BDK",
                    messages: [.sale, .reversal, .refund], isBothWays: bothWays)
            })
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `sells, reverses, and repeats, and each message has a key of its own`(
        isAES: Bool, bothWays: Bool
    ) async throws {
        let (world, numbers) = (try world(isAES: isAES, bothWays: bothWays), Numbers())
        let till = try SealedTill(world, keys: try initial(isAES: isAES, numbers))
        #expect(try await till.pay(1) == .success("00"))
        #expect(try await till.reverse(1) == nil)
        #expect(try await till.reverse(1, isRepeat: true) == nil)
        #expect(till.unmatched.isEmpty)
        #expect(await world.book() == ["sale reversed 0", "reversal approved 0"])
        #expect(numbers.taken.withLock { $0 } == [1, 2, 3])
    }

    @Test(arguments: [false, true])
    func `a PIN and the MAC of its message are under one key serial number`(isAES: Bool) async throws {
        let (world, numbers) = (try world(isAES: isAES), Numbers())
        let till = try SealedTill(world, keys: try initial(isAES: isAES, numbers))
        let right = try await till.block([1, 2, 3, 4], card: "stripe-pin")
        #expect(right.keySerialNumber.count == (isAES ? 12 : 10))
        #expect(try await till.pay(1, card: "stripe-pin", pin: right) == .success("00"))
        #expect(numbers.taken.withLock { $0 } == [1])
        let wrong = try await till.block([4, 3, 2, 1], card: "stripe-pin")
        #expect(try await till.pay(2, card: "stripe-pin", pin: wrong) == .success("55"))
        #expect(till.unmatched.isEmpty)
    }

    @Test func `at an acquirer with another base key nothing moves, and a fault makes an answer none`() async throws {
        let foreign = try world(isAES: false, keys: try SealedHost.keys("BDK", SealedHost.mac))
        let till = try SealedTill(foreign, keys: try initial(isAES: false, Numbers()))
        guard case .failure(.outcomeUnknown) = try await till.pay(1) else {
            Issue.record("the outcome is known")
            return
        }
        #expect(till.unmatched == [.wrongMAC])
        #expect(await foreign.acquirer.records.isEmpty)
        #expect(foreign.reports.last?.refusal == "the MAC is wrong")
        let faulty = try world(isAES: false, faults: [AcquirerFault(.wrongMAC, message: "sale", times: 1)])
        let other = try SealedTill(faulty, keys: try initial(isAES: false, Numbers()))
        guard case .failure(.outcomeUnknown) = try await other.pay(1) else {
            Issue.record("the outcome is known")
            return
        }
        #expect(try await other.reverse(1) == nil)
        #expect(await faulty.book() == ["sale reversed 0", "reversal approved 0"])
    }

    @Test func `without a next key nothing is sent`() async throws {
        let world = try world(isAES: false)
        let till = try SealedTill(world, keys: try initial(isAES: false, Numbers(areUsedUp: true)))
        guard case .failure(.notSent(let reason)) = try await till.pay(1) else {
            Issue.record("sent")
            return
        }
        #expect(reason.contains("all keys of the initial key are used"), "\(reason)")
        #expect(await world.acquirer.records.isEmpty)
    }

    @Test func `a message without a key serial number is refused`() async throws {
        let world = try world(isAES: false)
        #expect(try await world.client().code(try world.sale(1)) == "916")
        #expect(world.reports.last?.refusal == "the MAC has no key serial number")
    }

    @Test func `each end refuses the key of the other`() throws {
        let numbers = Numbers()
        let initial = try initial(isAES: false, numbers)
        #expect(throws: AcquirerSetupError.keys("iso93-ebcdic", .needsBaseKey("BDK"))) {
            _ = try self.world(isAES: false, keys: initial)
        }
        let world = try world(isAES: false)
        #expect(throws: KeyObstacle.needsInitialKey("BDK", .dukptTDES)) {
            _ = try LinkSecurity(world.profile, keys: try self.base(isAES: false))
        }
    }
}
