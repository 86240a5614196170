import Text
import ZVT

/// A message of a ZVT terminal, in the words of a scenario.
struct TillMessage: Sendable {
    /// The name, such as `status_information`.
    let name: String
    /// The name with the value that tells most, such as `intermediate_status 0A` or `abort 6C`.
    let words: String
    /// Whether it tells an error: a negative answer, or 06 1E.
    let isProblem: Bool
    private let entries: [ZVTDump.Entry]

    init(_ message: ZVTMessage) {
        entries = ZVTDump(message).entries
        let control = message.control
        isProblem = control == .abort || control.isAnswer && !control.isPositive
        if control.isAnswer {
            name = control.isPositive ? "positive_answer" : "negative_answer"
            words = control.isPositive ? name : name + " " + control.rawValue.hexadecimal.suffix(2)
            return
        }
        name = (control.name ?? control.rawValue.hexadecimal).replacing(" ", with: "_")
        var value = ""
        switch message.head.first {
        case .status(let byte)?: value = " " + [byte].hexadecimal
        case .result(let result)?: value = " " + [result.rawValue].hexadecimal
        default: break
        }
        words = name + value
    }

    /// The values at a place: the number of a field, such as `87`; the tags that lead to a data object, such as
    /// `06.25.07`; or the name of what stands before the fields, such as `result_code`.
    func values(at place: String) -> [String] {
        let path = place.replacing(".", with: " ")
        return entries.filter { entry in
            entry.place.isEmpty ? entry.name.replacing(" ", with: "_") == place : entry.place == path
        }.map(\.value)
    }
}
