import TestDoubles
import Testing

@testable import Concurrency

@Suite struct CommandTests {
    private enum Refused: Error, Hashable { case byServer }
    private enum Failed: Error, Hashable { case network(Refused) }

    @Test func `a command that follows another gets its value`() async throws {
        let fetched = TestCommand<[Int], Refused>(.success([1, 2]))
        let saved = fetched.then { TestCommand<Int, Refused>(.success($0.count)) }
        #expect(try await saved.execute() == 2)
        #expect(fetched.executions == 1)
    }

    @Test func `a command that fails is not followed`() async {
        let next = TestCommand<Int, Refused>(.success(1))
        let both = TestCommand<[Int], Refused>(.failure(.byServer)).then { _ in next }
        await #expect(throws: Refused.byServer) { try await both.execute() }
        #expect(next.executions == 0)
    }

    @Test func `a command that is followed keeps its value, and fails with the step that follows`() async throws {
        let saved = TestCommand<Void, Refused>(.success(()))
        let fetched = TestCommand<Int, Refused>(.success(3), key: CommandKey("fetch"))
        let both = fetched.followed { _ in saved }
        #expect(try await both.execute() == 3)
        #expect(saved.executions == 1)
        #expect(both.key == CommandKey("fetch"))
        let refused = fetched.followed { _ in TestCommand<Void, Refused>(.failure(.byServer)) }
        await #expect(throws: Refused.byServer) { try await refused.execute() }
    }

    @Test func `only a command that fails is replaced, and its replacement may fail too`() async throws {
        let other = TestCommand<Int, Refused>(.success(2))
        #expect(try await TestCommand<Int, Refused>(.success(1)).otherwise { _ in other }.execute() == 1)
        #expect(other.executions == 0)
        #expect(try await TestCommand<Int, Refused>(.failure(.byServer)).otherwise { _ in other }.execute() == 2)
        let again = TestCommand<Int, Refused>(.failure(.byServer)).otherwise { KnownCommand(failure: $0) }
        await #expect(throws: Refused.byServer) { try await again.execute() }
    }

    @Test func `commands of two layers are combined with one type of failure`() async {
        let request = TestCommand<Int, Refused>(.failure(.byServer)).mapFailure { Failed.network($0) }
        await #expect(throws: Failed.network(.byServer)) { try await request.map { $0 + 1 }.execute() }
    }

    @Test func `a composed command keeps the key of its first part, until it is given another`() {
        let command = TestCommand<Int, Refused>(.success(1), key: CommandKey("fetch", "7"))
        #expect(command.map { $0 }.key == CommandKey("fetch", "7"))
        #expect(command.keyed(CommandKey("sync", "7")).key?.description == "sync 7")
    }
}
