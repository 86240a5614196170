public import Determinism
internal import Synchronization

/// Brings each action to the one processor of its type.
///
/// It may be called from any task. Actions are processed one after the other, in the order in which they were
/// accepted; an action that is dispatched while another one is being processed, by its processor or by another
/// task, waits in line and `dispatch` returns at once. An action goes to the processor that was registered when
/// it was dispatched, so an accepted action is never lost.
public final class Dispatcher: ActionDispatching {
    /// Stands for a registered processor. Hand it back to ``unregister(_:)``; letting go of it does nothing.
    public struct Registration: Hashable, Sendable {
        fileprivate let actionType: ObjectIdentifier
        fileprivate let number: UInt64
    }

    /// Stands for an observer, until it is handed to ``removeObserver(_:)``.
    public struct Observation: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Processor {
        let registration: Registration
        let process: @Sendable (any Action) -> Void
    }

    private typealias Observer = (observation: Observation, observe: @Sendable (ActionRecord) -> Void)

    /// An action that has its turn to come, with those who carry it out and watch it.
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

    /// - Parameter time: stamps the records that observers get.
    public init(time: any TimeSource) { self.time = time }

    /// Makes `processor` carry out the actions of its type from now on, and keeps it alive until then.
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

    /// Ends a registration. Actions that were accepted before are still processed. Ending it twice does nothing.
    public func unregister(_ registration: Registration) {
        let released = state.withLock { state -> Processor? in
            guard state.processors[registration.actionType]?.registration == registration else { return nil }
            return state.processors.removeValue(forKey: registration.actionType)
        }
        // The processor may go away here, and its end may dispatch: the lock is open by now.
        _ = released
    }

    /// Has `observe` called with a record of every accepted action, in order, just before it is processed.
    public func addObserver(_ observe: @escaping @Sendable (ActionRecord) -> Void) -> Observation {
        state.withLock { state in
            let observation = Observation(number: state.nextNumber())
            state.observers.append((observation, observe))
            return observation
        }
    }

    /// Ends an observation. Ending it twice does nothing.
    public func removeObserver(_ observation: Observation) {
        state.withLock { $0.observers.removeAll { $0.observation == observation } }
    }

    /// Accepts an action, and processes it unless another one is being processed; then it waits in line.
    ///
    /// With nobody observing it costs a look into a table and a call: no name is made and nothing is allocated.
    ///
    /// - Throws: ``DispatcherError/unhandled(actionName:)``; then nothing was done, and the action's completion
    ///   is never called.
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

    /// Carries out what came meanwhile, until nothing waits.
    private func processLine() {
        var turn: [Accepted] = []
        repeat {
            turn.removeAll(keepingCapacity: true)
            state.withLock { state in
                state.isProcessing = !state.line.isEmpty
                // The two lists change places, so that a list that has grown is used again.
                if state.isProcessing || turn.capacity > 0 { swap(&turn, &state.line) }
            }
            for accepted in turn { accepted.carryOut() }
        } while !turn.isEmpty
    }
}
