public import Sessions
public import Simulator
import Synchronization
public import Testing

/// Opens a simulated shop for each test, and for each case of a test with arguments. The test gets it as
/// `SimulatedShop.current`. The whole test runs on one thread and on the shop's clock, so its result does not depend on
/// the machine or on other tests.
///
/// Each issue of the test includes the seed and the last events.
///
/// ```swift
/// @Test(.simulatedReader(card: "visa-credit"))
/// func `a payment is approved`() async throws {
///     let till = try await Till(shop: .current)
///     #expect(try await till.sell("12.50").outcome == .approved)
/// }
/// ```
public struct SimulatedShopTrait: TestTrait, SuiteTrait, TestScoping {
    private let plan: @Sendable () throws -> SessionPlan

    init(_ plan: @escaping @Sendable () throws -> SessionPlan) { self.plan = plan }

    /// Each test of a suite has its own shop.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        var plan = try self.plan()
        plan.seed = TestSeed.given ?? plan.seed
        let story = IssueContext(plan)
        plan.observer = { [before = plan.observer] event in
            story.add(event)
            before?(event)
        }
        let final = plan
        try await IssueHandlingTrait.compactMapIssues { story.told(with: $0) }.provideScope(
            for: test, testCase: testCase
        ) {
            // The shop is closed before this returns.
            try await withLentFunction(function) { function in
                try await SimulatedShop.run(final) { shop in
                    try await SimulatedShop.$shopOfTest.withValue(shop) { try await function() }
                }
            }
        }
    }
}

extension Trait where Self == SimulatedShopTrait {
    /// Opens a shop with a reader, a cardholder, and an issuer for a test.
    ///
    /// - Parameters:
    ///   - model: the reader model.
    ///   - card: the name of a built-in card profile, or a path to one.
    ///   - seed: the random seed. `CARDPRESENT_SEED` in the environment overrides it.
    ///   - change: changes the plan before the shop opens.
    /// - Returns: the trait. A card that does not exist fails the test.
    public static func simulatedReader(
        _ model: SimulatedReader = .chip(.shortAPDU), card: String = "visa-credit", seed: UInt64 = 1,
        _ change: @escaping @Sendable (inout SessionPlan) throws -> Void = { _ in }
    ) -> SimulatedShopTrait {
        simulatedShop {
            var plan = try SessionPlan(card: card, seed: seed)
            plan.readers = [PlannedReader(model: model)]
            try change(&plan)
            return plan
        }
    }

    /// Opens a shop for a test.
    ///
    /// - Parameter plan: returns the initial state; called for each test.
    /// - Returns: the trait. An error of `plan` fails the test.
    public static func simulatedShop(
        _ plan: @escaping @Sendable () throws -> SessionPlan
    ) -> SimulatedShopTrait {
        SimulatedShopTrait(plan)
    }
}

extension SimulatedShop {
    @TaskLocal static var shopOfTest: SimulatedShop?

    /// The shop that a ``SimulatedShopTrait`` opened for the current test.
    ///
    /// - Throws: ``SimulatedShopMissing`` in a test without the trait, and outside of tests.
    public static var current: SimulatedShop {
        get throws(SimulatedShopMissing) {
            guard let shop = shopOfTest else { throw SimulatedShopMissing() }
            return shop
        }
    }
}

/// The error of a test that uses `SimulatedShop.current` without a trait.
public struct SimulatedShopMissing: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message with the missing trait.
    public var description: String {
        "no shop is open here: give the test or its suite the trait .simulatedReader() or .simulatedShop { … }"
    }
}

/// The context of an issue: the shop's seed and its last events.
final class IssueContext: Sendable {
    private let seed: UInt64
    private let events = Mutex<[SessionEvent]>([])

    /// The number of events to include.
    private static let mostEvents = 12

    init(_ plan: SessionPlan) { seed = plan.seed }

    func add(_ event: SessionEvent) {
        // Exchanges with the card would crowd out all other events.
        guard event.kind != .apdu else { return }
        events.withLock { events in
            if events.count == Self.mostEvents { events.removeFirst() }
            events.append(event)
        }
    }

    /// Returns the issue with the seed and the last events.
    func told(with issue: Issue) -> Issue {
        var issue = issue
        let lines = events.withLock { $0 }.map { "\n    \($0.milliseconds) ms  \($0.text)" }
        let story = "seed \(seed)" + (lines.isEmpty ? "" : "; the last events:" + lines.joined())
        issue.comments.append(Comment(rawValue: story))
        return issue
    }
}
