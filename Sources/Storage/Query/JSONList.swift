internal import GRDB

/// Values for one `?` of a statement, however many they are: a JSON list, as `json_each` reads it.
enum JSONList {
    static func text(_ values: some Sequence<some ColumnValue>) -> String {
        "[" + values.map { element($0.databaseValue) }.joined(separator: ",") + "]"
    }

    private static func element(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .int64(let number): String(number)
        case .string(let text): quoted(text)
        case .null, .double, .blob: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
