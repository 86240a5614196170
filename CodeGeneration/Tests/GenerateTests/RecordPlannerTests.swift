import Testing

@testable import Generate

@Suite struct RecordPlannerTests {
    private func plan(_ text: String) throws -> RecordPlanner { try RecordPlanner(Catalog([.made(text)])) }

    @Test func `columns come from properties, embedded models and enumerations, children from lists`() throws {
        let planner = try plan(
            """
            // @record key(siteID, id)
            public struct Order {
                public let siteID: Int64
                public let id: Int64
                public let status: Status
                public let billing: Address?  // @embedded
                public let items: [Item]  // @children
                public let tags: [String]  // @json
            }
            // @model
            public struct Address { public let city: String }
            // @model
            public struct Item { public let total: ExactDecimal? }
            public enum Status: RawRepresentable { case a }
            """)
        let order = try #require(planner.plans["Order"])
        #expect(order.columns.map(\.name) == ["siteID", "id", "status", "billingCity", "tags"])
        #expect(order.columns.map(\.swiftType) == ["Int64", "Int64", "String", "String?", "String"])
        #expect(order.children.map(\.record) == ["Item"])
        #expect(planner.plans["Item"]?.columns.map(\.swiftType) == ["ExactDecimal?"])
    }

    @Test func `a generic model is stored by its alias`() throws {
        let planner = try plan(
            """
            // @model
            public struct Report<Totals> {
                public let siteID: Int64
                public let totals: Totals  // @embedded
                public let parts: [Part<Totals>]  // @children
            }
            // @model
            public struct Part<Totals> { public let totals: Totals  // @embedded
            }
            // @model
            public struct Sales { public let count: Int64 }
            // @record key(siteID)
            public typealias SalesReport = Report<Sales>
            // @model
            public typealias SalesPart = Part<Sales>
            """)
        #expect(planner.plans["SalesReport"]?.columns.map(\.name) == ["siteID", "totalsCount"])
        #expect(planner.plans["SalesPart"]?.columns.map(\.name) == ["totalsCount"])
    }

    @Test(arguments: [
        (
            "// @record key(id)\npublic struct A {\n    public let id: Int64?\n}", 2,
            "the key of 'A' needs a column 'id' that is not optional"
        ),
        (
            "// @record key(id)\npublic struct A {\n    public let id: Int64\n    public let x: [String]\n}", 4,
            "'x' needs '@children', '@embedded' or '@json' to be stored"
        ),
        (
            "// @record key(id)\npublic struct A {\n    public let id: Int64\n    public let x: Secret\n}", 4,
            "'x' is 'Secret', which does not fit a column: add '@embedded' or '@json'"
        ),
        (
            "// @record key(id)\npublic struct A {\n    public let id: Int64\n    public let x: B?  // @embedded\n}\n// @model\npublic struct B { public let y: String? }",
            4, "'B' needs a property that is not optional, which shows whether 'x' is present"
        ),
        (
            "// @record key(id)\npublic struct A {\n    public let id: Int64\n    public let rowID: Int64\n}", 2,
            "'A' has two columns 'rowID', or the name is reserved"
        ),
        (
            "// @record key(id)\npublic struct A {\n    public let id: Int64\n    public let x: [B]  // @children\n}\npublic struct B { public let y: String }",
            4, "'B' is not a model: add '@model', and a type alias if it is generic"
        ),
        (
            "// @model\npublic struct A { public let x: Int64 }\n// @model\npublic struct A { public let x: Int64 }", 4,
            "duplicate type 'A'"
        ),
    ])
    func `a model that cannot be stored is reported with its line`(_ text: String, _ line: Int, _ reason: String) {
        #expect(throws: SourceError(file: "Models/A.swift", line: line, reason: reason)) { try plan(text) }
    }
}
