public import Storage

/// Why a session did not begin or end as it should. After ending, nobody is signed in all the same.
public enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Two stores take one type of action, or none takes a reset: a fault of the program.
    case stores(DispatcherError)
    /// What belongs to the session that ended is still in the database.
    case notForgotten(StorageError)
    /// Who is signed in could not be kept, or not forgotten.
    case notKept(SignInKeepingError)

    public var description: String {
        switch self {
        case .stores(let error): error.description
        case .notForgotten(let error): "the data of the store could not be deleted: \(error)"
        case .notKept(let error): error.description
        }
    }
}
