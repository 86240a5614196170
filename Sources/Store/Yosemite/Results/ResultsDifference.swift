/// Computes the changes between two sectioned lists of numbered items.
///
/// It depends only on the numbers, so that it is compiled once for all models.
struct ResultsDifference {
    /// An item: its number, unique in a list, and the version of its values.
    struct Mark: Hashable {
        let identity: Int
        let version: Int
    }

    struct Section {
        let name: String
        let marks: [Mark]
    }

    /// Indices in the old list, ascending.
    private(set) var deletedSections: [Int] = []
    /// Indices in the new list, ascending.
    private(set) var insertedSections: [Int] = []
    /// Paths in the old list, ascending.
    private(set) var deleted: [ResultsIndexPath] = []
    /// Paths in the new list, ascending.
    private(set) var inserted: [ResultsIndexPath] = []
    /// Ordered by the new paths.
    private(set) var moved: [(from: ResultsIndexPath, to: ResultsIndexPath)] = []
    /// Ordered by the new paths.
    private(set) var updated: [(from: ResultsIndexPath, to: ResultsIndexPath)] = []

    /// The middle of a pair of sections, between equal beginnings and equal ends.
    private struct Rest {
        let section: Int
        let marks: ArraySlice<Mark>
        /// The index of the section in the other list, if it is there.
        let partner: Int?
    }

    /// Section names and item numbers are unique in each list.
    init(from old: [Section], to new: [Section]) {
        let kept = Self.keptSections(from: old, to: new)
        let keptOld = Set(kept.values)
        deletedSections = old.indices.filter { !keptOld.contains($0) }
        insertedSections = new.indices.filter { kept[$0] == nil }

        var oldRests = deletedSections.map { Rest(section: $0, marks: old[$0].marks[...], partner: nil) }
        var newRests: [Rest] = []
        for (number, section) in new.enumerated() {
            guard let partner = kept[number] else {
                newRests.append(Rest(section: number, marks: section.marks[...], partner: nil))
                continue
            }
            let (before, after) = compareEnds(of: old[partner].marks, section.marks, at: partner, number)
            oldRests.append(Rest(section: partner, marks: before, partner: number))
            newRests.append(Rest(section: number, marks: after, partner: partner))
        }
        place(newRests, among: oldRests)
        updated.sort { $0.to < $1.to }
    }

    // MARK: Sections

    /// Returns the largest set of sections that keep their order: new index to old index.
    private static func keptSections(from old: [Section], to new: [Section]) -> [Int: Int] {
        var numbers: [String: Int] = [:]
        for (number, section) in old.enumerated() { numbers[section.name] = number }
        let common = new.enumerated().compactMap { number, section in
            numbers[section.name].map { (new: number, old: $0) }
        }
        return longestIncreasing(common.map(\.old)).reduce(into: [:]) { $0[common[$1].new] = common[$1].old }
    }

    // MARK: Things

    /// Skips the same items at both beginnings and both ends, and records those with other values.
    ///
    /// - Returns: the middle.
    private mutating func compareEnds(
        of old: [Mark], _ new: [Mark], at oldSection: Int, _ newSection: Int
    ) -> (old: ArraySlice<Mark>, new: ArraySlice<Mark>) {
        func note(_ from: Int, _ to: Int) {
            guard old[from].version != new[to].version else { return }
            updated.append(
                (ResultsIndexPath(section: oldSection, item: from), ResultsIndexPath(section: newSection, item: to)))
        }
        let shorter = min(old.count, new.count)
        var beginning = 0
        while beginning < shorter, old[beginning].identity == new[beginning].identity {
            note(beginning, beginning)
            beginning += 1
        }
        var end = 0
        while end < shorter - beginning, old[old.count - 1 - end].identity == new[new.count - 1 - end].identity {
            end += 1
            note(old.count - end, new.count - end)
        }
        return (old[beginning..<old.count - end], new[beginning..<new.count - end])
    }

    private mutating func place(_ newRests: [Rest], among oldRests: [Rest]) {
        var before: [Int: (path: ResultsIndexPath, mark: Mark)] = [:]
        for rest in oldRests {
            for (item, mark) in zip(rest.marks.indices, rest.marks) {
                before[mark.identity] = (ResultsIndexPath(section: rest.section, item: item), mark)
            }
        }
        for rest in newRests {
            // The items that were in this section before.
            var stayers: [(from: ResultsIndexPath, to: ResultsIndexPath, isSame: Bool)] = []
            for (item, mark) in zip(rest.marks.indices, rest.marks) {
                let path = ResultsIndexPath(section: rest.section, item: item)
                guard let (from, old) = before.removeValue(forKey: mark.identity) else {
                    inserted.append(path)
                    continue
                }
                if from.section == rest.partner {
                    stayers.append((from, path, old.version == mark.version))
                } else {
                    moved.append((from, path))
                }
            }
            let settled = Self.settled(stayers.map { ($0.from.item, $0.isSame) })
            for (stayer, isSettled) in zip(stayers, settled) {
                if !isSettled {
                    moved.append((stayer.from, stayer.to))
                } else if !stayer.isSame {
                    updated.append((stayer.from, stayer.to))
                }
            }
        }
        moved.sort { $0.to < $1.to }
        deleted = before.values.map(\.path).sorted()
    }

