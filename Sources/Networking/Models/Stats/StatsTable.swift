internal import Amounts

/// Statistics as a table: `fields` names the columns, and `data` holds the rows.
struct StatsTable: Decodable {
    private let fields: [String]
    private let data: [[JSONValue]]

    var rows: [Row] {
        data.enumerated().map { Row(fields: fields, cells: $0.element, path: "data[\($0.offset)]") }
    }

    /// A row. A column that was not asked for is not there, and counts nothing; what is there has to be right.
    struct Row {
        fileprivate let fields: [String]
        fileprivate let cells: [JSONValue]
        fileprivate let path: String

        func text(_ name: String) -> String { cell(name)?.textValue ?? "" }

        /// - Throws: ``DecodingFailure`` when the row does not say which one it is.
        func period() throws(DecodingFailure) -> String {
            guard let period = cell("period")?.textValue else {
                throw DecodingFailure(.missing, at: path + ".period")
            }
            return period
        }

        /// - Throws: ``DecodingFailure``
        func integer(_ name: String) throws(DecodingFailure) -> Int64 {
            guard let cell = cell(name) else { return 0 }
            guard let number = cell.textValue.flatMap({ Int64($0) }) else {
                throw DecodingFailure(.invalid("a whole number"), at: "\(path).\(name)")
            }
            return number
        }

        /// - Throws: ``DecodingFailure``
        func decimal(_ name: String) throws(DecodingFailure) -> ExactDecimal {
            guard let cell = cell(name) else { return .zero }
            guard let number = cell.textValue.flatMap({ ExactDecimal($0) }) else {
                throw DecodingFailure(.invalid("a decimal number"), at: "\(path).\(name)")
            }
            return number
        }

        private func cell(_ name: String) -> JSONValue? {
            guard let index = fields.firstIndex(of: name), cells.indices.contains(index) else { return nil }
            return cells[index] == .null ? nil : cells[index]
        }
    }
}
