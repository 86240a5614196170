import Synchronization

@testable import Yosemite

enum ParcelAction: Action {
    case load(id: Int64, onCompletion: @Sendable (Result<String, ParcelFailure>) -> Void)
    case note(id: Int64, text: String)
    case forget

    var redactedDescription: [String: String] {
        switch self {
        case .load(let id, _), .note(let id, _): ["id": String(id)]
        case .forget: [:]
        }
    }
}

enum ParcelFailure: Error, Hashable { case notFound }

enum ReaderAction: Action {
    case reset

    var redactedDescription: [String: String] { [:] }
}

/// Carries out actions with a closure, and keeps what came.
final class ClosureStore<SupportedAction: Action>: Store {
    private let handler: @Sendable (SupportedAction) -> Void
    private let names = Mutex<[String]>([])

    var processed: [String] { names.withLock { $0 } }

    init(
        _ type: SupportedAction.Type = SupportedAction.self,
        _ handler: @escaping @Sendable (SupportedAction) -> Void = { _ in }
    ) {
        self.handler = handler
    }

    func onAction(_ action: SupportedAction) {
        names.withLock { $0.append(action.name) }
        handler(action)
    }
}

/// Collects the calls of closures, in order.
final class Log<Entry: Sendable>: Sendable {
    private let kept = Mutex<[Entry]>([])

    var entries: [Entry] { kept.withLock { $0 } }

    func add(_ entry: Entry) { kept.withLock { $0.append(entry) } }
}
