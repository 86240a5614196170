/// Writes the mutable record of a model.
enum RecordWriter {
    static func part(_ plan: RecordPlan) -> Part {
        let columns = plan.columns
        let modules = Scalar.modules(of: columns.map(\.scalar)).union(["GRDB"])
        let kind = plan.key.isEmpty ? "ChildObject" : "KeyedObject"
        var properties = columns.map { (name: Text.escaped($0.name), label: $0.name, type: $0.swiftType) }
        properties += plan.children.map {
            (name: Text.escaped($0.property.name), label: $0.property.name, type: "[\($0.record)Record]")
        }
        var lines = [
            "/// The stored form of `\(plan.name)`.",
            "public struct \(plan.recordName): \(kind) {",
            "    public static let databaseTableName = \"\(plan.table)\"",
            Text.list("public static let columnNames = ", columns.map { "\"\($0.name)\"" }, indent: 4),
        ]
        if plan.key.isEmpty {
            lines.append(
                "    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)")
        } else {
            lines += [
                Text.list("public static let keyColumnNames = ", plan.key.map { "\"\($0)\"" }, indent: 4),
                """
                    public static let keyedStatements = KeyedStatements(
                        table: databaseTableName, columns: columnNames, key: keyColumnNames)
                """,
                "    public static let columns = Columns()",
            ]
            if !plan.children.isEmpty { lines.append(relationships(plan)) }
        }
        lines.append("")
        lines += properties.map { "    public var \($0.name): \($0.type)" }
        lines += [
            "",
            Text.function("public init(", properties.map { "\($0.label): \($0.type)" }, " {", indent: 4),
        ]
        lines += Text.assignments(properties.map(\.label), indent: 8)
        lines += [
            "    }",
            "",
            "    public init(row reader: inout RowReader) throws {",
        ]
        lines += columns.map {
            let reading = "try reader.\($0.isOptional ? "optional" : "value")(\"\($0.name)\")"
            return Text.pair("\(Text.escaped($0.name)) = \(reading)", " = ", indent: 8)
        }
        lines += plan.children.map { "        \(Text.escaped($0.property.name)) = []" }
        lines += [
            "    }",
            "",
            "    public var columnValues: [(any DatabaseValueConvertible)?] {",
            Text.list("", columns.map { Text.escaped($0.name) }, indent: 8),
            "    }",
        ]
        if !plan.key.isEmpty {
            lines += [
                "",
                "    public var keyValues: [any DatabaseValueConvertible] {",
                Text.list("", plan.key.map(Text.escaped), indent: 8),
                "    }",
                "",
                "    /// The columns, for predicates and sorting.",
                "    public struct Columns: Sendable {",
            ]
            lines += columns.map {
                let column = "RecordColumn<\($0.scalar)>(\"\($0.name)\")"
                return Text.pair("public let \(Text.escaped($0.name)) = \(column)", " = ", indent: 8)
            }
            lines.append("    }")
        }
        lines += ["}", ""]
        return Part(publicModules: modules, text: lines.joined(separator: "\n"))
    }

    private static func relationships(_ plan: RecordPlan) -> String {
        Text.list(
            "public static let relationships: [Relationship<\(plan.recordName)>] = ",
            plan.children.map { "Relationship(\\.\(Text.escaped($0.property.name)))" }, indent: 4)
    }

    /// Writes the list of all records that have keys, for operations on every table.
    static func list(_ plans: [RecordPlan]) -> Part {
        let names = plans.filter { !$0.key.isEmpty }.map { "\($0.recordName).self" }
        let text = """
            /// All records of sites and accounts. They may be deleted, since they can be loaded again.
            public enum SiteRecords {
            \(Text.list("public static let types: [any KeyedObject.Type] = ", names, indent: 4))
            }

            """
        return Part(text: text)
    }

    /// Returns the SQL tables of all records, for a new step of the schema.
    static func tables(_ plans: [RecordPlan]) -> String {
        let parents = plans.reduce(into: [:]) { parents, plan in
            for child in plan.children { parents[child.record] = plan.table }
        }
        return plans.map { plan in
            let columns = plan.columns.map(\.definition)
            if plan.key.isEmpty {
                let parent = parents[plan.name] ?? ""
                let lines =
                    [
                        "parentRow INTEGER NOT NULL REFERENCES \"\(parent)\" (rowID) ON DELETE CASCADE",
                        "position INTEGER NOT NULL",
                    ] + columns + ["PRIMARY KEY (parentRow, position)"]
                return table(plan.table, lines, "STRICT, WITHOUT ROWID")
            }
            let key = plan.key.map { "\"\($0)\"" }.joined(separator: ", ")
            return table(plan.table, ["rowID INTEGER PRIMARY KEY"] + columns + ["UNIQUE (\(key))"], "STRICT")
        }.joined(separator: "\n")
    }

    private static func table(_ name: String, _ lines: [String], _ options: String) -> String {
        "CREATE TABLE \"\(name)\" (\n" + lines.map { "    \($0)" }.joined(separator: ",\n") + "\n) \(options);\n"
    }
}
