import Money
import Networking
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// A copy of a controller's list that is built only from its callbacks.
final class MirroredList<Model: ReadOnlyType & Equatable>: Sendable {
    struct Section: Equatable {
        var name: String
        var objects: [Model]
    }

    private struct Content {
        var sections: [Section]
        var sectionChanges: [ResultsSectionChange] = []
        var objectChanges: [ResultsObjectChange<Model>] = []
        var isChanging = false
        var log: [String] = []
    }

    private let controller: ResultsController<Model>
    private let content: Mutex<Content>

    /// Follows `controller`, which has fetched its list, and keeps it.
    init(_ controller: ResultsController<Model>) {
        self.controller = controller
        content = Mutex(Content(sections: Self.sections(controller.snapshot)))
        var callbacks = ResultsCallbacks<Model>()
        callbacks.willChangeContent = { [weak self, weak controller] in
            self?.willChange(controller?.snapshot)
        }
        callbacks.didChangeSection = { [weak self] change in self?.content.withLock { $0.sectionChanges.append(change) }
        }
        callbacks.didChangeObject = { [weak self] change in self?.content.withLock { $0.objectChanges.append(change) } }
        callbacks.didChangeContent = { [weak self] in self?.didChange() }
        callbacks.didResetContent = { [weak self, weak controller] in
            self?.content.withLock { content in
                content.log.append("reset")
                content.sections = controller.map { Self.sections($0.snapshot) } ?? []
            }
        }
        callbacks.didFail = { [weak self] error in self?.content.withLock { $0.log.append("failed: \(error)") } }
        controller.callbacks = callbacks
    }

    var sections: [Section] { content.withLock { $0.sections } }

    /// The changes since the last call, as text.
    func takeLog() -> [String] {
        content.withLock { content in
            defer { content.log = [] }
            return content.log
        }
    }

    static func sections(_ snapshot: ResultsSnapshot<Model>) -> [Section] {
        snapshot.sections.map { Section(name: $0.name, objects: Array($0)) }
    }

    private func willChange(_ shown: ResultsSnapshot<Model>?) {
        content.withLock { content in
            #expect(!content.isChanging)
            #expect(shown.map(Self.sections) == content.sections)
            content.isChanging = true
        }
    }

    private func didChange() {
        content.withLock { content in
            #expect(content.isChanging)
            content.log += content.sectionChanges.map(Self.words) + content.objectChanges.map(Self.words)
            if let sections = Self.carryOut(content.sectionChanges, content.objectChanges, on: content.sections) {
                content.sections = sections
            } else {
                Issue.record("the change does not fit the list")
            }
            (content.sectionChanges, content.objectChanges, content.isChanging) = ([], [], false)
        }
    }

    private static func words(_ change: ResultsSectionChange) -> String {
        switch change {
        case .delete(let index, let name): "delete section \(index) \(name)"
        case .insert(let index, let name): "insert section \(index) \(name)"
        }
    }

    private static func words(_ change: ResultsObjectChange<Model>) -> String {
        func text(_ path: ResultsIndexPath) -> String { "\(path.section).\(path.item)" }
        return switch change {
        case .delete(_, let path): "delete \(text(path))"
        case .insert(_, let path): "insert \(text(path))"
        case .move(_, let from, let to): "move \(text(from)) \(text(to))"
        case .update(_, let from, let to): "update \(text(from)) \(text(to))"
        }
    }

    /// Changes a list as a table on a screen would; nil when that is not possible.
    private static func carryOut(
        _ sectionChanges: [ResultsSectionChange], _ objectChanges: [ResultsObjectChange<Model>], on old: [Section]
    ) -> [Section]? {
        var sections: [(name: String, objects: [Model?])] = old.map { ($0.name, $0.objects) }
        var arriving: [(path: ResultsIndexPath, object: Model)] = []
        func leave(_ path: ResultsIndexPath) -> Bool {
            guard sections.indices.contains(path.section), sections[path.section].objects.indices.contains(path.item),
                sections[path.section].objects[path.item] != nil
            else { return false }
            sections[path.section].objects[path.item] = nil
            return true
        }
        for change in objectChanges {
            switch change {
            case .delete(let object, let path):
                guard old.indices.contains(path.section), old[path.section].objects.indices.contains(path.item),
                    old[path.section].objects[path.item] == object, leave(path)
                else { return nil }
            case .insert(let object, let path): arriving.append((path, object))
            case .move(let object, let from, let to):
                guard leave(from) else { return nil }
                arriving.append((to, object))
            case .update(let object, let from, _):
                guard leave(from) else { return nil }
                sections[from.section].objects[from.item] = object
            }
        }
        for case .delete(let index, let name) in sectionChanges.reversed() {
            guard sections.indices.contains(index), sections[index].name == name,
                sections[index].objects.allSatisfy({ $0 == nil })
            else { return nil }
            sections.remove(at: index)
        }
        for case .insert(let index, let name) in sectionChanges {
            guard index <= sections.count else { return nil }
            sections.insert((name, []), at: index)
        }
        var result = sections.map { Section(name: $0.name, objects: $0.objects.compactMap { $0 }) }
        for (path, object) in arriving.sorted(by: { $0.path < $1.path }) {
            guard result.indices.contains(path.section), path.item <= result[path.section].objects.count else {
                return nil
            }
            result[path.section].objects.insert(object, at: path.item)
        }
        for case .update(let object, _, let to) in objectChanges {
            guard result.indices.contains(to.section), result[to.section].objects.indices.contains(to.item),
                result[to.section].objects[to.item] == object
            else { return nil }
        }
        return result
    }
}

extension TaxRate {
    /// A rate with a name to sort by, a class for its section, and a number of percent.
    static func sample(
        _ id: Int64, name: String = "", class: String = "standard", rate: String = "19", priority: Int64 = 0,
        siteID: Int64 = 7
    ) -> TaxRate {
        TaxRate(
            siteID: siteID, id: id, country: "DE", state: "", postcode: "", city: "", postcodes: [], cities: [],
            rate: ExactDecimal(rate) ?? .zero, name: name, priority: priority, compound: false,
            shipping: true, order: 0, class: `class`)
    }
}
