/// An answer that should be JSON and is not, or not whole.
public struct UnreadableContent: Error, Hashable, Sendable, CustomStringConvertible {
    public let problem: JSONSyntaxError
    /// As the server named it, for example `text/html; charset=UTF-8`.
    public let contentType: String?
    /// Of HTTP.
    public let status: Int

    public init(problem: JSONSyntaxError, contentType: String?, status: Int) {
        (self.problem, self.status) = (problem, status)
        self.contentType = contentType.map { Printable.text($0, limit: 100) }
    }

    public var description: String {
        let kind = contentType.map { " (status \(status), \($0))" } ?? " (status \(status))"
        return "the answer is not JSON\(kind): \(problem)"
    }
}