    /// Returns which items can stay while the others are moved around them. Items with the same values come first,
    /// since they have no reason to move.
    private static func settled(_ things: [(old: Int, isSame: Bool)]) -> [Bool] {
        var settled = [Bool](repeating: false, count: things.count)
        let same = things.indices.filter { things[$0].isSame }
        for number in longestIncreasing(same.map { things[$0].old }) { settled[same[number]] = true }
        // For each item, the old index of the next item that stays.
        var (next, bounds) = (Int.max, [Int](repeating: Int.max, count: things.count))
        for index in things.indices.reversed() {
            bounds[index] = next
            if settled[index] { next = things[index].old }
        }
        var last = -1
        for index in things.indices {
            let old = things[index].old
            if !settled[index], !things[index].isSame, old > last, old < bounds[index] { settled[index] = true }
            if settled[index] { last = old }
        }
        return settled
    }

    /// Returns the indices of a longest increasing subsequence of `numbers`, which are all different.
    private static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // The common case.
        if zip(numbers, numbers.dropFirst()).allSatisfy(<) { return Array(numbers.indices) }
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var (chain, next): ([Int], Int?) = ([], ends.last)
        while let index = next {
            chain.append(index)
            next = previous[index]
        }
        return chain.reversed()
    }
}

/// The changes of one commit, or one fetch, to a list of results.
public struct ResultsChange<Model: Equatable & Sendable>: Sendable {
    /// The list before. It has the paths of deleted objects and the old paths of moved ones, and the indices of deleted
    /// sections.
    public let old: ResultsSnapshot<Model>
    /// The list now. It has the paths of inserted, moved and updated objects, and the indices of inserted sections.
    public let new: ResultsSnapshot<Model>
    /// The deleted and inserted sections. Where sections change their order, some are deleted and inserted again.
    public let sections: [ResultsSectionChange]
    /// The changed objects. Objects that only shift because of others are not included.
    public let objects: [ResultsObjectChange<Model>]
    /// Whether the database was reset. Everything should then be shown anew; sections and objects are still listed.
    public let isReset: Bool

    /// Whether nothing changed.
    var isEmpty: Bool { sections.isEmpty && objects.isEmpty && !isReset }
}

/// A deleted or inserted section.
public enum ResultsSectionChange: Hashable, Sendable {
    case delete(index: Int, name: String)
    case insert(index: Int, name: String)
}

/// A change to one object.
public enum ResultsObjectChange<Model: Equatable & Sendable>: Equatable, Sendable {
    /// The object left the list.
    case delete(Model, at: ResultsIndexPath)
    /// The object is new in the list.
    case insert(Model, at: ResultsIndexPath)
    /// The object has another place, usually because its values changed.
    case move(Model, from: ResultsIndexPath, to: ResultsIndexPath)
    /// The object's values, or those of its parts, changed, and its place among the objects that stayed is the same.
    case update(Model, from: ResultsIndexPath, to: ResultsIndexPath)

    /// The object: before the change when it was deleted, after it otherwise.
    public var object: Model {
        switch self {
        case .delete(let object, _), .insert(let object, _), .move(let object, _, _), .update(let object, _, _): object
        }
    }
}

extension ResultsChange {
    /// Computes the changes between two lists.
    init(from old: ResultsSnapshot<Model>, to new: ResultsSnapshot<Model>, isReset: Bool) {
        let difference = ResultsDifference(from: old.marks, to: new.marks)
        (self.old, self.new, self.isReset) = (old, new, isReset)
        sections =
            difference.deletedSections.map { .delete(index: $0, name: old.sections[$0].name) }
            + difference.insertedSections.map { .insert(index: $0, name: new.sections[$0].name) }
        var objects: [ResultsObjectChange<Model>] = []
        for path in difference.deleted { objects.append(.delete(old.object(path), at: path)) }
        for path in difference.inserted { objects.append(.insert(new.object(path), at: path)) }
        for (from, to) in difference.moved { objects.append(.move(new.object(to), from: from, to: to)) }
        for (from, to) in difference.updated { objects.append(.update(new.object(to), from: from, to: to)) }
        self.objects = objects
    }
}

extension ResultsSnapshot {
    fileprivate var marks: [ResultsDifference.Section] {
        sections.map { section in
            ResultsDifference.Section(
                name: section.name,
                marks: section.entries.map {
                    ResultsDifference.Mark(identity: $0.identity, version: $0.version)
                })
        }
    }

    /// Returns the object at an existing path.
    fileprivate func object(_ path: ResultsIndexPath) -> Model { sections[path.section][path.item] }
}
