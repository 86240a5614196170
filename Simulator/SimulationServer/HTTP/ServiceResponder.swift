internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Puts requests to a service, and delivers what it answers.
struct ServiceResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let service: SimulationService

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        var request = request
        let body: ByteBuffer
        do {
            body = try await request.collectBody(upTo: SimulationServiceConfiguration.longestBody)
        } catch is NIOTooManyBytesError {
            var response = response(
                .failure(
                    APIError(
                        413, "body_too_large",
                        "a body has at most \(SimulationServiceConfiguration.longestBody) bytes")))
            response.headers[.connection] = "close"
            return response
        }
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        if let host = request.head.authority { headers["host"] = host }
        return response(
            await service.answer(
                APIRequest(
                    method: request.method.rawValue, target: request.uri.string, headers: headers,
                    body: Array(body.readableBytesView))))
    }

    private func response(_ answer: APIAnswer) -> Response {
        var fields = HTTPFields()
        if !answer.mediaType.isEmpty { fields[.contentType] = answer.mediaType }
        fields[.xContentTypeOptions] = "nosniff"
        for header in answer.headers {
            if let name = HTTPField.Name(header.name) { fields.append(HTTPField(name: name, value: header.value)) }
        }
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.content {
        case .bytes(let bytes):
            return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .events(let pieces):
            let body = ResponseBody { writer in
                for await piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            }
            return Response(status: status, headers: fields, body: body)
        }
    }
}
