/// What a ``ResultsController`` found, as it was after one commit.
public struct ResultsSnapshot<Model: Equatable & Sendable>: Equatable, Sendable {
    /// The objects by section, in the order of the first object of each. Without section names there is one section,
    /// which may be empty; with them no section is.
    public let sections: [ResultsSection<Model>]

    /// - Parameters:
    ///   - entries: all objects, in their order.
    ///   - hasSections: whether objects of one section name are put together.
    init(_ entries: [ResultsEntry<Model>], hasSections: Bool) {
        guard hasSections else {
            sections = [ResultsSection(name: "", entries: entries)]
            return
        }
        var (names, groups): ([String: Int], [[ResultsEntry<Model>]]) = ([:], [])
        // Neighbours are mostly of one section, so names are seldom looked up.
        var current: (name: String, group: Int)?
        for entry in entries {
            if let current, current.name == entry.section {
                groups[current.group].append(entry)
                continue
            }
            let group = names[entry.section] ?? groups.count
            if group == groups.count {
                names[entry.section] = group
                groups.append([])
            }
            groups[group].append(entry)
            current = (entry.section, group)
        }
        sections = groups.map { ResultsSection(name: $0.first?.section ?? "", entries: $0) }
    }

    /// How many objects there are.
    public var count: Int { sections.reduce(0) { $0 + $1.count } }

    /// Whether there is no object.
    public var isEmpty: Bool { sections.allSatisfy(\.isEmpty) }

    /// All objects, one section after the other.
    public var objects: [Model] { sections.flatMap { $0 } }

    /// The object at `path`; nil where there is none.
    public subscript(path: ResultsIndexPath) -> Model? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.item) else {
            return nil
        }
        return sections[path.section][path.item]
    }

    /// The number that the object at `path` has in ``objects``; nil where there is none.
    public func objectIndex(of path: ResultsIndexPath) -> Int? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.item) else {
            return nil
        }
        return sections[..<path.section].reduce(path.item) { $0 + $1.count }
    }

    /// Where the first object is that `condition` means; nil when there is none.
    public func indexPath(where condition: (Model) throws -> Bool) rethrows -> ResultsIndexPath? {
        for (number, section) in sections.enumerated() {
            if let item = try section.firstIndex(where: condition) {
                return ResultsIndexPath(section: number, item: item)
            }
        }
        return nil
    }
}
