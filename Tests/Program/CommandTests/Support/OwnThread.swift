import Dispatch
import Testing

extension Trait where Self == OwnThread {
    /// Runs each test on a thread of its own. A test that waits for a program blocks its thread, and all other tests
    /// share as many as the machine has processors: a server that a test has in this process would not answer.
    static var ownThread: Self { OwnThread() }
}

/// The trait of suites whose tests wait for programs beside tests that can't be kept waiting.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
    }
}

/// Runs tasks one after the other, apart from the threads that tasks share.
private final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "cardpresent.test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
