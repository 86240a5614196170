import Simulator
public import Testing

/// Runs a test in a `RunQueue` of its own: all tasks of the test run on one thread, and every `SimulationClock` that
/// the test creates moves when none of them can run. For a test of its own reader, bus or driver; a test with a whole
/// shop uses `.simulatedShop`.
///
/// ```swift
/// @Suite(.simulatedTime)
/// struct DriverTests {
///     private let clock = SimulationClock()
///
///     @Test func `the driver waits for a card`() async throws { … }
/// }
/// ```
///
/// The test must not use `Task.sleep`, other threads or sockets, except through `RunQueue.outside`. A test that waits
/// for something that never happens is canceled and fails with a `RunQueueError`. If it does not end then, the process
/// ends.
public struct SimulatedTimeTrait: TestTrait, SuiteTrait, TestScoping {
    /// Each test of a suite runs in a queue of its own.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await run(function)
    }

    package func run(_ function: @concurrent @Sendable () async throws -> Void) async throws {
        try await withLentFunction(function) { function in try await RunQueue.run { try await function() } }
    }
}

extension Trait where Self == SimulatedTimeTrait {
    /// Runs each test in simulated time.
    public static var simulatedTime: SimulatedTimeTrait { SimulatedTimeTrait() }
}
