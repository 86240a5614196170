import Testing

@testable import Generate

@Suite struct DeclarationReaderTests {
    private func read(_ text: String) throws -> DeclarationReader { try DeclarationReader(.made(text)) }

    @Test func `only the stored properties of a model are read`() throws {
        let reader = try read(
            """
            public import Money

            // @record key(siteID, id)
            /// An order. "quoted" { not a brace
            public struct Order: Codable, Hashable, Sendable {
                public let siteID: Int64
                /// With a comment.
                public let `class`: String?
                public let items: [Item]  // @children
                public let report: Report<Totals>

                public var isPaid: Bool { id > 0 && "}" != name }
                private static let known: [Order] = [
                    Order(id: 1),
                ]
                public init(from decoder: any Decoder) throws { fatalError() }
                private enum CodingKeys: CodingKey { case siteID, id }
                func text(_ number: Int) -> String { "\\(number) { \\(text(1)) " }
            }

            extension Order {
                public let nothing: Int
            }
            """)
        let order = try #require(reader.structs.first)
        #expect(reader.structs.count == 1)
        #expect(order.annotation == .record(key: ["siteID", "id"]))
        #expect(order.properties.map(\.name) == ["siteID", "class", "items", "report"])
        #expect(order.properties.map(\.type.description) == ["Int64", "String?", "[Item]", "Report<Totals>"])
        #expect(order.properties.map(\.annotation) == [nil, nil, .children, nil])
        #expect(order.properties.map(\.line) == [6, 8, 9, 10])
        #expect(!order.hasOwnInitializer)
    }

    @Test func `an enumeration has its cases and whether they are all of them`() throws {
        let reader = try read(
            """
            public enum Status: Codable, RawRepresentable {
                case pending, onHold
                case custom(String)
                public init(rawValue: String) { self = .pending }
            }
            public enum Unit: String { case day, week = "w" }
            """)
        #expect(reader.enums.map(\.isClosed) == [false, true])
        #expect(reader.enums[0].cases.map(\.name) == ["pending", "onHold", "custom"])
        #expect(reader.enums[0].cases.map(\.hasText) == [false, false, true])
        #expect(reader.enums[1].cases.map(\.name) == ["day", "week"])
    }

    @Test(arguments: [
        (
            "// @model\npublic struct A {\n    public var x: Int64\n}", 3,
            "'x' is a stored variable; models have constants only"
        ),
        ("// @model\npublic struct A {\n    let x: Int64\n}", 3, "'x' of a model must be public"),
        ("// @model\npublic struct A {\n    public let x = 1\n}", 3, "'x' needs an explicit type"),
        (
            "// @model\npublic struct A {\n    public let x: [String: Int64]\n}", 3,
            "dictionaries are not supported; use a list"
        ),
        ("// @model\npublic struct A {\n    public let x: any Error\n}", 3, "'any' cannot be stored"),
        ("// @modle\npublic struct A {}", 1, "unknown annotation '@modle'"),
        ("// @record key()\npublic struct A {}", 1, "unknown annotation '@record key()'"),
        ("// @model\npublic enum A { case a }", 1, "annotations are not allowed before 'enum'"),
        ("public struct A {", 1, "'}' is missing"),
        ("public struct A { let x: String = \"", 1, "unclosed string literal"),
        ("let text = \"\"\"\nx\n\"\"\"", 1, "multiline string literals are not supported"),
        ("/* never closed", 1, "unclosed comment"),
        ("public func f() { (", 1, "unclosed bracket"),
    ])
    func `source that cannot be read is reported with its line`(_ text: String, _ line: Int, _ reason: String) {
        #expect(throws: SourceError(file: "Models/A.swift", line: line, reason: reason)) { try read(text) }
    }
}

extension SourceFile {
    static func made(_ text: String) -> SourceFile {
        SourceFile(module: "Networking", domain: "A", path: "Models/A.swift", text: text)
    }
}
