import Synchronization
import Testing

/// Expects that a test records one issue, which is then none: for tests of what is told of a test that fails.
struct IssueExpectation: TestTrait, TestScoping {
    let isExpected: @Sendable (Issue) -> Bool

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let count = IssueCount()
        try await IssueHandlingTrait.compactMapIssues { issue in
            guard isExpected(issue) else { return issue }
            count.add()
            return nil
        }.provideScope(for: test, testCase: testCase) {
            do { try await function() } catch {
                // As the testing library does outside of all traits.
                Issue.record(error)
            }
        }
        if count.value != 1 { Issue.record("\(count.value) such issues in place of one") }
    }
}

private final class IssueCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

extension Trait where Self == IssueExpectation {
    static func recordsOneIssue(_ isExpected: @escaping @Sendable (Issue) -> Bool) -> IssueExpectation {
        IssueExpectation(isExpected: isExpected)
    }
}

extension Issue {
    var text: String { comments.map(\.rawValue).joined(separator: "\n") }
}
