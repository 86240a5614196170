import Foundation
import Testing

@testable import Yosemite

/// Compares ``ParityActions`` with the sources.
@Suite struct ParityActionTests {
    private struct Declared {
        let type: String
        let name: String
        let firstLabel: String

        /// Whether a text names the action with its type.
        func isNamed(in text: String) throws -> Bool {
            try text.contains(Regex("\\b\(type)\\.\(name)\\b"))
        }

        /// Whether a text makes the action where its type is known.
        func isMade(in text: String) throws -> Bool {
            try text.contains(Regex("(?:^|[^A-Za-z0-9_])\\.\(name)\\(\\s*\(firstLabel):"))
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
        let program = (try Self.texts("Sources/Program") + Self.texts("Simulator")).joined(separator: "\n")
        let everything = library.joined(separator: "\n") + program
        var unused: [String: Set<String>] = [:]
        let actions = Self.declared(in: library)
        #expect(actions.count > 100)
        for action in actions {
            guard try !action.isNamed(in: everything), try !action.isMade(in: program) else { continue }
            unused[action.type, default: []].insert(action.name)
        }
        #expect(unused == ParityActions.cases)
    }

    @Test func `each parity action has a test`() throws {
        let tests = try Self.texts("Tests/Store/YosemiteTests").joined(separator: "\n")
        for (type, names) in ParityActions.cases {
            for name in names {
                #expect(try tests.contains(Regex("\\.\(name)\\b")), "\(type).\(name)")
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
