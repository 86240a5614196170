import CardSecrets
import Determinism
import FoundationEssentials
import HTTPInterface
import Simulator
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

/// A service that tests ask, as the server does, but without a socket.
struct Asked: Sendable {
    let service: SimulationService
    let time: VirtualTimeSource
    var token: String?

    init(
        _ configuration: SimulationServiceConfiguration = .init(), token: String? = nil, store: SessionStore? = nil
    ) {
        time = VirtualTimeSource()
        var configuration = configuration
        if let token { configuration.token = SealedBytes(Array(token.utf8)) }
        service = SimulationService(configuration, time: time, store: store)
        self.token = token
    }

    struct Reply: Sendable {
        var status: Int
        var headers: [String: String]
        var mediaType: String
        var bytes: [UInt8]

        var json: JSON { (try? JSON(bytes)) ?? .null }
        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// The word of a failure.
        var code: String? { json["error"]?["code"]?.text }
        var path: String? { json["error"]?["path"]?.text }
        var fix: String? { json["error"]?["fix"]?.text }
    }

    /// Asks, and holds the answer against the document.
    @discardableResult
    func ask(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:],
        location: SourceLocation = #_sourceLocation
    ) async -> Reply {
        var fields = ["host": "127.0.0.1:8200"].merging(headers) { $1 }
        if let token, fields["authorization"] == nil { fields["authorization"] = "Bearer \(token)" }
        let answer = await service.answer(
            APIRequest(method: method, target: target, headers: fields, body: Array(body.utf8)))
        guard case .bytes(let bytes) = answer.content else {
            Issue.record("a stream", sourceLocation: location)
            return Reply(status: answer.status, headers: [:], mediaType: answer.mediaType, bytes: [])
        }
        let reply = Reply(
            status: answer.status,
            headers: Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }, mediaType: answer.mediaType,
            bytes: bytes)
        let mistakes = DocumentCheck.standard.mistakes(in: reply, to: method, target)
        #expect(mistakes.isEmpty, "\(method) \(target)", sourceLocation: location)
        return reply
    }

    /// Makes a session.
    ///
    /// - Returns: the beginning of its addresses.
    func session(_ plan: String = "{}") async throws -> String {
        let reply = await ask("POST", "/v1/sessions", plan)
        #expect(reply.status == 201, "\(reply.text)")
        return "/v1/sessions/" + (try #require(reply.json["id"]?.text))
    }
}

extension DocumentCheck {
    static let standard = DocumentCheck(OpenAPIDocument.bytes)

    func mistakes(in reply: Asked.Reply, to method: String, _ target: String) -> [String] {
        mistakes(in: reply.bytes, of: reply.mediaType, reply.status, to: method, target)
    }
}
