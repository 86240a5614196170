import Foundation
import Testing

@testable import Yosemite

/// Compares ``ParityActions`` with the sources.
@Suite struct ParityActionTests {
    private struct Declared {
        let type: String
        let name: String
        let firstLabel: String
    }

    /// What texts say about actions, found in one pass: a hundred patterns over all sources take minutes.
    private struct Mentions {
        /// Every `Type.name`.
        var named: Set<String> = []
        /// Every `.name` without a type before it.
        var inferred: Set<String> = []
        /// Every `.name(label:` without a type before it, as `name(label`.
        var made: Set<String> = []

        init(_ texts: [String]) {
            for text in texts { read(Array(text.utf8)) }
        }

        private mutating func read(_ bytes: [UInt8]) {
            var previous = ""
            var place = 0
            while place < bytes.count {
                let word = Self.word(bytes, from: place)
                guard word.isEmpty else {
                    (previous, place) = (word, place + word.utf8.count)
                    continue
                }
                if bytes[place] == UInt8(ascii: ".") { add(bytes, after: place + 1, type: previous) }
                (previous, place) = ("", place + 1)
            }
        }

        private mutating func add(_ bytes: [UInt8], after start: Int, type: String) {
            let name = Self.word(bytes, from: start)
            guard !name.isEmpty else { return }
            guard type.isEmpty else {
                named.insert("\(type).\(name)")
                return
            }
            inferred.insert(name)
            var place = start + name.utf8.count
            guard place < bytes.count, bytes[place] == UInt8(ascii: "(") else { return }
            place += 1
            while place < bytes.count, bytes[place] == UInt8(ascii: " ") || bytes[place] == UInt8(ascii: "\n") {
                place += 1
            }
            let label = Self.word(bytes, from: place)
            place += label.utf8.count
            if place < bytes.count, bytes[place] == UInt8(ascii: ":") { made.insert("\(name)(\(label)") }
        }

        private static func word(_ bytes: [UInt8], from start: Int) -> String {
            let word = bytes[start...].prefix {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            return String(decoding: word, as: UTF8.self)
        }
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    /// The text of every Swift file below a folder, by file.
    private static func texts(_ folder: String) throws -> [String] {
        let files = try #require(
            FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }

    private static func declared(in texts: [String]) -> [Declared] {
        texts.flatMap { text -> [Declared] in
            var (type, cases): (String?, [Declared]) = (nil, [])
            for enumeration in text.matches(of: /(?m)^public enum (\w+): Action \{\n(?s:(.*?))^\}/) {
                type = String(enumeration.1)
                for found in enumeration.2.matches(of: /(?m)^    case (\w+)\(\s*(\w+):/) {
                    cases.append(
                        Declared(type: type ?? "", name: String(found.1), firstLabel: String(found.2)))
                }
            }
            return cases
        }
    }

    @Test func `the list of parity actions has exactly the actions that no program path uses`() throws {
        let library = try Self.texts("Sources/Store/Yosemite")
        let program = Mentions(try Self.texts("Sources/Program") + Self.texts("Simulator"))
        let named = Mentions(library).named.union(program.named)
        var unused: [String: Set<String>] = [:]
        let actions = Self.declared(in: library)
        #expect(actions.count > 100)
        for action in actions {
            guard !named.contains("\(action.type).\(action.name)"),
                !program.made.contains("\(action.name)(\(action.firstLabel)")
            else { continue }
            unused[action.type, default: []].insert(action.name)
        }
        #expect(unused == ParityActions.cases)
    }

    @Test func `each parity action has a test`() throws {
        let tests = Mentions(try Self.texts("Tests/Store/YosemiteTests"))
        for (type, names) in ParityActions.cases {
            for name in names {
                #expect(
                    tests.inferred.contains(name) || tests.named.contains("\(type).\(name)"), "\(type).\(name)")
            }
        }
    }

    @Test func `each parity action has one reason`() {
        var seen: Set<String> = []
        for group in ParityActions.groups {
            #expect(!group.names.isEmpty)
            #expect(group.reason.hasSuffix(".") && group.reason.contains(" "), "\(group.type) \(group.names)")
            for name in group.names { #expect(seen.insert("\(group.type).\(name)").inserted, "\(name)") }
        }
    }
}
