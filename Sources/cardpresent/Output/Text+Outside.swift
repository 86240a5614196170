internal import Networking

extension String {
    /// Text from outside as a terminal may get it: on one line, without control characters.
    var harmless: String { Printable.text(self) }

    /// The same for a text of several lines.
    var harmlessLines: [String] {
        split(omittingEmptySubsequences: false) { $0.isNewline }.map { Printable.text($0, limit: 1000) }
    }
}
