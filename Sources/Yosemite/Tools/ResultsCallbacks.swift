public import Storage

/// What a ``ResultsController`` calls when its list changes, in the order of the properties. None is called while
/// another one runs.
public struct ResultsCallbacks<Model: ReadOnlyType>: Sendable {
    /// The list is about to change: the controller still shows the old one.
    public var willChangeContent: (@Sendable () -> Void)?
    /// Sections came or went: the controller shows the new list.
    public var didChangeSection: (@Sendable (ResultsSectionChange) -> Void)?
    /// Something happened to an object.
    public var didChangeObject: (@Sendable (ResultsObjectChange<Model>) -> Void)?
    /// All of a change is told.
    public var didChangeContent: (@Sendable () -> Void)?
    /// The database was reset, and the list is what is left of it. Nothing else is called for this.
    public var didResetContent: (@Sendable () -> Void)?
    /// The list could not follow the database, and stays as it was. The next commit, and
    /// ``ResultsController/refresh()``, bring it back.
    public var didFail: (@Sendable (StorageError) -> Void)?

    public init() {}
}
