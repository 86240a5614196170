import Determinism
import Testing

@testable import Yosemite

@Suite struct ResultsDifferenceTests {
    private typealias Section = ResultsDifference.Section
    private typealias Mark = ResultsDifference.Mark

    @Test(arguments: UInt64(1)...20) func `applying a difference turns the old list into the new one`(_ seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
        var old = list(random)
        for _ in 0..<100 {
            let new = changed(old, random)
            let difference = ResultsDifference(from: old, to: new)
            #expect(carriedOut(difference, on: old, new) == new.map(Carried.init))
            old = new
        }
    }

    @Test func `equal lists have no difference`() {
        let list = [section("a", [1, 2]), section("b", [3])]
        #expect(told(from: list, to: list).isEmpty)
    }

    @Test func `objects that shift because of others are not reported`() {
        #expect(
            told(from: [section("", [1, 2, 3, 4])], to: [section("", [5, 1, 3, 4])])
                == ["delete 0.1", "insert 0.0"])
    }

    @Test func `of two swapped objects the changed one has moved`() {
        let old = section("", [1, 2])
        let new = Section(name: "", marks: [Mark(identity: 2, version: 2), Mark(identity: 1, version: 11)])
        #expect(told(from: [old], to: [new]) == ["move 0.0 0.1"])
        let other = Section(name: "", marks: [Mark(identity: 2, version: 12), Mark(identity: 1, version: 1)])
        #expect(told(from: [old], to: [other]) == ["move 0.1 0.0"])
    }

    @Test func `a changed object that stays is updated, with its new index`() {
        let new = Section(
            name: "",
            marks: [
                Mark(identity: 9, version: 9), Mark(identity: 1, version: 1), Mark(identity: 2, version: 12),
                Mark(identity: 3, version: 3),
            ])
        #expect(told(from: [section("", [1, 2, 3])], to: [new]) == ["insert 0.0", "update 0.1 0.2"])
    }

    @Test func `an object that changes its section moves, and an empty section goes`() {
        #expect(
            told(from: [section("a", [1]), section("b", [2])], to: [section("b", [1, 2])])
                == ["delete section 0", "move 0.0 0.0"])
    }

    @Test func `a changed order of sections uses the fewest deletions and insertions`() {
        #expect(
            told(
                from: [section("a", [1]), section("b", [2]), section("c", [3])],
                to: [section("b", [2]), section("c", [3]), section("a", [1])])
                == ["delete section 0", "insert section 2", "move 0.0 2.0"])
    }

    // MARK: Lists

    private func section(_ name: String, _ things: [Int]) -> Section {
        Section(name: name, marks: things.map { Mark(identity: $0, version: $0) })
    }

    private func told(from old: [Section], to new: [Section]) -> [String] {
        func text(_ path: ResultsIndexPath) -> String { "\(path.section).\(path.item)" }
        let difference = ResultsDifference(from: old, to: new)
        return difference.deletedSections.map { "delete section \($0)" }
            + difference.insertedSections.map { "insert section \($0)" }
            + difference.deleted.map { "delete \(text($0))" } + difference.inserted.map { "insert \(text($0))" }
            + difference.moved.map { "move \(text($0)) \(text($1))" }
            + difference.updated.map { "update \(text($0)) \(text($1))" }
    }

    private func list(_ random: SeededRandomSource) -> [Section] {
        let names = ["a", "b", "c", "d", "e"].prefix(number(random, below: 6))
        return names.enumerated().map { index, name in
            section(name, Array(index * 10..<index * 10 + 1 + number(random, below: 9)))
        }
    }

    /// The list after some of everything that can happen to it.
    private func changed(_ list: [Section], _ random: SeededRandomSource) -> [Section] {
        var sections = list.map { ($0.name, $0.marks) }
        for _ in 0..<number(random, below: 8) {
            switch number(random, below: 6) {
            case 0:
                let fresh = 1 + (sections.flatMap(\.1).map { max($0.identity, $0.version) }.max() ?? 0)
                if let section = any(sections.indices, random) {
                    sections[section].1.insert(
                        Mark(identity: fresh, version: fresh),
                        at: number(random, below: sections[section].1.count + 1))
                }
            case 1:
                guard let (section, item) = anything(sections, random) else { continue }
                sections[section].1.remove(at: item)
            case 2:
                guard let (section, item) = anything(sections, random) else { continue }
                let mark = sections[section].1[item]
                let fresh = 1 + (sections.flatMap(\.1).map { max($0.identity, $0.version) }.max() ?? 0)
                sections[section].1[item] = Mark(identity: mark.identity, version: fresh)
            case 3, 4:
                guard let (section, item) = anything(sections, random), let target = any(sections.indices, random)
                else { continue }
                let mark = sections[section].1.remove(at: item)
                sections[target].1.insert(mark, at: number(random, below: sections[target].1.count + 1))
            default:
                if number(random, below: 2) == 0, let section = any(sections.indices, random) {
                    sections.insert(sections.remove(at: section), at: number(random, below: sections.count + 1))
                } else if let name = ["a", "b", "c", "d", "e"].first(where: { name in
                    !sections.contains { $0.0 == name }
                }) {
                    sections.insert((name, []), at: number(random, below: sections.count + 1))
                }
            }
        }
        return sections.filter { !$0.1.isEmpty }.map { Section(name: $0.0, marks: $0.1) }
    }

    private func number(_ random: SeededRandomSource, below bound: Int) -> Int {
        Int(random.bytes(1).first ?? 0) % max(1, bound)
    }

    private func any(_ indices: Range<Int>, _ random: SeededRandomSource) -> Int? {
        indices.isEmpty ? nil : number(random, below: indices.count)
    }

    private func anything(
        _ sections: [(String, [Mark])], _ random: SeededRandomSource
    ) -> (section: Int, item: Int)? {
        let places = sections.enumerated().flatMap { section, content in
            content.1.indices.map { (section: section, item: $0) }
        }
        return any(places.indices, random).map { places[$0] }
    }

    // MARK: Carrying out

    private struct Carried: Equatable {
        let name: String
        let marks: [Mark]

        init(name: String, marks: [Mark]) { (self.name, self.marks) = (name, marks) }
        init(_ section: Section) { self.init(name: section.name, marks: section.marks) }
    }

    /// Applies a difference to the old list, like a table view: it takes nothing from the new list
    /// but the things that the difference names.
    private func carriedOut(_ difference: ResultsDifference, on old: [Section], _ new: [Section]) -> [Carried]? {
        var sections: [(name: String, marks: [Mark?])] = old.map { ($0.name, $0.marks) }
        func take(_ path: ResultsIndexPath) -> Mark? {
            defer { sections[path.section].marks[path.item] = nil }
            return sections[path.section].marks[path.item]
        }
        // Everything that leaves its place must have been there.
        for path in difference.deleted where take(path) == nil { return nil }
        for (from, to) in difference.moved where take(from)?.identity != mark(at: to, new).identity { return nil }
        for (from, to) in difference.updated {
            guard sections[from.section].marks[from.item]?.identity == mark(at: to, new).identity else { return nil }
            sections[from.section].marks[from.item] = mark(at: to, new)
        }
        // A section that goes has nothing left in it.
        for index in difference.deletedSections.reversed() {
            guard sections[index].marks.allSatisfy({ $0 == nil }) else { return nil }
            sections.remove(at: index)
        }
        for index in difference.insertedSections {
            guard index <= sections.count else { return nil }
            sections.insert((new[index].name, []), at: index)
        }
        var result = sections.map { Carried(name: $0.name, marks: $0.marks.compactMap { $0 }) }
        for path in (difference.inserted + difference.moved.map(\.to)).sorted() {
            guard path.section < result.count, path.item <= result[path.section].marks.count else { return nil }
            var marks = result[path.section].marks
            marks.insert(mark(at: path, new), at: path.item)
            result[path.section] = Carried(name: result[path.section].name, marks: marks)
        }
        return result
    }

    private func mark(at path: ResultsIndexPath, _ list: [Section]) -> Mark { list[path.section].marks[path.item] }
}
