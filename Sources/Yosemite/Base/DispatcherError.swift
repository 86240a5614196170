/// Why an action was not accepted, or a processor not registered. All but `signingOut` and `notSignedIn` are faults of
/// the program.
public enum DispatcherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type of action has a processor already.
    case alreadyRegistered(actionType: String)
    /// No processor carries out this action now. Its completion is never called.
    case unhandled(actionName: String)
    /// The session is ending and takes no more actions. The action's completion is never called.
    case signingOut(actionName: String)
    /// The action needs somebody who is signed in, and nobody is. Its completion is never called.
    case notSignedIn(actionName: String)

    public var description: String {
        switch self {
        case .alreadyRegistered(let type): "\(type) has a processor already: unregister it first"
        case .unhandled(let name): "nothing carries out \(name) now: register its store"
        case .signingOut(let name): "\(name) was refused because the session is ending: sign in and try again"
        case .notSignedIn(let name): "\(name) needs a store: sign in first with 'cardpresent login URL'"
        }
    }
}
