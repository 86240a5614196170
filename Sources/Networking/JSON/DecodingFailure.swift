/// Why a JSON value is not what it should be, and where.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Problem: Hashable, Sendable {
        case missing
        /// `found` is the kind of what is there, never its content.
        case wrongType(expected: String, found: String)
        /// Right in kind, but not such a value; the text says what it should be.
        case invalid(String)
    }

    public let problem: Problem
    /// From the root of the answer: `[3].line_items[0].total`. Empty for the whole answer.
    public let path: String

    public init(_ problem: Problem, at path: String) { (self.problem, self.path) = (problem, path) }

    public var description: String {
        let place = path.isEmpty ? "the answer" : path
        return switch problem {
        case .missing: "\(place) is missing"
        case .wrongType(let expected, let found): "\(place) is \(found), not \(expected)"
        case .invalid(let expected): "\(place) is not \(expected)"
        }
    }
}
