import CardSecrets
import Connections
import Determinism
import EMV
import ISO8583
import Money
import Payments
import SimulatedTime
import Simulator
import SmartCard
import Synchronization
import Testing
import TillConfiguration

@testable import Hosts

@Suite("Several payment hosts", .simulatedTime)
struct RoutedHostsTests {
    private static let visa = "4761739001010010"
    private static let mastercard = "5413330089010012"

    /// One host of a test, and what it got.
    private final class Side: Sendable {
        enum Mode: Sendable {
            case refuses, approves, isSilent
        }

        let member: HostMember
        let connector: TestConnector
        private let log: Log

        private final class Log: Sendable {
            let types = Mutex<[String]>([])
        }

        /// The types of the messages that the host got, without those of network management.
        var types: [String] { log.types.withLock { $0 } }

        init(
            _ name: String, _ mode: Mode, _ clock: SimulationClock, _ availability: HostAvailability,
            change: (inout MessageProfile) -> Void = { _ in }
        ) throws {
            var profile = try #require(MessageProfile.shipped("iso87-ascii"))
            change(&profile)
            let log = Log()
            self.log = log
            let serve: @Sendable (TestHost) async -> Void = { host in
                while let request = await host.message() {
                    let isNetwork = request.type.messageClass == 8
                    if !isNetwork { log.types.withLock { $0.append("\(request.type)") } }
                    if mode == .isSilent, !isNetwork { continue }
                    await host.write(
                        host.answer(to: request) { answer in
                            guard !isNetwork else { return }
                            for field in [2, 14, 23, 35, 52, 53, 55, 90, 43] { answer.remove(field) }
                            answer.set(37, "632701000004")
                            answer.set(38, "A1B2C3")
                        })
                }
            }
            connector = TestConnector(profile, clock, [mode == .refuses ? .refuse : .serve(serve)])
            let link = HostLink(
                profile, identity: TerminalIdentity(terminal: "TERM0001", merchant: "MERCHANT0000001"),
                connector: connector, traceNumbers: CountedTraceNumbers(profile.limits.stan, from: 1), time: clock,
                random: SeededRandomSource(seed: 1))
            let terminal = AcquirerTerminal(
                identity: TerminalIdentity(terminal: "TERM0001", merchant: "MERCHANT0000001"),
                merchantName: "Corner Shop", category: 5999)
            let address = name == "default" ? "127.0.0.1:1" : "127.0.0.1:2"
            let host = AcquirerHost(
                name: "iso8583", profile, at: address, terminal: terminal,
                link: availability.watching(link, of: name), clock: clock, time: clock)
            member = HostMember(name: name, address: address, host: host)
        }
    }

    /// Two hosts, of which `backup` has the cards of Mastercard, and takes over from the other one.
    private struct Pair {
        let clock = SimulationClock()
        let first: Side
        let second: Side
        let hosts: RoutedHosts
        let changes = Changes()

        init(
            _ first: Side.Mode, _ second: Side.Mode, routes: String = "routes: [{ bins: 51-55, host: backup }]",
            change: (inout MessageProfile) -> Void = { _ in }
        ) throws {
            let availability = HostAvailability(time: clock)
            self.first = try Side("default", first, clock, availability, change: change)
            self.second = try Side("backup", second, clock, availability, change: change)
            hosts = try Self.hosts(routes, [self.first.member, self.second.member], availability)
        }

        static func hosts(
            _ routes: String, _ members: [HostMember], _ availability: HostAvailability
        ) throws -> RoutedHosts {
            let till = try TillConfiguration(
                yaml: """
                    host: { kind: iso8583, address: "127.0.0.1:1", profile: iso87-ascii, failover: backup }
                    hosts: { backup: { kind: iso8583, address: "127.0.0.1:2", profile: iso87-ascii } }

                    """ + routes, file: "till.yaml")
            return RoutedHosts(name: "iso8583", members, routing: till.routing, availability: availability)
        }
    }

    /// The changes of the host that a journal has.
    private final class Changes: Sendable {
        private let all = Mutex<[MessageIdentity]>([])

        var identities: [MessageIdentity] { all.withLock { $0 } }

        func add(_ identity: MessageIdentity) { all.withLock { $0.append(identity) } }
    }

    private func key(_ stan: UInt32) -> IdempotencyKey { IdempotencyKey(rawValue: "0123456789abcdef-\(stan)") }

    private func request(
        _ number: String, _ stan: UInt32, pin: EncipheredPINBlock? = nil, _ clock: SimulationClock
    ) throws -> AuthorizationRequest {
        let digits = number.utf8.map { $0 & 0xF }
        let packed = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        let chip = OnlineAuthorizationRequest(
            pan: try PrimaryAccountNumber(digits: number.utf8),
            trackTwo: SensitiveBytes(packed + [0xD3, 0x01, 0x22, 0x01, 0x11, 0x43, 0x80, 0x44, 0x89, 0x1F]),
            panSequenceNumber: 1,
            expiry: [0x30, 0x12], iccData: TestAcquirer.iccData, pinBlock: pin)
        return AuthorizationRequest(
            key: key(stan), stan: stan, amount: try TestAcquirer.amount, date: clock.localDate(), card: .chip(chip))
    }

