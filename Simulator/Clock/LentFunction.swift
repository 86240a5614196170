/// Runs the function of a test in a simulated world. The test library only lends the function, so it must have ended
/// when this returns.
///
/// Swift cannot stop a function that does not end when it is canceled. Such a function ends the process, with a message
/// that says what it waits for.
///
/// - Parameters:
///   - function: the function of a test.
///   - world: runs the function that it gets in the tasks of a world, and throws a `RunQueueError` when it does not
///     end.
/// - Throws: the error of `world`.
package func withLentFunction(
    _ function: @concurrent @Sendable () async throws -> Void,
    in world: @concurrent @Sendable (@escaping @concurrent @Sendable () async throws -> Void) async throws -> Void
) async throws {
    try await withoutActuallyEscaping(function) { function in
        do {
            try await world(function)
        } catch let error as RunQueueError where !error.hasEnded {
            fatalError("a test cannot be stopped: \(error)")
        }
    }
}
