internal import GRDB

/// Looks for a text in another one without regard to case, in all alphabets: SQLite itself knows the letters of ASCII.
enum TextSearch {
    static let name = "containsText"

    static func install(in database: Database) {
        database.add(
            function: DatabaseFunction(name, argumentCount: 2, pure: true) { values in
                guard let text = String.fromDatabaseValue(values[0]), let part = String.fromDatabaseValue(values[1])
                else { return false }
                return part.isEmpty || text.lowercased().contains(part)
            })
    }
}
