import Foundation
import Hardware
import Payments
import Sessions
import Simulator
import StoreSite
import Testing
import Yosemite

@Suite("A repeated simulated session")
struct RepeatabilityTests {
    /// A session with many parallel operations and faults.
    private static func play(seed: UInt64, journal: SessionPlan.Journal = .memory) throws -> Appearance {
        let plan = try SessionPlan.with("pin-required", seed: seed) { plan in
            plan.journal = journal
            plan.readers = [
                PlannedReader(name: "pad", model: .chip(.pinpad)),
                PlannedReader(name: "spare", model: .chip(.tpdu), isPluggedIn: false),
            ]
            plan.cards.append(PlannedCard(try CardProfileLibrary.profile("mastercard-cda"), name: "other"))
            plan.store = PlannedStore(
                orders: 5, unpaid: [try usd("12.50")],
                faults: [try FaultRule("POST /wc/v3/payments/orders/*/capture_terminal_payment #1 lost-answer")])
            plan.issuerFaults = [IssuerFaultRule(.answerDelayed(.seconds(60)), messages: [.authorize], times: 1)]
            plan.printer = .outOfPaper
        }
        return try SimulatedSession.play(plan) { session in
            try await session.connect("pad")
            _ = try await session.pay(try usd("20.00"))
            try session.perform(.unplug(reader: "pad"), when: .at("kernel entering_pin"))
            try session.perform(.plugIn(reader: "pad"), when: .at("kernel entering_pin", delay: .seconds(2)))
            _ = try? await session.pay(try usd("21.00"))
            await session.wait(.seconds(10))
            let paid = try await session.pay(order: session.unpaidOrders[0])
            try session.perform(.printer(.ready), when: .at("print", delay: .seconds(4)))
            try await session.printReceipt(of: paid.id, copy: .merchant)
            try session.perform(.cancelPayment, when: .at("kernel cardholder_verification"))
            _ = try await session.pay(try usd("22.00"), PaymentOptions(card: "other"))
            try session.perform(.crash, when: .at("host authorize answered"))
            _ = try? await session.pay(try usd("23.00"))
            try await session.restart()
            try session.perform(.plugIn(reader: "spare"))
            try await session.connect("spare")
            let last = try await session.pay(try usd("24.00"), PaymentOptions(card: "other"))
            _ = try await session.refund(last.id, amount: try usd("4.00"))
            try await session.printReceipt(of: last.id, kind: .sale)
            return try await Appearance(of: session)
        }
    }

    @Test("is identical, however often and in parallel with how many others it runs")
    func isTheSame() async throws {
        let first = try Self.play(seed: 3)
        #expect(first.events.count > 200)
        #expect(first.receipts.contains { $0.contains("24.00") })
        for (jobs, count) in [(1, 40), (2, 80), (5, 80)] {
            let all = await SessionPool(jobs: jobs).run(count) { _ in try? Self.play(seed: 3) }
            for (number, one) in all.enumerated() {
                let difference = one.map { first.difference(from: $0) } ?? "the session failed"
                #expect(difference == nil, "session \(number) of \(jobs) jobs: \(difference ?? "")")
            }
        }
    }

    @Test("is identical with any location of its journal, and after other sessions there")
    func places() async throws {
        let folder = try TemporaryFolder()
        let first = try Self.play(seed: 3)
        #expect(first.difference(from: try Self.play(seed: 3, journal: .file(folder.path + "/till"))) == nil)
        let journals = try SessionJournals(in: folder.path)
        _ = try Self.play(seed: 4, journal: .shared(journals))
        for jobs in [1, 2] {
            let all = await SessionPool(jobs: jobs).run(6) { _ in try? Self.play(seed: 3, journal: .shared(journals)) }
            for one in all { #expect(one.map { first.difference(from: $0) } == .some(nil)) }
        }
    }

    @Test("leaves nothing behind in shared journals")
    func sharedJournalsGo() throws {
        let folder = try TemporaryFolder()
        do {
            let journals = try SessionJournals(in: folder.path)
            _ = try Self.play(seed: 3, journal: .shared(journals))
            #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("is rejected if its journal cannot be created")
    func noPlace() throws {
        #expect(throws: SimulatedSessionError.self) { try SessionJournals(in: "/dev/null/journals") }
    }

    @Test("is different with another seed")
    func otherSeed() throws {
        let (one, other) = (try Self.play(seed: 3), try Self.play(seed: 4))
        #expect(one.rows != other.rows)
        #expect(one.events.map { $0.split(separator: " ").dropFirst(2).first } != [])
    }
}

@Suite("A pool of sessions")
struct SessionPoolTests {
    @Test("returns results in order, with any number of threads", arguments: [1, 2, 7])
    func order(jobs: Int) async {
        let squares = await SessionPool(jobs: jobs).run(500) { number -> Int in
            // The first ones take longest.
            (0..<(500 - number) * 50).reduce(number * number) { sum, _ in sum }
        }
        #expect(squares == (0..<500).map { $0 * $0 })
    }

    @Test("stops when its caller stops")
    func stops() async {
        let seen = Seen()
        await SessionPool(jobs: 3).run(10_000) {
            $0
        } take: { number, _ in
            seen.add(number) < 20
        }
        #expect(seen.all == Array(0..<20))
    }

    @Test("does nothing without sessions")
    func nothing() async {
        #expect(await SessionPool(jobs: 4).run(0) { $0 }.isEmpty)
    }
}