    /// Pays as a till does: the identity first, then the request.
    private func pay(
        _ pair: Pair, _ number: String = RoutedHostsTests.visa, _ stan: UInt32 = 7, pin: EncipheredPINBlock? = nil,
        failure: PaymentHostError? = nil
    ) async throws -> (identity: MessageIdentity?, result: Result<String, PaymentHostError>) {
        let request = try request(number, stan, pin: pin, pair.clock)
        let changes = pair.changes
        let second = pair.second
        var identity: MessageIdentity?
        do throws(PaymentHostError) {
            identity = try await pair.hosts.identity(of: request.subject)
            let before = second.types.count
            let response = try await pair.hosts.authorize(request) {
                (identity: MessageIdentity, _: String) async throws(PaymentHostError) -> Void in
                // The journal comes first.
                #expect(second.types.count == before)
                if let failure { throw failure }
                changes.add(identity)
            }
            return (identity, .success(response.responseCode))
        } catch { return (identity, .failure(error)) }
    }

    private func isNotSent(_ result: Result<String, PaymentHostError>) -> Bool {
        if case .failure(.notSent) = result { true } else { false }
    }

    private func isUnknown(_ result: Result<String, PaymentHostError>) -> Bool {
        if case .failure(.outcomeUnknown) = result { true } else { false }
    }

    @Test func `the card chooses the host, and the journal has its name and address`() async throws {
        let pair = try Pair(.approves, .approves)
        let (visa, first) = try await pay(pair, Self.visa, 7)
        #expect(first == .success("00"))
        #expect((visa?.host, visa?.destination, visa?.passedOver) == ("default", "127.0.0.1:1", nil))
        let (mastercard, second) = try await pay(pair, Self.mastercard, 8)
        #expect(second == .success("00"))
        #expect((mastercard?.host, mastercard?.destination) == ("backup", "127.0.0.1:2"))
        #expect((pair.first.types, pair.second.types) == (["0200"], ["0200"]))
        #expect(pair.changes.identities.isEmpty)
    }

    @Test func `another host takes over from one that can't be reached, after the journal has it`() async throws {
        let pair = try Pair(.refuses, .approves)
        let (identity, result) = try await pay(pair)
        #expect(result == .success("00"))
        #expect(identity?.host == "default")
        let change = try #require(pair.changes.identities.first)
        #expect((change.host, change.destination) == ("backup", "127.0.0.1:2"))
        #expect(change.passedOver == ["127.0.0.1:1"])
        #expect(change[11] == identity?[11])
        #expect(pair.second.types == ["0200"])
        // What follows goes there, too.
        try await pair.hosts.reverse(
            ReversalRequest(key: key(7), stan: 7, amount: try TestAcquirer.amount, reason: .timeout, identity: change))
        #expect(pair.second.types == ["0200", "0420"])
    }

    @Test func `a host that failed rests for a minute, and then has its payments again`() async throws {
        let pair = try Pair(.refuses, .approves)
        _ = try await pay(pair, Self.visa, 1)
        let tries = pair.first.connector.tries
        let (identity, result) = try await pay(pair, Self.visa, 2)
        #expect(result == .success("00"))
        #expect((identity?.host, identity?.passedOver) == ("backup", nil))
        #expect(pair.first.connector.tries == tries)
        try await pair.clock.sleep(for: HostAvailability.rest)
        #expect(try await pay(pair, Self.visa, 3).identity?.host == "default")
        #expect(pair.first.connector.tries == tries + 1)
        #expect(pair.changes.identities.count == 2)
    }

    @Test func `a host that rests is tried last, when the others fail, too`() async throws {
        let pair = try Pair(.refuses, .refuses)
        #expect(isNotSent(try await pay(pair, Self.visa, 1).result))
        let (identity, result) = try await pay(pair, Self.visa, 2)
        #expect(isNotSent(result))
        #expect(identity?.host == "default")
        #expect(pair.first.types.isEmpty && pair.second.types.isEmpty)
    }

    @Test func `a request that may have left never goes to another host`() async throws {
        let pair = try Pair(.isSilent, .approves)
        let (identity, result) = try await pay(pair)
        #expect(isUnknown(result))
        #expect(identity?.host == "default")
        #expect(pair.changes.identities.isEmpty)
        #expect(pair.second.types.isEmpty)
        // It is taken back where it went.
        let reversal = ReversalRequest(
            key: key(7), stan: 7, amount: try TestAcquirer.amount, reason: .timeout, identity: identity)
        await #expect(throws: PaymentHostError.self) { try await pair.hosts.reverse(reversal) }
        #expect(pair.first.types.first == "0200" && pair.first.types.contains("0420"))
        #expect(pair.second.types.isEmpty)
    }

