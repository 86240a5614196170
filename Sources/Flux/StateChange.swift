/// One change of a ``StatefulStore``.
public struct StateChange<State: Sendable>: Sendable {
    public let old: State
    public let new: State
}

extension StateChange: Equatable where State: Equatable {}
