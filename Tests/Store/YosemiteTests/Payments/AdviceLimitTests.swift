import EMV
import Hardware
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// How many offline approvals may wait for the host.
@Suite(.simulatedTime) struct AdviceLimitTests {
    private func till(_ limits: AdviceLimits, faults: [IssuerFaultRule]) throws -> TestTill {
        try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable()
            $0.faults = faults
            $0.wrap = { MeddlingHost(host: $0, limits: limits) }
        }
    }

    /// What the till showed during a payment.
    private func messages(_ body: (@escaping @Sendable (CardReaderEvent) -> Void) async throws -> Void) async throws
        -> [String]
    {
        let seen = Texts()
        try await body { event in if case .displayMessage(let text) = event { seen.add(text) } }
        return seen.all
    }

    private final class Texts: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private let lost = IssuerFaultRule(.answerLost, messages: [.advise], times: 1)

    @Test func `beyond the limit a payment goes online, and the clerk is told why`() async throws {
        let till = try till(AdviceLimits(count: 1, age: .seconds(86_400)), faults: [lost])
        #expect(try await till.pay().state == .authorized)
        let told = try await messages { show in
            let second = try await till.collect("5.00", onEvent: show)
            #expect(second.state == .captured && second.card?.authorizationResponseCode == "00")
        }
        #expect(told.contains("Payments go online only: 1 advice waits for the host, and at most 1 may."), "\(told)")
        // The advice was not lost, and once the host has it, cards approve offline again.
        #expect(try await till.recover().finished.map(\.state) == [.captured])
        #expect(try await till.collect("4.00").card?.authorizationResponseCode == "Y1")
        #expect(try await till.charged() == 2150)
        #expect(try await till.booksAgree())
    }

    @Test func `beyond the limit nothing is approved while the host can't be reached`() async throws {
        let till = try till(
            AdviceLimits(count: 1, age: .seconds(86_400)),
            faults: [lost, IssuerFaultRule(.notReachable, messages: [.authorize])])
        #expect(try await till.pay().state == .authorized)
        let second = try await till.collect("5.00")
        #expect(second.outcome == .failed && second.errorCode == "host_unreachable")
        #expect(second.errorMessage?.contains("payments go online only: 1 advice waits") == true)
        #expect(try till.journal.attemptsAwaitingHost().map(\.id) == [1])
        #expect(try await till.recover().finished.map(\.state) == [.captured])
        #expect(try await till.charged() == 1250)
    }

    @Test func `an advice may not grow older than the limit`() async throws {
        let till = try till(AdviceLimits(count: 100, age: .seconds(7200)), faults: [lost])
        #expect(try await till.pay().state == .authorized)
        #expect(try await till.collect("5.00").card?.authorizationResponseCode == "Y1")
        try await till.clock.sleep(for: .seconds(7260))
        let told = try await messages { show in
            let third = try await till.collect("4.00", onEvent: show)
            #expect(third.card?.authorizationResponseCode == "00")
        }
        #expect(told.contains { $0.hasPrefix("Payments go online only: an advice has waited 2 h") }, "\(told)")
    }

    @Test func `limits of zero and of none`() async throws {
        #expect(AdviceLimits(count: 0, age: .zero).obstacle(waiting: 0, oldest: nil) == .advicesWait(0, limit: 0))
        #expect(AdviceLimits(count: 1, age: .seconds(60)).obstacle(waiting: 0, oldest: nil) == nil)
        let one = AdviceLimits(count: 1, age: .seconds(60))
        #expect(one.obstacle(waiting: 0, oldest: nil, running: 1) == .paymentsRun(1, waiting: 0, limit: 1))
        #expect(AdviceLimits(count: 2, age: .seconds(60)).obstacle(waiting: 0, oldest: nil, running: 1) == nil)
        let at = AdviceLimits(count: 9, age: .seconds(60))
        #expect(at.obstacle(waiting: 1, oldest: .seconds(60)) == nil)
        #expect(at.obstacle(waiting: 1, oldest: .seconds(61)) == .adviceIsOld(.seconds(61), limit: .seconds(60)))
    }
}