    @Test func `a reversal that one host has not confirmed stops no payment at another one`() async throws {
        let pair = try Pair(.isSilent, .approves) { $0.timing.oneOpenReversal = true }
        let (identity, _) = try await pay(pair, Self.visa, 1)
        let reversal = ReversalRequest(
            key: key(1), stan: 1, amount: try TestAcquirer.amount, reason: .timeout, identity: identity, isRepeat: true)
        await #expect(throws: PaymentHostError.self) { try await pair.hosts.reverse(reversal) }
        let before = pair.first.types
        #expect(try await pay(pair, Self.mastercard, 2).result == .success("00"))
        // The rest of the first host is over, and it still gets nothing new.
        try await pair.clock.sleep(for: HostAvailability.rest)
        #expect(try await pay(pair, Self.visa, 3).result == .success("00"))
        #expect(pair.changes.identities.map(\.host) == ["backup"])
        #expect(pair.first.types == before)
        #expect(pair.second.types == ["0200", "0200"])
    }

    @Test func `without a journal that has the change, no other host gets the request`() async throws {
        let pair = try Pair(.refuses, .approves)
        let request = try request(Self.visa, 7, pair.clock)
        var response: AuthorizationResponse?
        do throws(PaymentHostError) { response = try await pair.hosts.authorize(request) } catch {
            guard case .notSent = error else { throw error }
        }
        #expect(response == nil && pair.second.types.isEmpty)
        try await pair.clock.sleep(for: HostAvailability.rest)
        let broken = PaymentHostError.notSent("the journal cannot be written")
        #expect(try await pay(pair, Self.visa, 8, failure: broken).result == .failure(broken))
        #expect(pair.second.types.isEmpty)
    }

    @Test func `a refund goes to the host of its payment, whatever the routes say by now`() async throws {
        let pair = try Pair(.approves, .approves)
        let identity = try #require(try await pay(pair, Self.mastercard, 7).identity)
        let moved = try Pair.hosts(
            "", [pair.first.member, pair.second.member], HostAvailability(time: pair.clock))
        func refund(_ original: MessageIdentity?, _ stan: UInt32) async throws -> PaymentHostError? {
            let request = HostRefundRequest(
                key: key(stan), original: key(7), stan: stan, amount: try TestAcquirer.amount,
                originalIdentity: original)
            do throws(PaymentHostError) {
                let identity = try await moved.identity(of: request.subject)
                #expect(identity?.host == "backup")
                _ = try await moved.refund(request)
            } catch { return error }
            return nil
        }
        #expect(try await refund(identity, 8) == nil)
        #expect(pair.second.types == ["0200", "0200"])
        #expect(pair.first.types.isEmpty)
        let elsewhere = MessageIdentity(type: "0200", fields: [:], destination: "127.0.0.1:9")
        for original in [elsewhere, MessageIdentity(type: "0200", fields: [:]), nil] {
            guard case .notSent? = try await refund(original, 9) else {
                Issue.record("sent")
                return
            }
        }
        #expect(pair.first.types.isEmpty)
    }

    @Test func `an advice of an offline approval waits for the host of its card`() async throws {
        let pair = try Pair(.approves, .approves)
        var advice = AdviceRequest(
            key: key(7), stan: 7, amount: try TestAcquirer.amount, lastFour: "0012", iccData: TestAcquirer.iccData)
        advice.prefix = CardPrefix(try PrimaryAccountNumber(digits: Self.mastercard.utf8))
        let place = pair.hosts.destination(of: advice.subject)
        #expect(place == "127.0.0.1:2")
        // Later, the card number is gone, and the journal has the host.
        advice.prefix = nil
        advice.destination = place
        advice.identity = try await pair.hosts.identity(of: advice.subject)
        #expect(advice.identity?.destination == place)
        try await pair.hosts.advise(advice)
        #expect((pair.first.types, pair.second.types) == ([], ["0220"]))
    }

    @Test func `a PIN under the key of a host goes to no other one`() async throws {
        let pair = try Pair(.refuses, .approves)
        let block = EncipheredPINBlock(block: [1, 2, 3, 4, 5, 6, 7, 8], keySerialNumber: [])
        #expect(isNotSent(try await pay(pair, Self.visa, 1, pin: block).result))
        await pair.hosts.usePIN(of: "default")
        let (identity, result) = try await pay(pair, Self.visa, 2, pin: block)
        #expect(identity?.host == "default")
        #expect(isNotSent(result))
        #expect(pair.changes.identities.isEmpty && pair.second.types.isEmpty)
    }
}
