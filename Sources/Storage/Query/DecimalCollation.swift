internal import Amounts
internal import Foundation
internal import GRDB

/// Compares texts of decimal numbers by their values, all digits of them. What is no number comes first, by its bytes.
enum DecimalCollation {
    static let name = "exactDecimal"

    static func install(in database: Database) {
        database.add(collation: DatabaseCollation(name, function: order))
    }

    static func order(_ first: String, _ second: String) -> ComparisonResult {
        switch (ExactDecimal(first), ExactDecimal(second)) {
        case (let first?, let second?):
            first == second ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
        case (nil, nil): first == second ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
        case (nil, _): .orderedAscending
        case (_, nil): .orderedDescending
        }
    }
}
