/// Whether what was asked for is the answer, or stands in the answer's `data`.
public enum Envelope: Hashable, Sendable {
    /// As a site answers, and WordPress.com for itself.
    case none
    /// As the tunnel answers.
    case data
    /// For a document of unknown origin: in the envelope when `data` is all there is.
    case either

    init(_ dialect: Dialect) { self = dialect == .tunnel ? .data : .none }

    /// - Returns: the node of the content.
    /// - Throws: ``DecodingFailure`` when there is no envelope, or nothing in it.
    func open(_ document: JSONDocument) throws(DecodingFailure) -> Int {
        let root = JSONDocument.root
        guard self != .none else { return root }
        let content = document.member("data", of: root)
        if self == .either {
            guard let content, document.nodes[root].length == 1 else { return root }
            return try Self.filled(content, document)
        }
        guard let content else {
            // Some of WordPress.com's own endpoints behave like the site's and forget the envelope.
            guard document.nodes[root].kind == .object, document.nodes[root].length > 0 else {
                throw DecodingFailure(.missing, at: "data")
            }
            return root
        }
        return try Self.filled(content, document)
    }

    private static func filled(_ content: Int, _ document: JSONDocument) throws(DecodingFailure) -> Int {
        guard document.nodes[content].kind != .null else { throw DecodingFailure(.missing, at: "data") }
        return content
    }
}
