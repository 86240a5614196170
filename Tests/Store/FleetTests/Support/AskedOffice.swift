import Determinism
import HTTPInterface
import TestOpenAPI
import Testing
import Text

@testable import Fleet
@testable import FleetServer

/// The back office of a test, asked over its interface as people ask it, without a socket. Every answer is held against
/// the OpenAPI document.
struct AskedOffice: Sendable {
    let bench: FleetBench
    let service: FleetService

    struct Reply: Sendable {
        let status: Int
        let headers: [String: String]
        let bytes: [UInt8]

        var json: JSON { (try? JSON(bytes)) ?? .null }
        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// The word of a failure.
        var code: String? { json["error"]?["code"]?.text }
    }

    /// A service that connects with a login of its own, which has the office `server`.
    init(_ bench: FleetBench) async throws {
        self.bench = bench
        let login = try await bench.login(.server, in: nil)
        service = FleetService(
            [try bench.office(of: login), try bench.office(of: login)], time: FleetBench.time,
            random: SeededRandomSource(seed: 1))
    }

    /// A token of a new login with an office.
    func token(_ office: Office, in shop: String? = nil, days: Int = 1) async throws -> String {
        try await token(of: try await bench.login(office, in: shop), days: days)
    }

    func token(of login: String, days: Int = 1) async throws -> String {
        let (token, text) = try OfficeToken.make(SystemRandomSource())
        _ = try await bench.office.keep(token, for: login, days: days, note: nil)
        return text
    }

    @discardableResult
    func ask(
        _ method: String, _ target: String, _ body: String = "", token: String? = nil, type: String? = nil,
        origin: String? = nil, location: SourceLocation = #_sourceLocation
    ) async -> Reply {
        var headers = ["host": "127.0.0.1:8300"]
        headers["authorization"] = token.map { "Bearer \($0)" }
        headers["content-type"] = type
        headers["origin"] = origin
        let answer = await service.answer(
            APIRequest(method: method, target: target, headers: headers, body: Array(body.utf8)))
        guard case .bytes(let bytes) = answer.content else {
            Issue.record("a stream", sourceLocation: location)
            return Reply(status: answer.status, headers: [:], bytes: [])
        }
        let mistakes = DocumentCheck(FleetDocument.bytes)
            .mistakes(in: bytes, of: answer.mediaType, answer.status, to: method, target)
        #expect(mistakes.isEmpty, "\(method) \(target)", sourceLocation: location)
        return Reply(
            status: answer.status, headers: Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }, bytes: bytes)
    }
}
