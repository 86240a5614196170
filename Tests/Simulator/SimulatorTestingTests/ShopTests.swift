import CCID
import Determinism
import Hardware
import Payments
import Sessions
import Simulator
import SmartCard
import Storage
import Synchronization
import Testing
import USB

@Suite("A simulated shop")
struct ShopTests {
    private enum Failure: Error { case own }

    @TaskLocal private static var word = "none"

    @Test("a reader service on its bus takes a payment from a customer")
    func payment() async throws {
        let (intent, charges, words) = try await SimulatedShop.run(try SessionPlan(card: "visa-dda")) { shop in
            let intent = try await Counter(in: shop).pay()
            // The customer takes the card when they are asked to, which takes a second.
            await shop.wait(.seconds(2))
            return (intent, try await shop.charges(), shop.events.map(\.text))
        }
        #expect(intent.status == .requiresCapture)
        #expect(charges == 1)
        for word in [
            "waiting insert", "card_in reader", "authorizing", "host authorize answered 00", "card_out reader",
        ] {
            #expect(words.contains(word), "\(word)")
        }
    }

    @Test("the CCID driver alone detects a manually inserted card")
    func driver() async throws {
        try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
            let device = try #require(try await shop.bus.devices().first)
            let reader = try await CCIDReader.open(device, on: shop.bus, time: shop.time)
            try shop.perform(.insert(), when: .after(.seconds(3)))
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(10)))
            #expect(shop.elapsed >= .seconds(3) && shop.elapsed < .seconds(4))
            let channel = try await reader.powerOn()
            let select = try CommandAPDU(
                cla: 0, ins: 0xA4, p1: 4, p2: 0, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256)
            #expect(try await channel.transmit(select).status == .success)
            await reader.close()
        }
    }

    @Test("the same plan and till result in the same session, whatever runs in parallel")
    func repeatability() async throws {
        let stories = await withTaskGroup(of: [SessionEvent].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let story = try? await SimulatedShop.run(try SessionPlan(card: "mastercard-cda", seed: 5)) { shop in
                        try await Counter(in: shop).pay()
                        return shop.events
                    }
                    return story ?? []
                }
            }
            var stories: Set<[SessionEvent]> = []
            for await story in group { stories.insert(story) }
            return stories
        }
        #expect(stories.count == 1)
        #expect(stories.first?.count ?? 0 > 30)
    }

    @Test("another seed has other random numbers")
    func seeds() async throws {
        var exchanges: Set<[String]> = []
        for seed in 1...2 as ClosedRange<UInt64> {
            exchanges.insert(
                try await SimulatedShop.run(try SessionPlan(card: "visa-credit", seed: seed)) { shop in
                    try await Counter(in: shop).pay()
                    return shop.events.filter { $0.kind == .apdu }.map(\.detail)
                })
        }
        #expect(exchanges.count == 2)
    }

    @Test("customers come one after the other, each with their own card")
    func customers() async throws {
        var plan = try SessionPlan(card: "visa-credit")
        plan.cards.append(PlannedCard(try CardProfileLibrary.profile("insufficient-funds")))
        try await SimulatedShop.run(plan) { shop in
            let till = try await Counter(in: shop)
            try await till.pay()
            try shop.serve(card: "insufficient-funds")
            await #expect(throws: CardReaderServiceError.self) { try await till.pay(number: 2) }
            try shop.serve()
            try await till.pay(number: 3)
            #expect(try await shop.charges() == 2)
            #expect(throws: SimulatedSessionError.self) { try shop.serve(card: "no such card") }
        }
    }

    @Test("a day of waiting takes no real time, and more than a day is an error")
    func waiting() async throws {
        try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
            await shop.wait(.seconds(23 * 3600))
            #expect(shop.elapsed == .seconds(23 * 3600))
        }
        let error = await #expect(throws: RunQueueError.self) {
            try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
                try await shop.time.sleep(for: .seconds(100 * 3600))
            }
        }
        #expect(error?.waitingTasks == 1)
        #expect(error?.description.contains("no task can run before 2026-01-03T12:00:00.000Z; 1 task waits") == true)
    }

    @Test("a task that waits forever is canceled and reported")
    func stuck() async throws {
        let wasCanceled = Mutex(false)
        let error = await #expect(throws: RunQueueError.self) {
            try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { _ in
                let (words, _) = AsyncStream.makeStream(of: String.self)
                for await _ in words {}
                wasCanceled.withLock { $0 = Task.isCancelled }
            }
        }
        #expect(wasCanceled.withLock { $0 })
        #expect(error?.reason == .nothingPlanned)
        #expect(error?.hasEnded == true)
    }

    @Test("it ends when the task that opened it is canceled")
    func cancellation() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
                try await shop.time.sleep(for: .seconds(1))
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("its body has the task-local values of its caller, and its errors are rethrown")
    func surroundings() async throws {
        let plan = try SessionPlan(card: "visa-credit")
        let word = try await Self.$word.withValue("here") { try await SimulatedShop.run(plan) { _ in Self.word } }
        #expect(word == "here")
        await #expect(throws: Failure.own) { try await SimulatedShop.run(plan) { _ in throw Failure.own } }
    }

    @Test("acts on a till are rejected, because the shop has none")
    func actsOfTheTill() async throws {
        try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
            for act in [SessionAct.cancelPayment, .cancelRefund, .cancelUpdate] {
                #expect(throws: SimulatedSessionError.self) { try shop.perform(act) }
            }
            #expect(throws: SimulatedSessionError.noSuchReader("back", known: ["reader"])) {
                try shop.perform(.unplug(reader: "back"))
            }
        }
    }

    @Test("after a crash the old till's calls fail, and the next till finds the same state")
    func crash() async throws {
        try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
            let till = try await Counter(in: shop)
            try shop.perform(.crash, when: .at("host authorize answered"))
            await #expect(throws: CardReaderServiceError.self) { try await till.pay() }
            let (bus, storage) = (shop.bus, try? shop.openStorage())
            await #expect(throws: (any Error).self) { try await bus.devices() }
            #expect(throws: (any Error).self) { try storage?.read { _ in } }
            #expect(try await shop.charges() == 1, "the issuer approved what nobody heard of")
            shop.restart()
            try shop.perform(.removeCard())
            try shop.serve()
            try await Counter(in: shop).pay(number: 2)
            #expect(try await shop.charges() == 2)
        }
    }

    @Test("its records are unavailable after it is closed")
    func closed() async throws {
        let storage = try await SimulatedShop.run(try SessionPlan(card: "visa-credit")) { shop in
            let storage = try shop.openStorage()
            try storage.read { _ in }
            return storage
        }
        #expect(throws: (any Error).self) { try storage.read { _ in } }
    }
}
