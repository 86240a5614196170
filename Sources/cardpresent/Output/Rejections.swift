internal import Networking

/// Elements of a list that could not be read.
enum Rejections {
    /// Tells a person of them; the others are there.
    static func tell(_ failures: [DecodingFailure]) {
        for failure in failures { StandardError.write("cardpresent: not read: \(failure)\n") }
    }
}
