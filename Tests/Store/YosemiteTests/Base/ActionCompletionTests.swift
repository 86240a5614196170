import Determinism
import Testing

@testable import Yosemite

@Suite struct ActionCompletionTests {
    private let dispatcher = Dispatcher(time: VirtualTimeSource())

    private func load(_ id: Int64) async throws(ActionFailure<ParcelFailure>) -> String {
        try await dispatcher.perform { ParcelAction.load(id: id, onCompletion: $0) }
    }

    @Test func `a completion becomes a value or an error`() async throws {
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                guard case .load(let id, let onCompletion) = action else { return }
                onCompletion(id == 1 ? .success("order 1") : .failure(.notFound))
            })
        #expect(try await load(1) == "order 1")
        await #expect(throws: ActionFailure<ParcelFailure>.failed(.notFound)) { try await load(2) }
    }

    @Test func `a completion can be called later and from another thread`() async throws {
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                guard case .load(let id, let onCompletion) = action else { return }
                Task { onCompletion(.success("order \(id)")) }
            })
        #expect(try await load(3) == "order 3")
    }

    @Test func `an action without a processor does not hang`() async {
        await #expect(
            throws: ActionFailure<ParcelFailure>.notDispatched(.unhandled(actionName: "ParcelAction.load"))
        ) { try await load(1) }
    }

    @Test func `a store that never calls the completion does not hang its caller`() async throws {
        _ = try dispatcher.register(ClosureStore(ParcelAction.self))
        await #expect(throws: ActionFailure<ParcelFailure>.neverCompleted(actionName: "ParcelAction.load")) {
            try await load(1)
        }
    }

    @Test func `only the first call of a completion counts`() async throws {
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                guard case .load(_, let onCompletion) = action else { return }
                onCompletion(.success("first"))
                onCompletion(.failure(.notFound))
                Task { onCompletion(.success("third")) }
            })
        #expect(try await load(1) == "first")
    }

    @Test func `of concurrent completions only one counts`() async throws {
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                guard case .load(_, let onCompletion) = action else { return }
                for number in 0..<4 { Task { onCompletion(.success("\(number)")) } }
            })
        for _ in 0..<50 { #expect(["0", "1", "2", "3"].contains(try await load(1))) }
    }
}
