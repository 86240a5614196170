package import HTTPListening

extension APIRequest {
    /// The request that a listener got. The last header field of a name applies.
    package init(_ request: IncomingRequest) {
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.lowercased()] = field.value }
        self.init(method: request.method, target: request.target, headers: headers, body: request.body)
    }
}

extension OutgoingResponse {
    /// The response that a listener sends.
    package init(_ answer: APIAnswer) {
        let mediaType = answer.mediaType.isEmpty ? [] : [(name: "Content-Type", value: answer.mediaType)]
        let body: OutgoingResponse.Body =
            switch answer.content {
            case .bytes(let bytes): .bytes(bytes)
            case .events(let pieces):
                .stream(length: nil) { writer in
                    for await piece in pieces { try await writer.write(piece) }
                }
            }
        self.init(
            status: answer.status,
            headers: mediaType + [(name: "X-Content-Type-Options", value: "nosniff")] + answer.headers, body: body)
    }
}

/// Passes the requests of a listener to an API.
package protocol APIResponder: HTTPResponder {
    func answer(_ request: APIRequest) async -> APIAnswer

    /// Records a request that was not read to its end.
    ///
    /// - Returns: the answer with the number of the request.
    func note(unread answer: APIAnswer) -> APIAnswer
}

extension APIResponder {
    package func respond(to request: IncomingRequest) async -> OutgoingResponse {
        OutgoingResponse(await answer(APIRequest(request)))
    }

    package func refuseLargeBody() -> OutgoingResponse {
        let error = APIError(413, "body_too_large", "a body has at most \(largestBody) bytes")
        return OutgoingResponse(note(unread: .failure(error)))
    }

    package func refuseConnection() -> OutgoingResponse {
        let error = APIError(
            503, "too_many_connections", "the server has no connection left", fix: "close unused connections")
        return OutgoingResponse(note(unread: .failure(error).with("Retry-After", "1")))
    }
}
