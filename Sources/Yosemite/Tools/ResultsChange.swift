/// What one commit, or one fetch, made of a list of results.
public struct ResultsChange<Model: Equatable & Sendable>: Sendable {
    /// The list before. The paths of what was deleted or moved from, and section numbers of deletions, are in it.
    public let old: ResultsSnapshot<Model>
    /// The list now. The paths of what was inserted, moved to or updated, and section numbers of insertions, are in it.
    public let new: ResultsSnapshot<Model>
    /// The sections that came and went. Where sections change their order, some of them go and come.
    public let sections: [ResultsSectionChange]
    /// What happened to objects. One that only stands elsewhere because of others is not among them.
    public let objects: [ResultsObjectChange<Model>]
    /// Whether the database was reset. Then look at everything again; sections and objects are still told.
    public let isReset: Bool

    /// Whether there is nothing to tell.
    var isEmpty: Bool { sections.isEmpty && objects.isEmpty && !isReset }
}

/// A section that came or went.
public enum ResultsSectionChange: Hashable, Sendable {
    case delete(index: Int, name: String)
    case insert(index: Int, name: String)
}

/// What happened to one object.
public enum ResultsObjectChange<Model: Equatable & Sendable>: Equatable, Sendable {
    /// It is in the list no longer.
    case delete(Model, at: ResultsIndexPath)
    /// It is in the list for the first time.
    case insert(Model, at: ResultsIndexPath)
    /// It stands elsewhere, mostly because its values are others.
    case move(Model, from: ResultsIndexPath, to: ResultsIndexPath)
    /// Its values are others, or those of its parts, and its place among the objects that stayed is the same.
    case update(Model, from: ResultsIndexPath, to: ResultsIndexPath)

    /// The object: as it was when it was deleted, as it is now otherwise.
    public var object: Model {
        switch self {
        case .delete(let object, _), .insert(let object, _), .move(let object, _, _), .update(let object, _, _): object
        }
    }
}
