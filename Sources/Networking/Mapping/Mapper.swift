/// Makes a read-only model of an answer.
public protocol Mapper<Output>: Sendable {
    associatedtype Output: Sendable

    /// - Throws: ``DecodingFailure``
    func map(_ content: MappedContent) throws(DecodingFailure) -> Output
}

extension Mapper {
    /// Reads an answer that came over the network.
    ///
    /// - Throws: ``NetworkError/undecodable(_:)``
    func output(of response: Response) throws(NetworkError) -> Output {
        do throws(DecodingFailure) {
            return try map(MappedContent(response.document, Envelope(response.dialect)))
        } catch {
            throw .undecodable(error)
        }
    }

    /// Reads a document by itself: a recorded answer, a test's.
    ///
    /// - Throws: ``NetworkError/service(_:)`` when it is an error in any interface's form,
    ///   ``NetworkError/unreadable(_:)``, ``NetworkError/undecodable(_:)``
    public func map(response bytes: [UInt8], envelope: Envelope = .either) throws(NetworkError) -> Output {
        let document: JSONDocument
        do throws(JSONSyntaxError) { document = try JSONDocument(bytes) } catch {
            throw .unreadable(UnreadableContent(problem: error, contentType: nil, status: 200))
        }
        if let (code, message, status) = ResponseValidator(dialect: .tunnel).error(in: document) {
            throw .service(ServiceError(status: status ?? 200, code: code, message: message))
        }
        do throws(DecodingFailure) { return try map(MappedContent(document, envelope)) } catch {
            throw .undecodable(error)
        }
    }
}
