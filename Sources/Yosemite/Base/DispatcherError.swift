/// Why an action was not accepted, or a processor not registered. All but `signingOut` are faults of the
/// program.
public enum DispatcherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type of action has a processor already.
    case alreadyRegistered(actionType: String)
    /// No processor carries out this action now. Its completion is never called.
    case unhandled(actionName: String)
    /// The session is ending and takes no more actions. The action's completion is never called.
    case signingOut(actionName: String)

    public var description: String {
        switch self {
        case .alreadyRegistered(let type): "\(type) has a processor already: unregister it first"
        case .unhandled(let name): "nothing carries out \(name) now: sign in first, or register its store"
        case .signingOut(let name): "\(name) was refused because the session is ending: sign in and try again"
        }
    }
}
