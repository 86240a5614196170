import Determinism
import HTTPListening
import StoreSite

/// Passes requests to a site and delivers its responses.
struct SiteResponder: HTTPResponder {
    let site: StoreSite
    let time: any TimeSource
    let courier: WebhookCourier
    let meter: SiteMeter
    let onAnswer: @Sendable (SiteAnswer) -> Void

    /// More than any client of a store sends: 8 MiB.
    var largestBody: Int { 8 << 20 }

    /// A fault closes the connection here.
    private struct ConnectionCut: Error {}

    func respond(to request: IncomingRequest) async throws -> OutgoingResponse {
        // Not a part of the store: its faults and its list of requests leave them out.
        if let response = meter.response(to: request) { return response }
        let start = time.reading()
        let answer = site.answer(
            SiteRequest(
                method: request.method, target: request.target, headers: request.headers, body: request.body,
                isFromLoopback: request.isFromLoopback))
        courier.wake()
        defer { meter.note(answer.seen, time: time.elapsed(since: start)) }
        onAnswer(answer)
        if answer.delay > .zero { try await time.sleep(for: answer.delay) }
        if answer.delivery == .cut { throw ConnectionCut() }
        return OutgoingResponse(
            status: answer.response.status, headers: answer.response.headers.map { ($0.name, $0.value) },
            body: body(answer))
    }

    func refuseLargeBody() -> OutgoingResponse { OutgoingResponse(status: 413, body: .bytes([])) }

    func refuseConnection() -> OutgoingResponse {
        OutgoingResponse(status: 503, headers: [("Retry-After", "1")], body: .bytes([]))
    }

    private func body(_ answer: SiteAnswer) -> OutgoingResponse.Body {
        let bytes = answer.response.body
        switch answer.delivery {
        case .whole, .cut: return .bytes(bytes)
        case .truncated(let count):
            return .stream(length: bytes.count) { writer in
                try await writer.write(bytes.prefix(count))
                throw ConnectionCut()
            }
        case .slow(let bytesPerSecond):
            let time = time
            return .stream(length: bytes.count) { writer in
                // Ten pieces per second.
                let size = max(1, bytesPerSecond / 10)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    try await time.sleep(for: .milliseconds(100))
                    try await writer.write(bytes[start..<min(start + size, bytes.count)])
                }
            }
        }
    }
}
