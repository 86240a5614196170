internal import Determinism
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StoreSite

/// Puts requests to a site, and delivers what it answers.
struct SiteResponder: HTTPResponder {
    let site: StoreSite
    let time: any TimeSource
    let onAnswer: @Sendable (SiteAnswer) -> Void

    /// More than any client of a store sends.
    private static let longestBody = 8 << 20

    private struct Cut: Error {}

    func respond(to request: Request, context: SiteContext) async throws -> Response {
        var request = request
        let body: ByteBuffer
        do {
            body = try await request.collectBody(upTo: Self.longestBody)
        } catch is NIOTooManyBytesError {
            return Response(status: .contentTooLarge, headers: [.connection: "close"])
        }
        let answer = site.answer(
            SiteRequest(
                method: request.method.rawValue, target: request.uri.string,
                headers: request.headers.map { ($0.name.rawName, $0.value) }, body: Array(body.readableBytesView),
                isFromLoopback: context.isFromLoopback))
        onAnswer(answer)
        if answer.delay > .zero { try await time.sleep(for: answer.delay) }
        if answer.delivery == .cut {
            try await context.channel.close()
            // Nothing can be written any more.
            throw Cut()
        }
        return Response(
            status: HTTPResponse.Status(code: answer.response.status), headers: Self.headers(answer.response),
            body: self.body(answer, context.channel))
    }

    private static func headers(_ response: SiteResponse) -> HTTPFields {
        var fields = HTTPFields()
        for header in response.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            fields.append(HTTPField(name: name, value: header.value))
        }
        return fields
    }

    private func body(_ answer: SiteAnswer, _ channel: any Channel) -> ResponseBody {
        let bytes = ByteBuffer(bytes: answer.response.body)
        switch answer.delivery {
        case .whole, .cut: return ResponseBody(byteBuffer: bytes)
        case .truncated(let count):
            return ResponseBody(contentLength: bytes.readableBytes) { writer in
                try await writer.write(ByteBuffer(bytes: answer.response.body.prefix(count)))
                try await channel.close()
                throw Cut()
            }
        case .slow(let bytesPerSecond):
            let time = time
            return ResponseBody(contentLength: bytes.readableBytes) { writer in
                var rest = bytes
                // Ten pieces a second.
                let piece = max(1, bytesPerSecond / 10)
                while rest.readableBytes > 0 {
                    try await time.sleep(for: .milliseconds(100))
                    guard let next = rest.readSlice(length: min(piece, rest.readableBytes)) else { break }
                    try await writer.write(next)
                }
                try await writer.finish(nil)
            }
        }
    }
}
