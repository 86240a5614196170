public import Determinism
import Synchronization

/// Hands each action to the processor of its type.
///
/// It can be called from any task. Actions are processed one after the other, in the order of acceptance. An action
/// that is dispatched while another one is processed is queued, and `dispatch` returns at once. An action goes to the
/// processor that was registered when it was dispatched, so an accepted action is never lost.
public final class Dispatcher: ActionDispatching {
    /// A registered processor. Pass it to ``unregister(_:)`` to end the registration; releasing it has no effect.
    public struct Registration: Hashable, Sendable {
        fileprivate let actionType: ObjectIdentifier
        fileprivate let number: UInt64
    }

    /// An observer, to be passed to ``removeObserver(_:)``.
    public struct Observation: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Processor {
        let registration: Registration
        let process: @Sendable (any Action) -> Void
    }

    private typealias Observer = (observation: Observation, observe: @Sendable (ActionRecord) -> Void)

    /// A queued action with its processor and observers.
    private struct Accepted {
        let action: any Action
        let process: @Sendable (any Action) -> Void
        let sequence: UInt64
        let moment: Timestamp
        let observers: [Observer]

        func carryOut() {
            if !observers.isEmpty {
                let record = ActionRecord(
                    sequence: sequence, name: action.name, arguments: action.redactedDescription, at: moment)
                for observer in observers { observer.observe(record) }
            }
            process(action)
        }
    }

    private enum Acceptance {
        case unhandled
        case waitsInLine
        case isNext(Accepted)
    }

    private struct State {
        var processors: [ObjectIdentifier: Processor] = [:]
        var observers: [Observer] = []
        var line: [Accepted] = []
        var isProcessing = false
        var lastSequence: UInt64 = 0
        var lastNumber: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func accept(_ action: any Action, at moment: Timestamp) -> Acceptance {
            guard let processor = processors[ObjectIdentifier(type(of: action))] else { return .unhandled }
            lastSequence += 1
            let accepted = Accepted(
                action: action, process: processor.process, sequence: lastSequence, moment: moment,
                observers: observers)
            if isProcessing {
                line.append(accepted)
                return .waitsInLine
            }
            isProcessing = true
            return .isNext(accepted)
        }
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    /// - Parameter time: the clock for the times in the observers' records.
    public init(time: any TimeSource) { self.time = time }

    /// Registers `processor` for the actions of its type, and retains it until it is unregistered.
    ///
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)``
    public func register<Processor: ActionsProcessor>(
        _ processor: Processor
    ) throws(DispatcherError) -> Registration {
        typealias Supported = Processor.SupportedAction
        let type = ObjectIdentifier(Supported.self)
        let registration = state.withLock { state -> Registration? in
            guard state.processors[type] == nil else { return nil }
            let registration = Registration(actionType: type, number: state.nextNumber())
            state.processors[type] = Dispatcher.Processor(registration: registration) { action in
                if let action = action as? Supported { processor.onAction(action) }
            }
            return registration
        }
        guard let registration else { throw .alreadyRegistered(actionType: String(describing: Supported.self)) }
        return registration
    }

    /// Ends a registration. Actions accepted before are still processed. A second call has no effect.
    public func unregister(_ registration: Registration) {
        let released = state.withLock { state -> Processor? in
            guard state.processors[registration.actionType]?.registration == registration else { return nil }
            return state.processors.removeValue(forKey: registration.actionType)
        }
        // The processor may be released here, and dispatch while it is: the lock is open by now.
        _ = released
    }

    /// Calls `observe` with a record of every accepted action, in order, just before it is processed.
    public func addObserver(_ observe: @escaping @Sendable (ActionRecord) -> Void) -> Observation {
        state.withLock { state in
            let observation = Observation(number: state.nextNumber())
            state.observers.append((observation, observe))
            return observation
        }
    }

    /// Ends an observation. A second call has no effect.
    public func removeObserver(_ observation: Observation) {
        state.withLock { $0.observers.removeAll { $0.observation == observation } }
    }

    /// Accepts an action, and processes it now, or after the actions that are already queued.
    ///
    /// Without observers it costs a table lookup and a call: it allocates nothing and looks up no name.
    ///
    /// - Throws: ``DispatcherError/unhandled(actionName:)``; nothing was done, and the action's completion is never
    ///   called.
    public func dispatch(_ action: any Action) throws(DispatcherError) {
        let moment = time.now()
        switch state.withLock({ $0.accept(action, at: moment) }) {
        case .unhandled: throw .unhandled(actionName: action.name)
        case .waitsInLine: return
        case .isNext(let accepted):
            accepted.carryOut()
            processLine()
        }
    }

    /// Processes the actions that arrived meanwhile, until the queue is empty.
    private func processLine() {
        var turn: [Accepted] = []
        repeat {
            turn.removeAll(keepingCapacity: true)
            state.withLock { state in
                state.isProcessing = !state.line.isEmpty
                // Swapping the two arrays keeps the grown capacity.
                if state.isProcessing || turn.capacity > 0 { swap(&turn, &state.line) }
            }
            for accepted in turn { accepted.carryOut() }
        } while !turn.isEmpty
    }
}

/// The reason why an action was not accepted, or a processor not registered. All but `signingOut` and `notSignedIn` are
/// bugs in the program.
public enum DispatcherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type of action already has a processor.
    case alreadyRegistered(actionType: String)
    /// The type of action has no processor. The completion is never called.
    case unhandled(actionName: String)
    /// The session is ending and accepts no more actions. The completion is never called.
    case signingOut(actionName: String)
    /// The action needs a signed-in user. The completion is never called.
    case notSignedIn(actionName: String)

    public var description: String {
        switch self {
        case .alreadyRegistered(let type): "\(type) already has a processor: unregister it first"
        case .unhandled(let name): "no store handles \(name): register one"
        case .signingOut(let name): "\(name) was refused because the session is ending: sign in and try again"
        case .notSignedIn(let name): "\(name) needs a store: sign in first with 'cardpresent login URL'"
        }
    }
}
