import CMallocCount
import Determinism
import Synchronization
import Yosemite

/// Measures the cost of dispatching an action to its store, without the action itself.
struct DispatchBenchmark {
    var rounds = 9
    var actions = 200_000

    func run() async throws -> String {
        let store = CountingStore()
        let dispatcher = Dispatcher(time: SystemTimeSource())
        _ = try dispatcher.register(store)
        let observed = Dispatcher(time: SystemTimeSource())
        _ = try observed.register(store)
        _ = observed.addObserver { _ in }
        let table = ClosureTable(store)
        let ways: [(name: String, send: (any Action) throws -> Void)] = [
            // The baseline that is subtracted from the others.
            ("nothing", { _ in }),
            ("a call of the store (baseline)", { if let action = $0 as? CountingAction { store.onAction(action) } }),
            ("a closure in a locked dictionary (baseline)", { table.send($0) }),
            ("`Dispatcher`", { try dispatcher.dispatch($0) }),
            ("`Dispatcher` with an observer", { try observed.dispatch($0) }),
        ]
        var times = [Samples](repeating: Samples(), count: ways.count)
        var counts = [Samples](repeating: Samples(), count: ways.count)
        for _ in 0..<rounds {
            var made = (seconds: 0.0, allocations: 0.0)
            for (index, way) in ways.enumerated() {
                let sent = try measure(way.send)
                if index == 0 { made = sent }
                times[index].add((sent.seconds - made.seconds) / Double(actions) * 1e9)
                counts[index].add((sent.allocations - made.allocations) / Double(actions))
            }
        }
        guard store.count == actions * rounds * (ways.count - 1) else { throw BenchmarkError("an action was lost") }
        var result = MarkdownTable("way to the store", "ns", "allocations", "target")
        for (index, way) in ways.enumerated().dropFirst() {
            let isMeant = way.name == "`Dispatcher`"
            result.add(
                way.name, times[index].text(decimals: 0), counts[index].text(decimals: 2),
                isMeant
                    ? verdict(times[index].median, atMost: 1000) + ", " + verdict(counts[index].median, atMost: 0) : "")
        }
        return "### An action's way to its store, without the making of the action\n\n" + result.text
    }

    /// Creates actions and dispatches each of them.
    private func measure(_ send: (any Action) throws -> Void) throws -> (seconds: Double, allocations: Double) {
        let before = malloc_count()
        let start = ContinuousClock.now
        for number in 0..<actions {
            try send(CountingAction.add(number: Int64(number), text: "pending", onCompletion: { _ in }))
        }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return (Double(seconds) + Double(attoseconds) * 1e-18, Double(malloc_count() - before))
    }
}

/// As large as the actions of the stores.
private enum CountingAction: Action {
    case add(number: Int64, text: String, onCompletion: @Sendable (Result<Int64, StoreError>) -> Void)

    var redactedDescription: [String: String] {
        switch self {
        case .add(let number, _, _): ["number": String(number)]
        }
    }
}

private final class CountingStore: Store {
    private let counter = Mutex(0)

    var count: Int { counter.withLock { $0 } }

    func onAction(_ action: CountingAction) {
        switch action {
        case .add: counter.withLock { $0 += 1 }
        }
    }
}

/// A minimal dispatcher that finds the processor of an action and may be called from any thread.
private final class ClosureTable: Sendable {
    private let closures: Mutex<[ObjectIdentifier: @Sendable (any Action) -> Void]>

    init(_ store: CountingStore) {
        closures = Mutex([
            ObjectIdentifier(CountingAction.self): { if let action = $0 as? CountingAction { store.onAction(action) } }
        ])
    }

    func send(_ action: any Action) {
        let closure = closures.withLock { $0[ObjectIdentifier(type(of: action))] }
        closure?(action)
    }
}
