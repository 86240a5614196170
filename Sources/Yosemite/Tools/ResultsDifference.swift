/// Finds what has to be done to one sectioned list of numbered things to make another one of it.
///
/// It knows nothing of the things but their numbers, so that it is compiled once for all kinds of them.
struct ResultsDifference {
    /// A thing: its number, which is in a list once, and that of its values, which changes with them.
    struct Mark: Hashable {
        let identity: Int
        let version: Int
    }

    struct Section {
        let name: String
        let marks: [Mark]
    }

    /// Indices of the old list, from the first.
    private(set) var deletedSections: [Int] = []
    /// Indices of the new list, from the first.
    private(set) var insertedSections: [Int] = []
    /// Paths of the old list, in order.
    private(set) var deleted: [ResultsIndexPath] = []
    /// Paths of the new list, in order.
    private(set) var inserted: [ResultsIndexPath] = []
    /// In the order of the new paths.
    private(set) var moved: [(from: ResultsIndexPath, to: ResultsIndexPath)] = []
    /// In the order of the new paths.
    private(set) var updated: [(from: ResultsIndexPath, to: ResultsIndexPath)] = []

    /// What is left of a pair of sections between equal beginnings and equal ends.
    private struct Rest {
        let section: Int
        let marks: ArraySlice<Mark>
        /// The number of the section in the other list, where there is one.
        let partner: Int?
    }

    /// Section names, and numbers of things, are in each list once.
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

    /// The sections that stay, as many as can without changing their order: new numbers to old ones.
    private static func keptSections(from old: [Section], to new: [Section]) -> [Int: Int] {
        var numbers: [String: Int] = [:]
        for (number, section) in old.enumerated() { numbers[section.name] = number }
        let common = new.enumerated().compactMap { number, section in
            numbers[section.name].map { (new: number, old: $0) }
        }
        return longestIncreasing(common.map(\.old)).reduce(into: [:]) { $0[common[$1].new] = common[$1].old }
    }

    // MARK: Things

    /// Passes over what is the same thing at both beginnings and at both ends, and notes what has other values there.
    ///
    /// - Returns: what is between.
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
            // The things that were in this section before.
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

    /// Which of the things may stay where they are while the others are moved around them: those with the same values
    /// before all, since what did not change had no reason to move.
    private static func settled(_ things: [(old: Int, isSame: Bool)]) -> [Bool] {
        var settled = [Bool](repeating: false, count: things.count)
        let same = things.indices.filter { things[$0].isSame }
        for number in longestIncreasing(same.map { things[$0].old }) { settled[same[number]] = true }
        // The old place of the next thing that stays, for each thing.
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

    /// The indices of a longest increasing part of `numbers`, which are all different.
    private static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // Mostly everything is.
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
