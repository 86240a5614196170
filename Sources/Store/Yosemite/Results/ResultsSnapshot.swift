/// The list of a ``ResultsController`` after one commit.
public struct ResultsSnapshot<Model: Equatable & Sendable>: Equatable, Sendable {
    /// The sections, in the order of their first objects. A list without section names has one section, which may be
    /// empty; a list with them has no empty section.
    public let sections: [ResultsSection<Model>]

    /// - Parameters:
    ///   - entries: all objects, in order.
    ///   - hasSections: whether to group objects by section name.
    init(_ entries: [ResultsEntry<Model>], hasSections: Bool) {
        guard hasSections else {
            sections = [ResultsSection(name: "", entries: entries)]
            return
        }
        var (names, groups): ([String: Int], [[ResultsEntry<Model>]]) = ([:], [])
        // Adjacent objects are usually in the same section, so lookups are rare.
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

    /// The number of objects.
    public var count: Int { sections.reduce(0) { $0 + $1.count } }

    /// Whether there are no objects.
    public var isEmpty: Bool { sections.allSatisfy(\.isEmpty) }

    /// All objects, section by section.
    public var objects: [Model] { sections.flatMap { $0 } }

    /// The object at `path`; nil if there is none.
    public subscript(path: ResultsIndexPath) -> Model? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.item) else {
            return nil
        }
        return sections[path.section][path.item]
    }

    /// Returns the index of the object at `path` in ``objects``; nil if there is none.
    public func objectIndex(of path: ResultsIndexPath) -> Int? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.item) else {
            return nil
        }
        return sections[..<path.section].reduce(path.item) { $0 + $1.count }
    }

    /// Returns the path of the first object that meets `condition`; nil if there is none.
    public func indexPath(where condition: (Model) throws -> Bool) rethrows -> ResultsIndexPath? {
        for (number, section) in sections.enumerated() {
            if let item = try section.firstIndex(where: condition) {
                return ResultsIndexPath(section: number, item: item)
            }
        }
        return nil
    }
}

/// The objects with one section name, in order. The section of a list without sections is named "".
public struct ResultsSection<Model: Equatable & Sendable>: RandomAccessCollection, Sendable {
    public let name: String
    let entries: [ResultsEntry<Model>]

    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }

    public subscript(position: Int) -> Model { entries[position].model }
}

extension ResultsSection: Equatable {
    public static func == (first: Self, second: Self) -> Bool {
        first.name == second.name && first.elementsEqual(second)
    }
}

/// The place of an object in a list of sections.
public struct ResultsIndexPath: Hashable, Comparable, Sendable {
    /// The index of the section, from 0.
    public let section: Int
    /// The index of the object in its section, from 0.
    public let item: Int

    /// Takes the index of a section, and the index of an object in it, both from 0.
    public init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

    public static func < (first: ResultsIndexPath, second: ResultsIndexPath) -> Bool {
        (first.section, first.item) < (second.section, second.item)
    }
}
