internal import Sessions
public import Testing

/// Opens a simulated shop for a test, which has it as `SimulatedShop.current`: each test its own, and each case
/// of a test with arguments. Everything in the test then happens on one thread and on the shop's clock, so that it is the
/// same whenever it is run, and whatever runs beside it.
///
/// What goes wrong in the test is told with the seed and the last events before it.
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

    /// Every test of a suite has a shop of its own.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        var plan = try self.plan()
        plan.seed = TestSeed.given ?? plan.seed
        let story = ShopStory(plan)
        plan.observer = { [before = plan.observer] event in
            story.add(event)
            before?(event)
        }
        let final = plan
        try await IssueHandlingTrait.compactMapIssues { story.told(with: $0) }.provideScope(
            for: test, testCase: testCase
        ) {
            // It is left when the shop is closed, and that is before this returns.
            try await withoutActuallyEscaping(function) { function in
                try await SimulatedShop.run(final) { shop in
                    try await SimulatedShop.$shopOfTest.withValue(shop) { try await function() }
                }
            }
        }
    }
}
